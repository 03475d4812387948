//! C++ text with comments and literals blanked out, so that words in them are not taken for code.

/// A line comment: the bytes after its `//`.
pub(super) type LineComment = std::ops::Range<usize>;

/// The text with comments, strings and characters replaced by spaces byte for byte, and the line comments.
pub(super) fn mask(text: &str) -> (String, Vec<LineComment>) {
    let bytes = text.as_bytes();
    let mut masked = bytes.to_vec();
    let mut comments = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'/', b'/', ..] => {
                let end = line_end(bytes, at);
                comments.push(at + 2..end);
                end
            }
            [b'/', b'*', ..] => find(bytes, at + 2, b"*/").map_or(bytes.len(), |found| found + 2),
            [b'R', b'"', ..] => raw_string_end(bytes, at),
            [quote @ (b'"' | b'\''), ..] if !digit_separator(bytes, at, *quote) => {
                literal_end(bytes, at, *quote)
            }
            _ => {
                at += 1;
                continue;
            }
        };
        masked[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    // Whole characters were blanked, and only ASCII was put in.
    (String::from_utf8(masked).unwrap_or_default(), comments)
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    let end = find(bytes, from, b"\n").unwrap_or(bytes.len());
    if bytes[from..end].ends_with(b"\r") { end - 1 } else { end }
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

/// `1'000'000` is a number and not the beginning of a character.
fn digit_separator(bytes: &[u8], at: usize, quote: u8) -> bool {
    quote == b'\'' && at > 0 && bytes[at - 1].is_ascii_alphanumeric()
}

fn literal_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            // A literal ends with its line, even one that was never closed.
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn raw_string_end(bytes: &[u8], from: usize) -> usize {
    let Some(open) = find(bytes, from, b"(").filter(|open| open - from <= 18) else {
        return literal_end(bytes, from + 1, b'"');
    };
    let mut close = vec![b')'];
    close.extend(&bytes[from + 2..open]);
    close.push(b'"');
    find(bytes, open, &close).map_or(bytes.len(), |at| at + close.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        let text = "a /* b */ \"c // d\" 'e' 1'0 // f\r\ng R\"x(h)\"x)x\" i";
        let (masked, comments) = mask(text);
        assert_eq!(masked, "a                      1'0     \r\ng             i");
        assert_eq!(comments.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), [" f"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_keeps_its_length(text in "\\PC*|[/*\"'R()\\\\\n é]*") {
            proptest::prop_assert_eq!(mask(&text).0.len(), text.len());
        }
    }
}
