//! A kernel as its experiments see it.

use crate::arch::Limits;
use crate::check::CheckedKernel;
use crate::experiment::{Figures, Threads, Variant};
use crate::kernel::{Bounds, RemarkKind};
use crate::occupancy::{MAX_REGISTERS, Residency, Resources, residency};

/// What planning and the frontier need to know of a kernel.
#[derive(Clone, Debug)]
pub struct Case {
    /// What the source declares.
    pub bounds: Bounds,
    /// Threads per block that variants are assembled and judged for: the bounds' own, else the target's.
    pub block_threads: u32,
    /// The build's own figures, callees' spills included.
    pub built: Figures,
    /// The architecture's limits.
    pub limits: &'static Limits,
    /// Dynamic shared memory per block, bytes.
    pub dynamic_shared_bytes: u32,
    /// The declared min blocks, where they hold: neither dropped nor overridden.
    pub held_min_blocks: Option<u32>,
    /// `-maxrregcount` of the unit, where it holds: bounds of the kernel override it.
    pub unit_cap: Option<u32>,
    /// The blocks per SM that bounds or target ask for, where fewer fit; one, where none can launch.
    pub asked: Option<u32>,
}

impl Case {
    /// The case of a kernel; `None` where its block, its figures or its architecture is unknown.
    pub fn new(kernel: &CheckedKernel, unit_cap: Option<u32>) -> Option<Self> {
        let record = &kernel.kernel;
        let bounds = record.bounds;
        let block_threads = bounds.block().or(kernel.block)?.threads;
        let dropped = |kind: &RemarkKind| matches!(kind, RemarkKind::MinBlocksIgnored { .. });
        let dropped = record.remarks.iter().any(|remark| dropped(&remark.kind));
        let overridden = |kind: &RemarkKind| match kind {
            RemarkKind::CapOverridden { from, by, .. } => unit_cap == Some(*from) && !by.contains("option"),
            _ => false,
        };
        let overridden = record.remarks.iter().any(|remark| overridden(&remark.kind));
        // where the thread count overrides the option, ptxas does not always say so
        let within = |cap: &u32| record.usage.registers.is_some_and(|registers| registers <= *cap);
        let unit_cap = unit_cap.filter(within).filter(|_| !overridden);
        let mut case = Self {
            bounds,
            block_threads,
            built: Figures::of(record)?,
            limits: kernel.limits?,
            dynamic_shared_bytes: kernel.expectation.target.dynamic_shared_bytes.unwrap_or(0),
            held_min_blocks: None,
            unit_cap,
            asked: None,
        };
        let most = case.without_registers().blocks_by_threads;
        let holds = !dropped && unit_cap.is_none();
        case.held_min_blocks = bounds.min_blocks.filter(|&blocks| holds && blocks <= most);
        let fits = case.residency(&case.built).blocks;
        let target = kernel.expectation.target.min_blocks;
        let target = target.filter(|_| kernel.block.is_some_and(|block| block.threads == block_threads));
        let launch = (fits == 0).then_some(1);
        let asked = [bounds.min_blocks, target, launch].into_iter().flatten();
        case.asked = asked.filter(|&asked| asked > fits).max();
        Some(case)
    }

    /// Blocks per SM of code with these figures.
    pub fn residency(&self, figures: &Figures) -> Residency {
        residency(self.limits, &self.resources(figures))
    }

    fn resources(&self, figures: &Figures) -> Resources {
        Resources {
            block_threads: self.block_threads,
            registers: figures.registers,
            static_shared_bytes: figures.static_shared_bytes,
            dynamic_shared_bytes: self.dynamic_shared_bytes,
            barriers: figures.barriers.or(self.built.barriers).unwrap_or(0),
            carveout_percent: None,
        }
    }

    /// The blocks that everything but registers has room for.
    pub(super) fn without_registers(&self) -> Room {
        let free = residency(self.limits, &Resources { registers: 0, ..self.resources(&self.built) });
        Room { blocks: free.blocks, blocks_by_threads: free.warps.min(free.max_blocks) }
    }

    /// The most registers per thread with which this many blocks fit; 0 where none does.
    pub(super) fn registers_for(&self, blocks: u32) -> u32 {
        let fits = |registers: u32| {
            let resources =
                Resources { block_threads: self.block_threads, registers, ..Resources::default() };
            residency(self.limits, &resources).registers.is_none_or(|limit| limit >= blocks)
        };
        (1..=MAX_REGISTERS).rev().find(|&registers| fits(registers)).unwrap_or(0)
    }

    /// The threads that variants declare: the bounds' own, or the target's where there are none.
    pub(super) fn threads(&self) -> Threads {
        match self.bounds.block() {
            Some(_) => Threads::Declared,
            None => Threads::AtMost(self.block_threads),
        }
    }

    /// The entry with these min blocks and no other register bound.
    pub(super) fn with_min_blocks(&self, min_blocks: Option<u32>) -> Variant {
        Variant { threads: self.threads(), min_blocks, max_registers: None }
    }

    /// The entry as it was built: assembling it must give the build's figures.
    pub(super) fn control(&self) -> Variant {
        Variant {
            threads: Threads::Declared,
            min_blocks: self.held_min_blocks,
            max_registers: self.bounds.max_registers.or(self.unit_cap),
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
    /// The limits of threads and of blocks alone.
    pub(super) blocks_by_threads: u32,
}
