//! Baselines: what kernels needed when somebody last looked, so that a check says only what got worse.
//!
//! Pure: the file and its format are the caller's.

mod compare;
mod difference;
mod entry;

pub(crate) use compare::{Removed, changes};
pub use difference::{Change, ChangeKind, differences, in_common};
pub use entry::{Baseline, Entry};
