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

    /// Whether the whole of `text` matches. The parts between stars are taken from the left, each at its first place:
    /// no backtracking.
    pub fn matches(&self, text: &str) -> bool {
        let Some((first, rest)) = self.pattern.split_once('*') else { return self.pattern == text };
        let Some(mut text) = text.strip_prefix(first) else { return false };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        for part in middle.split('*') {
            match text.find(part) {
                Some(at) => text = &text[at + part.len()..],
                None => return false,
            }
        }
        text.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        let cases = [
            ("softmax", "softmax", true),
            ("softmax", "softmax2", false),
            ("softmax*", "softmax_bwd", true),
            ("*::softmax", "ns::softmax", true),
            ("*max*", "softmax_bwd", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
            ("ab*ba", "aba", false),
            ("*", "", true),
            ("**", "x", true),
            ("", "", true),
            ("", "x", false),
            ("operator()*[0]", "operator()x[0]", true),
        ];
        for (pattern, text, right) in cases {
            assert_eq!(NameGlob::new(pattern).matches(text), right, "{pattern} on {text}");
        }
    }
}
