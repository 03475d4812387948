//! Why a build script's helper could not do its work.

use std::fmt;

use crate::check::Report;
use crate::expect::{CommentError, ConfigError};
use crate::report::{HumanStyle, complaints, human, plain, problem, short};
use crate::session::Failure;
use crate::sys::files::FileError;
use crate::text::sanitize;
use crate::toolkit::ToolkitError;

/// Why a build script's helper could not do its work, or what it denies.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The build script asks for something that cannot be: an unknown lint, no `OUT_DIR`.
    Usage {
        /// What is wrong: lower case, no full stop.
        message: String,
        /// What to do.
        help: String,
    },
    /// Mistakes in the configuration.
    Config(Vec<ConfigError>),
    /// `// occlint:` comments that cannot be used.
    Comments(Vec<CommentError>),
    /// No usable nvcc.
    Toolkit(ToolkitError),
    /// A file of ours could not be written or read.
    File(FileError),
    /// The `cc` crate failed: its words, then what the programs said that it ran.
    Cc(String),
    /// Units that could not be compiled or read.
    Failed(Vec<Failure>),
    /// Denied findings.
    Denied(Box<Report>),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().trim_end())
    }
}

impl std::error::Error for BuildError {}

impl From<ToolkitError> for BuildError {
    fn from(error: ToolkitError) -> Self {
        Self::Toolkit(error)
    }
}

impl From<FileError> for BuildError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<cc::Error> for BuildError {
    fn from(error: cc::Error) -> Self {
        Self::Cc(error.to_string())
    }
}

impl BuildError {
    pub(super) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), help: help.into() }
    }

    /// One line for each thing that is wrong.
    pub(super) fn headlines(&self) -> Vec<String> {
        let lines: Vec<String> = match self {
            Self::Config(mistakes) => mistakes.iter().map(|one| at(&one.message, &one.span)).collect(),
            Self::Comments(mistakes) => mistakes.iter().map(|one| at(&one.message, &one.span)).collect(),
            Self::Failed(failures) => failures.iter().map(failure_line).collect(),
            Self::Denied(report) => short(report, false)
                .lines()
                .filter(|line| line.contains(": error["))
                .map(str::to_owned)
                .collect(),
            Self::Toolkit(_) | Self::Usage { .. } | Self::File(_) | Self::Cc(_) => {
                let text = self.text();
                let line = text.lines().next().unwrap_or_default();
                vec![line.trim_start_matches("error: ").to_owned()]
            }
        };
        lines.iter().map(|line| sanitize(line)).collect()
    }

    /// All that there is to say, for standard error.
    pub(super) fn text(&self) -> String {
        let style = HumanStyle { width: 100, color: false, unicode: true, verbose: false, foreign: false };
        match self {
            Self::Usage { message, help } => plain(message, &[], Some(help)),
            Self::Config(all) => {
                all.iter().map(|one| problem(&one.message, &one.span, one.help.as_deref(), style)).collect()
            }
            Self::Comments(all) => {
                all.iter().map(|one| problem(&one.message, &one.span, one.help.as_deref(), style)).collect()
            }
            Self::Toolkit(error) => plain(&error.to_string(), &[], help_of(error).as_deref()),
            Self::File(error) => plain(&error.to_string(), &[], None),
            Self::Cc(words) => plain(words, &[], None),
            Self::Failed(failures) => failures.iter().map(paragraph).collect(),
            Self::Denied(report) => human(report, style),
        }
    }
}

/// What to do about a toolkit, in the words of a build script, which has no command line.
fn help_of(error: &ToolkitError) -> Option<String> {
    match error {
        ToolkitError::NotFound { .. } => Some(
            "install the CUDA toolkit and set `NVCC=/path/to/bin/nvcc` or `CUDA_HOME`; or pin one with `cuda = \"13.0\"` in \
             `[package.metadata.occlint]`, and fetch it once with `cargo occlint` (about 110 MB)"
                .to_owned(),
        ),
        ToolkitError::Offline { release, .. } => Some(format!(
            "a build script fetches nothing: run `cargo occlint --cuda {release}` once, or set `OCCLINT_HOME` to the folder \
             that has it, or `NVCC` to an installed one"
        )),
        ToolkitError::Named { .. } => Some("correct it, or leave it out to search for nvcc".to_owned()),
        other => other.help(),
    }
}

fn at(message: &str, span: &crate::source::Span) -> String {
    let (line, column) = span.source.line_column(span.range.start.min(span.source.text().len()));
    format!("{}:{line}:{column}: {message}", span.source.name())
}

fn failure_line(failure: &Failure) -> String {
    let arch = failure.arch.map(|arch| format!(" for {arch}")).unwrap_or_default();
    format!("cannot compile `{}`{arch}: {}", failure.unit, failure.error)
}

fn paragraph(failure: &Failure) -> String {
    let said = complaints(failure.error.output().unwrap_or_default());
    plain(&failure_line(failure), &said, failure.error.help(failure.arch).as_deref())
}
