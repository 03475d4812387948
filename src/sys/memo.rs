//! Files of notes for later runs: a line that says the format, and lines. One that is missing, broken or of another format says
//! nothing, and one that cannot be written makes the next run slower, and no more.

use std::path::PathBuf;

use crate::sys::files;

/// A file of notes.
#[derive(Clone, Debug)]
pub(crate) struct Memo {
    path: PathBuf,
    /// Its first line; another one is another format, and not read.
    head: &'static str,
}

impl Memo {
    pub(crate) fn new(path: PathBuf, head: &'static str) -> Self {
        Self { path, head }
    }

    /// What stands below the first line.
    pub(crate) fn read(&self) -> String {
        let text = files::read_text(&self.path).unwrap_or_default();
        let rest = text.strip_prefix(self.head).and_then(|rest| rest.strip_prefix('\n'));
        rest.unwrap_or_default().to_owned()
    }

    /// Writes these lines, each with its end, in the place of what is there.
    pub(crate) fn write(&self, lines: &str) {
        let _ = files::write_atomically(&self.path, format!("{}\n{lines}", self.head).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_as_they_were_written_and_other_formats_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        let memo = Memo::new(path.clone(), "notes 1");
        assert_eq!(memo.read(), "");
        memo.write("a b\nc\n");
        assert_eq!(memo.read(), "a b\nc\n");
        for other in ["", "notes 1", "notes 11\nx\n", "notes 2\nx\n"] {
            std::fs::write(&path, other).unwrap();
            assert_eq!(memo.read(), "", "{other}");
        }
        Memo::new(folder.path().join("no/folder/notes.txt"), "notes 1").write("lost\n");
    }
}
