//! The files that went into a unit, from the preprocessor's line markers.
//!
//! nvcc's own dependency output (`-MD`) runs the preprocessor a second time; the first run's output is kept anyway.

use std::sync::Arc;

use crate::order::Map;

/// A file that went into a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IncludedFile {
    /// As the preprocessor names it.
    pub name: Arc<str>,
    /// The preprocessor says that an `#include` entered it; what only a `#line` names was not.
    pub entered: bool,
}

/// The files that went into a unit.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Included {
    /// Those that are this unit's to tell.
    pub own: Vec<IncludedFile>,
    /// Those that units of one list have in common: headers outside the workspace, where they come from a cache.
    pub shared: Arc<[IncludedFile]>,
}

impl Included {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &IncludedFile> {
        self.own.iter().chain(&*self.shared)
    }
}

impl From<Vec<IncludedFile>> for Included {
    fn from(own: Vec<IncludedFile>) -> Self {
        Self { own, ..Self::default() }
    }
}

/// The files that a preprocessed text names in its line markers, sorted; `<built-in>` and the like left out.
pub fn included_files(preprocessed: &str) -> Vec<IncludedFile> {
    included_files_and(preprocessed, &mut |_| {})
}

/// The same; all that is in no line that begins with `#` is shown to `code`.
pub(super) fn included_files_and(preprocessed: &str, code: &mut dyn FnMut(&str)) -> Vec<IncludedFile> {
    let mut found: Map<&[u8], bool> = Map::new();
    let mut last: &[u8] = b"";
    for piece in pieces(preprocessed) {
        let line = match piece {
            Piece::Directive(line) => line,
            Piece::Code(text) => {
                code(text);
                continue;
            }
        };
        let Some((name, entered)) = marker(line.as_bytes()) else { continue };
        if name.starts_with(b"<") || (name == last && !entered) {
            continue;
        }
        let known = found.get(name).copied().unwrap_or(false);
        found.insert(name, known || entered);
        last = name;
    }
    let file = |(name, entered): (&[u8], bool)| IncludedFile { name: unescape(name).into(), entered };
    found.into_iter().map(file).collect()
}

/// A part of a preprocessed text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Piece<'a> {
    /// A line that begins with `#`, without its end.
    Directive(&'a str),
    /// What is between such lines.
    Code(&'a str),
}

/// A preprocessed text in pieces. Build scripts are compiled without optimisation, so the bulk is left to what the standard
/// library has compiled: the search for a character.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let (mut start, mut line) = (0, None);
    std::iter::from_fn(move || {
        if let Some(end) = line.take() {
            let directive = &text[start..end];
            start = (end + 1).min(text.len());
            return Some(Piece::Directive(directive));
        }
        if start == text.len() {
            return None;
        }
        let mut from = start;
        let begin = loop {
            let Some(at) = text[from..].find('#').map(|at| from + at) else { break text.len() };
            if at == 0 || text.as_bytes()[at - 1] == b'\n' {
                line = Some(text[at..].find('\n').map_or(text.len(), |end| at + end));
                break at;
            }
            from = at + 1;
        };
        let code = &text[start..begin];
        start = begin;
        Some(Piece::Code(code))
    })
}

/// The file name between the quotes of a line marker, and whether its flag says that a file begins there.
fn marker(line: &[u8]) -> Option<(&[u8], bool)> {
    let rest = line.strip_prefix(b"# ").or_else(|| line.strip_prefix(b"#line "))?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(digits..)?.strip_prefix(b" \"")?;
    let end = rest.iter().rposition(|&byte| byte == b'"')?;
    let enters = rest[end + 1..].starts_with(b" 1");
    (digits > 0 && end > 0).then(|| (&rest[..end], enters))
}

/// The preprocessor writes `\\` and `\"` for a backslash and a quote, and octal for other bytes.
fn unescape(name: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let octal = rest.iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
        let value = rest[..octal].iter().fold(0_u32, |value, &digit| value * 8 + u32::from(digit - b'0'));
        match (octal, u8::try_from(value)) {
            (3, Ok(value)) => {
                bytes.push(value);
                rest = &rest[3..];
            }
            _ => {
                let Some((&next, tail)) = rest.split_first() else { break };
                bytes.push(next);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        included_files(text).into_iter().map(|file| file.name.to_string()).collect()
    }

    #[test]
    fn pieces_are_the_whole_text() {
        let all = |text| {
            pieces(text)
                .map(|piece| match piece {
                    Piece::Directive(line) => format!("<{line}>"),
                    Piece::Code(code) => code.to_owned(),
                })
                .collect::<String>()
        };
        assert_eq!(all("# 1\n#x\n\na # b\n#y"), "<# 1><#x>\na # b\n<#y>");
        assert_eq!((all(""), all("#"), all("a\n#\n")), (String::new(), "<#>".into(), "a\n<#>".into()));
    }

    #[test]
    fn code_is_what_stands_in_no_directive() {
        let mut seen = String::new();
        let files =
            included_files_and("# 1 \"/w/k.cu\"\nx\n# 2 \"/w/k.cu\"\n#pragma /w/\n/w/\n", &mut |code| {
                seen += code
            });
        assert_eq!((files.len(), seen.as_str()), (1, "x\n/w/\n"));
    }

    #[test]
    fn markers_give_each_file_once() {
        let text = "# 0 \"<built-in>\"\n# 1 \"/p/k.cu\"\nint x; # 7 \"no\"\n# 1 \"/p/a b.h\" 1 3 4\n# 2 \"/p/k.cu\" 2\n#pragma once\n";
        assert_eq!(names(text), ["/p/a b.h", "/p/k.cu"]);
    }

    #[test]
    fn what_a_line_directive_names_was_not_entered() {
        let text = "# 1 \"k.cu\"\n# 1 \"h.h\" 1\n# 3 \"h.h\" 1 3\n# 2 \"k.cu\" 2\n# 7 \"/etc/passwd\"\n";
        let entered: Vec<_> = included_files(text).into_iter().filter(|file| file.entered).collect();
        assert_eq!((names(text).len(), entered.len(), &*entered[0].name), (3, 1, "h.h"));
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(names("# 1 \"/p/\\303\\251 \\\"q\\\\.h\""), ["/p/\u{e9} \"q\\.h"]);
    }

    #[test]
    fn broken_markers_are_passed_over() {
        assert!(names("# \"x\"\n# 1 \"\n# 1 x\n#\n# 99999999999999999999 \"\"\n\\").is_empty());
    }
}
