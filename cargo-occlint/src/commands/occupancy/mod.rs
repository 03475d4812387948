//! `cargo occlint occupancy`: residency from figures alone.

mod args;
mod batch;
mod human;
mod json;
mod run;

pub(crate) use args::OccupancyArgs;
pub(crate) use run::{OccupancyError, run};
