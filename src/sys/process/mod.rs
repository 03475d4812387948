//! Child processes: each in its own process group, ended as a group on time-out or Ctrl-C, and when the child itself
//! has ended.
//!
//! nvcc runs its steps through `sh`: ending nvcc alone leaves `sh`, `cicc` and `ptxas` running.

mod call;
mod cancel;
mod error;
mod group;
mod printed;
mod run;

pub use call::{Call, MOST_PRINTED};
pub use cancel::Cancel;
pub use error::ProcessError;
pub use run::{Output, replace, run, signal};
