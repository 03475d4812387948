//! What must not reach nvcc, which pastes its arguments into shell commands.

/// The first character of a path, flag, include or define that nvcc would hand to a shell: `"`, `` ` ``, `$`, `\` and
/// control characters (a newline among them). Within nvcc's double quotes all else is plain text.
pub fn shell_unsafe(text: &str) -> Option<char> {
    text.chars().find(|c| matches!(c, '"' | '`' | '$' | '\\') || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_reads_within_quotes_is_refused() {
        for text in ["a$(touch x).cu", "a`b`", "a\"b", "a\\b", "a\nb", "a\u{7f}"] {
            assert!(shell_unsafe(text).is_some(), "{text:?}");
        }
        for text in ["a b.cu", "it's.cu", "é/ü.cu", "a;b&c|d>(e)*?.cu", "-Xptxas=-O3"] {
            assert_eq!(shell_unsafe(text), None, "{text:?}");
        }
    }
}
