//! Capture: the real build of a crate runs with a toolkit folder of ours, whose nvcc writes its calls down.

mod assembled;
mod build;
mod calls;
mod outputs;
mod record;
mod shadow;
mod stand_in;
mod units;
mod unseen;

pub(crate) use build::{Capture, Captured, capture};
pub(crate) use record::Record;
pub(crate) use shadow::Mode;
pub(crate) use stand_in::{is_stand_in, run as stand_in};
pub(crate) use units::{CapturedUnits, Wanted, units};
