//! What must not reach nvcc, because it hands its arguments to a shell.

/// The first character of `text` that a shell would act upon inside nvcc's own quotes: `"`, a backtick, `$`, `\` or a
/// control character such as a newline. Spaces, `'` and characters outside ASCII are fine.
///
/// File names, folders, defines and flags that have one are refused before any call.
pub fn shell_unsafe(text: &str) -> Option<char> {
    text.chars().find(|&c| matches!(c, '"' | '`' | '$' | '\\') || c.is_control())
}

/// The message about such a character in something that is called `what`.
pub(super) fn shell_message(what: &str, text: &str) -> Option<(String, String)> {
    let bad = shell_unsafe(text)?;
    let named = match bad {
        '`' => "a backtick".to_owned(),
        '\n' => "a newline".to_owned(),
        c if c.is_control() => format!("the control character `{}`", c.escape_default()),
        c => format!("`{c}`"),
    };
    let message = format!("{what} contains {named}, and nvcc hands it to a shell");
    let help = "leave out `\"`, backticks, `$`, `\\` and control characters".to_owned();
    Some((message, help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_acts_upon() {
        for (text, bad) in [
            ("a$(touch x).cu", '$'),
            ("a`b`.cu", '`'),
            ("a\".cu", '"'),
            ("a\\b.cu", '\\'),
            ("a\nb.cu", '\n'),
            ("a\u{1b}b.cu", '\u{1b}'),
        ] {
            assert_eq!(shell_unsafe(text), Some(bad), "{text:?}");
        }
    }

    #[test]
    fn what_is_harmless() {
        for text in ["", "my kernels/it's.cu", "ядро.cu", "-Xcompiler=-Wall,-Wextra", "a;b&c|d"] {
            assert_eq!(shell_unsafe(text), None, "{text}");
        }
    }
}
