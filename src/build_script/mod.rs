//! The helper for build scripts: `cc::Build`, whose one compile is also the check.

mod archive;
mod artefacts;
mod build;
mod compile;
mod compiler;
mod directives;
mod error;
mod forward;
mod judge;
mod paths;
mod ptx;
mod reports;
mod run;
mod scene;
mod target;

pub use build::{Build, Built};
pub use error::BuildError;
pub use target::KernelTarget;
