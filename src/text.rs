//! Words: text from names, paths and compilers, made safe to show and short enough; numbers with what they count.

use std::fmt::Display;

use unicode_width::UnicodeWidthChar as _;

/// A text without what a terminal or a reader could be deceived by: control characters become U+FFFD, tabs a space,
/// marks that turn the direction of writing go.
pub fn sanitize(text: &str) -> String {
    // Nearly all of it is plain.
    if is_plain(text) {
        return text.to_owned();
    }
    text.chars().filter_map(safe).collect()
}

/// Only what ASCII prints; looked at in lots, which the compiler makes one look of.
fn is_plain(text: &str) -> bool {
    let plain = |lot: &[u8]| lot.iter().fold(true, |plain, byte| plain & (b' '..0x7f).contains(byte));
    text.as_bytes().chunks(32).all(plain)
}

fn safe(c: char) -> Option<char> {
    match c {
        '\t' => Some(' '),
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => None,
        '\u{2028}' | '\u{2029}' => Some('\u{fffd}'),
        c if c.is_control() => Some('\u{fffd}'),
        c => Some(c),
    }
}

/// Where a word is in a text first, as `str::find`. That one prepares each search, which takes longer than to look through
/// a line; the word should begin with a character that is rare.
pub(crate) fn find(text: &str, word: &str) -> Option<usize> {
    let first = word.chars().next()?;
    let mut from = 0;
    while let Some(at) = text[from..].find(first) {
        if text[from + at..].starts_with(word) {
            return Some(from + at);
        }
        from += at + first.len_utf8();
    }
    None
}

/// What is before and behind a word where it is last, as `str::rsplit_once`; for lines, as [`find`].
pub(crate) fn rsplit_once<'a>(text: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let first = word.chars().next()?;
    let mut end = text.len();
    while let Some(at) = text[..end].rfind(first) {
        if let Some(behind) = text[at..].strip_prefix(word) {
            return Some((&text[..at], behind));
        }
        end = at;
    }
    None
}

/// `1 block`, `2 blocks`.
pub fn count<N: Display + PartialEq + From<u8>>(n: N, word: &str) -> String {
    let s = if n == N::from(1) { "" } else { "s" };
    format!("{n} {word}{s}")
}

/// A JSON text with the control characters and marks that JSON allows unescaped, but a terminal would obey, escaped.
#[cfg(feature = "json")]
pub fn escape_json(json: String) -> String {
    let steers = |c: char| c.is_control() || safe(c).is_none_or(|same| same != c);
    // Nearly all of it is plain.
    if is_plain(&json) || !json.contains(steers) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 32);
    for c in json.chars() {
        match c {
            c if steers(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Columns that a character takes in a terminal: two for CJK and emoji, none for marks that combine.
pub(crate) fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Columns that a text takes in a terminal, character by character, as miette counts them.
pub(crate) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char_width).sum() }
}

/// The longest beginning of at most `most` columns.
fn head(text: &str, most: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|&(_, c)| {
        used += char_width(c);
        used > most
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// The longest end of at most `most` columns.
fn tail(text: &str, most: usize) -> &str {
    let mut used = 0;
    let before = text.char_indices().rev().find(|&(_, c)| {
        used += char_width(c);
        used > most
    });
    &text[before.map_or(0, |(at, c)| at + c.len_utf8())..]
}

/// At most `most` columns; what was cut is shown by `…`.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    format!("{}…", head(text, most.saturating_sub(1)).trim_end_matches([' ', '…']))
}

/// The end of a text of at most `most` columns; what was cut is shown by `…`.
pub(crate) fn cut_front(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    format!("…{}", tail(text, most.saturating_sub(1)))
}

/// A name of at most `most` columns: return type and namespaces go first, then the middle.
pub(crate) fn shorten_name(name: &str, most: usize) -> String {
    if width(name) <= most {
        return name.to_owned();
    }
    let name = without_namespaces(name);
    if width(name) <= most {
        return name.to_owned();
    }
    let room = most.saturating_sub(1);
    let head = head(name, room * 2 / 3);
    format!("{head}…{}", tail(name, room - width(head)))
}

/// `void a::b::c<d::e>(f)` → `c<d::e>(f)`.
pub(crate) fn without_namespaces(name: &str) -> &str {
    let anonymous =
        name.rfind("(anonymous namespace)::").map_or(0, |at| at + "(anonymous namespace)::".len());
    let anonymous = if name[..anonymous].contains('<') { 0 } else { anonymous };
    let rest = &name[anonymous..];
    let head = &rest[..rest.find(['<', '(']).unwrap_or(rest.len())];
    let start = head.rfind("::").map_or(0, |at| at + 2);
    &rest[start..]
}

/// Lines of at most `most` columns, broken at spaces; a longer word has a line of its own.
pub(crate) fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let length = width(word);
        let fits = used == 0 || used + 1 + length <= most;
        match lines.last_mut() {
            Some(line) if fits => {
                if used > 0 {
                    line.push(' ');
                    used += 1;
                }
                line.push_str(word);
                used += length;
            }
            _ => {
                lines.push(word.to_owned());
                used = length;
            }
        }
    }
    lines
}

/// A function's name without its return type and parameters: `void ns::k<4>(float*)` is `ns::k<4>`. A name that
/// cannot be taken apart stays as it is.
pub(crate) fn without_signature(name: &str) -> &str {
    let whole = name.trim_end();
    let Some(open) = whole.ends_with(')').then(|| opening(whole)).flatten() else { return name };
    let call = whole[..open].trim_end();
    if call.is_empty() || call.ends_with("operator") {
        return name;
    }
    let mut depth = 0_i32;
    for (at, c) in call.char_indices().rev() {
        match c {
            '>' | ')' | '}' | ']' => depth += 1,
            '<' | '(' | '{' | '[' => depth -= 1,
            ' ' if depth == 0 && !call[..at].ends_with("operator") => return &call[at + 1..],
            _ => {}
        }
        if depth < 0 {
            return name;
        }
    }
    call
}

/// Where the last parenthesis that is closed at the end was opened.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 1 => return Some(at),
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A share of 1, with one decimal where it needs one: `50 %`, `37.5 %`.
pub(crate) fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn words_are_found_as_the_standard_library_does(text in "[ab'ü]{0,12}", word in "[ab'ü]{1,3}") {
            prop_assert_eq!(find(&text, &word), text.find(&word));
            prop_assert_eq!(rsplit_once(&text, &word), text.rsplit_once(&word));
        }
    }

    #[test]
    fn nothing_that_steers_a_terminal_remains() {
        assert_eq!(sanitize("a\x1b[31m\n\r\u{9b}b\tc\u{202e}d"), "a\u{fffd}[31m\u{fffd}\u{fffd}\u{fffd}b cd");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!(
            [count(0_u32, "block"), count(1_usize, "block"), count(2_u64, "block")],
            ["0 blocks", "1 block", "2 blocks"]
        );
    }

    #[cfg(feature = "json")]
    #[test]
    fn json_says_the_same_without_steering_a_terminal() {
        let name = "a\x1b\u{9b}31m\u{202e}\u{7f}ü\u{2028}";
        let escaped = escape_json(serde_json::Value::from(name).to_string());
        assert_eq!(escaped, r#""a\u001b\u009b31m\u202e\u007fü\u2028""#);
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), name);
    }

    #[test]
    fn cutting_says_so() {
        assert_eq!(cut("kernel", 6), "kernel");
        assert_eq!(cut("kernels", 6), "kerne…");
        assert_eq!(cut("kern… <int>", 7), "kern…");
        let short = shorten_name(&"k".repeat(100), 20);
        assert_eq!(short.chars().count(), 20);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!((width("核心🚀é"), width("e\u{301}")), (7, 1));
        assert_eq!(cut("核心核心", 8), "核心核心");
        assert_eq!(cut("核心核心", 7), "核心核…");
        assert_eq!(cut("核心核心", 6), "核心…", "half a character is none");
        assert_eq!(
            (cut_front("核心/a.cu", 8), cut_front("核心/a.cu", 7)),
            ("…心/a.cu".to_owned(), "…/a.cu".to_owned())
        );
        assert!(width(&shorten_name(&"核".repeat(50), 20)) <= 20);
        assert_eq!(wrap("核心 核心", 8), ["核心", "核心"]);
        assert_eq!(wrap("核心 核心", 9), ["核心 核心"]);
    }

    #[test]
    fn wrapping_breaks_at_spaces_only() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a incomprehensibilities b", 5), ["a", "incomprehensibilities", "b"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn namespaces_are_the_first_to_go() {
        assert_eq!(shorten_name("void a::b::kernel<c::d>(int)", 20), "kernel<c::d>(int)");
        assert_eq!(shorten_name("(anonymous namespace)::kernel(int)", 20), "kernel(int)");
        assert_eq!(shorten_name("a::b", 20), "a::b");
    }

    #[test]
    fn a_name_is_told_from_its_signature() {
        for (name, right) in [
            ("spiller(float*, float const*)", "spiller"),
            ("void ns::k<4, (E)1>(void (*)(int), T)", "ns::k<4, (E)1>"),
            ("(anonymous namespace)::anon(float*)", "(anonymous namespace)::anon"),
            ("void A::operator()<int>(int)", "A::operator()<int>"),
            ("A::operator()", "A::operator()"),
            ("plain_c_name", "plain_c_name"),
            ("std::vector<int> make(int)", "make"),
            ("odd>(x)", "odd>"),
            (")", ")"),
            ("", ""),
        ] {
            assert_eq!(without_signature(name), right, "{name}");
        }
    }
}
