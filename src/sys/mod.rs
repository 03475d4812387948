//! The edge: the one place that reads the environment, the one that runs processes, the one that touches files.

pub mod clock;
pub mod env;
pub mod files;
#[cfg(feature = "build-script")]
pub mod jobserver;
pub mod process;
mod unique;

pub use unique::Scratch;
