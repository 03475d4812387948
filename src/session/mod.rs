//! One package checked from end to end: units compiled, evidence read, expectations gathered, lints run.
//!
//! The doors (the subcommand, a build script) differ in where units and configuration come from; what happens to them
//! is the same and stands here.

mod binaries;
mod early;
#[cfg(feature = "experiment")]
mod experiments;
mod flags;
mod gather;
mod link;
#[cfg(feature = "package")]
mod package;
mod paths;
#[cfg(feature = "cache")]
mod remembered;
mod run;

pub use flags::is_linked;
#[cfg(feature = "package")]
pub use package::{check_log, check_nothing, check_package};
pub use paths::Roots;
#[cfg(feature = "build-script")]
pub(crate) use run::check_built;
pub use run::{Failure, Outcome, Package};
