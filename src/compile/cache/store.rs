//! The store: a folder for each call, in it one for each set of contents that it was done with.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use super::files::{Files, clock};
use crate::compile::{Artefact, Settings, SourceKind, Unit};
use crate::digest::{self, Key};
use crate::sys::Scratch;
use crate::sys::env::Env;
use crate::sys::files;
use crate::sys::process::Call;

/// The first line of an entry; another one is another format, and not read.
const HEAD: &str = "occlint unit 1";
/// Sets of contents that are kept of a call: those of a few branches.
const MOST: usize = 4;
/// Variables that compilers read, beside those of the call, and with every one of these beginnings.
const DECIDES: [&str; 12] = [
    "CICC_PATH",
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "C_INCLUDE_PATH",
    "CXX",
    "LANG",
    "LC_ALL",
    "LC_MESSAGES",
    "PATH",
    "SOURCE_DATE_EPOCH",
    "NVVMIR_LIBRARY_DIR",
];
const BEGINNINGS: [&str; 3] = ["CUDA_", "GCC_", "NVCC_"];
/// Host compilers that nvcc may find.
const HOST_COMPILERS: [&str; 5] = ["g++", "gcc", "c++", "cc", "clang++"];

/// Compilations of earlier runs. A copy is the same one.
#[derive(Clone, Debug)]
pub struct Cache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    environment: Key,
    files: Files,
    reused: AtomicUsize,
    done: AtomicUsize,
}

/// What a compilation is kept by.
#[derive(Clone, Debug)]
pub(in crate::compile) struct Place {
    folder: PathBuf,
    /// When the compilation began, nanoseconds since 1970.
    start: i128,
}

impl Cache {
    /// The cache in a folder, made if need be.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(folder: &Path, env: &Env) -> Result<Self, files::FileError> {
        files::create_folder(folder)?;
        Ok(Self(Arc::new(Inner {
            folder: folder.to_owned(),
            environment: environment(env),
            files: Files::open(folder),
            reused: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        })))
    }

    /// How many compilations were reused, and how many there were in all.
    pub fn counts(&self) -> (usize, usize) {
        let (reused, done) = (self.0.reused.load(Ordering::Relaxed), self.0.done.load(Ordering::Relaxed));
        (reused, reused + done)
    }

    /// Writes down which files were looked at, so that the next run need not read them.
    pub fn close(&self) {
        self.0.files.close();
    }

    /// Where a call's results are kept; `keep` is the folder of its intermediates, which does not matter.
    pub(in crate::compile) fn place(&self, call: &Call, keep: &Path, settings: &Settings) -> Place {
        let keep = keep.to_string_lossy();
        let mut key =
            Key::new().and(HEAD).and(env!("CARGO_PKG_VERSION")).and(&settings.toolkit.version.to_string());
        key = key.and_debug(&self.0.environment).and(&identity(&call.program)).and_debug(&call.folder);
        key = key.and_debug(&call.vars);
        for arg in &call.args {
            let arg = arg.to_string_lossy();
            let host = arg.strip_prefix("-ccbin=").map(|path| identity(Path::new(path))).unwrap_or_default();
            key = key.and(&arg.replace(&*keep, "<keep>")).and(&host);
        }
        Place { folder: self.0.folder.join(key.to_string()), start: clock() }
    }

    /// What the same call left when every file was as it is now.
    pub(in crate::compile) fn get(&self, place: &Place) -> Option<Artefact> {
        let found = entries(&place.folder).into_iter().find_map(|name| self.read(&place.folder.join(name)));
        let count = if found.is_some() { &self.0.reused } else { &self.0.done };
        count.fetch_add(1, Ordering::Relaxed);
        found
    }

    fn read(&self, folder: &Path) -> Option<Artefact> {
        let text = files::read_text(&folder.join("entry.txt")).ok()?;
        let (lines, end) = text.split_at(text.rfind("end ")?);
        if end != end_of(lines) {
            return None;
        }
        let mut lines = lines.strip_prefix(HEAD)?.strip_prefix('\n')?.lines();
        let (relocatable, output) = lines.next()?.split_once(' ')?;
        let sums: Vec<u64> = lines
            .next()?
            .split(' ')
            .map(|sum| u64::from_str_radix(sum, 16))
            .collect::<Result<_, _>>()
            .ok()?;
        let (mut named, mut entered) = (Vec::new(), Vec::new());
        for line in lines {
            match line.split_once(' ') {
                Some(("named", name)) => named.push(name.to_owned()),
                Some(("entered", name)) => entered.push(name.to_owned()),
                Some((digest, path)) => {
                    let digest = Key::parse(digest)?;
                    if self.0.files.digest(Path::new(path)) != Some(digest) {
                        return None;
                    }
                }
                None => return None,
            }
        }
        let (log, ptx) =
            (files::read_text(&folder.join("log")).ok()?, files::read_text(&folder.join("ptx")).ok()?);
        let cubin = folder.join(output);
        let found = [
            digest::of_code(log.as_bytes()),
            digest::of_code(ptx.as_bytes()),
            digest::of_code(&files::read_bytes(&cubin).ok()?),
        ];
        if sums == found {
            touch(folder);
        }
        let relocatable = relocatable == "relocatable";
        (sums == found).then_some(Artefact { log, ptx, cubin, relocatable, files: named, entered })
    }

    /// Keeps what a compilation left, and gives it back as it is kept. What cannot be kept stays where it is.
    pub(in crate::compile) fn put(&self, place: &Place, unit: &Unit, artefact: Artefact) -> Artefact {
        match self.write(place, unit, &artefact) {
            Some(cubin) => Artefact { cubin, ..artefact },
            None => artefact,
        }
    }

    fn write(&self, place: &Place, unit: &Unit, artefact: &Artefact) -> Option<PathBuf> {
        if unit.kind == SourceKind::Cuda && artefact.entered.is_empty() {
            // The preprocessed text was not there: which headers were read is not known.
            return None;
        }
        let (mut id, mut lines) = (Key::new(), String::new());
        let read = std::iter::once(unit.source.clone())
            .chain(artefact.entered.iter().map(|printed| PathBuf::from(unit.printed(printed))));
        for path in read {
            let path = std::path::absolute(&path).ok()?;
            let digest = self.0.files.digest_as_read(&path, place.start)?;
            let text = path.to_str().filter(|text| !text.contains('\n'))?;
            lines.push_str(&format!("{digest} {text}\n"));
            id = id.and(text).and_debug(&digest);
        }
        let names = [("named", &artefact.files), ("entered", &artefact.entered)];
        for (word, names) in names {
            for name in names {
                if name.contains('\n') {
                    return None;
                }
                lines.push_str(&format!("{word} {name}\n"));
            }
        }
        let cubin = files::read_bytes(&artefact.cubin).ok()?;
        let sums = [artefact.log.as_bytes(), artefact.ptx.as_bytes(), &cubin].map(digest::of_code);
        let output = artefact.cubin.file_name()?.to_str()?;
        let word = if artefact.relocatable { "relocatable" } else { "whole" };
        let body = format!("{HEAD}\n{word} {output}\n{:x} {:x} {:x}\n{lines}", sums[0], sums[1], sums[2]);
        let entry = format!("{body}{}", end_of(&body));
        files::create_folder(&place.folder).ok()?;
        let scratch = Scratch::new(&place.folder, ".new-").ok()?;
        for (name, bytes) in [
            ("log", artefact.log.as_bytes()),
            ("ptx", artefact.ptx.as_bytes()),
            (output, &cubin),
            ("entry.txt", entry.as_bytes()),
        ] {
            files::write(&scratch.path().join(name), bytes).ok()?;
        }
        let folder = place.folder.join(id.to_string());
        // An entry of these contents that is there is not whole, or it would have been found.
        files::remove_folder(&folder).ok()?;
        std::fs::rename(scratch.path(), &folder).ok()?;
        self.trim(place);
        Some(folder.join(output))
    }

    /// Leaves the newest sets of contents.
    fn trim(&self, place: &Place) {
        for name in entries(&place.folder).into_iter().skip(MOST) {
            let _ = files::remove_folder(&place.folder.join(name));
        }
    }
}

/// The last line: what was cut or changed does not fit it.
fn end_of(lines: &str) -> String {
    format!("end {}\n", Key::new().and(lines))
}

/// The entries of a call, the newest first.
fn entries(folder: &Path) -> Vec<String> {
    let paths = files::entries(folder).unwrap_or_default();
    let mut found: Vec<(SystemTime, String)> = paths
        .iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            Key::parse(name)?;
            Some((modified(path)?, name.to_owned()))
        })
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, name)| name).collect()
}

/// Notes that an entry is in use, once a day. One that cannot be written is only older than it is.
fn touch(entry: &Path) {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let now = SystemTime::now();
    let is_old = modified(entry).and_then(|at| now.duration_since(at).ok()).is_some_and(|age| age > DAY);
    if is_old {
        let file = std::fs::File::options().append(true).open(entry.join("entry.txt"));
        let _ = file.and_then(|file| file.set_modified(now));
    }
}

/// When an entry was made, or used last, to a day.
fn modified(entry: &Path) -> Option<SystemTime> {
    entry.join("entry.txt").metadata().ok()?.modified().ok()
}

/// What was removed of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cleaned {
    /// Compilations.
    pub removed: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Compilations that stay.
    pub kept: usize,
}

/// Removes compilations that were not used for so long; `None`: all. Nothing that the cache has not made is touched.
///
/// # Errors
/// The folder cannot be read, or something in it cannot be removed.
pub fn clean(folder: &Path, unused_for: Option<Duration>) -> Result<Cleaned, files::FileError> {
    let mut cleaned = Cleaned::default();
    let now = SystemTime::now();
    let is_old = |entry: &Path| {
        let age = modified(entry).and_then(|at| now.duration_since(at).ok());
        unused_for.is_none_or(|most| age.is_none_or(|age| age > most))
    };
    let own = |path: &&PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| Key::parse(name).is_some())
    };
    let folders = if folder.is_dir() { files::entries(folder)? } else { Vec::new() };
    for call in folders.iter().filter(own) {
        for entry in files::entries(call)?.iter().filter(own) {
            if !is_old(entry) {
                cleaned.kept += 1;
                continue;
            }
            let sizes =
                files::entries(entry)?.into_iter().filter_map(|file| Some(file.metadata().ok()?.len()));
            cleaned.bytes += sizes.sum::<u64>();
            files::remove_folder(entry)?;
            cleaned.removed += 1;
        }
        // One that has other entries stays.
        let _ = std::fs::remove_dir(call);
    }
    Ok(cleaned)
}

/// What the environment decides.
fn environment(env: &Env) -> Key {
    let mut key = Key::new();
    for (name, value) in env.vars() {
        let text = name.to_string_lossy();
        if DECIDES.contains(&&*text) || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning)) {
            key = key.and(&text).and_debug(&value);
        }
    }
    let hosts = HOST_COMPILERS.iter().filter_map(|name| env.find_program(name));
    hosts.fold(key, |key, path| key.and(&identity(&path)))
}

/// A program: where it is, and which.
fn identity(path: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let state = real.metadata().ok().and_then(|metadata| Some((metadata.len(), metadata.modified().ok()?)));
    format!("{} {} {state:?}", path.display(), real.display())
}
