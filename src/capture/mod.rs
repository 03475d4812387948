//! A build's own calls of nvcc, read as nvcc reads them.
//!
//! Pure: who records calls, and who makes units of them, stands in the subcommand.

mod call;
mod options;
mod target;
mod words;

pub use call::{NvccCall, Phase, parse};
pub use target::{Target, targets};
pub use words::{expand, words};

/// PTX that any driver could load, without a kernel: what stands where nothing was compiled.
pub const EMPTY_PTX: &str = ".version 7.0\n.target sm_52\n.address_size 64\n";
