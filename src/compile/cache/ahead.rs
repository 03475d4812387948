//! What can be read of a cache before it is known what is compiled: what the last run of the same kind used.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::entry::{self, Entry};
use super::files::{Digest, Files};
use super::kept;
use super::shared::Shared;
use super::store::entries;
use crate::compile::schedule::Past;
use crate::digest::Key;
use crate::sys::files::{self, SourceMap};
use crate::sys::memo::Memo;

/// The folder of the lists of what runs used, in the cache.
pub(super) const FOLDER: &str = "runs";
/// The first line of such a list; another one is another format, and not read.
const HEAD: &str = "occlint run 1";

/// A cache as far as it does not depend on the workspace, and what was read of it.
#[derive(Debug)]
pub struct Ahead {
    pub(super) folder: PathBuf,
    pub(super) files: Files,
    pub(super) shared: Shared,
    pub(super) past: Past,
    memo: Memo,
    /// The calls that the last run asked for.
    last: Vec<String>,
    /// The one that is read next.
    next: AtomicUsize,
    /// Those that this run asked for.
    now: Mutex<BTreeSet<String>>,
    read: Mutex<HashMap<String, Loaded>>,
    /// The author's own files among what was read, for the workspaces that they lie in.
    sources: Mutex<BTreeMap<String, Arc<SourceMap>>>,
}

/// An entry, read.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) folder: PathBuf,
    /// What `entry.txt` says.
    pub(super) text: String,
    pub(super) used: Option<SystemTime>,
    pub(super) evidence: Option<kept::Loaded>,
}

impl Ahead {
    /// The cache in a folder; `run` tells runs apart that use other compilations.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(folder: &Path, run: &str) -> Result<Self, files::FileError> {
        files::create_folder(folder)?;
        let memo = Memo::new(folder.join(FOLDER).join(format!("{}.txt", Key::new().and(run))), HEAD);
        Ok(Self {
            folder: folder.to_owned(),
            files: Files::open(folder),
            shared: Shared::new(folder),
            past: Past::open(folder),
            last: memo.read().lines().map(str::to_owned).collect(),
            memo,
            next: AtomicUsize::new(0),
            now: Mutex::default(),
            read: Mutex::default(),
            sources: Mutex::default(),
        })
    }

    /// Reads what the last run used, until `enough`. Threads that do so share the work.
    pub fn read(&self, enough: &dyn Fn() -> bool) {
        while !enough()
            && let Some(call) = self.last.get(self.next.fetch_add(1, Ordering::Relaxed))
        {
            if Key::parse(call).is_none() {
                continue;
            }
            let folder = self.folder.join(call);
            let newest = entries(&folder).into_iter().next();
            if let Some(loaded) = newest.and_then(|entry| Loaded::read(folder.join(entry))) {
                self.look(&loaded);
                lock(&self.read).insert(call.clone(), loaded);
            }
        }
    }

    /// Looks at the files that an entry was made of: what is found is remembered.
    fn look(&self, loaded: &Loaded) {
        let Some(entry) = Entry::parse(&loaded.text) else { return };
        self.shared.get(entry.shared, &self.files);
        let own = Arc::clone(lock(&self.sources).entry(entry.root.to_owned()).or_default());
        for line in entry::files(entry.files).flatten() {
            let path = if line.own { format!("{}{}", entry.root, line.name) } else { line.name.to_owned() };
            if Path::new(&path).is_absolute() && line.digest != Digest::MISSING {
                self.files.digest(&path);
            }
            if line.own {
                own.get(Path::new(&path), line.name);
            }
        }
    }

    /// The texts that were read of the workspace in `root`, with the slash at its end.
    pub(super) fn take_sources(&self, root: &str) -> SourceMap {
        lock(&self.sources).remove(root).and_then(Arc::into_inner).unwrap_or_default()
    }

    /// The newest entry of a call, where it was read ahead.
    pub(super) fn take(&self, call: &str) -> Option<Loaded> {
        lock(&self.now).insert(call.to_owned());
        lock(&self.read).remove(call)
    }

    /// Forgets what was read.
    pub(super) fn forget(&self) {
        lock(&self.read).clear();
        self.files.forget();
        self.shared.forget();
    }

    /// Writes down what this run asked for.
    pub(super) fn close(&self) {
        let now = lock(&self.now);
        if !now.iter().eq(&self.last) && files::create_folder(&self.folder.join(FOLDER)).is_ok() {
            self.memo.write(&now.iter().map(|call| format!("{call}\n")).collect::<String>());
        }
    }
}

impl Loaded {
    /// Reads an entry.
    pub(super) fn read(folder: PathBuf) -> Option<Self> {
        let (text, used) = files::read_dated(&folder.join("entry.txt")).ok()?;
        let entry = Entry::parse(&text)?;
        let evidence = kept::Loaded::read(&folder, entry.output);
        Some(Self { folder, text, used, evidence })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
