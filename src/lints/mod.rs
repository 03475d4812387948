//! The lints: one file each, declared in one table.

mod bounds_dropped;
mod debug_build;
mod declare;
mod explain;
mod facts;
mod frontier_words;
#[cfg(feature = "baseline")]
mod incomparable_baseline;
#[cfg(feature = "baseline")]
mod limiter_regression;
mod local_memory;
mod maxrregcount;
mod missing_bounds;
mod partial_warp;
mod perf_advisory;
mod preliminary_figures;
mod register_budget;
#[cfg(feature = "baseline")]
mod register_regression;
mod register_step;
mod residency_below_bounds;
mod residency_below_target;
#[cfg(feature = "baseline")]
mod residency_regression;
mod spill;
mod spill_lines;
#[cfg(feature = "baseline")]
mod spill_regression;
#[cfg(feature = "baseline")]
mod stale_baseline;
mod table;
mod unbounded_stack;
#[cfg(any(test, not(feature = "baseline")))]
mod uncompared;
mod unfulfilled_expect;
mod unknown_dynamic_smem;
mod unlaunchable;
mod unmatched_target;
mod unused_allow;

pub(crate) use declare::declare_lint;
pub use declare::{Check, Draft, Lint};
pub use explain::{explain, list};
#[cfg(feature = "json")]
pub(crate) use frontier_words::remedy_words;
#[cfg(feature = "baseline")]
pub(crate) use incomparable_baseline::INCOMPARABLE_BASELINE;
pub(crate) use maxrregcount::cap_in as maxrregcount_in;
#[cfg(feature = "baseline")]
pub use stale_baseline::words as stale_baseline_words;
pub use table::{LINTS, find};
pub use unmatched_target::help as unmatched_target_help;
