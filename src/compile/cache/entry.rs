//! What is written down of a compilation, beside its log, PTX and machine code.

use super::files::Digest;
use crate::digest::{self, Key};

/// The first line; another one is another format, and not read.
pub(super) const HEAD: &str = "occlint unit 4";

/// A file that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Line<'a> {
    /// The digest of its contents.
    pub(super) digest: Digest,
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
    /// The list of headers outside the workspace.
    pub(super) shared: Key,
    /// Files that could have been found in the place of one that was read.
    pub(super) rivals: Key,
    /// The sources ask whether files are there (`__has_include`): any could be meant.
    pub(super) asks: bool,
    /// The workspace it was made in, with the slash at its end.
    pub(super) root: &'a str,
    /// The lines about files, as they were read.
    pub(super) files: &'a str,
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
        let mut words = words.splitn(9, ' ');
        let relocatable = words.next()? == "relocatable";
        let here = words.next()? == "here";
        let mut sum = || u64::from_str_radix(words.next()?, 16).ok();
        let sums = [sum()?, sum()?, sum()?];
        let (shared, rivals) = (Key::parse(words.next()?)?, Key::parse(words.next()?)?);
        let asks = words.next()? == "asks";
        Some(Self { relocatable, here, output: words.next()?, sums, shared, rivals, asks, root, files })
    }
}

/// The files of some lines; `None` for a line that is none.
pub(super) fn files(lines: &str) -> impl Iterator<Item = Option<Line<'_>>> {
    lines.lines().map(line)
}

fn line(text: &str) -> Option<Line<'_>> {
    let (digest, rest) = text.split_once(' ')?;
    let (flags, name) = rest.split_once(' ')?;
    let has = |flag: char| flags.contains(flag);
    Some(Line { digest: Digest::parse(digest)?, is_source: has('s'), entered: has('e'), own: has('o'), name })
}

/// The text of an entry with these files; `None` where a name has a line break.
pub(super) fn write<'a>(entry: &Entry<'_>, files: impl IntoIterator<Item = &'a Line<'a>>) -> Option<String> {
    let Entry { relocatable, here, output, sums: [log, ptx, code], shared, rivals, asks, root, .. } = entry;
    let asks = if *asks { "asks" } else { "plain" };
    let kind = if *relocatable { "relocatable" } else { "whole" };
    let scope = if *here { "here" } else { "anywhere" };
    let plain = !output.contains('\n') && !root.contains('\n');
    let mut text = format!(
        "{HEAD}\n{kind} {scope} {log:x} {ptx:x} {code:x} {shared} {rivals} {asks} {output}\n{root}\n"
    );
    text.push_str(&lines(files).filter(|_| plain)?);
    let end = end_of(&text);
    text.push_str(&end);
    Some(text)
}

/// The lines of files; `None` where a name has a line break.
pub(super) fn lines<'a>(files: impl IntoIterator<Item = &'a Line<'a>>) -> Option<String> {
    let mut text = String::new();
    for Line { digest, is_source, entered, own, name } in files {
        let flag = |is: bool, flag: &'static str| if is { flag } else { "" };
        let flags = [flag(*is_source, "s"), flag(*entered, "e"), flag(*own, "o"), "-"].concat();
        if name.contains('\n') {
            return None;
        }
        text.push_str(&format!("{digest:?} {flags} {name}\n"));
    }
    Some(text)
}

/// The last line: what was cut or changed does not fit it.
fn end_of(lines: &str) -> String {
    format!("end {:016x}\n", digest::of_code(lines.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Entry<'_> = Entry {
        relocatable: true,
        here: false,
        output: "k d.cubin",
        sums: [1, 0xab, 3],
        shared: Key::new(),
        rivals: Key::new(),
        asks: true,
        root: "/w s/",
        files: "",
    };

    fn file() -> Line<'static> {
        let digest = Digest::of(b"contents");
        Line { digest, is_source: true, entered: false, own: true, name: "a b/k.cu" }
    }

    fn text() -> String {
        write(&ENTRY, &[file()]).unwrap()
    }

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let text = text();
        let entry = Entry::parse(&text).unwrap();
        assert_eq!(Entry { files: "", ..entry.clone() }, ENTRY);
        assert_eq!(super::files(entry.files).collect::<Vec<_>>(), [Some(file())]);
    }

    #[test]
    fn what_was_cut_or_changed_is_none() {
        let text = text();
        for end in 0..text.len() {
            assert!(Entry::parse(&text[..end]).is_none(), "{end}");
        }
        for (old, new) in [("relocatable", "whole"), ("ab", "ac"), ("a b", "a c"), ("unit 4", "unit 3")] {
            let other = text.replacen(old, new, 1);
            assert_ne!(other, text);
            assert!(Entry::parse(&other).is_none(), "{old}");
        }
    }

    #[test]
    fn a_name_with_a_line_break_is_not_written() {
        assert_eq!(write(&ENTRY, &[Line { name: "a\nb", ..file() }]), None);
        assert_eq!(write(&Entry { root: "/w\n/", ..ENTRY }, &[file()]), None);
    }
}
