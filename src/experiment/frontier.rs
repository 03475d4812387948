//! From figures to the frontier.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::experiment::plan::smaller_block;
use crate::experiment::remedies::remedies;
use crate::experiment::{Case, Figures, Variant};
use crate::kernel::{Change, Frontier, FrontierRow};
use crate::occupancy::Residency;

/// The frontier of a case, from the figures of its variants; `None` where nothing was assembled, and the build's own code
/// shows no way out.
pub fn frontier(case: &Case, done: &BTreeMap<Variant, Figures>, ptxas: &str) -> Option<Frontier> {
    let remedies = remedies(case, done);
    if done.is_empty() && !remedies.iter().any(|remedy| matches!(remedy.change, Change::SharedMemory { .. }))
    {
        return None;
    }
    let mut rows = vec![built(case)];
    let mut others: Vec<FrontierRow> = done
        .iter()
        .filter(|(variant, _)| variant.threads == case.threads() || **variant == case.without_bounds())
        .map(|(variant, figures)| FrontierRow {
            max_registers: case.cap_beneath.filter(|_| *variant == case.without_bounds()),
            ..row(case, variant.min_blocks, figures)
        })
        .collect();
    others.sort_by_key(|row| Reverse(row.min_blocks));
    for other in others {
        if !rows.iter().any(|row| same(row, &other)) {
            rows.push(other);
        }
    }
    rows.sort_by_key(|row| Reverse(row.min_blocks));
    mark(&mut rows);
    let cause = cause(case, done);
    Some(Frontier {
        ptxas: ptxas.to_owned(),
        block_threads: case.block_threads,
        bounds_cause_spills: cause.filter(|_| case.unit_cap.is_none()),
        cap_causes_spills: cause.filter(|_| case.unit_cap.is_some()),
        remedies,
        rows,
    })
}

/// The row of the build, with the figures of the build.
fn built(case: &Case) -> FrontierRow {
    FrontierRow {
        current: true,
        min_blocks_hold: case.bounds.min_blocks == case.held_min_blocks,
        max_registers: case.bounds.max_registers.or(case.unit_cap),
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
        shared_spills: figures.shared_spills,
        residency: residency.as_ref().map(|residency| residency.blocks),
        occupancy: residency.as_ref().map(Residency::occupancy),
        limiters: residency.as_ref().map(Residency::limiters).unwrap_or_default(),
        current: false,
        best_without_spill: false,
    }
}

/// Whether two bounds give the same code, as far as its figures say.
fn same(a: &FrontierRow, b: &FrontierRow) -> bool {
    let spills = |row: &FrontierRow| (row.spill_store_bytes, row.spill_load_bytes, row.shared_spills);
    let code = |row: &FrontierRow| (row.registers, spills(row), row.residency);
    code(a) == code(b)
}

/// Marks the row with the most residency of those that do not spill, where one does.
fn mark(rows: &mut [FrontierRow]) {
    if rows.iter().all(|row| row.spills() != Some(true)) {
        return;
    }
    let counts =
        |row: &FrontierRow| row.spills() == Some(false) && row.residency.is_none_or(|blocks| blocks > 0);
    let most = rows.iter().filter(|row| counts(row)).map(|row| row.residency).max();
    if let Some(best) = rows.iter_mut().find(|row| counts(row) && Some(row.residency) == most) {
        best.best_without_spill = true;
    }
}

/// Whether what bounds the registers is the cause of the spills: the kernel's bounds, or the cap of its unit.
fn cause(case: &Case, done: &BTreeMap<Variant, Figures>) -> Option<bool> {
    if case.built.spills() != Some(true) {
        return None;
    }
    let without = if case.is_capped() { Some(case.without_bounds()) } else { smaller_block(case) };
    let free = !done.get(&without?)?.spills()?;
    // What spills under the cap beneath may be the fault of both.
    (free || case.cap_beneath.is_none()).then_some(free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Arch;
    use crate::experiment::Threads;
    use crate::kernel::Bounds;
    use crate::occupancy::Limiter;

    fn figures(registers: u32, bytes: u32) -> Figures {
        let (barriers, static_shared_bytes) = (Some(0), 0);
        Figures {
            registers,
            barriers,
            static_shared_bytes,
            spill_store_bytes: bytes,
            spill_load_bytes: bytes,
            shared_spills: Some(0),
        }
    }

    /// 128 threads and 8 blocks on sm_90.
    fn case(built: Figures) -> Case {
        Case {
            bounds: Bounds { max_threads: Some([128, 1, 1]), min_blocks: Some(8), ..Bounds::default() },
            block_threads: Some(128),
            built,
            limits: Arch::from_cc_tenths(90).limits().unwrap(),
            dynamic_shared_bytes: 0,
            held_min_blocks: Some(8),
            unit_cap: None,
            cap_beneath: None,
            asked: None,
        }
    }

    fn blocks(frontier: &Frontier) -> Vec<(Option<u32>, u32, bool)> {
        frontier
            .rows
            .iter()
            .map(|row| (row.min_blocks, row.residency.unwrap(), row.best_without_spill))
            .collect()
    }

    #[test]
    fn rows_that_change_nothing_are_left_out_and_the_most_without_spills_is_marked() {
        let case = case(figures(64, 980));
        let done = BTreeMap::from([
            (case.with_min_blocks(None), figures(128, 0)),
            (case.with_min_blocks(Some(4)), figures(128, 0)),
            (case.with_min_blocks(Some(5)), figures(96, 176)),
            (case.with_min_blocks(Some(7)), figures(64, 980)),
        ]);
        let frontier = frontier(&case, &done, "13.0.88").unwrap();
        // a row with seven blocks would fit eight as well: it is the build's
        assert_eq!(blocks(&frontier), [(Some(8), 8, false), (Some(5), 5, false), (Some(4), 4, true)]);
        assert_eq!(frontier.rows.iter().filter(|row| row.current).count(), 1);
        assert_eq!(
            (frontier.rows[2].occupancy, frontier.rows[2].limiters.as_slice()),
            (Some(0.25), &[Limiter::Registers][..])
        );
        assert_eq!((frontier.bounds_cause_spills, frontier.block_threads), (Some(true), Some(128)));
        assert_eq!(frontier.cap_causes_spills, None);
    }

    #[test]
    fn a_row_that_spills_to_shared_memory_or_may_is_not_free_of_spills() {
        let shared =
            |registers: u32, shared_spills: Option<u32>| Figures { shared_spills, ..figures(registers, 0) };
        let case = case(shared(64, Some(24)));
        let marked = |spills: Option<u32>| {
            let done = BTreeMap::from([
                (case.with_min_blocks(None), shared(128, spills)),
                (case.with_min_blocks(Some(5)), shared(96, Some(2))),
            ]);
            let frontier = frontier(&case, &done, "13.0.88").unwrap();
            let marks: Vec<bool> = frontier.rows.iter().map(|row| row.best_without_spill).collect();
            (marks, frontier.bounds_cause_spills)
        };
        assert_eq!(marked(Some(0)), (vec![false, false, true], Some(true)));
        assert_eq!(marked(Some(1)), (vec![false; 3], Some(false)));
        assert_eq!(marked(None), (vec![false; 3], None));
    }

    #[test]
    fn the_builds_own_row_is_there_even_alone() {
        let case = case(figures(64, 980));
        let done = BTreeMap::from([(case.with_min_blocks(None), figures(64, 980))]);
        let frontier = frontier(&case, &done, "13.0.88").unwrap();
        assert_eq!(
            (blocks(&frontier), frontier.bounds_cause_spills),
            (vec![(Some(8), 8, false)], Some(false))
        );
        assert!(super::frontier(&case, &BTreeMap::new(), "13.0.88").is_none());
    }

    #[test]
    fn the_cap_of_a_unit_is_no_bound_of_the_kernel() {
        let case = Case { held_min_blocks: None, unit_cap: Some(32), ..case(figures(32, 552)) };
        let done = BTreeMap::from([(case.without_bounds(), figures(72, 0))]);
        let frontier = frontier(&case, &done, "13.0.88").unwrap();
        let built = &frontier.rows[0];
        assert_eq!((built.max_registers, built.min_blocks_hold, built.current), (Some(32), false, true));
        assert_eq!((frontier.bounds_cause_spills, frontier.cap_causes_spills), (None, Some(true)));
        let remedy = &frontier.remedies[0];
        assert_eq!((remedy.change, remedy.registers), (Change::NoUnitCap(32), 72));
    }

    #[test]
    fn half_a_block_that_does_not_spill_blames_the_block() {
        let bounds = Bounds { max_threads: Some([1024, 1, 1]), ..Bounds::default() };
        let case = Case { bounds, block_threads: Some(1024), held_min_blocks: None, ..case(figures(64, 40)) };
        let half = Variant { threads: Threads::AtMost(512), ..case.with_min_blocks(None) };
        let frontier = frontier(&case, &BTreeMap::from([(half, figures(72, 0))]), "13.0.88").unwrap();
        assert_eq!((frontier.rows.len(), frontier.bounds_cause_spills), (1, Some(true)));
        let remedy = &frontier.remedies[0];
        let change = Change::Block { threads: 512, min_blocks: None };
        // 72 registers × 16 warps: one block of an SM's 65,536 registers
        assert_eq!((remedy.change, remedy.registers, remedy.residency), (change, 72, Some(1)));
    }
}
