//! Lists of headers that many units have in common: those outside the workspace. A run asks once whether a list is as it was.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::entry::{self, Line};
use super::files::{Digest, Files};
use super::store::touch;
use crate::compile::IncludedFile;
use crate::digest::Key;
use crate::sys::files;

/// The folder of the lists, in the cache.
pub(super) const FOLDER: &str = "headers";

/// The lists of a cache.
#[derive(Debug)]
pub(super) struct Shared {
    folder: PathBuf,
    /// Looked at in this run; `None`: some header is another one.
    known: Mutex<HashMap<Key, Option<List>>>,
}

/// A list whose headers are what they were.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) files: Arc<[IncludedFile]>,
    /// The names of the files without their folders.
    pub(super) names: Arc<HashSet<String>>,
}

/// The name of a file without its folders.
pub(super) fn bare(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, bare)| bare)
}

impl Shared {
    pub(super) fn new(cache: &Path) -> Self {
        Self { folder: cache.join(FOLDER), known: Mutex::default() }
    }

    /// Whether a header is told in a list: those whose names are the same for all.
    pub(super) fn takes(line: &Line<'_>) -> bool {
        !line.own && !line.is_source && line.digest != Digest::MISSING && Path::new(line.name).is_absolute()
    }

    /// The headers of a list, where all of them are what they were.
    pub(super) fn get(&self, id: Key, files: &Files) -> Option<List> {
        // Who else asks for it waits: the same headers would be looked at.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(id).or_insert_with(|| self.read(id, files)).clone()
    }

    fn read(&self, id: Key, files: &Files) -> Option<List> {
        let path = self.path(id);
        let (text, used) = files::read_dated(&path).ok().filter(|(text, _)| Key::new().and(text) == id)?;
        let header = |line: Option<Line<'_>>| {
            let Line { digest, entered, name, .. } = line?;
            let (name, now) = files.digest(name)?;
            (now == digest).then_some(IncludedFile { name, entered })
        };
        let headers: Option<Arc<[_]>> = entry::files(&text).map(header).collect();
        touch(&path, used);
        let files = headers?;
        let names = files.iter().map(|file| bare(&file.name).to_owned()).collect();
        Some(List { files, names: Arc::new(names) })
    }

    /// Forgets which lists hold.
    pub(super) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Keeps a list; what it is called, `None` where it cannot be kept.
    pub(super) fn put<'a>(&self, lines: impl IntoIterator<Item = &'a Line<'a>>) -> Option<Key> {
        let text = entry::lines(lines)?;
        let id = Key::new().and(&text);
        let path = self.path(id);
        if files::read_text(&path).ok().as_ref() != Some(&text) {
            files::create_folder(&self.folder).ok()?;
            files::write_atomically(&path, text.as_bytes()).ok()?;
        }
        Some(id)
    }

    fn path(&self, id: Key) -> PathBuf {
        self.folder.join(format!("{id}.txt"))
    }
}
