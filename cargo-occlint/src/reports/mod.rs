//! Reports of earlier runs, read back from their JSON lines.

mod error;
mod fields;
mod findings;
mod join;
mod kernels;
mod lines;
mod sources;
mod state;
mod unique;

pub(crate) use error::ReportError;
pub(crate) use join::{JoinError, Joined, join};
pub(crate) use lines::{KernelLine, Line, Lines, read};
pub(crate) use sources::Sources;
pub(crate) use state::state;
