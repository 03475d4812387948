//! What a stand-in writes down, and how it is read again.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use occlint::sys::env::Env;
use occlint::sys::files::{self, FileError};
use serde_json::{Value, json};

/// Of another version nothing is taken; folders of calls carry it.
pub(super) const FORMAT_VERSION: u64 = 2;

/// The extension of a file that says that a call was made which could not be written down.
pub(super) const UNREAD: &str = "unread";

/// Variables that nvcc, the host compiler or their search depend on.
const VARIABLES: [&str; 6] = [
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "C_INCLUDE_PATH",
    "NVCC_APPEND_FLAGS",
    "NVCC_CCBIN",
    "NVCC_PREPEND_FLAGS",
];

/// What tells these variables' values from others; `None` where none is set.
pub(super) fn variables(env: &Env) -> Option<String> {
    let set: Vec<(&str, &OsStr)> =
        VARIABLES.iter().filter_map(|&name| Some((name, env.var(name)?))).collect();
    let mut hasher = DefaultHasher::new();
    set.hash(&mut hasher);
    (!set.is_empty()).then(|| format!("{:016x}", hasher.finish()))
}

/// One call of nvcc, as a build made it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Record {
    /// Its arguments.
    pub(crate) args: Vec<String>,
    /// The folder it ran in.
    pub(crate) folder: PathBuf,
    /// The variables of [`VARIABLES`] that were set.
    pub(crate) vars: BTreeMap<String, String>,
    /// `OUT_DIR` of the build script.
    pub(crate) out_dir: Option<PathBuf>,
    /// The folder of the package whose build script it was.
    pub(crate) package: Option<PathBuf>,
    /// The name of that package.
    pub(crate) package_name: Option<String>,
    /// Copies of sources that the build itself made, which may be gone or written again when they are looked at.
    pub(crate) copies: BTreeMap<PathBuf, PathBuf>,
}

impl Record {
    /// The call that this process is; the arguments must be UTF-8.
    pub(crate) fn of_process(args: Vec<String>, folder: PathBuf, env: &Env) -> Self {
        // Some build scripts clear the environment of what they call; their own has it.
        let of_script = if env.var("OUT_DIR").is_none() { Env::of_ancestor("OUT_DIR") } else { None };
        let script = of_script.as_ref().unwrap_or(env);
        let text = |name: &&str| Some(((*name).to_owned(), env.text(name)?.to_owned()));
        Self {
            args,
            folder,
            vars: VARIABLES.iter().filter_map(text).collect(),
            out_dir: script.var("OUT_DIR").map(PathBuf::from),
            package: script.var("CARGO_MANIFEST_DIR").map(PathBuf::from),
            package_name: script.text("CARGO_PKG_NAME").map(str::to_owned),
            copies: BTreeMap::new(),
        }
    }

    /// Its arguments with those of nvcc's variables around them.
    pub(crate) fn all_args(&self) -> Vec<String> {
        let words = |name: &str| occlint::capture::words(self.vars.get(name).map_or("", String::as_str));
        let mut all = words("NVCC_PREPEND_FLAGS");
        all.extend(self.args.iter().cloned());
        all.extend(words("NVCC_APPEND_FLAGS"));
        all
    }

    /// Writes it whole or not at all: builds call in parallel.
    pub(crate) fn write(&self, path: &Path) -> Result<(), FileError> {
        let text = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
        let pair = |(path, copy): (&PathBuf, &PathBuf)| {
            [path.to_string_lossy(), copy.to_string_lossy()].map(String::from)
        };
        let copies: Vec<[String; 2]> = self.copies.iter().map(pair).collect();
        let line = json!({
            "format_version": FORMAT_VERSION,
            "args": self.args,
            "folder": self.folder.to_string_lossy(),
            "vars": self.vars,
            "out_dir": text(&self.out_dir),
            "package": text(&self.package),
            "package_name": self.package_name,
            "copies": copies,
        });
        files::write_atomically(path, line.to_string().as_bytes())
    }

    /// Forgets the copies of the author's own sources: those in the package that are as they were.
    ///
    /// # Errors
    /// The record cannot be written again.
    pub(super) fn settle(mut self, path: &Path, build: &Path) -> Result<Self, FileError> {
        let package = self.package.clone();
        let is_authors = |source: &Path| {
            package.as_ref().is_some_and(|package| source.starts_with(package)) && !source.starts_with(build)
        };
        let text = |path: &Path| files::read_bytes(path).ok();
        let before = self.copies.len();
        self.copies.retain(|source, copy| !is_authors(source) || text(source) != text(copy));
        if self.copies.len() < before {
            self.write(path)?;
        }
        Ok(self)
    }

    /// Reads one; `None` where it is none of this version.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let value: Value = serde_json::from_str(&files::read_text(path).ok()?).ok()?;
        if value["format_version"] != FORMAT_VERSION {
            return None;
        }
        let strings = |value: &Value| {
            value.as_array()?.iter().map(|one| Some(one.as_str()?.to_owned())).collect::<Option<Vec<_>>>()
        };
        let vars = value["vars"].as_object()?.iter();
        let pair = |pair: &Value| Some((pair[0].as_str()?.into(), pair[1].as_str()?.into()));
        Some(Self {
            args: strings(&value["args"])?,
            folder: value["folder"].as_str()?.into(),
            vars: vars.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect(),
            out_dir: value["out_dir"].as_str().map(PathBuf::from),
            package: value["package"].as_str().map(PathBuf::from),
            package_name: value["package_name"].as_str().map(str::to_owned),
            copies: value["copies"].as_array()?.iter().map(pair).collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_as_it_was_written() {
        let env = Env::from_pairs([
            ("NVCC_APPEND_FLAGS", "-DA 'two words'"),
            ("OUT_DIR", "/t/out"),
            ("CARGO_MANIFEST_DIR", "/c"),
            ("HOME", "/h"),
        ]);
        let mut record = Record::of_process(vec!["-c".into(), "k\"ü.cu".into()], "/c".into(), &env);
        record.copies.insert("/t/out/k.cu".into(), "/t/calls/k.cu".into());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("call.json");
        record.write(&path).unwrap();
        assert_eq!(Record::read(&path).as_ref(), Some(&record));
        assert_eq!(record.all_args(), ["-c", "k\"ü.cu", "-DA", "two words"]);
        assert_eq!((record.vars.len(), record.out_dir), (1, Some("/t/out".into())));
        std::fs::write(&path, "{\"format_version\": 1}").unwrap();
        assert_eq!(Record::read(&path), None);
    }
}
