//! CUDA toolkits: found on the machine, or fetched for a pin.

mod fetch;
mod find;
mod headers;
mod host;
mod releases;
mod version;

pub use fetch::{FetchOptions, Progress, pinned};
pub use find::{Search, find};
pub use headers::wheel_of_header;
pub use host::check_host_compiler;
pub use releases::{RELEASES, Release};
pub use version::Version;

use std::path::PathBuf;

use crate::sys::files::FileError;
use crate::sys::process::ProcessError;

/// A CUDA toolkit: nvcc, the tools beside it, their version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toolkit {
    /// nvcc.
    pub nvcc: PathBuf,
    /// The folder above `bin`.
    pub root: PathBuf,
    /// What nvcc says it is.
    pub version: Version,
    /// ptxas beside it.
    pub ptxas: Option<PathBuf>,
    /// cuobjdump beside it.
    pub cuobjdump: Option<PathBuf>,
    /// nvdisasm beside it.
    pub nvdisasm: Option<PathBuf>,
    /// How it was found, in words: "pinned 13.0", "`nvcc` on PATH".
    pub origin: String,
}

/// Why there is no usable toolkit.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolkitError {
    /// No nvcc anywhere: every place that was looked at, in words.
    NotFound {
        /// The places.
        looked: Vec<String>,
    },
    /// It was named explicitly (`--nvcc`, `NVCC`) and is not there or not executable.
    Named {
        /// What named it: `--nvcc`, `NVCC`.
        by: String,
        /// The path.
        path: PathBuf,
    },
    /// nvcc ran, but its `--version` is not understood.
    Version {
        /// nvcc.
        nvcc: PathBuf,
        /// What it printed (shortened, control characters stripped).
        output: String,
    },
    /// A pin that the table does not have.
    UnknownRelease {
        /// As written.
        asked: String,
    },
    /// Not fetched because of `--offline`.
    Offline {
        /// The release.
        release: String,
        /// Where it would be.
        folder: PathBuf,
    },
    /// No wheels for this platform.
    Platform {
        /// The release.
        release: String,
        /// The platform in words.
        platform: String,
    },
    /// Neither pip nor uv.
    NoInstaller {
        /// What was tried.
        looked: Vec<String>,
    },
    /// The installer failed.
    Fetch {
        /// The release.
        release: String,
        /// The command, as one would type it.
        command: String,
        /// The last lines it printed.
        output: String,
    },
    /// The host compiler is missing or too new.
    Host {
        /// What is wrong, in words.
        message: String,
        /// What to do.
        help: String,
    },
    /// A process could not be run.
    Process(ProcessError),
    /// A file could not be read or written.
    File(FileError),
}
