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
        f64::from(self.blocks) * f64::from(self.warps_per_block) / f64::from(self.max_warps)
    }
}

/// Threads per warp.
const WARP: u32 = 32;
/// The most threads that one block may have, on every part.
pub const MAX_BLOCK_THREADS: u32 = 1024;
/// The most registers that one thread may have, on every part.
pub const MAX_REGISTERS: u32 = 255;
/// Registers are allocated to a warp in units of this many.
const REGISTER_UNIT: u64 = 256;

/// Computes the residency of blocks with these resources on an SM with these limits.
///
/// Exact for every input: what cannot launch has a residency of 0. Allocated amounts over `u32::MAX` are `u32::MAX`.
#[inline]
pub fn residency(limits: &Limits, resources: &Resources) -> Residency {
    let warps_per_block = resources.block_threads.div_ceil(WARP);
    let max_warps = limits.max_threads / WARP;
    let warps = match resources.block_threads {
        1..=MAX_BLOCK_THREADS => max_warps / warps_per_block,
        _ => 0,
    };
    let (registers, registers_allocated) = register_limit(limits, resources.registers, warps_per_block);
    let (shared_memory, shared_allocated_bytes) = shared_limit(limits, resources);
    let barriers = match (limits.barrier_pool, resources.barriers) {
        (None, _) | (_, 0) => None,
        (Some(pool), barriers) => Some(pool / barriers),
    };
    let no_limit = u32::MAX;
    let blocks = warps
        .min(limits.max_blocks)
        .min(registers.unwrap_or(no_limit))
        .min(shared_memory.unwrap_or(no_limit))
        .min(barriers.unwrap_or(no_limit));
    Residency {
        blocks,
        registers,
        shared_memory,
        warps,
        max_blocks: limits.max_blocks,
        barriers,
        warps_per_block,
        max_warps,
        registers_allocated,
        shared_allocated_bytes,
    }
}

/// The limit of registers, and the registers allocated per block.
fn register_limit(limits: &Limits, registers: u32, warps: u32) -> (Option<u32>, u32) {
    let per_warp = registers_per_warp(registers);
    let allocated = clip(per_warp.saturating_mul(u64::from(warps)));
    if per_warp == 0 || warps == 0 {
        return (None, allocated);
    }
    // The launch check counts four sub-partitions on every part, 6.0 included.
    let launch = per_warp.saturating_mul(u64::from(warps).next_multiple_of(4));
    if launch > u64::from(limits.registers_per_block) || registers > MAX_REGISTERS {
        return (Some(0), allocated);
    }
    (warps_by_registers(limits, registers).map(|warps_on_sm| warps_on_sm / warps), allocated)
}

/// How many warps of threads with this many registers an SM has registers for: each sub-partition holds whole warps.
/// `None` is no limit: no registers.
pub fn warps_by_registers(limits: &Limits, registers: u32) -> Option<u32> {
    let per_warp = registers_per_warp(registers);
    let partition = u64::from(limits.registers / limits.sub_partitions);
    (per_warp > 0).then(|| limits.sub_partitions * clip(partition / per_warp))
}

/// Registers that a warp of threads with this many registers is given: a multiple of 256.
pub fn registers_per_warp(registers: u32) -> u64 {
    (u64::from(registers) * u64::from(WARP)).next_multiple_of(REGISTER_UNIT)
}

/// The limit of shared memory, and the bytes allocated per block.
fn shared_limit(limits: &Limits, resources: &Resources) -> (Option<u32>, u32) {
    let allocated = shared_allocated(limits, resources);
    if allocated == 0 {
        return (None, 0);
    }
    if allocated > u64::from(limits.opt_in_shared_bytes) + u64::from(limits.reserved_shared_bytes) {
        return (Some(0), clip(allocated));
    }
    (Some(clip(carved_bytes(limits, resources.carveout_percent, allocated) / allocated)), clip(allocated))
}

/// Shared memory allocated to a block, the reserve included, in whole units.
fn shared_allocated(limits: &Limits, resources: &Resources) -> u64 {
    let asked = u64::from(resources.static_shared_bytes) + u64::from(resources.dynamic_shared_bytes);
    (asked + u64::from(limits.reserved_shared_bytes)).next_multiple_of(u64::from(limits.shared_unit_bytes))
}

/// The shared memory in bytes that an SM has for these blocks: all of it, or what a carve-out leaves. A carve-out
/// that is too small for one block is widened to the next size that the part has.
pub fn carved_shared_bytes(limits: &Limits, resources: &Resources) -> u32 {
    clip(carved_bytes(limits, resources.carveout_percent, shared_allocated(limits, resources)))
}

/// The shared memory that the SM has under a carve-out, at least what one block needs.
fn carved_bytes(limits: &Limits, percent: Option<u8>, block: u64) -> u64 {
    let largest = u64::from(limits.shared_bytes);
    let Some(percent) = percent.filter(|_| !limits.carveouts_kib.is_empty()) else { return largest };
    let size_for = |bytes: u64| {
        let sizes = limits.carveouts_kib.iter().map(|&kib| u64::from(kib) * 1024);
        sizes.into_iter().find(|&size| size >= bytes).unwrap_or(largest)
    };
    let preferred = size_for(largest * u64::from(percent.min(100)) / 100);
    if block > preferred { size_for(block) } else { preferred }
}

/// The nearest `u32`.
fn clip(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
