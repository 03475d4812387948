//! A scan of the source near a line: where a kernel's name and its `__launch_bounds__` stand. Only for drawing.

use std::ops::Range;

use crate::source::SourceText;

/// What was found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Located {
    /// The bytes of the name.
    pub declarator: Option<Range<usize>>,
    /// The bytes of `__launch_bounds__(…)`.
    pub bounds: Option<Range<usize>>,
}

/// How many lines before the name a declaration may begin.
const LINES_BEFORE: u32 = 10;

/// How many lines after the name its declaration may go on.
const LINES_AFTER: u32 = 20;

/// A longer stretch is not searched: many kernels on one line of a generated file would each read it all, bytes.
const LONGEST: usize = 64 << 10;

const BOUNDS: &str = "__launch_bounds__";

/// Looks for the kernel `base` (its unqualified name) on or near the 1-based `line`.
///
/// The declarator is the name on that line; where a macro makes the kernel, the line's first identifier. The bounds are
/// those between the end of the statement before and the kernel's body; comments and strings do not count.
pub fn locate(source: &SourceText, line: u32, base: &str) -> Located {
    let Some(own) = source.line_range(line) else { return Located::default() };
    let from =
        source.line_range(line.saturating_sub(LINES_BEFORE).max(1)).map_or(own.start, |range| range.start);
    let last = line.saturating_add(LINES_AFTER).min(source.line_count());
    let to = source.line_range(last).map_or(own.end, |range| range.end);
    if to - from > LONGEST {
        return Located::default();
    }
    let blank = blanked(source.text(), from..to);
    let at_line = own.start - from..own.end - from;

    let named = word(&blank, at_line.clone(), base);
    let name = named.clone().or_else(|| first_identifier(&blank, at_line));
    let bounds = named.and_then(|name| bounds_of(&blank, &name));
    let shift = |range: Range<usize>| range.start + from..range.end + from;
    Located { declarator: name.map(shift), bounds: bounds.map(shift) }
}

/// The bytes of `range`, with comments, strings and what is not ASCII blanked out one for one. A comment that began
/// before the range is not seen.
pub(super) fn blanked(text: &str, range: Range<usize>) -> Vec<u8> {
    let mut bytes: Vec<u8> = text.as_bytes()[range].to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'/')) => find(&bytes, at, b"\n"),
            (b'/', Some(b'*')) => find(&bytes, at + 2, b"*/").saturating_add(2),
            (quote @ (b'"' | b'\''), _) if quote == b'"' || !is_word_before(&bytes, at) => {
                string_end(&bytes, at)
            }
            (byte, _) => {
                if !byte.is_ascii() {
                    bytes[at] = b' ';
                }
                at += 1;
                continue;
            }
        };
        let end = end.min(bytes.len());
        bytes[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    bytes
}

/// `1'000`: a digit separator opens no character.
fn is_word_before(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphanumeric())
}

/// Past the closing quote; a line's end closes as well.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == bytes[start] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    rest.windows(what.len()).position(|window| window == what).map_or(bytes.len(), |at| from + at)
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The identifiers in `range`.
pub(super) fn identifiers(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        let start = (at..range.end).find(|&i| is_word(bytes[i]))?;
        let end = (start..range.end).find(|&i| !is_word(bytes[i])).unwrap_or(range.end);
        at = end;
        Some(start..end)
    })
    .filter(|word| !bytes[word.start].is_ascii_digit())
}

/// The identifier `name`, best one that a `(` or `<` follows.
fn word(bytes: &[u8], range: Range<usize>, name: &str) -> Option<Range<usize>> {
    let mut words = identifiers(bytes, range).filter(|word| &bytes[word.clone()] == name.as_bytes());
    let first = words.next()?;
    let opens = |word: &Range<usize>| next_sign(bytes, word.end).is_some_and(|at| b"(<".contains(&bytes[at]));
    let called = if opens(&first) { Some(first.clone()) } else { words.find(opens) };
    called.or(Some(first))
}

fn first_identifier(bytes: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    identifiers(bytes, range).next()
}

fn next_sign(bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len()).find(|&at| !bytes[at].is_ascii_whitespace())
}

/// The bounds in the declaration around `name`: before it, else between its parameters and its body.
fn bounds_of(bytes: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let start = declaration_start(bytes, name.start);
    let end = (name.end..bytes.len()).find(|&at| b"{};".contains(&bytes[at])).unwrap_or(bytes.len());
    let found =
        |range: Range<usize>| identifiers(bytes, range).filter(|w| &bytes[w.clone()] == BOUNDS.as_bytes());
    let word = found(start..name.start).last().or_else(|| found(name.end..end).next())?;
    let open = next_sign(bytes, word.end).filter(|&at| bytes[at] == b'(')?;
    Some(word.start..closing(bytes, open)?)
}

/// After the last `;`, `{` or `}` before the name that stands in no parentheses.
pub(super) fn declaration_start(bytes: &[u8], name: usize) -> usize {
    let mut depth = 0_u32;
    for at in (0..name).rev() {
        match bytes[at] {
            b')' => depth += 1,
            b'(' => depth = depth.saturating_sub(1),
            b';' | b'{' | b'}' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    0
}

/// Past the parenthesis that closes the one at `open`.
fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' if depth <= 1 => return Some(at + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The texts of both spans.
    fn seen(text: &str, line: u32, base: &str) -> (Option<String>, Option<String>) {
        let source = SourceText::new("a.cu", text);
        let located = locate(&source, line, base);
        let text = |range: Option<Range<usize>>| range.map(|range| source.text()[range].to_owned());
        (text(located.declarator), text(located.bounds))
    }

    fn some(name: &str, bounds: Option<&str>) -> (Option<String>, Option<String>) {
        (Some(name.to_owned()), bounds.map(str::to_owned))
    }

    #[test]
    fn on_one_line() {
        let text = "__global__ void __launch_bounds__(128, 16) spiller(float* o) { spiller_body(o); }\n";
        assert_eq!(seen(text, 1, "spiller"), some("spiller", Some("__launch_bounds__(128, 16)")));
    }

    #[test]
    fn over_several_lines() {
        let text = "__launch_bounds__(9) __global__ void other();\r\n\
                    template <int N>\r\n__global__ void\r\n__launch_bounds__((N * 32),\r\n  min(2, 4)) // ü {;}\r\n\
                    k(float* o,\r\n  int n)\r\n{ }\r\n__launch_bounds__(7) void z();";
        assert_eq!(seen(text, 6, "k"), some("k", Some("__launch_bounds__((N * 32),\r\n  min(2, 4))")));
    }

    #[test]
    fn after_the_parameters() {
        let text = "__global__ void k(int n) __launch_bounds__(64);\n__launch_bounds__(9) void z();";
        assert_eq!(seen(text, 1, "k"), some("k", Some("__launch_bounds__(64)")));
    }

    #[test]
    fn not_those_of_another_kernel() {
        let text = "__global__ void __launch_bounds__(64) a() {}\n__global__ void b() {}\n\
                    __global__ void __launch_bounds__(32) c() {}\n";
        assert_eq!(seen(text, 2, "b"), some("b", None));
    }

    #[test]
    fn comments_and_strings_do_not_count() {
        let text = "/* __launch_bounds__(1) k( */ __global__ void f(\"k(\", '\"'); // k(\n__global__ void /* k( */ k() {}";
        assert_eq!(seen(text, 2, "k"), some("k", None));
        let source = SourceText::new("a.cu", text);
        assert_eq!(locate(&source, 2, "k").declarator.unwrap().start, text.rfind("k() {}").unwrap());
    }

    #[test]
    fn a_macro_makes_the_kernel() {
        assert_eq!(seen("\n  MAKE_KERNEL(softmax, 256)\n", 2, "softmax_256"), some("MAKE_KERNEL", None));
        assert_eq!(seen("// nothing\n", 1, "k"), (None, None));
        assert_eq!(seen("x\n", 9, "k"), (None, None));
    }

    #[test]
    fn bounds_cut_off_are_none() {
        assert_eq!(seen("__global__ void k() __launch_bounds__(64", 1, "k"), some("k", None));
    }

    proptest! {
        #[test]
        fn any_source_is_read(text in "([ü\r\n \"'/*(){};k1]|__launch_bounds__|\\\\){0,40}", line in 0..9_u32) {
            let source = SourceText::new("a.cu", text);
            let located = locate(&source, line, "k");
            for range in [located.declarator, located.bounds].into_iter().flatten() {
                prop_assert!(source.text().get(range).is_some());
            }
        }
    }
}
