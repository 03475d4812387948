//! Every way in which a run can end without its work done, and the exit status of each.

use occlint::expect::{CommentError, ConfigError};
use occlint::sys::files::FileError;
use occlint::toolkit::ToolkitError;

use crate::commands::occupancy::OccupancyError;
use crate::reports::{JoinError, ReportError};

/// Exit status: clean.
pub(crate) const CLEAN: u8 = 0;
/// Exit status: the command line cannot be understood.
pub(crate) const USAGE: u8 = 2;
/// Exit status: a denied finding.
pub(crate) const FINDINGS: u8 = 100;
/// Exit status: could not do its work.
pub(crate) const FAILED: u8 = 101;
/// Exit status: interrupted, as shells report SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a run ended early.
#[derive(Debug)]
pub(crate) enum RunError {
    /// A value on the command line means nothing.
    Usage { message: String, help: Option<String> },
    /// `cargo metadata` failed.
    Metadata(cargo_metadata::Error),
    /// Mistakes in the configuration.
    Config(Vec<ConfigError>),
    /// Comments that cannot be used: the run went on, so that all mistakes show at once.
    Comments(Vec<CommentError>),
    /// No usable toolkit.
    Toolkit(ToolkitError),
    /// Something that cannot be checked, said at no particular place.
    Cannot { message: String, help: Option<String> },
    /// The crate's own build fails.
    Build { package: String, said: String, help: String },
    /// A file could not be read or written.
    File(FileError),
    /// A file is no report that can be used.
    Report(ReportError),
    /// Reports that are not one run.
    Join(JoinError),
    /// The calculator's own errors.
    Occupancy(OccupancyError),
    /// What went wrong was printed already.
    Reported,
    /// Ctrl-C.
    Interrupted,
    /// Standard output cannot be written.
    Output(std::io::Error),
}

impl RunError {
    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Usage { .. } => USAGE,
            Self::Occupancy(error) => error.status(),
            Self::Metadata(_)
            | Self::Config(_)
            | Self::Comments(_)
            | Self::Toolkit(_)
            | Self::Cannot { .. }
            | Self::Build { .. }
            | Self::File(_)
            | Self::Report(_)
            | Self::Join(_)
            | Self::Reported
            | Self::Output(_) => FAILED,
            Self::Interrupted => INTERRUPTED,
        }
    }

    /// Something that cannot be checked.
    pub(crate) fn cannot(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Cannot { message: message.into(), help: Some(help.into()) }
    }
}

impl From<FileError> for RunError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<ReportError> for RunError {
    fn from(error: ReportError) -> Self {
        Self::Report(error)
    }
}

impl From<JoinError> for RunError {
    fn from(error: JoinError) -> Self {
        Self::Join(error)
    }
}

impl From<std::io::Error> for RunError {
    fn from(error: std::io::Error) -> Self {
        Self::Output(error)
    }
}
