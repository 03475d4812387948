//! What other bounds would cost: one entry's PTX, assembled again.

use crate::occupancy::Limiter;

/// What the same PTX entry uses under other bounds, as ptxas says.
#[derive(Clone, PartialEq, Debug)]
pub struct Frontier {
    /// The ptxas that assembled it: `13.0.88`.
    pub ptxas: String,
    /// Threads per block that the rows were assembled and judged for.
    pub block_threads: u32,
    /// The rows: most min blocks first, the row without min blocks last. Rows that change nothing are left out; the
    /// build's own row is always there.
    pub rows: Vec<FrontierRow>,
    /// The bounds are the cause of the spills: the entry spills with them and not without. `None` where that was not
    /// assembled, or where there are no spills.
    pub bounds_cause_spills: Option<bool>,
    /// Changes that would meet the declared min blocks or the target, each verified by assembling.
    pub remedies: Vec<String>,
}

/// One row of a [`Frontier`].
#[derive(Clone, PartialEq, Debug)]
pub struct FrontierRow {
    /// `.minnctapersm`; `None`: without.
    pub min_blocks: Option<u32>,
    /// The min blocks hold: false only where the build's own were dropped or overridden.
    pub min_blocks_hold: bool,
    /// The register cap of the build's own row: `.maxnreg`, or the unit's `-maxrregcount`. The other rows have none.
    pub max_registers: Option<u32>,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes per thread that spill stores write.
    pub spill_store_bytes: u32,
    /// Bytes per thread that spill loads read.
    pub spill_load_bytes: u32,
    /// Blocks per SM.
    pub residency: u32,
    /// Theoretical occupancy, 0–1.
    pub occupancy: f64,
    /// What limits the residency.
    pub limiters: Vec<Limiter>,
    /// The row of the build as it is.
    pub current: bool,
    /// The most residency of all rows that do not spill.
    pub best_without_spill: bool,
}
