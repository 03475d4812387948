//! Changes that were assembled: what meets the blocks that are asked for, and what takes spills away.

use std::collections::BTreeMap;

use crate::experiment::plan::{block_for, registers_allow, smaller_block, with_less_shared_memory};
use crate::experiment::{Case, Figures, Variant};
use crate::kernel::{Change, Remedy};

/// The changes, each with the figures of the entry as it was assembled for it; the smallest change first.
pub(super) fn remedies(case: &Case, done: &BTreeMap<Variant, Figures>) -> Vec<Remedy> {
    let parts = [
        min_blocks(case, done),
        less_shared_memory(case, done),
        block(case, done),
        ask_for(case, done),
        no_cap(case, done),
    ];
    parts.into_iter().flatten().collect()
}

/// The blocks asked for, or as many of them as everything but registers has room for.
fn min_blocks(case: &Case, done: &BTreeMap<Variant, Figures>) -> Option<Remedy> {
    let reach = case.asked?.min(case.without_registers()?.blocks);
    let figures = done.get(&case.with_min_blocks(Some(reach)))?;
    let fits = case.residency(figures).map(|residency| residency.blocks);
    Some(remedy(case, Change::MinBlocks(reach), figures, fits))
}

/// Less shared memory, where the registers of the build, or those for the blocks asked, leave room for these.
fn less_shared_memory(case: &Case, done: &BTreeMap<Variant, Figures>) -> Option<Remedy> {
    let asked = with_less_shared_memory(case, case.asked?)?;
    let allow =
        |figures: &&Figures| case.residency(figures).is_some_and(|found| registers_allow(&found, asked));
    let as_asked = || done.get(&case.with_min_blocks(Some(asked))).map(|figures| (figures, Some(asked)));
    let (figures, min_blocks) = Some((&case.built, None))
        .filter(|(built, _)| allow(built))
        .or_else(as_asked)
        .filter(|(f, _)| allow(f))?;
    let change = Change::SharedMemory { bytes: case.shared_for(asked), min_blocks };
    Some(remedy(case, change, figures, Some(asked)))
}

/// A smaller block: for the blocks asked, else against spills that the block itself causes.
fn block(case: &Case, done: &BTreeMap<Variant, Figures>) -> Option<Remedy> {
    let for_blocks = case.asked.and_then(|asked| block_for(case, asked));
    let found = |variant: Variant| Some((variant, done.get(&variant)?));
    let (variant, figures) = for_blocks
        .and_then(found)
        .or_else(|| smaller_block(case).filter(|_| !case.is_capped()).and_then(found))?;
    let threads = variant.block_threads()?;
    let fits = case.residency_of(threads, figures).blocks;
    Some(remedy(case, Change::Block { threads, min_blocks: variant.min_blocks }, figures, Some(fits)))
}

/// What fits: code that was assembled for so many blocks, else the build's own.
fn ask_for(case: &Case, done: &BTreeMap<Variant, Figures>) -> Option<Remedy> {
    case.asked?;
    let fits = case.residency(&case.built)?.blocks;
    let assembled = done.get(&case.with_min_blocks(Some(fits)));
    let fits_too = |figures: &&Figures| case.residency(figures).is_some_and(|found| found.blocks >= fits);
    let figures = assembled.filter(fits_too).unwrap_or(&case.built);
    (fits > 0).then(|| remedy(case, Change::AskFor(fits), figures, Some(fits)))
}

fn no_cap(case: &Case, done: &BTreeMap<Variant, Figures>) -> Option<Remedy> {
    let own = || case.bounds.max_registers.map(Change::NoCap);
    let change = case.unit_cap.map(Change::NoUnitCap).or_else(own)?;
    let figures = done.get(&case.without_bounds())?;
    Some(remedy(case, change, figures, case.residency(figures).map(|residency| residency.blocks)))
}

fn remedy(case: &Case, change: Change, figures: &Figures, residency: Option<u32>) -> Remedy {
    let &Figures { registers, spill_store_bytes, spill_load_bytes, shared_spills, .. } = figures;
    let asked = case.asked;
    Remedy { change, registers, spill_store_bytes, spill_load_bytes, shared_spills, residency, asked }
}
