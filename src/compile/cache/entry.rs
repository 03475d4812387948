//! What is written down of a compilation, beside its log, PTX and machine code.

use crate::digest;

/// The first line; another one is another format, and not read.
pub(super) const HEAD: &str = "occlint unit 2";

/// A file that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line<'a> {
    /// The digest of its contents, in hexadecimal digits.
    pub(super) digest: &'a str,
    /// What the compiler was given, in any case; else what the preprocessor names.
    pub(super) is_source: bool,
    /// An `#include` entered it.
    pub(super) entered: bool,
    /// Its name is relative to the workspace.
    pub(super) own: bool,
    /// As the preprocessor names it.
    pub(super) name: &'a str,
}

/// An entry, apart from the files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry<'a> {
    /// The device link finishes the code.
    pub(super) relocatable: bool,
    /// It serves in the workspace that it was made in and in no other.
    pub(super) here: bool,
    /// The name of the file with the machine code.
    pub(super) output: &'a str,
    /// Digests of log, PTX and machine code.
    pub(super) sums: [u64; 3],
    /// The workspace it was made in, with the slash at its end.
    pub(super) root: &'a str,
    /// The lines about files.
    files: &'a str,
}

impl<'a> Entry<'a> {
    /// Reads what [`write`] wrote; `None` where it was cut or changed.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (body, end) = text.split_at(text.rfind("end ")?);
        if end != end_of(body) {
            return None;
        }
        let rest = body.strip_prefix(HEAD)?.strip_prefix('\n')?;
        let (words, rest) = rest.split_once('\n')?;
        let (root, files) = rest.split_once('\n')?;
        let mut words = words.splitn(6, ' ');
        let relocatable = words.next()? == "relocatable";
        let here = words.next()? == "here";
        let mut sum = || u64::from_str_radix(words.next()?, 16).ok();
        let sums = [sum()?, sum()?, sum()?];
        Some(Self { relocatable, here, output: words.next()?, sums, root, files })
    }

    /// The files; `None` for a line that is none.
    pub(super) fn files(&self) -> impl Iterator<Item = Option<Line<'a>>> {
        self.files.lines().map(line)
    }
}

fn line(text: &str) -> Option<Line<'_>> {
    let (digest, rest) = text.split_once(' ')?;
    let (flags, name) = rest.split_once(' ')?;
    let has = |flag: char| flags.contains(flag);
    Some(Line { digest, is_source: has('s'), entered: has('e'), own: has('o'), name })
}

/// The text of an entry; `None` where a name has a line break.
pub(super) fn write(entry: &Entry<'_>, files: &[Line<'_>]) -> Option<String> {
    let Entry { relocatable, here, output, sums: [log, ptx, code], root, .. } = entry;
    let kind = if *relocatable { "relocatable" } else { "whole" };
    let scope = if *here { "here" } else { "anywhere" };
    let mut text = format!("{HEAD}\n{kind} {scope} {log:x} {ptx:x} {code:x} {output}\n{root}\n");
    for Line { digest, is_source, entered, own, name } in files {
        let flag = |is: bool, flag: &'static str| if is { flag } else { "" };
        let flags = [flag(*is_source, "s"), flag(*entered, "e"), flag(*own, "o"), "-"].concat();
        text.push_str(&format!("{digest} {flags} {name}\n"));
    }
    let lines = files.len() + 3;
    let end = end_of(&text);
    text.push_str(&end);
    (text.lines().count() == lines + 1).then_some(text)
}

impl Entry<'_> {
    /// An entry whose files are given to [`write`].
    pub(super) fn new<'a>(
        (relocatable, here): (bool, bool),
        (output, root): (&'a str, &'a str),
        sums: [u64; 3],
    ) -> Entry<'a> {
        Entry { relocatable, here, output, sums, root, files: "" }
    }
}

/// The last line: what was cut or changed does not fit it.
fn end_of(lines: &str) -> String {
    format!("end {:016x}\n", digest::of_code(lines.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: Line<'_> =
        Line { digest: "00ff", is_source: true, entered: false, own: true, name: "a b/k.cu" };

    fn text() -> String {
        write(&Entry::new((true, false), ("k d.cubin", "/w s/"), [1, 0xab, 3]), &[FILE]).unwrap()
    }

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let text = text();
        let entry = Entry::parse(&text).unwrap();
        assert!(entry.relocatable && !entry.here);
        assert_eq!((entry.output, entry.root, entry.sums), ("k d.cubin", "/w s/", [1, 0xab, 3]));
        assert_eq!(entry.files().collect::<Vec<_>>(), [Some(FILE)]);
    }

    #[test]
    fn what_was_cut_or_changed_is_none() {
        let text = text();
        for end in 0..text.len() {
            assert!(Entry::parse(&text[..end]).is_none(), "{end}");
        }
        for (old, new) in [("00ff", "00fe"), ("whole", "whole "), ("a b", "a c"), ("unit 2", "unit 3")] {
            let other = text.replace("relocatable", "whole").replace(old, new);
            assert!(Entry::parse(&other).is_none(), "{old}");
        }
    }

    #[test]
    fn a_name_with_a_line_break_is_not_written() {
        let entry = Entry::new((true, false), ("k.cubin", "/w/"), [0; 3]);
        assert_eq!(write(&entry, &[Line { name: "a\nb", ..FILE }]), None);
        assert_eq!(write(&Entry { root: "/w\n/", ..entry }, &[FILE]), None);
    }
}
