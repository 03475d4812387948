//! Blocks per SM from a block's resources.

use crate::arch::Limits;

/// What one block needs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Resources {
    /// Threads per block.
    pub block_threads: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block in bytes, without the driver's reserve.
    pub static_shared_bytes: u32,
    /// Dynamic shared memory per block in bytes.
    pub dynamic_shared_bytes: u32,
    /// Named barriers per block.
    pub barriers: u32,
    /// Shared-memory carve-out in percent (0–100); `None` is the driver's default, the largest.
    pub carveout_percent: Option<u8>,
}

/// A resource that can limit residency.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Limiter {
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Warps (threads).
    Warps,
    /// Blocks per SM.
    Blocks,
    /// Named barriers.
    Barriers,
}

impl Limiter {
    /// All, in the order of reports.
    pub const ALL: [Self; 5] =
        [Self::Registers, Self::SharedMemory, Self::Warps, Self::Blocks, Self::Barriers];

    /// The word in human reports: `registers`, `shared memory`, `warps`, `blocks`, `barriers`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
            Self::Warps => "warps",
            Self::Blocks => "blocks",
            Self::Barriers => "barriers",
        }
    }

    /// The key in JSON: like [`Self::word`] with an underscore.
    pub const fn key(self) -> &'static str {
        match self {
            Self::SharedMemory => "shared_memory",
            other => other.word(),
        }
    }
}

/// Blocks that fit on one SM, by each resource alone and together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Residency {
    /// Blocks per SM: the minimum of all limits. 0: the block cannot launch.
    pub blocks: u32,
    /// Limit of registers alone, blocks per SM; `None` is no limit.
    pub registers: Option<u32>,
    /// Limit of shared memory alone.
    pub shared_memory: Option<u32>,
    /// Limit of warps alone.
    pub warps: u32,
    /// The architecture's maximum of blocks per SM.
    pub max_blocks: u32,
    /// Limit of named barriers alone.
    pub barriers: Option<u32>,
    /// Warps per block.
    pub warps_per_block: u32,
    /// Warps that the SM holds at most.
    pub max_warps: u32,
    /// Registers allocated per block.
    pub registers_allocated: u32,
    /// Shared memory allocated per block in bytes, the reserve included.
    pub shared_allocated_bytes: u32,
}

impl Residency {
    /// The limit of one resource alone, blocks per SM; `None` is no limit.
    pub const fn limit(&self, limiter: Limiter) -> Option<u32> {
        match limiter {
            Limiter::Registers => self.registers,
            Limiter::SharedMemory => self.shared_memory,
            Limiter::Warps => Some(self.warps),
            Limiter::Blocks => Some(self.max_blocks),
            Limiter::Barriers => self.barriers,
        }
    }

    /// All resources whose limit equals the residency, in the order of [`Limiter::ALL`].
    pub fn limiters(&self) -> Vec<Limiter> {
        Limiter::ALL.into_iter().filter(|&limiter| self.limit(limiter) == Some(self.blocks)).collect()
    }

    /// Theoretical occupancy, 0–1: resident warps over the most that the SM holds.
    pub fn occupancy(&self) -> f64 {
        f64::from(self.blocks * self.warps_per_block) / f64::from(self.max_warps)
    }
}

/// Computes the residency of blocks with these resources on an SM with these limits.
pub fn residency(limits: &Limits, resources: &Resources) -> Residency {
    let _ = resources;
    Residency {
        blocks: 0,
        registers: None,
        shared_memory: None,
        warps: 0,
        max_blocks: limits.max_blocks,
        barriers: None,
        warps_per_block: 0,
        max_warps: limits.max_threads / 32,
        registers_allocated: 0,
        shared_allocated_bytes: 0,
    }
}
