//! The files that went into a unit, from the preprocessor's line markers.
//!
//! nvcc's own dependency output (`-MD`) runs the preprocessor a second time; the first run's output is kept anyway.

use std::collections::BTreeSet;

/// The files that a preprocessed text names in `# LINE "FILE"` markers, sorted; `<built-in>` and the like left out.
pub fn included_files(preprocessed: &[u8]) -> Vec<String> {
    let mut files = BTreeSet::new();
    let mut last: &[u8] = b"";
    for line in preprocessed.split(|&byte| byte == b'\n') {
        let Some(name) = marker(line) else { continue };
        if name != last && !name.starts_with(b"<") {
            files.insert(name);
            last = name;
        }
    }
    files.into_iter().map(unescape).collect()
}

/// The file name between the quotes of a line marker.
fn marker(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"# ").or_else(|| line.strip_prefix(b"#line "))?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(digits..)?.strip_prefix(b" \"")?;
    let end = rest.iter().rposition(|&byte| byte == b'"')?;
    (digits > 0 && end > 0).then(|| &rest[..end])
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

    #[test]
    fn markers_give_each_file_once() {
        let text = b"# 0 \"<built-in>\"\n# 1 \"/p/k.cu\"\nint x; # 7 \"no\"\n# 1 \"/p/a b.h\" 1 3 4\n# 2 \"/p/k.cu\" 2\n#pragma once\n";
        assert_eq!(included_files(text), ["/p/a b.h", "/p/k.cu"]);
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(included_files(b"# 1 \"/p/\\303\\251 \\\"q\\\\.h\""), ["/p/\u{e9} \"q\\.h"]);
    }

    #[test]
    fn broken_markers_are_passed_over() {
        assert!(included_files(b"# \"x\"\n# 1 \"\n# 1 x\n#\n# 99999999999999999999 \"\"\n\\").is_empty());
    }
}
