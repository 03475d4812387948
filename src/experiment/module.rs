//! A PTX module whose entries can be copied with other bounds.

use std::ops::Range;

use crate::evidence::scan::Bytes;
use crate::experiment::{Threads, Variant};

/// What is looked for between entries and functions, each with the bytes that begin comments and strings.
const BETWEEN: Bytes = Bytes::new(b"/\"{}.");
/// In a body.
const BODY: Bytes = Bytes::new(b"/\"{}");
/// Before a name.
const BLACK: Bytes = Bytes::new(b" \t\n\x0c\r").others();
/// Behind a name.
const NAME_ENDS: Bytes = Bytes::new(b"/\"({; \t\n\x0c\r");
/// Between a name and a body.
const HEAD: Bytes = Bytes::new(b"/\"){;");

/// A PTX module, taken apart into its entries and the rest.
#[derive(Clone, Debug)]
pub struct Module<'a> {
    text: &'a str,
    entries: Vec<Entry>,
}

/// Where the parts of an entry stand.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    /// From the beginning of its line to its closing brace.
    all: Range<usize>,
    name: Range<usize>,
    /// Between the parameters and the body.
    directives: Range<usize>,
}

impl<'a> Module<'a> {
    /// Takes a module apart. What is no entry with a body stays in the rest.
    pub fn new(text: &'a str) -> Self {
        Self { text, entries: Scanner { text, at: 0 }.entries() }
    }

    /// The number of the entry with this mangled name.
    pub fn entry(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| &self.text[entry.name.clone()] == name)
    }

    /// The text of an entry.
    pub fn entry_text(&self, entry: usize) -> &'a str {
        &self.text[self.entries[entry].all.clone()]
    }

    /// The text without entries, in pieces.
    pub fn rest(&self) -> Vec<&'a str> {
        let starts = std::iter::once(0).chain(self.entries.iter().map(|entry| entry.all.end));
        let ends = self.entries.iter().map(|entry| entry.all.start).chain([self.text.len()]);
        starts.zip(ends).map(|(start, end)| &self.text[start..end]).collect()
    }

    /// A copy of an entry under another name and other bounds.
    pub fn copy(&self, entry: usize, name: &str, variant: &Variant) -> String {
        let Entry { all, name: old, directives } = &self.entries[entry];
        let text = self.text;
        let (head, parameters) = (&text[all.start..old.start], &text[old.end..directives.start]);
        let directives = edited(&text[directives.clone()], variant);
        let body = &text[self.entries[entry].directives.end..all.end];
        format!("{head}{name}{parameters}{directives}\n{body}")
    }

    /// The module with copies (number of the entry, text) instead of its entries, each where its original stood.
    pub fn with_copies(&self, copies: &[(usize, String)]) -> String {
        let mut out = String::with_capacity(self.text.len());
        for (index, piece) in self.rest().into_iter().enumerate() {
            out.push_str(piece);
            for (_, copy) in copies.iter().filter(|(entry, _)| *entry == index) {
                out.push('\n');
                out.push_str(copy);
                out.push('\n');
            }
        }
        out
    }
}

/// The directives with the variant's bounds instead of the entry's own.
fn edited(directives: &str, variant: &Variant) -> String {
    let mut text = without(&without(directives, ".minnctapersm"), ".maxnreg");
    if let Threads::AtMost(threads) = variant.threads {
        text = without(&without(&text, ".maxntid"), ".reqntid");
        text.push_str(&format!("\n.maxntid {threads}, 1, 1"));
    }
    if let Some(blocks) = variant.min_blocks {
        text.push_str(&format!("\n.minnctapersm {blocks}"));
    }
    if let Some(registers) = variant.max_registers {
        text.push_str(&format!("\n.maxnreg {registers}"));
    }
    text
}

/// The text without a directive and its numbers.
fn without(text: &str, directive: &str) -> String {
    let Some(start) = text.find(directive) else { return text.to_owned() };
    let rest = &text[start + directive.len()..];
    let is_value = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '\t' | ',');
    let values = rest.find(|c: char| !is_value(c)).unwrap_or(rest.len());
    format!("{}{}", text[..start].trim_end_matches([' ', '\t']), &rest[values..])
}

/// A pass over the bytes; comments and strings are skipped.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn entries(mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut depth = 0_usize;
        while let Some(byte) = self.next(if depth == 0 { &BETWEEN } else { &BODY }) {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                b'.' if depth == 0 && self.text.as_bytes()[self.at..].starts_with(b".entry") => {
                    entries.extend(self.entry());
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        entries
    }

    /// The next of these bytes, or of those that begin a comment or a string, that is in none.
    fn next(&mut self, which: &Bytes) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            self.at = which.next(bytes, self.at);
            let rest = &bytes[self.at..];
            let skipped = match rest {
                [b'/', b'/', ..] => find(rest, b"\n"),
                [b'/', b'*', ..] => find(&rest[2..], b"*/").map(|end| end + 4),
                [b'"', ..] => find(&rest[1..], b"\"").map(|end| end + 2),
                [byte, ..] => return Some(*byte),
                [] => return None,
            };
            self.at += skipped.unwrap_or(rest.len()).max(1);
        }
    }

    /// Reads an entry from its `.entry` on; `None` for a declaration without a body, and at the text's end.
    fn entry(&mut self) -> Option<Entry> {
        let start = self.text[..self.at].rfind('\n').map_or(0, |line| line + 1);
        self.at += ".entry".len();
        self.next(&BLACK)?;
        let named = self.at;
        while matches!(self.next(&NAME_ENDS)?, b'/' | b'"') {
            self.at += 1;
        }
        let name = named..self.at;
        let mut after_parameters = self.at;
        loop {
            match self.next(&HEAD)? {
                b')' => after_parameters = self.at + 1,
                b'{' => break,
                b';' => return None,
                _ => {}
            }
            self.at += 1;
        }
        let directives = after_parameters..self.at;
        let mut depth = 0_usize;
        loop {
            match self.next(&BODY)? {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(Entry { all: start..self.at, name, directives });
            }
        }
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// { .entry not(\n.version 9.0\n.target sm_90\n.address_size 64\n.global .b8 s[2] = {1, 2};\n\
        .visible .entry one(\n\t.param .u64 one_param_0\n)\n.maxntid 128, 1, 1\n.minnctapersm 8\n{\n\t{ ret; } // }\n}\n\
        .func f() { ret; }\n.entry two() .reqntid 64,1,1 .maxnreg 32 {\n\t.pragma \"}\";\n\tret;\n}\n.extern .entry three();\n";

    fn variant(threads: Threads, min_blocks: Option<u32>, max_registers: Option<u32>) -> Variant {
        Variant { threads, min_blocks, max_registers, without_unit_cap: false }
    }

    #[test]
    fn entries_are_found_with_their_bodies_and_the_rest_is_whole() {
        let module = Module::new(TEXT);
        assert_eq!(
            (module.entry("one"), module.entry("two"), module.entry("three")),
            (Some(0), Some(1), None)
        );
        let rest = module.rest();
        assert!(rest[0].ends_with("{1, 2};\n") && rest[1] == "\n.func f() { ret; }\n");
        assert_eq!(rest[2], "\n.extern .entry three();\n");
        assert_eq!(module.with_copies(&[]), rest.concat());
    }

    #[test]
    fn a_copy_has_its_own_name_and_bounds() {
        let module = Module::new(TEXT);
        insta::assert_snapshot!(module.copy(0, "x", &variant(Threads::Declared, Some(4), None)), @r"
        .visible .entry x(
        	.param .u64 one_param_0
        )
        .maxntid 128, 1, 1


        .minnctapersm 4
        {
        	{ ret; } // }
        }
        ");
        insta::assert_snapshot!(module.copy(1, "y", &variant(Threads::AtMost(32), None, Some(40))), @r#"
        .entry y()
        .maxntid 32, 1, 1
        .maxnreg 40
        {
        	.pragma "}";
        	ret;
        }
        "#);
    }

    #[test]
    fn copies_stand_where_their_originals_stood() {
        let module = Module::new(TEXT);
        let text = module.with_copies(&[(1, "B".to_owned()), (0, "A".to_owned()), (1, "C".to_owned())]);
        let at = |needle: &str| text.find(needle).unwrap();
        assert!(at("\nA\n") < at(".func f") && at(".func f") < at("\nB\n") && at("\nB\n") < at("\nC\n"));
    }

    #[test]
    fn broken_text_gives_no_entry_and_no_panic() {
        for end in 0..TEXT.len() {
            let module = Module::new(&TEXT[..end]);
            assert_eq!(module.with_copies(&[]), module.rest().concat());
        }
        for text in ["}}}} .entry", ".entry x", ".entry x(", "\"", "/*", ".entry é(", ".entry x() {"] {
            assert!(Module::new(text).entries.is_empty(), "{text}");
        }
    }
}
