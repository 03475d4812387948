//! What other bounds would cost, in JSON.

use super::value::{Value, json};

use crate::kernel::{Change, Frontier, FrontierRow, Kernel, Remedy};
use crate::lints::remedy_words;

/// The fields of a kernel's line: `frontier`, an array of rows, each with what it was assembled with and for, and what
/// follows from them.
pub(super) fn of(kernel: &Kernel) -> Value {
    let frontier = kernel.frontier.as_ref();
    let remedies = frontier.map(|frontier| frontier.remedies.iter().map(remedy).collect::<Vec<Value>>());
    json!({
        "frontier": frontier.map(rows),
        "frontier_ptxas": frontier.map(|frontier| &frontier.ptxas),
        "no_frontier": kernel.no_frontier.map(|why| why.word()),
        "bounds_cause_spills": frontier.and_then(|frontier| frontier.bounds_cause_spills),
        "cap_causes_spills": frontier.and_then(|frontier| frontier.cap_causes_spills),
        "remedies": remedies,
    })
}

fn rows(frontier: &Frontier) -> Value {
    let row = |row: &FrontierRow| {
        json!({
            "ptxas": frontier.ptxas,
            "block": frontier.block_threads,
            "min_blocks": row.min_blocks,
            "min_blocks_hold": row.min_blocks_hold,
            "max_registers": row.max_registers,
            "registers": row.registers,
            "spill_stores": row.spill_store_bytes,
            "spill_loads": row.spill_load_bytes,
            "shared_spills": row.shared_spills,
            "residency": row.residency,
            "occupancy": row.occupancy,
            "limiters": row.limiters.iter().map(|limiter| limiter.key()).collect::<Vec<_>>(),
            "current": row.current,
            "best_without_spill": row.best_without_spill,
        })
    };
    Value::Array(frontier.rows.iter().map(row).collect())
}

/// The change by its keys; those that it leaves alone are null.
fn remedy(remedy: &Remedy) -> Value {
    let (change, min_blocks, block, smem) = match remedy.change {
        Change::MinBlocks(blocks) => ("min-blocks", Some(blocks), None, None),
        Change::AskFor(blocks) => ("ask-for", Some(blocks), None, None),
        Change::Block { threads, min_blocks } => ("block", min_blocks, Some(threads), None),
        Change::SharedMemory { bytes, min_blocks } => ("shared-memory", min_blocks, None, Some(bytes)),
        Change::NoUnitCap(_) => ("no-maxrregcount", None, None, None),
        Change::NoCap(_) => ("no-maxnreg", None, None, None),
    };
    json!({
        "change": change,
        "min_blocks": min_blocks,
        "block": block,
        "smem": smem,
        "registers": remedy.registers,
        "spill_stores": remedy.spill_store_bytes,
        "spill_loads": remedy.spill_load_bytes,
        "shared_spills": remedy.shared_spills,
        "residency": remedy.residency,
        "asked": remedy.asked,
        "text": remedy_words(remedy),
    })
}
