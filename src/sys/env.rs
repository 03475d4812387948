//! The environment, read in one place and passed on as a value.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::order::Collect;
use crate::sys::files::find_program;

/// A snapshot of the environment variables.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Env {
    vars: BTreeMap<OsString, OsString>,
}

impl Env {
    /// This process's environment.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn from_process() -> Self {
        Self { vars: std::env::vars_os().collect_map() }
    }

    /// An environment made of these variables alone.
    pub fn from_pairs<K: Into<OsString>, V: Into<OsString>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self { vars: pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect() }
    }

    /// A variable that is set and not empty.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// A variable that is set, not empty and UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.var(name).and_then(OsStr::to_str)
    }

    /// All variables with their values, in the order of their names.
    pub fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The folders of `PATH`, in order.
    pub fn path_folders(&self) -> Vec<PathBuf> {
        self.var("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default()
    }

    /// A program on `PATH` that is a file and, on Unix, executable.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        find_program(name, &self.path_folders())
    }
}
