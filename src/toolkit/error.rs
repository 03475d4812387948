//! Why there is no usable toolkit, and what to do next.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::sys::files::FileError;
use crate::sys::process::ProcessError;
use crate::toolkit::releases::RELEASES;

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
    /// nvcc (or ptxas) ran, but its `--version` is not understood.
    Version {
        /// The program.
        nvcc: PathBuf,
        /// What it printed (shortened, control characters stripped).
        output: String,
    },
    /// nvcc was asked which architectures it compiles for, and the answer is not understood.
    Archs {
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
    /// A `cuda-extra` that the release does not have.
    UnknownExtra {
        /// As written.
        asked: String,
        /// The release.
        release: String,
        /// What it could have been, sorted.
        known: Vec<String>,
    },
    /// No folder for fetched toolkits: none of the variables that say where is set.
    NoHome,
    /// The folder for fetched toolkits has a character that nvcc would give to a shell.
    UnsafeHome {
        /// The folder.
        folder: PathBuf,
    },
    /// Not fetched because of `--offline`.
    Offline {
        /// The release.
        release: String,
        /// Where it would be.
        folder: PathBuf,
    },
    /// What was fetched is not whole any more, and is not fetched again because of `--offline`.
    Damaged {
        /// The release.
        release: String,
        /// Its folder.
        folder: PathBuf,
    },
    /// A fetched toolkit is there but cannot be read, so it was left as it is.
    Unreadable {
        /// Its folder.
        folder: PathBuf,
        /// What could not be read.
        error: FileError,
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
    /// The installer succeeded, but what it left is no toolkit of this release.
    Incomplete {
        /// The release.
        release: String,
        /// What is wrong, in words.
        what: String,
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

impl From<ProcessError> for ToolkitError {
    fn from(error: ProcessError) -> Self {
        Self::Process(error)
    }
}

impl From<FileError> for ToolkitError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for ToolkitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { looked } => {
                f.write_str("no CUDA compiler (nvcc) was found; looked at:")?;
                looked.iter().try_for_each(|place| write!(f, "\n  {place}"))
            }
            Self::Named { by, path } => {
                write!(f, "`{}`, which {by} names, is no program that can be run", path.display())
            }
            Self::Version { nvcc, output } => {
                write!(f, "`{} --version` did not print a version{}", nvcc.display(), printed(output))
            }
            Self::Archs { nvcc, output } => write!(
                f,
                "`{} --list-gpu-code` did not print architectures{}",
                nvcc.display(),
                printed(output)
            ),
            Self::UnknownRelease { asked } => {
                write!(f, "there is no CUDA release `{}` to pin", clean(asked))
            }
            Self::UnknownExtra { asked, release, .. } => {
                write!(f, "CUDA {release} has no further package `{}`", clean(asked))
            }
            Self::NoHome => {
                f.write_str("no folder for fetched toolkits: no `OCCLINT_HOME`, `XDG_CACHE_HOME` or `HOME`")
            }
            Self::UnsafeHome { folder } => write!(
                f,
                "the folder for fetched toolkits, {:?}, has a character that nvcc would give to a shell",
                folder
            ),
            Self::Offline { release, folder } => write!(
                f,
                "CUDA {release} is pinned but not in `{}`, and the network may not be used",
                folder.display()
            ),
            Self::Damaged { release, folder } => write!(
                f,
                "the CUDA {release} in `{}` is not whole, and the network may not be used",
                folder.display()
            ),
            Self::Unreadable { error, .. } => write!(f, "the fetched toolkit cannot be used: {error}"),
            Self::Platform { release, platform } => {
                write!(f, "CUDA {release} can be fetched for x86-64 and aarch64 Linux, not for {platform}")
            }
            Self::NoInstaller { looked } => {
                f.write_str("fetching a toolkit needs pip or uv; tried:")?;
                looked.iter().try_for_each(|what| write!(f, "\n  {what}"))
            }
            Self::Fetch { release, command, output } => {
                write!(f, "CUDA {release} could not be fetched: `{command}` failed{}", printed(output))
            }
            Self::Incomplete { release, what } => {
                write!(f, "what was fetched is no usable CUDA {release}: {what}")
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
            Self::Process(error) => error.source(),
            Self::File(error) | Self::Unreadable { error, .. } => error.source(),
            _ => None,
        }
    }
}

impl ToolkitError {
    /// What to do next, if anything is known.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::NotFound { .. } => format!(
                "pin a toolkit, which is fetched on first use (about 110 MB): `--cuda {0}`, or `cuda = \"{0}\"` in \
                 `[package.metadata.occlint]`; or name an installed one: `--nvcc /path/to/bin/nvcc`",
                first_release()
            ),
            Self::Named { by, path } if path.is_dir() => {
                format!("{by} is the program itself: `{}`", path.join("bin").join("nvcc").display())
            }
            Self::Named { by, .. } => format!("correct {by}, or leave it out to search for nvcc"),
            Self::Version { .. } | Self::Archs { .. } => {
                "run the command by hand; if a wrapper or a compiler cache stands in for it, name the real one with `--nvcc`"
                    .to_owned()
            }
            Self::UnknownRelease { asked } => release_help(asked),
            Self::UnknownExtra { known, .. } => format!("`cuda-extra` knows {}", known.join(", ")),
            Self::NoHome => "set `OCCLINT_HOME` to a folder that can be written".to_owned(),
            Self::UnsafeHome { .. } => {
                "set `OCCLINT_HOME` to a folder without `\"`, `` ` ``, `$`, `\\` and line breaks".to_owned()
            }
            Self::Offline { release, .. } => format!(
                "run `cargo occlint --cuda {release}` once without `--offline` and `--frozen`, or set `OCCLINT_HOME` \
                 to the folder that has it"
            ),
            Self::Damaged { .. } => {
                "run once without `--offline` and `--frozen`: it is then fetched again".to_owned()
            }
            Self::Unreadable { folder, .. } => format!(
                "let its owner make it readable (`chmod -R a+rX {}`), or set `OCCLINT_HOME` to a folder of your own",
                folder.display()
            ),
            Self::Platform { .. } => "use an installed toolkit: `--nvcc /path/to/bin/nvcc`".to_owned(),
            Self::NoInstaller { .. } => {
                "install Python with pip (Debian: `apt install python3-pip`) or uv, or use an installed toolkit: \
                 `--nvcc /path/to/bin/nvcc`"
                    .to_owned()
            }
            Self::Fetch { .. } => {
                "pip's own settings apply (index, proxy, certificates); nothing half-fetched is kept: run again when \
                 the cause is gone"
                    .to_owned()
            }
            Self::Incomplete { .. } => "nothing of it was kept: run again, or pin another release".to_owned(),
            Self::Host { help, .. } => help.clone(),
            Self::Process(_) | Self::File(_) => return None,
        };
        Some(help)
    }
}

fn first_release() -> &'static str {
    RELEASES.first().map_or("13.0", |release| release.name)
}

fn release_help(asked: &str) -> String {
    let names: Vec<&str> = RELEASES.iter().map(|release| release.name).collect();
    let known = names.join(", ");
    let longer =
        names.iter().find(|name| asked.strip_prefix(**name).is_some_and(|rest| rest.starts_with('.')));
    let shorter =
        names.iter().rev().find(|name| name.strip_prefix(asked).is_some_and(|rest| rest.starts_with('.')));
    match longer.or(shorter) {
        Some(near) => format!("did you mean `{near}`? these can be pinned: {known}"),
        None => {
            format!("these can be pinned: {known}; any other toolkit works when it is installed (`--nvcc`)")
        }
    }
}

fn printed(output: &str) -> String {
    match output.trim() {
        "" => "; it printed nothing".to_owned(),
        text => format!("; it printed:\n  {}", text.replace('\n', "\n  ")),
    }
}

/// The last `lines` lines of what a program printed, each at most 200 characters, without control characters.
pub(super) fn last_lines(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let shown = &all[all.len().saturating_sub(lines)..];
    shown.iter().map(|line| clean(line)).collect::<Vec<_>>().join("\n")
}

/// Untrusted text for one line: at most 200 characters, control characters as U+FFFD.
fn clean(text: &str) -> String {
    text.chars().take(200).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Whether nvcc can be in, or work in, this folder: nvcc hands paths to a shell without quoting these.
pub(super) fn safe_for_nvcc(path: &Path) -> bool {
    path.to_str().is_some_and(|path| !path.contains(['"', '`', '$', '\\', '\n', '\r']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_releases_are_suggested() {
        insta::assert_snapshot!(release_help("13"), @"did you mean `13.5`? these can be pinned: 13.0, 13.1, 13.2, 13.3, 13.4, 13.5");
        insta::assert_snapshot!(release_help("13.0.88"), @"did you mean `13.0`? these can be pinned: 13.0, 13.1, 13.2, 13.3, 13.4, 13.5");
        insta::assert_snapshot!(release_help("12.8"), @"these can be pinned: 13.0, 13.1, 13.2, 13.3, 13.4, 13.5; any other toolkit works when it is installed (`--nvcc`)");
    }

    #[test]
    fn output_is_shortened_and_cleaned() {
        assert_eq!(last_lines("one\n\ntwo\x1b[31m\nthree  \n", 2), "two\u{fffd}[31m\nthree");
        assert_eq!(last_lines(&"x".repeat(500), 3).len(), 200);
        assert_eq!(last_lines("", 3), "");
    }

    #[test]
    fn not_found_names_every_place_and_the_pin() {
        let error = ToolkitError::NotFound { looked: vec!["`NVCC`: not set".into(), "`/opt/cuda`".into()] };
        insta::assert_snapshot!(error, @r"
        no CUDA compiler (nvcc) was found; looked at:
          `NVCC`: not set
          `/opt/cuda`
        ");
        let help = error.help().unwrap();
        assert!(help.contains("`--cuda 13.0`") && help.contains("`cuda = \"13.0\"`"), "{help}");
    }

    #[test]
    fn a_folder_named_as_nvcc_is_explained() {
        let folder = tempfile::tempdir().unwrap();
        let error = ToolkitError::Named { by: "`NVCC`".into(), path: folder.path().to_owned() };
        assert!(error.help().unwrap().contains("bin/nvcc`"), "{:?}", error.help());
    }
}
