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

/// The file of what was read, with the state that its entry's files are in.
#[derive(Debug)]
pub(super) struct Loaded {
    bytes: Vec<u8>,
    state: String,
}

impl Loaded {
    /// Reads it; `None` where an entry has none.
    pub(super) fn read(entry: &Path, output: &str) -> Option<Self> {
        let bytes = files::read_bytes(&entry.join(FILE)).ok()?;
        Some(Self { bytes, state: state(entry, output)? })
    }
}

/// Log, PTX and machine code of an entry, as files: what was read of them holds for these very ones.
fn state(entry: &Path, output: &str) -> Option<String> {
    let state = |name| FileState::of(entry.join(name));
    Some(format!("{} {} {}", state("log")?, state("ptx")?, state(output)?))
}

impl Kept {
    /// A compilation in a folder, with what an earlier run read there.
    pub(super) fn new(
        cache: &Cache,
        (folder, output): (&Path, &str),
        context: Key,
        loaded: Option<&Loaded>,
    ) -> Self {
        let (cache, folder, output) = (cache.clone(), folder.to_owned(), output.to_owned());
        let mut kept = Self { cache, folder, output, context, evidence: None };
        kept.evidence = loaded.and_then(|loaded| kept.evidence_of(loaded));
        kept
    }

    fn evidence_of(&self, Loaded { bytes, state }: &Loaded) -> Option<Arc<[u8]>> {
        let (text, digest) = bytes.split_last_chunk::<DIGEST>()?;
        let evidence = text.strip_prefix(self.head(state).as_bytes())?;
        (digest::of_code(text).to_le_bytes() == *digest).then(|| evidence.into())
    }

    fn head(&self, state: &str) -> String {
        format!("{HEAD}\n{} {state}\n", self.context)
    }

    /// Keeps what was read, if the sources that places were found in are those that were compiled. What cannot be kept is
    /// read again.
    pub(crate) fn keep<'a>(
        &self,
        evidence: &[u8],
        mut sources: impl Iterator<Item = (&'a Path, &'a SourceText)>,
    ) {
        let compiled = sources.all(|(path, text)| self.cache.has(path, text.text()));
        let Some(state) = state(&self.folder, &self.output).filter(|_| compiled) else { return };
        let mut bytes = [self.head(&state).as_bytes(), evidence].concat();
        bytes.extend(digest::of_code(&bytes).to_le_bytes());
        // Half of a file does not fit its end.
        let _ = files::write(&self.folder.join(FILE), &bytes);
    }
}
