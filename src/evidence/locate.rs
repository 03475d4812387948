//! A scan of the source near a line: where a kernel's name and its `__launch_bounds__` stand. Only for drawing.

mod heads;

use std::ops::Range;

use self::heads::{Heads, Named, heads};
use super::scan::Bytes;
use crate::source::SourceText;

/// What was found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Located {
    /// The bytes of the name.
    pub declarator: Option<Range<usize>>,
    /// The bytes of `__launch_bounds__(…)` or `__maxnreg__(…)`.
    pub bounds: Option<Range<usize>>,
}

/// How many lines before the name a declaration may begin.
const LINES_BEFORE: u32 = 10;

/// How many lines after the name its declaration may go on.
const LINES_AFTER: u32 = 20;

/// Nearly every declaration has ended after so many: only where it goes on, more is read.
const LINES_AT_FIRST: u32 = 4;

/// A longer stretch is not searched: many kernels on one line of a generated file would each read it all, bytes.
const LONGEST: usize = 64 << 10;

/// Looks for the kernel `base` (its unqualified name) on or near the 1-based `line`.
///
/// The declarator is the name on that line; where a macro makes the kernel, the macro. The bounds are those of its own
/// declaration. Comments, strings and preprocessor directives do not count. Where two declarations could be meant,
/// none is.
pub fn locate(source: &SourceText, line: u32, base: &str) -> Located {
    let Some(own) = source.line_range(line) else { return Located::default() };
    let from =
        source.line_range(line.saturating_sub(LINES_BEFORE).max(1)).map_or(own.start, |range| range.start);
    let after = |lines: u32| {
        let last = line.saturating_add(lines).min(source.line_count());
        source.line_range(last).map_or(own.end, |range| range.end)
    };
    let (first, to) = (after(LINES_AT_FIRST), after(LINES_AFTER));
    if to - from > LONGEST {
        return Located::default();
    }
    let at_line = own.start - from..own.end - from;
    let read = |to: usize| {
        let mut blank = blanked(source.text(), from..to);
        blank_directives(&mut blank, joined(&source.text()[..from]));
        let heads = heads(&blank, at_line.clone(), base, from == 0);
        (blank, heads)
    };
    let (mut blank, mut heads) = read(first);
    if !heads.ended && first < to {
        (blank, heads) = read(to);
    }
    let Located { declarator, bounds } = chosen(&blank, at_line, heads).unwrap_or_default();
    let shift = |range: Range<usize>| range.start + from..range.end + from;
    Located { declarator: declarator.map(shift), bounds: bounds.map(shift) }
}

/// The name and its bounds; nothing where several could be the kernel's.
fn chosen(bytes: &[u8], line: Range<usize>, heads: Heads) -> Option<Located> {
    let (sure, other): (Vec<Named>, Vec<Named>) = heads.named.into_iter().partition(|named| named.global);
    let named = [sure, other].into_iter().find(|named| !named.is_empty());
    let named =
        named.or_else(|| (heads.mentions.is_empty() && !heads.pasted.is_empty()).then_some(heads.pasted));
    if let Some(named) = named {
        let one = only(&named, |_| true).or_else(|| only(&named, |named| named.defined))?;
        return Some(Located { declarator: Some(one.name.clone()), bounds: one.bounds() });
    }
    let name = match (heads.mentions.as_slice(), heads.calls.as_slice()) {
        ([mention], _) => mention.clone(),
        // several calls of one macro: which of them made the kernel, its name does not tell, and all mean the same
        ([], [call, more @ ..])
            if !heads.global && more.iter().all(|other| bytes[other.clone()] == bytes[call.clone()]) =>
        {
            call.clone()
        }
        ([], []) if !heads.global => identifiers(bytes, line).next()?,
        _ => return None,
    };
    Some(Located { declarator: Some(name), bounds: None })
}

fn only(named: &[Named], which: impl Fn(&Named) -> bool) -> Option<&Named> {
    let mut fits = named.iter().filter(|named| which(named));
    fits.next().filter(|_| fits.next().is_none())
}

/// The bytes of `range`, with comments, strings and what is not ASCII blanked out one for one. A comment that began
/// before the range is not seen.
pub(super) fn blanked(text: &str, range: Range<usize>) -> Vec<u8> {
    const MARKS: Bytes = Bytes::new(b"/\"'").and_beyond_ascii();
    let mut bytes: Vec<u8> = text.as_bytes()[range].to_vec();
    let mut at = 0;
    loop {
        at = MARKS.next(&bytes, at);
        if at == bytes.len() {
            return bytes;
        }
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

/// Blanks preprocessor directives with the lines that a backslash joins to them; `joined`: the first line belongs to one.
pub(super) fn blank_directives(bytes: &mut [u8], mut joined: bool) {
    if !joined && !bytes.contains(&b'#') {
        return;
    }
    for line in bytes.split_mut(|&byte| byte == b'\n') {
        let directive = joined || line.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'#');
        joined = directive && line.trim_ascii_end().ends_with(b"\\");
        if directive {
            line.fill(b' ');
        }
    }
}

/// Whether the next line belongs to a directive by a backslash: nothing else has one at its end.
fn joined(before: &str) -> bool {
    before.strip_suffix('\n').is_some_and(|before| before.trim_ascii_end().ends_with('\\'))
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

    /// The kernels of other lines have macros as bodies: no `}` ends them.
    #[test]
    fn bodies_from_macros() {
        let text = "#define BODY(n) { f(n); }\n#define EMPTY {}\n#define LB __launch_bounds__(1)\n\
                    __global__ void __launch_bounds__(2) a(P) BODY(9)\n__global__ void __maxnreg__(3) b(P) BODY(9)\n\
                    __global__ void LB c(P) BODY(9)\nKERNEL __launch_bounds__(4) d(P) BODY(9)\nKERNEL LB e(P) BODY(9)\n\
                    __global__ void f(P) __launch_bounds__(5) EMPTY\nKERNEL LB g(P) EMPTY\n__global__ void h(P) EMPTY\n\
                    __global__ void __launch_bounds__(6) i(P) EMPTY\n";
        let bounds: Vec<_> = ('a'..='i')
            .zip(4..)
            .map(|(name, line)| {
                let (declarator, bounds) = seen(text, line, &name.to_string());
                assert_eq!(declarator, Some(name.to_string()));
                bounds.unwrap_or_default().replace("__launch_bounds__", "")
            })
            .collect();
        assert_eq!(bounds, ["(2)", "__maxnreg__(3)", "", "", "", "(5)", "", "", "(6)"]);
    }

    #[test]
    fn a_macro_before_a_kernel_with_bounds() {
        let text = "#define DEF(n, lb) __global__ void __launch_bounds__(256, lb) \\\n n(P) {}\nDEF(z1, 8)\n\
                    __global__ void __launch_bounds__(256, 1) other(P) {}\n";
        assert_eq!(seen(text, 3, "z1"), some("z1", None));
        assert_eq!(seen(text, 4, "other"), some("other", Some("__launch_bounds__(256, 1)")));
        // the stretch begins within the macro
        let long = format!("#define X \\\n{}  __launch_bounds__(3)\nKERNEL k(P) {{}}\n", " \\\n".repeat(12));
        assert_eq!(seen(&long, 15, "k"), some("k", None));
    }

    #[test]
    fn several_of_one_name_on_a_line() {
        let text = "namespace A { __global__ void __launch_bounds__(1) k(P) {} } \
                    namespace B { __global__ void __launch_bounds__(2) k(P) {} }\n\
                    __global__ void k(P); __global__ void __launch_bounds__(3) k(P) { k2(k(1)); }\n\
                    DEF(k, 1) DEF(k, 2)\nDEF(k_, 1) DEF(k__, 2)\n\
                    __global__ void __launch_bounds__(4) NAME(k, 5)(P) {}\n__global__ void a(P) {} DEF(k_)\n";
        assert_eq!(seen(text, 1, "k"), (None, None));
        assert_eq!(seen(text, 2, "k"), some("k", Some("__launch_bounds__(3)")));
        assert_eq!(seen(text, 3, "k"), (None, None));
        assert_eq!(seen(text, 4, "k_1"), some("DEF", None), "one macro made them all");
        assert_eq!(seen(text, 5, "k5"), some("NAME", Some("__launch_bounds__(4)")));
        assert_eq!(seen(text, 6, "k_1"), (None, None));
    }

    #[test]
    fn branches_of_the_preprocessor() {
        let text = "#if A\n__global__ void __launch_bounds__(1) k(P)\n#else\n__global__ void __launch_bounds__(2) k(P)\n\
                    #endif\n{}\n__global__ void\n#if A\n__launch_bounds__(1)\n#else\n__maxnreg__(2)\n#endif\nl(P) {}\n";
        assert_eq!(seen(text, 2, "k"), some("k", Some("__launch_bounds__(1)")));
        assert_eq!(seen(text, 4, "k"), some("k", Some("__launch_bounds__(2)")));
        assert_eq!(seen(text, 13, "l"), some("l", None), "nobody knows which of them counts");
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
