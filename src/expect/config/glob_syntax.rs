//! Whether a text is a glob of sources, as the matcher of the subcommand understands it.
//!
//! The library never matches such globs, and its users compile it for their build scripts: the crate that does match
//! them, `globset`, would double that time. The tests hold both against each other.

use std::iter::Peekable;
use std::str::Chars;

/// The deepest `{…{…}…}` that is matched.
const DEEPEST: usize = 100;

/// Why a text is no glob; `None` where it is one.
pub(super) fn mistake(glob: &str) -> Option<String> {
    let mut chars = glob.chars().peekable();
    let mut open = 0;
    while let Some(c) = chars.next() {
        let wrong = match c {
            '[' => class(&mut chars),
            '{' if open == DEEPEST => Some("alternate groups nested too deeply".to_owned()),
            '}' if open == 0 => Some("unopened alternate group; missing '{'".to_owned()),
            '\\' if chars.next().is_none() => Some("dangling '\\'".to_owned()),
            _ => None,
        };
        if wrong.is_some() {
            return wrong;
        }
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
    }
    (open > 0).then(|| "unclosed alternate group; missing '}'".to_owned())
}

/// Reads `[…]` past its opening bracket. A `]` or `-` that stands first is itself.
fn class(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    chars.next_if(|&c| c == '!' || c == '^');
    // what a range can begin with, and whether one has begun
    let (mut from, mut in_range) = (None, false);
    loop {
        let Some(c) = chars.next() else { return Some("unclosed character class; missing ']'".to_owned()) };
        match (c, from) {
            (']', Some(_)) => return None,
            ('-', Some(_)) if !in_range => in_range = true,
            (to, Some(from)) if in_range && to < from => {
                return Some(format!("invalid range; '{from}' > '{to}'"));
            }
            _ => {
                // the end of a range can begin none of its own, but the next sign is measured against its start
                from = if in_range { from } else { Some(c) };
                in_range = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mistakes_are_named() {
        for (glob, why) in [
            ("kernels/[.cu", "unclosed character class; missing ']'"),
            ("[]", "unclosed character class; missing ']'"),
            ("[z-a].cu", "invalid range; 'z' > 'a'"),
            ("{a,b", "unclosed alternate group; missing '}'"),
            ("a,b}", "unopened alternate group; missing '{'"),
        ] {
            assert_eq!(mistake(glob).as_deref(), Some(why), "{glob}");
        }
        for glob in ["kernels/**/*.cu", "[]a]", "[!-]", "{a,{b,c}}.cu", "[a-]", "ядро*.cu", ""] {
            assert_eq!(mistake(glob), None, "{glob}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_matcher(glob in "[ac\\-\\[\\]!^{},*?/\\\\]{0,10}") {
            prop_assert_eq!(mistake(&glob).is_none(), globset::Glob::new(&glob).is_ok(), "{}", glob);
        }
    }
}
