//! Why there is no usable toolkit, in words.

use std::fmt;
use std::path::PathBuf;

use crate::report::sanitize;
use crate::sys::files::FileError;
use crate::sys::process::ProcessError;
use crate::toolkit::RELEASES;

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
    /// A `cuda-extra` that the table does not have.
    UnknownExtra {
        /// As written.
        asked: String,
        /// What there is.
        known: String,
    },
    /// No folder for caches: neither `OCCLINT_HOME` nor `XDG_CACHE_HOME` nor `HOME` is set.
    NoHome,
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

impl fmt::Display for ToolkitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { looked } => {
                f.write_str("nothing was checked: no nvcc was found; looked at")?;
                looked.iter().try_for_each(|place| write!(f, "\n  {place}"))
            }
            Self::Named { by, path } => {
                write!(f, "{by} names `{}`, which is no program that can be run", path.display())
            }
            Self::Version { nvcc, output } => {
                write!(
                    f,
                    "`{} --version` says nothing that is understood: {}",
                    nvcc.display(),
                    sanitize(output)
                )
            }
            Self::UnknownRelease { asked } => write!(f, "there is no pinned toolkit `{}`", sanitize(asked)),
            Self::UnknownExtra { asked, .. } => {
                write!(f, "there is no `cuda-extra` of the name `{}`", sanitize(asked))
            }
            Self::NoHome => f.write_str("no folder to keep a toolkit in: `HOME` is not set"),
            Self::Offline { release, folder } => {
                write!(
                    f,
                    "the toolkit {release} is not in `{}`, and the network may not be used",
                    folder.display()
                )
            }
            Self::Platform { release, platform } => {
                write!(
                    f,
                    "the toolkit {release} cannot be fetched for {platform}: there are wheels for Linux on x86-64 and aarch64"
                )
            }
            Self::NoInstaller { looked } => {
                write!(f, "neither pip nor uv can be run; looked for {}", looked.join(", "))
            }
            Self::Fetch { release, command, output } => {
                write!(f, "the toolkit {release} could not be fetched with `{command}`")?;
                output.lines().try_for_each(|line| write!(f, "\n  | {}", sanitize(line)))
            }
            Self::Host { message, .. } => f.write_str(message),
            Self::Process(error) => error.fmt(f),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ToolkitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Process(error) => Some(error),
            Self::File(error) => Some(error),
            _ => None,
        }
    }
}

impl ToolkitError {
    /// What to do next.
    pub fn help(&self) -> Option<String> {
        let pin = "pin one: `cuda = \"13.0\"` in `[package.metadata.occlint]`, or `--cuda 13.0` \
                   (fetched with pip on first use, about 110 MB), or name one with `--nvcc`";
        Some(match self {
            Self::NotFound { .. } | Self::Named { .. } | Self::Version { .. } => pin.to_owned(),
            Self::UnknownRelease { .. } => {
                let known: Vec<&str> = RELEASES.iter().map(|release| release.name).collect();
                format!("known releases: {}", known.join(", "))
            }
            Self::UnknownExtra { known, .. } => format!("known: {known}"),
            Self::NoHome => "set `OCCLINT_HOME`".to_owned(),
            Self::Offline { .. } => {
                "run once without `--offline`, or set `OCCLINT_HOME` to a folder that has it".to_owned()
            }
            Self::Platform { .. } => "install the CUDA toolkit and take the pin out".to_owned(),
            Self::NoInstaller { .. } => {
                "install Python with pip (`python3 -m pip --version` must work), or uv".to_owned()
            }
            Self::Fetch { .. } => {
                "proxies and mirrors are pip's own settings; run the command by hand to see more".to_owned()
            }
            Self::Host { help, .. } => help.clone(),
            Self::Process(_) | Self::File(_) => return None,
        })
    }
}
