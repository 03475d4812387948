//! Evidence: what a compilation left behind, read into [`Kernel`](crate::kernel::Kernel) records.

mod combine;
#[cfg(feature = "cubin")]
pub mod cubin;
mod declared;
mod locate;
mod merge;
pub mod names;
pub mod ptx;
pub mod ptxas_log;
mod scan;

pub use combine::combine;
pub use locate::{Located, locate};
pub(crate) use merge::clash_words;
pub use merge::{
    Artefacts, CubinProblem, Evidence, LinkEnd, LinkUnit, Linkage, LooseFunction, Refusal, SourceLookup,
    cubin_arch, from_artefacts, from_cubin, from_log, merge_link,
};
