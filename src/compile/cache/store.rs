//! The store: a folder for each call, in it one for each set of contents that it was done with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use super::ahead::{Ahead, Loaded};
use super::clean::bound;
use super::entry::{self, Entry, Line};
use super::files::Digest;
use super::folders::Folders;
use super::kept::Kept;
use super::place::{Keys, Place};
use super::shared::Shared;
use crate::compile::includes::included_files_and;
use crate::compile::schedule::Past;
use crate::compile::{Artefact, Included, IncludedFile, Moved, Settings, SourceKind, Text, Unit};
use crate::digest::{self, Key};
use crate::sys::Scratch;
use crate::sys::env::Env;
use crate::sys::files::{self, SourceMap};
use crate::sys::process::Call;
use crate::text::find;

/// Sets of contents that are kept of a call: those of a few branches.
const MOST: usize = 4;
/// What nvcc names after the path of the source: such names are others in another folder.
const NAMED_AFTER_PATHS: [&str; 3] = ["_GLOBAL__N__", "_INTERNAL_", "__nv_static_"];
/// What gives the front end the path of the source: `std::source_location` is made of them.
const ASK_FOR_PATHS: [&str; 2] = ["__builtin_FILE", "__builtin_source_location"];
/// What the folder of an entry that is being written begins with.
pub(super) const UNFINISHED: &str = ".new-";

/// Compilations of earlier runs. A copy is the same one.
#[derive(Clone, Debug)]
pub struct Cache {
    inner: Arc<Inner>,
    /// What decides what is read out of artefacts, beside them.
    context: Key,
}

#[derive(Debug)]
struct Inner {
    ahead: Ahead,
    keys: Keys,
    folders: Folders,
    reused: AtomicUsize,
    done: AtomicUsize,
}

impl PartialEq for Cache {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Cache {}

impl Cache {
    /// A cache for the workspace in `root`. Other workspaces may share it: what lies below `root` is known by its place there.
    pub fn new(ahead: Ahead, root: &Path, env: &Env) -> Self {
        let (reused, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (keys, folders) = (Keys::new(root, env), Folders::default());
        let inner = Inner { ahead, keys, folders, reused, done };
        Self { inner: Arc::new(inner), context: Key::new() }
    }

    /// The same cache, for who reads artefacts so: what was read in another way is not taken for it.
    #[must_use]
    pub fn read_as(&self, how: &str) -> Self {
        Self { inner: Arc::clone(&self.inner), context: Key::new().and(&self.inner.keys.root).and(how) }
    }

    /// The texts of the author's files that were read ahead.
    pub fn take_sources(&self) -> SourceMap {
        self.inner.ahead.take_sources(&self.inner.keys.root)
    }

    /// Forgets what was looked at in this run: a build may have written sources and headers since.
    pub fn look_again(&self) {
        self.inner.ahead.forget();
        self.inner.folders.forget();
    }

    /// How many compilations were reused, and how many there were in all.
    pub fn counts(&self) -> (usize, usize) {
        let (reused, done) =
            (self.inner.reused.load(Ordering::Relaxed), self.inner.done.load(Ordering::Relaxed));
        (reused, reused + done)
    }

    /// Writes down which files were looked at, so that the next run need not read them, and what compilations cost; bounds a cache
    /// that grew.
    pub fn close(&self) {
        self.inner.ahead.files.close();
        self.inner.ahead.past.close();
        self.inner.ahead.close();
        if self.inner.done.load(Ordering::Relaxed) > 0 {
            bound(&self.inner.ahead.folder);
        }
    }

    /// What compilations cost in earlier runs.
    pub(in crate::compile) fn past(&self) -> &Past {
        &self.inner.ahead.past
    }

    /// Where a call's results are kept; `keep` is the folder of its intermediates, which does not matter.
    pub(in crate::compile) fn place(
        &self,
        (call, keep): (&Call, &Path),
        unit: &Unit,
        settings: &Settings,
    ) -> Place {
        let Inner { ahead: Ahead { folder, files, .. }, keys, .. } = &*self.inner;
        keys.place((call, keep), (unit, settings), (folder, files))
    }

    /// What the same call left when every file was as it is now.
    pub(in crate::compile) fn get(&self, place: &Place, unit: &Unit) -> Option<Artefact> {
        let call = place.folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ahead = self.inner.ahead.take(call).and_then(|loaded| self.read(loaded, (place, unit)));
        let found = ahead.or_else(|| {
            let loaded = entries(&place.folder).into_iter().map(|name| Loaded::read(place.folder.join(name)));
            loaded.flatten().find_map(|loaded| self.read(loaded, (place, unit)))
        });
        let count = if found.is_some() { &self.inner.reused } else { &self.inner.done };
        count.fetch_add(1, Ordering::Relaxed);
        found
    }

    fn read(&self, loaded: Loaded, (place, unit): (&Place, &Unit)) -> Option<Artefact> {
        let Loaded { folder, text, used, evidence } = &loaded;
        let entry = Entry::parse(text)?;
        let root = &self.inner.keys.root;
        let moved = (entry.root != root).then(|| Moved { from: entry.root.into(), to: root.as_str().into() });
        if moved.is_some() && (entry.here || entry.relocatable) {
            return None;
        }
        let (files, relocatable) = (self.unchanged(&entry, place)?, entry.relocatable);
        let cubin = folder.join(entry.output);
        let whole = moved.is_none() && is_whole(unit, relocatable);
        let kept =
            whole.then(|| Kept::new(self, (folder, entry.output), self.context(unit), evidence.as_ref()));
        touch(&folder.join("entry.txt"), *used);
        let [log_sum, ptx_sum, _] = entry.sums;
        if kept.as_ref().is_some_and(|kept| kept.evidence.is_some()) {
            let text = |name, sum| Text::Kept { path: folder.join(name), sum };
            let (log, ptx) = (text("log", log_sum), text("ptx", ptx_sum));
            return Some(Artefact { log, ptx, cubin, files, kept, ..Artefact::default() });
        }
        let (log, ptx) =
            (files::read_text(&folder.join("log")).ok()?, files::read_text(&folder.join("ptx")).ok()?);
        let code = files::read_bytes(&cubin).ok()?;
        if entry.sums != [log.as_bytes(), ptx.as_bytes(), &code].map(digest::of_code) {
            return None;
        }
        let now = |text: String| moved.as_ref().map_or(text.clone(), |moved| moved.text(&text)).into();
        let (log, ptx, image) = (now(log), now(ptx), Some(Arc::new(code)));
        Some(Artefact { log, ptx, cubin, image, relocatable, files, moved, kept })
    }

    /// The files that went in, where all of them are what they were, and would be found again.
    fn unchanged(&self, entry: &Entry<'_>, place: &Place) -> Option<Included> {
        let (mut read, mut own) = (Vec::new(), Vec::new());
        for line in entry::files(entry.files) {
            let line = line?;
            let path = self.path(&line, place)?;
            if line.digest == Digest::MISSING {
                if Path::new(&path).is_file() {
                    return None;
                }
                continue;
            }
            let (name, digest) = self.inner.ahead.files.digest(&path)?;
            if digest != line.digest {
                return None;
            }
            let name = if *name == *line.name || line.own { name } else { line.name.into() };
            if !line.is_source {
                own.push(IncludedFile { name, entered: line.entered });
            }
            read.push(path);
        }
        let list = self.inner.ahead.shared.get(entry.shared, &self.inner.ahead.files)?;
        let rivals = self.inner.folders.rivals(&place.folders, &read, (&list, entry.asks));
        (rivals == entry.rivals).then_some(Included { own, shared: list.files })
    }

    /// Where a file lies.
    fn path(&self, line: &Line<'_>, place: &Place) -> Option<String> {
        if line.own { Some(format!("{}{}", self.inner.keys.root, line.name)) } else { place.path(line.name) }
    }

    /// What decides what is read out of a unit's artefacts, beside them.
    fn context(&self, unit: &Unit) -> Key {
        let folder_of_build = unit.call.as_ref().map(|call| &call.folder);
        self.context.and(&unit.name).and_debug(&folder_of_build)
    }

    /// Whether a file has these contents, by what is known of it in this run.
    pub(super) fn has(&self, path: &Path, contents: &str) -> bool {
        let known = path.to_str().and_then(|path| self.inner.ahead.files.digest(path));
        known.is_some_and(|(_, digest)| digest == Digest::of(contents.as_bytes()))
    }

    /// Keeps what a compilation left, if it can, and gives it back with where that is; `tied`: the compiler saw where the workspace
    /// lies.
    pub(in crate::compile) fn put(
        &self,
        place: &Place,
        unit: &Unit,
        (artefact, tied): (Artefact, bool),
    ) -> Artefact {
        let folder = self.write(place, unit, (&artefact, tied));
        let output = artefact.cubin.file_name().and_then(|name| name.to_str());
        let whole = folder.zip(output).filter(|_| is_whole(unit, artefact.relocatable));
        let kept = whole.map(|(folder, output)| Kept::new(self, (&folder, output), self.context(unit), None));
        // Its own cubin is read: another run may put its own in the place of what was kept, or remove it.
        Artefact { kept, ..artefact }
    }

    /// The files that a preprocessed text names, and whether the compiler may know where the workspace lies: the text has its place
    /// elsewhere than in line markers (`__FILE__`), or asks for it.
    pub(in crate::compile) fn included(&self, preprocessed: &str) -> (Vec<IncludedFile>, bool) {
        let mut tied = ASK_FOR_PATHS.iter().any(|word| preprocessed.contains(word));
        let root = &self.inner.keys.root;
        let files = included_files_and(preprocessed, &mut |code| tied = tied || find(code, root).is_some());
        (files, tied)
    }

    /// Writes an entry, whole or not at all; its folder.
    fn write(&self, place: &Place, unit: &Unit, (artefact, tied): (&Artefact, bool)) -> Option<PathBuf> {
        let root = &self.inner.keys.root;
        let lines = self.lines(place, unit, artefact)?;
        let (own, others): (Vec<_>, Vec<_>) = lines.iter().partition(|line| !Shared::takes(line));
        let shared = self.inner.ahead.shared.put(others)?;
        let list = self.inner.ahead.shared.get(shared, &self.inner.ahead.files)?;
        let there = own.iter().filter(|line| line.digest != Digest::MISSING);
        let read: Vec<String> = there.filter_map(|line| self.path(line, place)).collect();
        let asks = read.iter().any(|path| asks(path));
        let rivals = self.inner.folders.rivals(&place.folders, &read, (&list, asks));
        let cubin = files::read_bytes(&artefact.cubin).ok()?;
        let (log, ptx) = (artefact.log.here()?, artefact.ptx.here()?);
        let output = artefact.cubin.file_name()?.to_str()?;
        // What an assembler reads is the author's: paths in it stay what they are.
        let here =
            tied || unit.kind == SourceKind::Ptx || NAMED_AFTER_PATHS.iter().any(|name| ptx.contains(name));
        let (log, ptx) = (log.as_bytes(), ptx.as_bytes());
        let entry = Entry {
            relocatable: artefact.relocatable,
            here,
            output,
            sums: [log, ptx, &cubin].map(digest::of_code),
            shared,
            rivals,
            asks,
            root,
            files: "",
        };
        let text = entry::write(&entry, own)?;
        files::create_folder(&place.folder).ok()?;
        let scratch = Scratch::new(&place.folder, UNFINISHED).ok()?;
        for (name, bytes) in [("log", log), ("ptx", ptx), (output, &*cubin), ("entry.txt", text.as_bytes())] {
            files::write(&scratch.path().join(name), bytes).ok()?;
        }
        let id = lines.iter().fold(Key::new(), |id, line| id.and(line.name).and(line.digest.as_str()));
        // What is tied to its workspace leaves those of others alone.
        let id = if here || artefact.relocatable { id.and(root) } else { id };
        let folder = place.folder.join(id.to_string());
        // An entry of these contents that is there is not whole, or it would have been found.
        files::remove_folder(&folder).ok()?;
        std::fs::rename(scratch.path(), &folder).ok()?;
        self.trim(place);
        Some(folder)
    }

    /// The source and what it included, as they were read; `None` where that is not known, or one of them changed since.
    fn lines<'a>(&self, place: &Place, unit: &'a Unit, artefact: &'a Artefact) -> Option<Vec<Line<'a>>> {
        if unit.kind == SourceKind::Cuda && !artefact.files.iter().any(|file| file.entered) {
            // The preprocessed text was not there: which headers were read is not known.
            return None;
        }
        let root = self.inner.keys.root.as_str();
        // A name that a `#line` gave may be no file's.
        let is_there = |name: &str| place.path(name).is_some_and(|path| Path::new(&path).is_file());
        let line = |name: &'a str, is_source: bool, entered: bool| {
            let digest = if entered || is_source || is_there(name) {
                self.inner.ahead.files.digest_as_read(&place.path(name)?, place.start)?
            } else {
                Digest::MISSING
            };
            let own = name.strip_prefix(root);
            let (name, own) = (own.unwrap_or(name), own.is_some());
            Some(Line { digest, is_source, entered, own, name })
        };
        let source = line(unit.source.to_str()?, true, false);
        let files = artefact.files.iter();
        std::iter::once(source).chain(files.map(|file| line(&file.name, false, file.entered))).collect()
    }

    /// Leaves the newest sets of contents.
    fn trim(&self, place: &Place) {
        for name in entries(&place.folder).into_iter().skip(MOST) {
            let _ = files::remove_folder(&place.folder.join(name));
        }
    }
}

/// Whether what is read out of a unit's artefacts depends on them, and on files that its entry names, alone. What PTX names with
/// `.file` is in no entry.
fn is_whole(unit: &Unit, relocatable: bool) -> bool {
    unit.kind == SourceKind::Cuda && !relocatable
}

/// Whether a source asks for files that may not be there.
fn asks(path: &str) -> bool {
    files::read_text(path.as_ref()).is_ok_and(|text| text.contains("__has_include"))
}

/// The entries of a call, the newest first.
pub(super) fn entries(folder: &Path) -> Vec<String> {
    let paths = files::entries(folder).unwrap_or_default();
    let named: Vec<(&PathBuf, &str)> = paths
        .iter()
        .filter_map(|path| {
            Some((path, path.file_name()?.to_str().filter(|name| Key::parse(name).is_some())?))
        })
        .collect();
    if let [(_, name)] = named[..] {
        return vec![name.to_owned()];
    }
    let mut found: Vec<(SystemTime, String)> =
        named.into_iter().filter_map(|(path, name)| Some((modified(path)?, name.to_owned()))).collect();
    found.sort();
    found.into_iter().rev().map(|(_, name)| name).collect()
}

/// Notes that a file, last used then, is in use, once a day. One that cannot be written is only older than it is.
pub(super) fn touch(path: &Path, used: Option<SystemTime>) {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let now = SystemTime::now();
    let is_old = used.and_then(|at| now.duration_since(at).ok()).is_some_and(|age| age > DAY);
    if is_old {
        let file = std::fs::File::options().append(true).open(path);
        let _ = file.and_then(|file| file.set_modified(now));
    }
}

/// When an entry was made, or used last, to a day.
pub(super) fn modified(entry: &Path) -> Option<SystemTime> {
    used(&entry.join("entry.txt"))
}

/// When a file was made, or used last, to a day.
pub(super) fn used(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}
