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
pub(crate) mod scan;

pub use combine::combine;
pub use locate::{Located, locate};
#[cfg(feature = "package")]
pub(crate) use merge::clash_words;
#[cfg(feature = "package")]
pub use merge::from_log;
pub use merge::{
    Artefacts, CubinProblem, Evidence, LinkEnd, LinkUnit, Linkage, LooseFunction, Refusal, SourceLookup,
    cubin_arch, from_artefacts, from_cubin, merge_link,
};
