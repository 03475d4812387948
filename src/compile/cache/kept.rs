//! What a run read out of a compilation, kept beside it: later ones need not read its artefacts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::store::Cache;
use crate::digest::{self, Key};
use crate::source::SourceText;
use crate::sys::files;
use crate::sys::state::FileState;

/// The file's name.
const FILE: &str = "evidence";
/// How it begins; another beginning is another format, and not read.
const HEAD: &str = "occlint evidence 1";
/// The digest at its end, in bytes.
const DIGEST: usize = 8;

/// Where a compilation is kept, and what was read out of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    cache: Cache,
    folder: PathBuf,
    /// The name of the file with the machine code.
    output: String,
    /// What decides what is read, beside the artefacts.
    context: Key,
    /// What an earlier run read out of the very files that are there, as it said it.
    pub evidence: Option<Arc<[u8]>>,
}

impl Kept {
    /// A compilation in a folder, with what an earlier run read there.
    pub(super) fn open(cache: &Cache, folder: &Path, output: &str, context: Key) -> Self {
        let (cache, folder) = (cache.clone(), folder.to_owned());
        let mut kept = Self { cache, folder, output: output.to_owned(), context, evidence: None };
        kept.evidence = kept.read();
        kept
    }

    fn read(&self) -> Option<Arc<[u8]>> {
        let bytes = files::read_bytes(&self.folder.join(FILE)).ok()?;
        let (text, digest) = bytes.split_last_chunk::<DIGEST>()?;
        let rest = text.strip_prefix(self.head()?.as_bytes())?;
        (digest::of_code(text).to_le_bytes() == *digest).then(|| rest.into())
    }

    /// The beginning of the file: it is believed where log, PTX and machine code are the very files that were read.
    fn head(&self) -> Option<String> {
        let state = |name| FileState::of(self.folder.join(name));
        let (log, ptx, code) = (state("log")?, state("ptx")?, state(&self.output)?);
        Some(format!("{HEAD}\n{} {log} {ptx} {code}\n", self.context))
    }

    /// Keeps what was read, if the sources that places were found in are those that were compiled. What cannot be kept is
    /// read again.
    pub(crate) fn keep<'a>(
        &self,
        evidence: &[u8],
        mut sources: impl Iterator<Item = (&'a Path, &'a SourceText)>,
    ) {
        let compiled = sources.all(|(path, text)| self.cache.has(path, text.text()));
        let Some(head) = self.head().filter(|_| compiled) else { return };
        let mut bytes = [head.as_bytes(), evidence].concat();
        bytes.extend(digest::of_code(&bytes).to_le_bytes());
        // Half of a file does not fit its end.
        let _ = files::write(&self.folder.join(FILE), &bytes);
    }
}
