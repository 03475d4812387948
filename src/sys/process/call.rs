//! What is to be run.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// The most that a child may print to each of its streams, unless its call says otherwise: 64 MiB. The reports of a
/// thousand kernels are a few MB.
pub const MOST_PRINTED: u64 = 64 << 20;

/// A program with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The folder it runs in; `None` is this process's.
    pub folder: Option<PathBuf>,
    /// Variables to set (`Some`) or to remove (`None`).
    pub vars: Vec<(OsString, Option<OsString>)>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// How many bytes it may print to each of its streams.
    pub most_printed: u64,
}

impl Call {
    /// A call of `program` without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            folder: None,
            vars: Vec::new(),
            timeout: None,
            most_printed: MOST_PRINTED,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets a variable for the child.
    #[must_use]
    pub fn var(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.vars.push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Limits the time.
    #[must_use]
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Limits the bytes that it may print to each of its streams.
    #[must_use]
    pub fn most_printed(mut self, bytes: u64) -> Self {
        self.most_printed = bytes;
        self
    }
}
