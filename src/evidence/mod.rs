//! Evidence: what a compilation left behind, read into [`Kernel`](crate::kernel::Kernel) records.

mod combine;
pub mod cubin;
mod locate;
mod merge;
pub mod names;
pub mod ptx;
pub mod ptxas_log;

pub use combine::combine;
pub use locate::{Located, locate};
pub use merge::{Artefacts, CubinProblem, Evidence, LooseFunction, SourceLookup, from_artefacts, from_log};
