//! The edge: the one place that reads the environment, the one that runs processes, the one that touches files.

pub mod clock;
pub mod env;
pub mod files;
pub mod jobserver;
#[cfg(any(feature = "cache", feature = "experiment"))]
pub(crate) mod memo;
pub mod memory;
pub mod process;
#[cfg(feature = "cache")]
pub(crate) mod state;
mod unique;

pub use unique::Scratch;
