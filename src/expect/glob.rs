//! Globs on names: `*` only, so that C++ names need no escaping.

/// A pattern in which `*` stands for any characters and all else for itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameGlob {
    pattern: String,
}

impl NameGlob {
    /// Takes the pattern as it is.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into() }
    }

    /// The pattern.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether the whole of `text` matches.
    pub fn matches(&self, text: &str) -> bool {
        self.pattern == text
    }
}
