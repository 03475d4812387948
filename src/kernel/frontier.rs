//! What other bounds would cost: one entry's PTX, assembled again.

use crate::occupancy::Limiter;

/// What the same PTX entry uses under other bounds, as ptxas says.
#[derive(Clone, PartialEq, Debug)]
pub struct Frontier {
    /// The ptxas that assembled it: `13.0.88`.
    pub ptxas: String,
    /// Threads per block that the rows were assembled and judged for: the bounds' own, else the target's; `None` where
    /// neither says it, and then no row has a residency.
    pub block_threads: Option<u32>,
    /// The rows: most min blocks first, the row without min blocks last. Rows that change nothing are left out; the
    /// build's own row is always there.
    pub rows: Vec<FrontierRow>,
    /// The bounds are the cause of the spills: the entry spills with them and not without. `None` where that was not
    /// assembled, where there are no spills, or where the unit's `-maxrregcount` holds: no bound of the kernel.
    pub bounds_cause_spills: Option<bool>,
    /// The unit's `-maxrregcount` is the cause of the spills: the entry spills with it and not without. `None` where it does
    /// not hold for the kernel, where that was not assembled, or where there are no spills.
    pub cap_causes_spills: Option<bool>,
    /// Changes that would meet the declared min blocks or the target, or take spills away; each with the figures of the
    /// entry as it was assembled for it.
    pub remedies: Vec<Remedy>,
}

/// One row of a [`Frontier`].
#[derive(Clone, PartialEq, Debug)]
pub struct FrontierRow {
    /// `.minnctapersm`; `None`: without.
    pub min_blocks: Option<u32>,
    /// The min blocks hold: false only where the build's own were dropped or overridden.
    pub min_blocks_hold: bool,
    /// The register cap: of the build's own row `.maxnreg`, or the unit's `-maxrregcount`; of the row without the kernel's
    /// own cap the unit's `-maxrregcount`, where it then holds. The other rows have none.
    pub max_registers: Option<u32>,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes per thread that spill stores write.
    pub spill_store_bytes: u32,
    /// Bytes per thread that spill loads read.
    pub spill_load_bytes: u32,
    /// Spill instructions to shared memory, which the bytes leave out; `None` where there may be some.
    pub shared_spills: Option<u32>,
    /// Blocks per SM; `None` where the block is unknown.
    pub residency: Option<u32>,
    /// Theoretical occupancy, 0–1; `None` where the block is unknown.
    pub occupancy: Option<f64>,
    /// What limits the residency; empty where the block is unknown.
    pub limiters: Vec<Limiter>,
    /// The row of the build as it is.
    pub current: bool,
    /// The most residency of all rows that do not spill.
    pub best_without_spill: bool,
}

impl FrontierRow {
    /// Whether anything spills; `None` where only spills to shared memory are possible, and not known.
    pub fn spills(&self) -> Option<bool> {
        let bytes = self.spill_store_bytes > 0 || self.spill_load_bytes > 0;
        if bytes { Some(true) } else { self.shared_spills.map(|count| count > 0) }
    }
}

/// A change, and what the entry uses with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remedy {
    /// The change.
    pub change: Change,
    /// Registers per thread, as assembled.
    pub registers: u32,
    /// Bytes per thread that spill stores write, as assembled.
    pub spill_store_bytes: u32,
    /// Bytes per thread that spill loads read, as assembled.
    pub spill_load_bytes: u32,
    /// Spill instructions to shared memory, as assembled; `None` where there may be some.
    pub shared_spills: Option<u32>,
    /// Blocks per SM that then fit; `None` where the block is unknown.
    pub residency: Option<u32>,
    /// The blocks per SM that bounds or target ask for, where fewer fit today.
    pub asked: Option<u32>,
}

/// What a [`Remedy`] changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// These min blocks, and no other bound on registers.
    MinBlocks(u32),
    /// No more blocks asked for than fit: these min blocks, with no other bound on registers, or the build's own code.
    AskFor(u32),
    /// Blocks of at most so many threads.
    Block {
        /// Threads per block.
        threads: u32,
        /// With these min blocks; `None`: without.
        min_blocks: Option<u32>,
    },
    /// At most so many bytes of shared memory per block, static and dynamic.
    SharedMemory {
        /// Bytes per block.
        bytes: u32,
        /// With these min blocks; `None`: with the bounds as they are.
        min_blocks: Option<u32>,
    },
    /// The kernel without the unit's `-maxrregcount`, which is this many registers.
    NoUnitCap(u32),
    /// The kernel without its own cap of so many registers; a `-maxrregcount` of the unit then holds, where no block is
    /// declared.
    NoCap(u32),
}

/// Why a kernel has no [`Frontier`], although a finding is about what other bounds could change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoFrontier {
    /// It spills, and nothing but the architecture bounds its registers.
    NothingToTry,
    /// It does not spill, and as many blocks fit as are asked for.
    NothingAsked,
    /// Its bounds leave the registers alone: shared memory, barriers or threads are in the way.
    RegistersAreFree,
    /// Its block is unknown, and it does not spill.
    UnknownBlock,
    /// Link-time optimisation makes its code at the device link.
    LinkTime,
    /// The device link changed its registers, or has not been made.
    Linked,
    /// Relocatable code: the functions that it calls are compiled apart from it.
    Callees,
    /// The most entries, this many, were assembled for others.
    Limit(usize),
    /// It was tried in vain: a note of the run says why.
    Failed,
}

impl NoFrontier {
    /// The word in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NothingToTry => "nothing-to-try",
            Self::NothingAsked => "nothing-asked",
            Self::RegistersAreFree => "registers-are-free",
            Self::UnknownBlock => "unknown-block",
            Self::LinkTime => "link-time",
            Self::Linked => "linked",
            Self::Callees => "callees",
            Self::Limit(_) => "limit",
            Self::Failed => "failed",
        }
    }
}
