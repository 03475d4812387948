//! `unmatched-target`, `unfulfilled-expect`, `unused-allow`, and the order of a report.

use occlint::check::Input;

use crate::support::{bounded, configured, fired, input, kernel, placed, run, said, spilling};

const SOFMAX: &str =
    "[[package.metadata.occlint.kernel]]\nname = \"sofmax\"\nmin-blocks = 4\nallow = [\"spill\"]\n";

#[test]
fn a_rule_that_matches_no_kernel_is_one_finding_with_a_suggestion() {
    let kernels = vec![kernel("softmax", "sm_90"), kernel("reduce", "sm_90")];
    let report = run(configured(kernels, SOFMAX));
    assert_eq!(fired(&report), ["unmatched-target"]);
    assert!(said(&report)[0].contains("sofmax"), "{:?}", said(&report));
    assert!(report.findings[0].help.as_deref().is_some_and(|help| help.contains("`softmax`")));
    let label = &report.findings[0].labels[0];
    assert_eq!((label.file.as_str(), label.line), ("Cargo.toml", 2));
}

#[test]
fn an_architecture_that_was_not_checked_matches_nothing() {
    let toml = "[[package.metadata.occlint.kernel]]\nname = \"k\"\narch = \"sm_80\"\nblock = 64\n";
    assert_eq!(fired(&run(configured(vec![kernel("k", "sm_90")], toml))), ["unmatched-target"]);
    assert!(run(configured(vec![kernel("k", "sm_80")], toml)).findings.is_empty());
}

#[test]
fn a_part_of_the_work_judges_no_configuration() {
    let toml = format!(
        "{SOFMAX}[[package.metadata.occlint.kernel]]\nname = \"k\"\nexpect = [\"spill\"]\nallow = [\"partial-warp\"]\n"
    );
    let part = Input { complete: false, ..configured(vec![kernel("k", "sm_90")], &toml) };
    assert!(run(part).findings.is_empty());
    let whole = run(configured(vec![kernel("k", "sm_90")], &toml));
    assert_eq!(fired(&whole), ["unfulfilled-expect", "unmatched-target", "unused-allow"]);
}

#[test]
fn a_waiver_of_a_lint_about_units_says_where_its_level_is_set() {
    let toml = "[[package.metadata.occlint.kernel]]\nname = \"k\"\nallow = [\"maxrregcount\"]\n";
    let report = run(configured(vec![kernel("k", "sm_90")], toml));
    assert_eq!(fired(&report), ["unused-allow"]);
    assert!(report.findings[0].help.as_deref().is_some_and(|help| help.contains("judges no kernel")));
}

#[test]
fn denied_first_then_lint_weight_and_architecture() {
    let spiller = |name: &str, arch: &str, bytes: u32| spilling(placed(kernel(name, arch)), bytes, bytes);
    let kernels = vec![
        spiller("small", "sm_90", 4),
        spiller("large", "sm_90", 400),
        spiller("large", "sm_80", 400),
        placed(bounded("odd", "sm_90", 100, 0)),
        placed(bounded("dropped", "sm_120", 128, 16)),
    ];
    let report = run(input(kernels));
    let order: Vec<String> =
        said(&report).iter().map(|line| line.split(" spills").next().unwrap_or("").to_owned()).collect();
    let lints = fired(&report);
    assert_eq!(lints, ["bounds-dropped", "partial-warp", "spill", "spill", "spill"]);
    assert!(said(&report)[2].ends_with("sm_80") && said(&report)[3].ends_with("sm_90"), "{order:?}");
    assert!(order[4].contains("small"), "{order:?}");
    let names: Vec<(&str, String)> = report
        .kernels
        .iter()
        .map(|k| (k.kernel.name.key.as_str(), k.kernel.arch.expect("known").to_string()))
        .collect();
    let expected =
        [("dropped", "sm_120"), ("large", "sm_80"), ("large", "sm_90"), ("odd", "sm_90"), ("small", "sm_90")];
    assert_eq!(names, expected.map(|(name, arch)| (name, arch.to_owned())));
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    let kernels: Vec<_> = ["a", "b", "c"].iter().map(|name| spilling(kernel(name, "sm_90"), 8, 8)).collect();
    let mut backwards = kernels.clone();
    backwards.reverse();
    assert_eq!(run(input(kernels)), run(input(backwards)));
}
