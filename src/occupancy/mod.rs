//! Residency: how many blocks fit on one SM, what limits them, and how far the next step is. Pure functions.

mod residency;
mod steps;

pub use residency::{Limiter, Residency, Resources, residency};
pub use steps::{Step, Steps, steps};
