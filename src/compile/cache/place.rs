//! What a compilation is kept by: all that decides it, but for the contents of what it reads.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::entry::HEAD;
use super::files::Files;
use crate::compile::{FlagOption, Settings, Unit, options};
use crate::digest::Key;
use crate::sys::env::Env;
use crate::sys::process::Call;
use crate::sys::state::now;
use crate::text::find;

/// Variables that compilers read, beside those of the call, and with every one of these beginnings. `PATH` decides which host
/// compiler runs: that is asked for itself.
const DECIDES: [&str; 11] = [
    "CICC_PATH",
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "C_INCLUDE_PATH",
    "CXX",
    "LANG",
    "LC_ALL",
    "LC_MESSAGES",
    "SOURCE_DATE_EPOCH",
    "NVVMIR_LIBRARY_DIR",
];
const BEGINNINGS: [&str; 3] = ["CUDA_", "GCC_", "NVCC_"];
/// Host compilers that nvcc may find.
const HOST_COMPILERS: [&str; 5] = ["g++", "gcc", "c++", "cc", "clang++"];
/// Options and a variable that name one.
const HOST_OPTIONS: [&str; 2] = ["ccbin", "compiler-bindir"];
const HOST_VARIABLE: &str = "NVCC_CCBIN";
/// Options that name a folder of headers.
const INCLUDES: [&str; 4] = ["I", "include-path", "isystem", "system-include"];

/// What a compilation is kept by.
#[derive(Clone, Debug)]
pub(in crate::compile) struct Place {
    pub(super) folder: PathBuf,
    /// What the names of files that were read are relative to.
    base: PathBuf,
    /// Where its headers are looked for: beside the source, and in the folders that its command names.
    pub(super) folders: Vec<PathBuf>,
    /// When the compilation began, nanoseconds since 1970.
    pub(super) start: i128,
}

impl Place {
    /// The same for a compilation that began at a time, nanoseconds since 1970.
    pub(in crate::compile) fn begun(&self, start: i128) -> Self {
        Self { start, ..self.clone() }
    }

    /// Where a file lies that the preprocessor, or the user, names so; `None` where that is no text.
    pub(super) fn path(&self, name: &str) -> Option<String> {
        self.base.join(name).to_str().map(str::to_owned)
    }
}

/// What keys are made of.
#[derive(Debug)]
pub(super) struct Keys {
    /// The workspace, with the slash at its end: keys do not depend on where it lies.
    pub(super) root: String,
    environment: Key,
}

impl Keys {
    pub(super) fn new(root: &Path, env: &Env) -> Self {
        let root = format!("{}/", root.to_string_lossy().trim_end_matches('/'));
        Self { root, environment: environment(env) }
    }

    /// Where below `cache` a call's results are kept; `keep` is the folder of its intermediates, which does not matter.
    pub(super) fn place(
        &self,
        (call, keep): (&Call, &Path),
        (unit, settings): (&Unit, &Settings),
        (cache, files): (&Path, &Files),
    ) -> Place {
        let base = call.folder.clone().unwrap_or_default();
        let program = files.digest(&call.program.to_string_lossy());
        let mut key = Key::new()
            .and(HEAD)
            .and(env!("CARGO_PKG_VERSION"))
            .and(&settings.toolkit.version.to_string())
            .and_debug(&self.environment)
            .and(&call.program.to_string_lossy())
            .and_debug(&program.map(|(_, digest)| digest))
            .and(&self.anywhere(&format!("{}/", base.to_string_lossy())));
        for (name, value) in &call.vars {
            let value = value.as_ref().map(|value| self.anywhere(&value.to_string_lossy()).into_owned());
            key = key.and(&name.to_string_lossy()).and_debug(&value);
        }
        let keep = keep.to_string_lossy();
        for arg in &call.args {
            let arg = arg.to_string_lossy();
            key = key.and(&self.anywhere(&replaced(&arg, &keep, "<keep>")));
        }
        let words: Vec<_> = call.args.iter().map(|arg| arg.to_string_lossy()).collect();
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let options = options(&words);
        for host in options.iter().filter(|option| HOST_OPTIONS.contains(&option.name)) {
            key = key.and(&identity(&base.join(host.value)));
        }
        let folders = self.header_folders(&options, (unit, settings), &base);
        Place { folder: cache.join(key.to_string()), base, folders, start: now() }
    }

    fn anywhere<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replaced(text, &self.root, "<root>/")
    }

    /// The folders that headers are looked for in, but for those of the toolkit and of the system.
    fn header_folders(
        &self,
        options: &[FlagOption<'_>],
        (unit, settings): (&Unit, &Settings),
        base: &Path,
    ) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = unit.source.parent().map(Path::to_owned).into_iter().collect();
        for option in options {
            let joined = option.name.strip_prefix('I').filter(|_| option.value.is_empty());
            let value = if INCLUDES.contains(&option.name) { Some(option.value) } else { joined };
            folders.extend(value.into_iter().flat_map(|list| list.split(',')).map(|one| base.join(one)));
        }
        let foreign =
            |folder: &PathBuf| folder.starts_with("/usr") || folder.starts_with(&settings.toolkit.root);
        folders.retain(|folder| folder.starts_with(&self.root) || !foreign(folder));
        folders.dedup();
        folders
    }
}

/// A text with another path in the place of one; most have none.
fn replaced<'a>(text: &'a str, old: &str, new: &str) -> Cow<'a, str> {
    if find(text, old).is_some() { text.replace(old, new).into() } else { text.into() }
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
    let named = env.var(HOST_VARIABLE).map(PathBuf::from);
    let hosts = HOST_COMPILERS.iter().filter_map(|name| env.find_program(name)).chain(named);
    hosts.fold(key, |key, path| key.and(&identity(&path)))
}

/// A program: where it is, and which.
fn identity(path: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let state = real.metadata().ok().and_then(|metadata| Some((metadata.len(), metadata.modified().ok()?)));
    format!("{} {} {state:?}", path.display(), real.display())
}
