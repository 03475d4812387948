//! The distance to the next allocation step.

use crate::arch::Limits;
use crate::occupancy::Resources;

/// One way to another residency.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// How much less (or more) of the resource: registers per thread, or bytes of shared memory per block.
    pub amount: u32,
    /// The residency then, blocks per SM.
    pub blocks: u32,
}

/// How far the next residency is, by registers and by shared memory alone.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Steps {
    /// The fewest registers per thread less that give at least one block more; `None` where no number does.
    pub fewer_registers: Option<Step>,
    /// How many more registers per thread are free, at most, without losing a block (0 at an edge).
    pub free_registers: u32,
    /// The residency with one register more than is free (0: it could not launch).
    pub blocks_past_free_registers: u32,
    /// The fewest bytes of shared memory less (static + dynamic) that give at least one block more.
    pub fewer_shared_bytes: Option<Step>,
    /// How many more bytes of shared memory are free without losing a block.
    pub free_shared_bytes: u32,
    /// The residency with one byte more than is free.
    pub blocks_past_free_shared: u32,
}

/// Computes the distance to the next step.
pub fn steps(limits: &Limits, resources: &Resources) -> Steps {
    let _ = (limits, resources);
    Steps::default()
}
