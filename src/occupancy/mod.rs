//! Residency: how many blocks fit on one SM, what limits them, and how far the next step is. Pure functions.

mod residency;
mod size;
mod steps;

pub use residency::{
    Limiter, MAX_BLOCK_THREADS, MAX_REGISTERS, Residency, Resources, carved_shared_bytes, registers_per_warp,
    residency, warps_by_registers,
};
pub use size::{SizeError, parse_size};
pub use steps::{Step, Steps, steps};
