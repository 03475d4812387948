//! Lints about units, and errors of the compiler.

use occlint::check::{Input, OpenReason, UnitFacts, Unlinked};
use occlint::finding::Level;
use occlint::kernel::{Link, RemarkKind, Severity, Usage};

use crate::support::{
    bounded, configured, fired, input, kernel, levels, placed, remark, run, said, spilling, unit,
};

#[test]
fn nothing_is_judged_in_a_debug_build() {
    let mut debug = spilling(bounded("k", "sm_120", 100, 16), 8, 8);
    debug.debug = true;
    let toml = "[[package.metadata.occlint.kernel]]\nname = \"k\"\nexpect = [\"spill\"]\nallow = [\"partial-warp\"]\n";
    let mut units = vec![unit("sm_120")];
    units[0].debug = Some(None);
    let report = run(Input { units, ..configured(vec![debug], toml) });
    assert_eq!(
        said(&report),
        [
            "error[debug-build] `kernels/a.cu` is compiled with `-G`: its figures mean nothing, and nothing was checked"
        ]
    );
    assert_eq!(report.kernels.len(), 1);
}

#[test]
fn a_cap_for_a_whole_unit() {
    let mut units = vec![unit("sm_90")];
    units[0].maxrregcount = Some((40, None));
    let report = run(Input { units, ..input(vec![kernel("k", "sm_90")]) });
    assert_eq!(
        said(&report),
        ["warning[maxrregcount] `kernels/a.cu` is compiled with a cap of 40 registers for all its kernels"]
    );
    assert!(
        run(Input { units: vec![unit("sm_90")], ..input(vec![kernel("k", "sm_90")]) }).findings.is_empty()
    );
}

fn overridden(from: u32, to: u32, by: &str) -> occlint::kernel::Remark {
    let kind = RemarkKind::CapOverridden { from, to, by: by.to_owned() };
    remark(kind, Severity::Info, "Overriding")
}

#[test]
fn remarks_betray_a_cap() {
    // 256 is the compiler's own maximum, no bound of the kernel's
    let mut capped = kernel("k", "sm_90");
    capped.remarks.push(overridden(256, 24, "maxrregcount option"));
    let report = run(Input { units: vec![unit("sm_90")], ..input(vec![capped]) });
    assert_eq!(levels(&report), [("maxrregcount", Level::Warn)]);
    assert!(said(&report)[0].contains("24 registers"), "{:?}", said(&report));
}

#[test]
fn an_option_that_loses_is_a_warning_said_once() {
    let mut units = vec![unit("sm_90")];
    units[0].remarks = vec![overridden(24, 32, "computed using thread count"); 3];
    let report = run(Input { units, ..input(vec![kernel("k", "sm_90")]) });
    assert_eq!(levels(&report), [("bounds-dropped", Level::Warn), ("maxrregcount", Level::Warn)]);
    assert!(said(&report)[0].contains("24 gave way to 32"), "{:?}", said(&report));
}

#[test]
fn caps_that_are_ignored() {
    let mut units = vec![unit("sm_90")];
    units[0].remarks = vec![
        remark(
            RemarkKind::CapTooBig(96),
            Severity::Warning,
            "Too big maxrregcount value specified 96, will be ignored",
        ),
        remark(RemarkKind::SetmaxnregIgnored { code: Some(7508) }, Severity::Info, "'setmaxnreg' ignored"),
    ];
    let report = run(Input { units, ..input(vec![kernel("k", "sm_90")]) });
    assert_eq!(fired(&report), ["bounds-dropped", "bounds-dropped", "maxrregcount"]);
    let all = said(&report).join("\n");
    assert!(all.contains("96") && all.contains("C7508"), "{all}");
}

#[test]
fn errors_of_the_compiler_are_no_pass() {
    let mut failed = kernel("k", "sm_90");
    let text = "Stack size for entry function 'k' cannot be statically determined";
    failed.remarks.push(remark(RemarkKind::StackUnknown, Severity::Error, text));
    let report = run(input(vec![failed]));
    assert_eq!(report.errors.len(), 1, "-Werror: a warning's text, and no code came out");

    let mut warned = kernel("k", "sm_90");
    warned.remarks.push(remark(RemarkKind::StackUnknown, Severity::Warning, text));
    assert!(run(input(vec![warned])).errors.is_empty());

    let mut units = vec![unit("sm_90")];
    units[0].remarks.push(remark(RemarkKind::Other, Severity::Error, "Unresolved extern function 'f'"));
    units.push(units[0].clone());
    let report = run(Input { units, ..input(vec![kernel("k", "sm_90")]) });
    assert_eq!(report.errors.len(), 1);
}

#[test]
fn what_could_not_be_built_is_unlaunchable() {
    let kinds = [
        RemarkKind::TooMuchShared { used_bytes: 80_000, max_bytes: 49_152 },
        RemarkKind::CalleeNeedsRegisters { cap: 32, callee: "ext".to_owned(), needs: 133 },
    ];
    for kind in kinds {
        let text = "an error of ptxas";
        let mut failed = kernel("big", "sm_90");
        failed.remarks.push(remark(kind.clone(), Severity::Error, text));
        let report = run(input(vec![failed.clone()]));
        assert_eq!(levels(&report), [("unlaunchable", Level::Deny)]);
        assert!(report.errors.is_empty(), "the denied finding says it");

        // in a log without the kernel's report
        let mut units = vec![unit("sm_90")];
        units[0].remarks.push(remark(kind, Severity::Error, text));
        let report = run(Input { units, ..input(Vec::new()) });
        assert_eq!(levels(&report), [("unlaunchable", Level::Deny)]);

        // allowed or not, no code came out
        let allowed = "[package.metadata.occlint.lints]\nunlaunchable = \"allow\"\n";
        let report = run(configured(vec![failed], allowed));
        assert_eq!((report.findings.len(), report.errors.len()), (0, 1));
    }
}

#[test]
fn figures_that_no_link_confirmed_are_said_once_for_a_unit() {
    let kernels: Vec<String> = ["a()", "b()", "c()", "d()"].map(str::to_owned).into();
    let why = "nothing that was linked defines `f(int)`".to_owned();
    let open = Unlinked {
        undefined: vec!["f(int)".to_owned()],
        why: vec![OpenReason { why, kernels: kernels.clone() }],
        kernels,
        clashes: false,
        flag: None,
    };
    let units = vec![UnitFacts { unlinked: Some(open), ..unit("sm_90") }];
    let report = run(Input { units, ..input(vec![kernel("a", "sm_90")]) });
    assert_eq!(
        said(&report),
        [
            "warning[preliminary-figures] in `kernels/a.cu`: the figures of 4 kernels are preliminary on sm_90: nothing \
             that was linked defines `f(int)`"
        ]
    );
    let notes = &report.findings[0].notes;
    assert_eq!(notes[0], "as the compiler gave them, before any link: `a()`, `b()`, `c()` and 1 more");
    assert!(notes[1].starts_with("unknown: what `f(int)` needs"), "{notes:?}");
}

#[test]
fn findings_about_registers_say_what_the_link_made_of_them() {
    let toml = "[[package.metadata.occlint.kernel]]\nname = \"k\"\nmax-registers = 64\n";
    let mut linked = kernel("k", "sm_90");
    linked.usage.registers = Some(131);
    let compiled = Usage { registers: Some(24), ..Usage::default() };
    linked.link = Link::Linked { compiled };
    let report = run(configured(vec![linked.clone()], toml));
    assert_eq!(report.findings[0].notes, ["24 registers at compile time, 131 linked"]);
    linked.link = Link::Preliminary { why: "nothing was linked".to_owned() };
    let report = run(configured(vec![linked], toml));
    assert_eq!(report.findings[0].notes, ["the figures are preliminary: nothing was linked"]);
}

#[test]
fn residency_names_the_registers_before_the_link() {
    let mut linked = bounded("k", "sm_90", 256, 8);
    linked.usage.registers = Some(131);
    linked.link = Link::Linked { compiled: Usage { registers: Some(24), ..Usage::default() } };
    let report = run(input(vec![linked]));
    assert!(report.findings[0].notes[0].starts_with("131 registers (24 at compile time) → 1 block"));
}

#[test]
fn a_cap_that_a_callee_exceeds_points_at_the_bounds() {
    let mut capped = placed(bounded("k", "sm_90", 128, 16));
    let kind = RemarkKind::CalleeNeedsRegisters { cap: 32, callee: "_Z3extfi".to_owned(), needs: 133 };
    capped.remarks = vec![remark(kind, Severity::Error, "Entry function 'k' with max regcount of 32"); 2];
    let report = run(input(vec![capped]));
    assert_eq!(
        said(&report),
        [
            "error[unlaunchable] `k` cannot be built for sm_90: its cap is 32 registers, and `ext(float, int)`, which it calls, needs 133"
        ]
    );
    let finding = &report.findings[0];
    assert_eq!(finding.labels[0].text, "leaves 32 registers per thread, to the functions it calls too");
    assert!(
        finding
            .help
            .as_ref()
            .is_some_and(|help| help.contains("-maxrregcount") && help.ends_with("measure each"))
    );
    assert!(finding.notes.is_empty(), "said once: {:?}", finding.notes);
}
