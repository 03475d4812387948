//! The distance to the next allocation step.

use crate::arch::Limits;
use crate::occupancy::{Resources, residency};

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
    /// How many more registers per thread are free, at most, without losing a block (0 at an edge, and where the
    /// block cannot launch: there is none to lose).
    pub free_registers: u32,
    /// The residency with one register more than is free (0: it could not launch).
    pub blocks_past_free_registers: u32,
    /// The fewest bytes of shared memory less (static + dynamic) that give at least one block more; `None` where no
    /// number up to `u32::MAX` does.
    pub fewer_shared_bytes: Option<Step>,
    /// How many more bytes of shared memory are free without losing a block (0 as for registers).
    pub free_shared_bytes: u32,
    /// The residency with one byte more than is free.
    pub blocks_past_free_shared: u32,
}

/// Computes the distance to the next step.
///
/// Exact: a binary search over [`residency`], which never grows with registers or with shared memory. (Nor does it
/// with a carve-out: its sizes at most double, so that a wider one makes room for a single block.)
pub fn steps(limits: &Limits, resources: &Resources) -> Steps {
    let now = residency(limits, resources).blocks;
    let with_registers = |registers| residency(limits, &Resources { registers, ..*resources }).blocks;
    let total = u64::from(resources.static_shared_bytes) + u64::from(resources.dynamic_shared_bytes);
    let clipped = u32::try_from(total).unwrap_or(u32::MAX);
    let with_shared = |bytes| {
        let shared = Resources { static_shared_bytes: bytes, dynamic_shared_bytes: 0, ..*resources };
        residency(limits, &shared).blocks
    };
    let (free_registers, blocks_past_free_registers) = free(resources.registers, now, &with_registers);
    let (free_shared_bytes, blocks_past_free_shared) = free(clipped, now, &with_shared);
    Steps {
        fewer_registers: fewer(resources.registers.into(), resources.registers, now, &with_registers),
        free_registers,
        blocks_past_free_registers,
        fewer_shared_bytes: fewer(total, clipped, now, &with_shared),
        free_shared_bytes,
        blocks_past_free_shared,
    }
}

/// The smallest reduction of `amount` that gives more than `now` blocks; `clipped` is the amount as far as a `u32`
/// holds it.
fn fewer(amount: u64, clipped: u32, now: u32, blocks: &impl Fn(u32) -> u32) -> Option<Step> {
    let better = |amount| blocks(amount) > now;
    if clipped == 0 || !better(0) {
        return None;
    }
    // Invariant: `low` is better, `high` is not.
    let (mut low, mut high) = (0, clipped);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if better(middle) { low = middle } else { high = middle }
    }
    let reduction = u32::try_from(amount - u64::from(low)).ok()?;
    Some(Step { amount: reduction, blocks: blocks(low) })
}

/// How much more of `amount` leaves `now` blocks, and the residency with one more than that.
fn free(amount: u32, now: u32, blocks: &impl Fn(u32) -> u32) -> (u32, u32) {
    if now == 0 {
        return (0, 0);
    }
    if blocks(u32::MAX) == now {
        return (u32::MAX - amount, now);
    }
    // Invariant: `low` keeps the residency, `high` does not.
    let (mut low, mut high) = (amount, u32::MAX);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if blocks(middle) == now { low = middle } else { high = middle }
    }
    (low - amount, blocks(high))
}
