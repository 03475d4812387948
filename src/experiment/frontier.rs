//! From figures to the frontier.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::experiment::plan::smaller_block;
use crate::experiment::remedies::remedies;
use crate::experiment::{Case, Figures, Variant};
use crate::kernel::{Frontier, FrontierRow};

/// The frontier of a case, from the figures of its variants; `None` where nothing was assembled.
pub fn frontier(case: &Case, done: &BTreeMap<Variant, Figures>, ptxas: &str) -> Option<Frontier> {
    if done.is_empty() {
        return None;
    }
    let mut rows = vec![built(case)];
    let mut others: Vec<FrontierRow> = done
        .iter()
        .filter(|(variant, _)| variant.threads == case.threads() && variant.max_registers.is_none())
        .map(|(variant, figures)| row(case, variant.min_blocks, figures))
        .collect();
    others.sort_by_key(|row| Reverse(row.min_blocks));
    for other in others {
        if !rows.iter().any(|row| same(row, &other)) {
            rows.push(other);
        }
    }
    rows.sort_by_key(|row| Reverse(row.min_blocks));
    mark(&mut rows);
    Some(Frontier {
        ptxas: ptxas.to_owned(),
        block_threads: case.block_threads,
        bounds_cause_spills: cause(case, done),
        remedies: remedies(case, done),
        rows,
    })
}

/// The row of the build, with the figures of the build.
fn built(case: &Case) -> FrontierRow {
    let caps = [case.bounds.max_registers, case.unit_cap];
    FrontierRow {
        current: true,
        min_blocks_hold: case.bounds.min_blocks == case.held_min_blocks,
        max_registers: caps.into_iter().flatten().min(),
        ..row(case, case.bounds.min_blocks, &case.built)
    }
}

fn row(case: &Case, min_blocks: Option<u32>, figures: &Figures) -> FrontierRow {
    let residency = case.residency(figures);
    FrontierRow {
        min_blocks,
        min_blocks_hold: true,
        max_registers: None,
        registers: figures.registers,
        spill_store_bytes: figures.spill_store_bytes,
        spill_load_bytes: figures.spill_load_bytes,
        residency: residency.blocks,
        occupancy: residency.occupancy(),
        limiters: residency.limiters(),
        current: false,
        best_without_spill: false,
    }
}

/// Whether two bounds give the same code, as far as its figures say.
fn same(a: &FrontierRow, b: &FrontierRow) -> bool {
    let code =
        |row: &FrontierRow| (row.registers, row.spill_store_bytes, row.spill_load_bytes, row.residency);
    code(a) == code(b)
}

/// Marks the row with the most residency of those that do not spill, where one does.
fn mark(rows: &mut [FrontierRow]) {
    let spills = |row: &FrontierRow| row.spill_store_bytes > 0 || row.spill_load_bytes > 0;
    if !rows.iter().any(spills) {
        return;
    }
    let most = rows.iter().filter(|row| !spills(row)).map(|row| row.residency).max();
    if let Some(best) = rows.iter_mut().find(|row| !spills(row) && Some(row.residency) == most) {
        best.best_without_spill = true;
    }
}

/// Whether the bounds are the cause of the spills. A cap of the whole unit is no bound of the kernel.
fn cause(case: &Case, done: &BTreeMap<Variant, Figures>) -> Option<bool> {
    if !case.built.spills() || case.unit_cap.is_some() {
        return None;
    }
    let without = if case.is_capped() { Some(case.with_min_blocks(None)) } else { smaller_block(case) };
    without.and_then(|variant| done.get(&variant)).map(|figures| !figures.spills())
}
