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

    /// Whether the whole of `text` matches; `*` also stands for `/` and `::`.
    ///
    /// Each piece between stars is looked for once, from left to right: the leftmost place leaves the most room for
    /// the rest, so no place is ever tried twice.
    pub fn matches(&self, text: &str) -> bool {
        let Some((head, rest)) = self.pattern.split_once('*') else { return self.pattern == text };
        let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
        let Some(text) = text.strip_prefix(head).and_then(|text| text.strip_suffix(tail)) else {
            return false;
        };
        let mut left = text;
        middle.split('*').all(|piece| match left.find(piece) {
            Some(at) => {
                left = &left[at + piece.len()..];
                true
            }
            None => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition itself, slow: `*` takes nothing, or one character and then more.
    fn by_definition(pattern: &[char], text: &[char]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), None) => by_definition(rest, text),
            (Some(('*', rest)), Some((_, more))) => by_definition(rest, text) || by_definition(pattern, more),
            (Some((p, rest)), Some((t, more))) => p == t && by_definition(rest, more),
            _ => false,
        }
    }

    #[test]
    fn patterns() {
        for (pattern, text, matches) in [
            ("softmax", "softmax", true),
            ("softmax", "softmax2", false),
            ("softmax*", "softmax", true),
            ("softmax*", "my_softmax", false),
            ("*softmax", "a::softmax", true),
            ("*::*", "a::b", true),
            ("*::*", "ab", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*a*b*", "xbxa", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("f<int, *>(*)", "f<int, 4>(float*)", true),
            ("kernels/*.cu", "kernels/deep/a.cu", true),
            ("яд*о", "ядро", true),
        ] {
            assert_eq!(NameGlob::new(pattern).matches(text), matches, "`{pattern}` on `{text}`");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let glob = NameGlob::new("*a".repeat(2_000) + "b");
        let start = std::time::Instant::now();
        assert!(!glob.matches(&"a".repeat(20_000)));
        assert!(start.elapsed() < std::time::Duration::from_secs(5));
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(pattern in "[ab*]{0,8}", text in "[ab]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(
                NameGlob::new(pattern.as_str()).matches(&text),
                by_definition(&chars(&pattern), &chars(&text))
            );
        }

        #[test]
        fn never_panics(pattern in "\\PC{0,20}", text in "\\PC{0,40}") {
            let _ = NameGlob::new(pattern).matches(&text);
        }
    }
}
