//! The one table of lints.

#[cfg(not(feature = "baseline"))]
use crate::lints::uncompared::{
    INCOMPARABLE_BASELINE, LIMITER_REGRESSION, REGISTER_REGRESSION, RESIDENCY_REGRESSION, SPILL_REGRESSION,
    STALE_BASELINE,
};
use crate::lints::{self, Lint};
#[cfg(feature = "baseline")]
use crate::lints::{
    incomparable_baseline::INCOMPARABLE_BASELINE, limiter_regression::LIMITER_REGRESSION,
    register_regression::REGISTER_REGRESSION, residency_regression::RESIDENCY_REGRESSION,
    spill_regression::SPILL_REGRESSION, stale_baseline::STALE_BASELINE,
};

/// All lints, sorted by name.
pub static LINTS: &[&Lint] = &[
    &lints::bounds_dropped::BOUNDS_DROPPED,
    &lints::debug_build::DEBUG_BUILD,
    &INCOMPARABLE_BASELINE,
    &LIMITER_REGRESSION,
    &lints::local_memory::LOCAL_MEMORY,
    &lints::maxrregcount::MAXRREGCOUNT,
    &lints::missing_bounds::MISSING_BOUNDS,
    &lints::partial_warp::PARTIAL_WARP,
    &lints::perf_advisory::PERF_ADVISORY,
    &lints::preliminary_figures::PRELIMINARY_FIGURES,
    &lints::register_budget::REGISTER_BUDGET,
    &REGISTER_REGRESSION,
    &lints::register_step::REGISTER_STEP,
    &lints::residency_below_bounds::RESIDENCY_BELOW_BOUNDS,
    &lints::residency_below_target::RESIDENCY_BELOW_TARGET,
    &RESIDENCY_REGRESSION,
    &lints::spill::SPILL,
    &SPILL_REGRESSION,
    &STALE_BASELINE,
    &lints::unbounded_stack::UNBOUNDED_STACK,
    &lints::unfulfilled_expect::UNFULFILLED_EXPECT,
    &lints::unknown_dynamic_smem::UNKNOWN_DYNAMIC_SMEM,
    &lints::unlaunchable::UNLAUNCHABLE,
    &lints::unmatched_target::UNMATCHED_TARGET,
    &lints::unused_allow::UNUSED_ALLOW,
];

/// The lint of this name.
pub fn find(name: &str) -> Option<&'static Lint> {
    LINTS.binary_search_by_key(&name, |lint| lint.name).ok().map(|at| LINTS[at])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Files of the folder that are no lints.
    const OTHERS: [&str; 8] =
        ["declare", "explain", "facts", "frontier-words", "mod", "spill-lines", "table", "uncompared"];

    #[test]
    fn files_table_and_names_agree() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lints")).unwrap();
        let files: BTreeSet<String> = folder
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().replace('_', "-"))
            .filter(|stem| !OTHERS.contains(&stem.as_str()))
            .collect();
        let names: BTreeSet<String> = LINTS.iter().map(|lint| lint.name.to_owned()).collect();
        assert_eq!(files, names);
        assert!(LINTS.is_sorted_by(|a, b| a.name < b.name), "`find` searches a sorted table");
    }

    #[test]
    #[cfg(feature = "baseline")]
    fn every_lint_is_documented_in_the_fixed_form() {
        for lint in LINTS {
            for heading in
                ["## What it does", "## Why it matters", "## Example", "## What to try", "## Configuration"]
            {
                assert!(lint.docs.contains(heading), "{} lacks {heading}", lint.name);
            }
            assert!(!lint.summary.ends_with('.') && !lint.summary.is_empty(), "{}", lint.name);
            assert!(lint.docs.contains(lint.name), "{}: its own key stands in its docs", lint.name);
        }
    }

    #[test]
    fn find_finds_each_and_nothing_else() {
        assert!(LINTS.iter().all(|lint| find(lint.name).is_some_and(|found| found.name == lint.name)));
        assert!(find("spil").is_none() && find("").is_none());
    }
}
