//! One cause, one finding.

use occlint::finding::Level;
use occlint::kernel::{RemarkKind, Severity};

use crate::support::{bounded, configured, levels, placed, remark, run, said};

const TARGET: &str = "[[package.metadata.occlint.kernel]]\nname = \"k\"\nblock = 128\nmin-blocks = 16\n";

/// Bounds and target ask for 16 blocks of 128 threads; sm_120 holds 12.
fn both(extra: &str) -> occlint::check::Input {
    configured(vec![placed(bounded("k", "sm_120", 128, 16))], &format!("{TARGET}{extra}"))
}

#[test]
fn the_first_that_holds_is_reported_and_the_others_are_its_notes() {
    let report = run(both(""));
    assert_eq!(levels(&report), [("bounds-dropped", Level::Deny)]);
    let notes = &report.findings[0].notes;
    assert_eq!(notes[0], "`k` fits 12 blocks per SM on sm_120, its bounds ask for 16");
    assert!(notes.iter().any(|note| note.contains("its target")), "{notes:?}");
    let limits: Vec<_> = notes.iter().filter(|note| note.contains('→')).collect();
    assert_eq!(limits.len(), 1, "the same fact once: {notes:?}");
}

#[test]
fn a_waived_cause_leaves_the_next() {
    let report = run(both("allow = [\"bounds-dropped\"]\n"));
    assert_eq!(levels(&report), [("residency-below-bounds", Level::Deny)]);
    assert_eq!(report.waived, 1);
}

#[test]
fn a_denial_is_never_folded_into_a_warning() {
    let lints =
        "[package.metadata.occlint.lints]\nbounds-dropped = \"warn\"\nresidency-below-bounds = \"allow\"\n";
    let report = run(both(lints));
    assert_eq!(levels(&report), [("residency-below-target", Level::Deny)]);
    assert!(
        report.findings[0].notes.iter().any(|note| note.contains("min blocks")),
        "{:?}",
        report.findings[0].notes
    );
}

#[test]
fn the_same_remark_twice_is_one_finding_without_an_echo() {
    let mut kernel = bounded("k", "sm_90", 128, 2);
    let ignored =
        remark(RemarkKind::SetmaxnregIgnored { code: Some(7507) }, Severity::Info, "'setmaxnreg' ignored");
    kernel.remarks = vec![ignored.clone(), ignored];
    let report = run(configured(vec![kernel], ""));
    assert_eq!(said(&report), ["error[bounds-dropped] `k`: `setmaxnreg` was ignored (C7507) on sm_90"]);
    assert!(report.findings[0].notes.is_empty(), "{:?}", report.findings[0].notes);
}

#[test]
fn findings_of_other_lints_stand_beside() {
    let kernel = crate::support::spilling(bounded("k", "sm_120", 128, 16), 8, 8);
    let report = run(configured(vec![kernel], ""));
    assert_eq!(levels(&report), [("bounds-dropped", Level::Deny), ("spill", Level::Warn)]);
}
