//! The check: kernels and expectations in, a report out. Severity is applied here, never in a lint.

#[cfg(feature = "baseline")]
mod compare;
mod evaluate;
mod open;
mod run;
mod types;
mod verdicts;

#[cfg(feature = "baseline")]
pub use compare::compare;
pub use open::{Candidate, Open};
pub use run::check;
#[cfg(feature = "experiment")]
pub(crate) use run::check_again;
pub use types::{CheckedKernel, ConfigFacts, Input, OpenReason, Report, UnitFacts, Unlinked, WaiverUse};
