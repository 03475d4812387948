//! Baselines: what kernels needed when somebody last looked, so that a check says only what got worse.
//!
//! Pure: the file and its format are the caller's. Without the feature `baseline` there is no value of [`Baseline`], and what
//! compares with one is not compiled.

#[cfg(feature = "baseline")]
mod compare;
#[cfg(feature = "baseline")]
mod difference;
#[cfg(feature = "baseline")]
mod entry;
#[cfg(not(feature = "baseline"))]
mod none;
#[cfg(feature = "baseline")]
mod pair;
mod rules;

#[cfg(feature = "baseline")]
pub(crate) use compare::{
    Room, baseline_notes, changes, compare_all, comparison, entry_of, room, with_levels,
};
#[cfg(feature = "baseline")]
pub use difference::{Change, ChangeKind, Differences, differences};
#[cfg(feature = "baseline")]
pub use entry::{Baseline, Entry, Part};
#[cfg(not(feature = "baseline"))]
pub use none::{Baseline, Entry};
#[cfg(not(feature = "baseline"))]
pub(crate) use none::{baseline_notes, changes, compare_all, entry_of, with_levels};
#[cfg(feature = "baseline")]
pub(crate) use pair::{pair, renames};
pub(crate) use rules::Removed;
pub use rules::{CompareRules, Comparison};
