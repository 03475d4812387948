//! A kernel as its experiments see it.

use crate::arch::Limits;
use crate::check::CheckedKernel;
use crate::experiment::{Figures, Threads, Variant};
use crate::kernel::{Bounds, RemarkKind};
use crate::occupancy::{MAX_BLOCK_THREADS, MAX_REGISTERS, Residency, Resources, residency};

/// What planning and the frontier need to know of a kernel.
#[derive(Clone, Debug)]
pub struct Case {
    /// What the source declares.
    pub bounds: Bounds,
    /// Threads per block that variants are assembled and judged for: the bounds' own, else the target's; `None` where
    /// neither says it.
    pub block_threads: Option<u32>,
    /// The build's own figures, callees' spills included.
    pub built: Figures,
    /// The architecture's limits.
    pub limits: &'static Limits,
    /// Dynamic shared memory per block, bytes.
    pub dynamic_shared_bytes: u32,
    /// The declared min blocks, where they hold: not dropped.
    pub held_min_blocks: Option<u32>,
    /// `-maxrregcount` of the unit, where it holds: ptxas lets any bound on threads or registers of the kernel override it,
    /// be that higher or lower (measured with 13.0 and 13.5), and does not always say so.
    pub unit_cap: Option<u32>,
    /// `-maxrregcount` of the unit, where it would hold without the kernel's own bounds: a kernel without a declared block.
    pub cap_beneath: Option<u32>,
    /// The blocks per SM that bounds or target ask for, where fewer fit; one, where none can launch.
    pub asked: Option<u32>,
}

impl Case {
    /// The case of a kernel; `None` where its figures or its architecture are unknown.
    pub fn new(kernel: &CheckedKernel, unit_cap: Option<u32>) -> Option<Self> {
        let record = &kernel.kernel;
        let bounds = record.bounds;
        let declared = bounds.block();
        let dropped = |kind: &RemarkKind| matches!(kind, RemarkKind::MinBlocksIgnored { .. });
        let dropped = record.remarks.iter().any(|remark| dropped(&remark.kind));
        let mut case = Self {
            bounds,
            block_threads: declared.or(kernel.block).map(|block| block.threads),
            built: Figures::of(record)?,
            limits: kernel.limits?,
            dynamic_shared_bytes: kernel.expectation.target.dynamic_shared_bytes.unwrap_or(0),
            held_min_blocks: None,
            unit_cap: unit_cap.filter(|_| declared.is_none() && bounds.max_registers.is_none()),
            cap_beneath: unit_cap.filter(|_| declared.is_none() && bounds.max_registers.is_some()),
            asked: None,
        };
        let Some(most) = case.without_registers().map(|room| room.blocks_by_threads) else {
            return Some(case);
        };
        let holds = |blocks: &u32| !dropped && declared.is_some() && *blocks <= most;
        case.held_min_blocks = bounds.min_blocks.filter(holds);
        let fits = case.residency(&case.built).map_or(0, |residency| residency.blocks);
        let target = kernel.expectation.target.min_blocks;
        let target = target.filter(|_| kernel.block.map(|block| block.threads) == case.block_threads);
        let launch = (fits == 0).then_some(1);
        let asked = [bounds.min_blocks, target, launch].into_iter().flatten();
        case.asked = asked.filter(|&asked| asked > fits).max();
        Some(case)
    }

    /// Blocks per SM of code with these figures; `None` where the block is unknown.
    pub fn residency(&self, figures: &Figures) -> Option<Residency> {
        Some(residency(self.limits, &self.resources(self.block_threads?, figures)))
    }

    /// Blocks of so many threads per SM.
    pub(super) fn residency_of(&self, threads: u32, figures: &Figures) -> Residency {
        residency(self.limits, &self.resources(threads, figures))
    }

    fn resources(&self, block_threads: u32, figures: &Figures) -> Resources {
        Resources {
            block_threads,
            registers: figures.registers,
            static_shared_bytes: figures.static_shared_bytes,
            dynamic_shared_bytes: self.dynamic_shared_bytes,
            barriers: figures.barriers.or(self.built.barriers).unwrap_or(0),
            carveout_percent: None,
        }
    }

    /// The blocks that everything but registers has room for.
    pub(super) fn without_registers(&self) -> Option<Room> {
        let resources = Resources { registers: 0, ..self.resources(self.block_threads?, &self.built) };
        let free = residency(self.limits, &resources);
        let blocks_by_threads = free.warps.min(free.max_blocks);
        let others = free.barriers.map_or(blocks_by_threads, |limit| limit.min(blocks_by_threads));
        Some(Room { blocks: free.blocks, without_shared: others, blocks_by_threads })
    }

    /// The most registers per thread with which this many blocks fit; 0 where none does, or the block is unknown.
    pub(super) fn registers_for(&self, blocks: u32) -> u32 {
        let Some(block_threads) = self.block_threads else { return 0 };
        let fits = |registers: u32| {
            let resources = Resources { block_threads, registers, ..Resources::default() };
            residency(self.limits, &resources).registers.is_none_or(|limit| limit >= blocks)
        };
        (1..=MAX_REGISTERS).rev().find(|&registers| fits(registers)).unwrap_or(0)
    }

    /// The most bytes of shared memory per block with which this many blocks fit.
    pub(super) fn shared_for(&self, blocks: u32) -> u32 {
        let unit = self.limits.shared_unit_bytes;
        let each = self.limits.shared_bytes / blocks.max(1) / unit * unit;
        each.saturating_sub(self.limits.reserved_shared_bytes).min(self.limits.opt_in_shared_bytes)
    }

    /// The largest smaller block of whole warps, two at least, of which so many fit, all else as it was built.
    pub(super) fn smaller_block_for(&self, blocks: u32) -> Option<u32> {
        let warps = self.block_threads?.saturating_sub(1).min(MAX_BLOCK_THREADS) / 32;
        let fits = |threads: &u32| self.residency_of(*threads, &self.built).blocks >= blocks;
        (2..=warps).rev().map(|warps| warps * 32).find(fits)
    }

    /// The threads that variants declare: the bounds' own, or the target's where there are none.
    pub(super) fn threads(&self) -> Threads {
        match (self.bounds.block(), self.block_threads) {
            (None, Some(threads)) => Threads::AtMost(threads),
            _ => Threads::Declared,
        }
    }

    /// The entry with these min blocks and no other register bound.
    pub(super) fn with_min_blocks(&self, min_blocks: Option<u32>) -> Variant {
        Variant { threads: self.threads(), min_blocks, max_registers: None, without_unit_cap: false }
    }

    /// The entry without the bounds that hold, but for its declared block: without its own, or without the unit's cap
    /// where that holds. A cap of the unit beneath its own then holds, as in the source without them.
    pub(super) fn without_bounds(&self) -> Variant {
        let without_unit_cap = self.unit_cap.is_some();
        Variant { threads: Threads::Declared, min_blocks: None, max_registers: None, without_unit_cap }
    }

    /// The entry as it was built: assembling it must give the build's figures.
    pub(super) fn control(&self) -> Variant {
        Variant {
            threads: Threads::Declared,
            min_blocks: self.bounds.min_blocks,
            max_registers: self.bounds.max_registers,
            without_unit_cap: false,
        }
    }

    /// Whether something but the block itself bounds the registers.
    pub(super) fn is_capped(&self) -> bool {
        self.held_min_blocks.is_some() || self.bounds.max_registers.is_some() || self.unit_cap.is_some()
    }
}

/// Blocks per SM without regard to registers.
pub(super) struct Room {
    /// All other limits.
    pub(super) blocks: u32,
    /// All other limits but shared memory.
    pub(super) without_shared: u32,
    /// The limits of threads and of blocks alone.
    pub(super) blocks_by_threads: u32,
}
