//! `allow` and `expect` of kernels, and levels.

use occlint::check::Input;
use occlint::finding::Level;
use occlint::kernel::{LocalKind, LocalMemory};

use crate::support::{configured, fired, kernel, levels, run, said, spilling};

fn rule(name: &str, rest: &str) -> String {
    format!("[[package.metadata.occlint.kernel]]\nname = \"{name}\"\n{rest}\n")
}

/// The fragment of FlashAttention-3: 96/132 bytes, known to be the fastest variant.
fn attention() -> occlint::kernel::Kernel {
    let mut kernel = spilling(kernel("attention", "sm_90a"), 96, 132);
    kernel.usage.registers = Some(168);
    kernel.usage.stack_frame_bytes = Some(40);
    kernel
}

#[test]
fn an_allowance_with_a_reason() {
    let allow = |max: u32| {
        rule(
            "attention",
            &format!("allow = [{{ lint = \"spill\", max = {max}, reason = \"the fastest variant\" }}]"),
        )
    };
    let report = run(configured(vec![attention()], &allow(132)));
    assert!(report.findings.is_empty(), "{:?}", said(&report));
    assert_eq!(report.waived, 1);

    let report = run(configured(vec![attention()], &allow(131)));
    assert_eq!(levels(&report), [("spill", Level::Warn)], "exceeded, so used: no `unused-allow`");
    assert_eq!(report.waived, 0);
    assert_eq!(
        report.findings[0].notes,
        ["allowed up to 131 bytes of stores and of loads, each: the fastest variant"]
    );
}

#[test]
fn an_expectation_is_fulfilled_by_any_architecture() {
    let toml = rule("attention", "expect = [\"spill\"]");
    let quiet = kernel("attention", "sm_100");
    let report = run(configured(vec![attention(), quiet.clone()], &toml));
    assert!(report.findings.is_empty(), "{:?}", said(&report));
    let report = run(configured(vec![quiet], &toml));
    assert_eq!(levels(&report), [("unfulfilled-expect", Level::Warn)]);
    let label = &report.findings[0].labels[0];
    assert_eq!((label.file.as_str(), label.line), ("Cargo.toml", 3));
}

#[test]
fn the_waiver_of_highest_precedence_decides() {
    let any = rule("*", "allow = [\"spill\"]");
    let tight = rule("attention", "allow = [{ lint = \"spill\", max = 24, reason = \"cold\" }]");
    let report = run(configured(vec![attention()], &format!("{any}{tight}")));
    assert_eq!(fired(&report), ["spill"]);
    let report = run(configured(vec![attention()], &format!("{tight}{any}")));
    assert!(report.findings.is_empty(), "{:?}", said(&report));
}

#[test]
fn a_lint_that_is_allowed_by_default_still_fulfils() {
    let toml = rule("k", "expect = [\"missing-bounds\"]");
    let report = run(configured(vec![kernel("k", "sm_90")], &toml));
    assert!(report.findings.is_empty(), "{:?}", said(&report));
    assert_eq!(report.waived, 0, "nothing would have been reported");
}

#[test]
fn a_waiver_of_one_lint_is_none_of_another() {
    let report = run(configured(vec![attention()], &rule("attention", "allow = [\"partial-warp\"]")));
    assert_eq!(fired(&report), ["spill", "unused-allow"]);
}

#[test]
fn levels_of_the_configuration() {
    let level = |word: &str| {
        let toml = format!("[package.metadata.occlint.lints]\nspill = \"{word}\"\n");
        levels(&run(configured(vec![attention()], &toml)))
    };
    assert_eq!(level("deny"), [("spill", Level::Deny)]);
    assert_eq!(level("warn"), [("spill", Level::Warn)]);
    assert!(level("allow").is_empty());
}

#[test]
fn denied_warnings() {
    let mut input = configured(vec![attention()], "");
    input.levels.deny_warnings();
    assert_eq!(levels(&run(input)), [("spill", Level::Deny)]);
}

#[test]
fn waivers_of_local_memory_that_nobody_knows_are_not_unused() {
    let unknown = attention();
    assert_eq!(unknown.local_memory, None);
    let mut maybe = attention();
    let array = LocalMemory { kind: LocalKind::Unknown, bytes: None, name: Some("s".to_owned()), at: None };
    maybe.local_memory = Some(vec![array]);
    let mut known = attention();
    known.local_memory = Some(Vec::new());
    for waiver in ["allow = [\"local-memory\"]", "expect = [\"local-memory\"]"] {
        let toml = rule("attention", &format!("{waiver}\n")) + &rule("attention", "allow = [\"spill\"]");
        for kernel in [&unknown, &maybe] {
            let report = run(configured(vec![kernel.clone()], &toml));
            assert!(report.findings.is_empty(), "{:?}", said(&report));
        }
        assert_eq!(run(configured(vec![known.clone()], &toml)).findings.len(), 1, "{waiver}");
    }
}

#[test]
fn a_waiver_holds_until_its_last_day_is_over() {
    let toml = rule(
        "attention",
        "allow = [{ lint = \"spill\", reason = \"until the rewrite\", until = \"2027-03-01\" }]",
    );
    let on =
        |day: &str| run(Input { today: Some(day.parse().unwrap()), ..configured(vec![attention()], &toml) });
    let report = on("2027-03-01");
    assert!(report.findings.is_empty(), "{:?}", said(&report));
    assert_eq!((report.waivers[0].waived, report.waivers[0].matched, report.waivers[0].ended), (1, 1, false));
    let report = on("2027-03-02");
    assert_eq!(fired(&report), ["spill"], "met, so no `unused-allow`");
    assert_eq!(report.findings[0].notes, ["allowed until 2027-03-01 by Cargo.toml:3: until the rewrite"]);
    assert!(report.waivers[0].ended && report.waivers[0].waived == 0);
    let report = run(configured(vec![attention()], &toml));
    assert_eq!(report.waived, 1, "without a day none has ended");
}
