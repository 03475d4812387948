//! What other bounds would cost: single entries of a unit's PTX, assembled again.
//!
//! Planning, the editing of PTX and the frontier are pure; [`run`] assembles. An entry is copied within its own module,
//! with other directives and under another name, so that one call of ptxas answers for several bounds at once, with any
//! ptxas: figures are the same as those of ptxas' own override options and of recompiled source.

mod cache;
mod case;
mod figures;
mod frontier;
mod module;
mod options;
mod plan;
mod remedies;
mod run;
mod shared_spills;
mod variant;

pub use case::Case;
pub use figures::{Figures, figures};
pub use frontier::frontier;
pub use module::Module;
pub use options::{Experiments, Mode};
pub use plan::next;
pub use run::{Lab, Results, Specimen, run};
pub use shared_spills::asks_for_shared_spills;
pub use variant::{Threads, Variant};
