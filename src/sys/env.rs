//! The environment, read in one place and passed on as a value.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::order::Map;
use crate::sys::files::find_program;

/// A snapshot of the environment variables.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Env {
    vars: Map<OsString, OsString>,
}

impl Env {
    /// This process's environment.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn from_process() -> Self {
        Self { vars: std::env::vars_os().collect() }
    }

    /// An environment made of these variables alone.
    pub fn from_pairs<K: Into<OsString>, V: Into<OsString>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self { vars: pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect() }
    }

    /// The environment that the nearest process above this one was started with in which `name` is set; `None` where there is
    /// none, and where the system does not tell (it is Linux that does).
    pub fn of_ancestor(name: &str) -> Option<Self> {
        let mut process = std::os::unix::process::parent_id();
        while process > 1 {
            let env = Self::from_block(&std::fs::read(format!("/proc/{process}/environ")).ok()?);
            if env.var(name).is_some() {
                return Some(env);
            }
            // `PID (NAME) STATE PARENT …`; the name may hold anything.
            let stat = std::fs::read(format!("/proc/{process}/stat")).ok()?;
            let stat = String::from_utf8_lossy(&stat).into_owned();
            process = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        }
        None
    }

    /// The variables of a block of `NAME=VALUE`, each ended by a zero byte.
    fn from_block(block: &[u8]) -> Self {
        let pair = |one: &[u8]| {
            let at = one.iter().position(|&byte| byte == b'=')?;
            let text = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
            Some((text(&one[..at]), text(&one[at + 1..])))
        };
        Self { vars: block.split(|&byte| byte == 0).filter_map(pair).collect() }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_variables_is_read() {
        let env = Env::from_block(b"A=1\0B=two=2\0nothing\0C=\0");
        assert_eq!((env.text("A"), env.text("B"), env.text("C")), (Some("1"), Some("two=2"), None));
        assert_eq!(env.vars().count(), 3);
    }

    #[test]
    fn the_process_above_says_what_it_was_started_with() {
        assert!(Env::of_ancestor("PATH").is_some(), "whatever runs tests has a PATH");
        assert_eq!(Env::of_ancestor("OCCLINT_TEST_NOBODY_SETS_THIS"), None);
    }
}
