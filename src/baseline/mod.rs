//! Baselines: what kernels needed when somebody last looked, so that a check says only what got worse.
//!
//! Pure: the file and its format are the caller's.

mod compare;
mod difference;
mod entry;
mod pair;

pub use compare::{CompareRules, Comparison};
pub(crate) use compare::{Removed, Room, changes, comparison, room};
pub use difference::{Change, ChangeKind, Differences, differences};
pub use entry::{Baseline, Entry, Part};
pub(crate) use pair::{pair, renames};
