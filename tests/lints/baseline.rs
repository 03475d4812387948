//! Lints that compare with a baseline.

use std::sync::Arc;

use occlint::baseline::{Baseline, CompareRules, Part};
use occlint::check::{Input, Report};
use occlint::expect::{Increase, Levels, Limits, NameGlob};
use occlint::finding::Level;
use occlint::kernel::Kernel;

use crate::support::{bounded, fired, function, input, kernel, run, said, spilling};

/// The second kernel, checked with the first as the baseline.
fn after(before: Kernel, now: Kernel) -> Report {
    let baseline = Baseline::of(&run(input(vec![before])));
    run(Input { baseline: Some(Arc::new(baseline)), ..input(vec![now]) })
}

fn registers(registers: u32) -> Kernel {
    let mut kernel = bounded("k", "sm_80", 256, 0);
    kernel.usage.registers = Some(registers);
    kernel
}

#[test]
fn a_register_that_takes_a_block_away_is_found_with_its_step() {
    let report = after(registers(64), registers(65));
    assert_eq!(
        said(&report),
        ["error[residency-regression] `k` fits 3 blocks per SM on sm_80, 4 in the baseline"]
    );
    let notes = &report.findings[0].notes;
    assert_eq!(notes[0], "since the baseline: 4 → 3 blocks per SM, 64 → 65 registers");
    assert!(notes[1].contains("registers"), "{notes:?}");
    assert_eq!(notes[2], "1 register fewer would make room for 4 blocks");
}

#[test]
fn registers_count_as_they_are_given_to_a_warp() {
    assert!(fired(&after(registers(41), registers(43))).is_empty());
    // 40 → 41: a warp is given 1536 registers instead of 1280; 6 blocks fit by them, then 5, of 8 by warps
    assert_eq!(fired(&after(registers(40), registers(41))), ["residency-regression"]);
    // both leave room for more than the 8 blocks that the warps leave
    assert_eq!(fired(&after(registers(16), registers(24))), ["register-regression"]);
    assert!(fired(&after(registers(65), registers(64))).is_empty());
    assert_eq!(after(registers(65), registers(64)).improved, 1);
}

#[test]
fn stores_and_loads_of_spills_are_compared_apart_with_those_of_callees() {
    let own = |stores, loads| spilling(kernel("k", "sm_90"), stores, loads);
    assert_eq!(
        said(&after(own(24, 24), own(16, 40))),
        [
            "error[spill-regression] `k` spills 16/40 bytes per thread on sm_90 (stores/loads), 24/24 in the baseline"
        ]
    );
    let mut callee = own(24, 24);
    callee.functions = vec![function("f(int)", 8, 8)];
    assert_eq!(fired(&after(own(24, 24), callee)), ["spill-regression"]);
    assert_eq!(fired(&after(own(0, 0), own(4, 4))), ["spill-regression"], "it says all that `spill` does");
    let same = after(own(24, 24), own(24, 24));
    assert_eq!((fired(&same).len(), same.known), (0, 1), "what is known is not told again");
    let new = after(kernel("other", "sm_90"), own(24, 24));
    assert!(fired(&new).contains(&"spill"), "a new kernel is judged as ever: {:?}", fired(&new));
}

#[test]
fn a_kernel_that_is_gone_is_said() {
    let report = after(kernel("p/old", "sm_90"), kernel("p/new", "sm_90"));
    assert_eq!(
        said(&report),
        ["warning[stale-baseline] the baseline has 1 kernel that is not here any more"]
    );
}

#[test]
fn another_limiter_with_less_room_is_found_although_no_block_is_lost() {
    let smem = |bytes: u32, registers: u32| {
        let mut kernel = bounded("k", "sm_80", 256, 0);
        (kernel.usage.static_shared_bytes, kernel.usage.registers) = (Some(bytes), Some(registers));
        kernel
    };
    // 4 blocks by 64 registers; 40 KiB (and 1 of reserve) of 164 leave 4 as well, with nothing to spare
    let report = after(smem(0, 64), smem(40 << 10, 64));
    assert_eq!(
        said(&report),
        [
            "error[limiter-regression] `k` is limited by registers and shared memory on sm_80, by registers in the baseline"
        ]
    );
}

#[test]
fn a_residency_that_is_not_known_any_more_is_no_pass() {
    let report = after(bounded("k", "sm_90", 128, 0), kernel("k", "sm_90"));
    assert_eq!(
        said(&report),
        [
            "warning[residency-regression] the residency of `k` on sm_90 is not known any more; it was 16 in the baseline"
        ]
    );
}

#[test]
fn a_part_of_a_baseline_is_kept() {
    let of = |name: &str, arch: &str| Baseline::of(&run(input(vec![kernel(name, arch)])));
    let part = |names: Option<&str>| Part {
        package: "p".to_owned(),
        archs: Some(vec!["sm_90".parse().unwrap()]),
        names: names.map(NameGlob::new),
    };
    let old = of("p/a", "sm_80").updated(of("p/b(int)", "sm_90"), None).updated(of("q/c", "sm_90"), None);
    let keys = |part: Option<&Part>| -> Vec<String> {
        let new = old.clone().updated(of("p/d", "sm_90"), part);
        new.entries.into_keys().map(|(key, _)| key).collect()
    };
    assert_eq!(keys(Some(&part(None))), ["p/a", "p/d", "q/c"]);
    assert_eq!(keys(Some(&part(Some("b*")))), ["p/a", "p/d", "q/c"]);
    assert_eq!(keys(Some(&part(Some("d")))), ["p/a", "p/b(int)", "p/d", "q/c"]);
    assert_eq!(keys(None), ["p/a", "p/b(int)", "p/d", "q/c"], "a log says nothing about what is not in it");
}

/// A kernel with this digest of its code.
fn coded(name: &str, code: u64, bytes: u32) -> Kernel {
    Kernel { code: Some(code), ..spilling(kernel(name, "sm_90"), bytes, bytes) }
}

/// The second kernels, checked with the first as the baseline; all units were.
fn all_after(before: Vec<Kernel>, now: Vec<Kernel>) -> Report {
    let baseline = Baseline::of(&run(input(before)));
    run(Input { baseline: Some(Arc::new(baseline)), all_units: true, ..input(now) })
}

#[test]
fn a_kernel_of_the_same_code_is_the_same_under_another_name() {
    let before = || vec![coded("p/old(int)", 1, 24), coded("p/gone(int)", 2, 0)];
    let report = all_after(before(), vec![coded("p/new(int)", 1, 24)]);
    assert_eq!(
        said(&report),
        ["warning[stale-baseline] the baseline has 1 kernel that is not here any more"]
    );
    assert!(report.findings[0].notes[0].contains("p/gone"), "{:?}", report.findings[0].notes);
    assert_eq!((report.renamed, report.known), (1, 1), "its spills are known");
    assert_eq!(report.kernels[0].renamed_from.as_deref(), Some("p/old(int)"));
    // Of other code it is a new kernel.
    let report = all_after(before(), vec![coded("p/new(int)", 3, 24)]);
    assert_eq!((fired(&report), report.renamed), (vec!["spill", "stale-baseline"], 0));
    // In another package as well.
    assert_eq!(all_after(before(), vec![coded("q/new(int)", 1, 24)]).renamed, 0);
}

#[test]
fn a_kernel_with_other_parameters_is_compared_with_itself() {
    let report = all_after(vec![coded("p/k(int)", 1, 8)], vec![coded("p/k(int, float)", 2, 12)]);
    assert_eq!(fired(&report), ["spill-regression"]);
    // Two of that name: which is which is not known.
    let now = vec![coded("p/k(int, float)", 2, 12), coded("p/k(char)", 3, 12)];
    let report = all_after(vec![coded("p/k(int)", 1, 8)], now);
    assert_eq!((fired(&report), report.renamed), (vec!["spill", "spill", "stale-baseline"], 0));
}

#[test]
fn a_check_of_a_part_pairs_by_code_alone() {
    let baseline = Arc::new(Baseline::of(&run(input(vec![coded("p/old(int)", 1, 24)]))));
    let part = |now: Kernel| {
        let baseline = Some(Arc::clone(&baseline));
        run(Input { baseline, complete: false, ..input(vec![now]) })
    };
    assert!(fired(&part(coded("p/old(int, int)", 2, 24))).is_empty(), "few kernels are overloaded");
    assert_eq!(fired(&part(coded("p/old<4>(int)", 2, 24))), ["spill"], "the other may be in another part");
    let same = part(coded("p/new(int)", 1, 24));
    assert_eq!((fired(&same).len(), same.known), (0, 1));
}

fn compiled(settings: &str, compiler: &str, bytes: u32) -> Kernel {
    let kernel = spilling(kernel("k", "sm_90"), bytes, bytes);
    Kernel { settings: Some(settings.into()), compiler: Some(compiler.into()), ..kernel }
}

#[test]
fn other_settings_are_a_finding_and_no_regression() {
    let report = after(compiled("-O3", "13.0.88", 8), compiled("-O1", "13.0.88", 80));
    assert_eq!(
        said(&report)[0],
        "error[incomparable-baseline] 1 kernel was compiled with other settings in the baseline: it was not compared"
    );
    assert_eq!(fired(&report), ["incomparable-baseline", "spill"], "what is not compared is judged as new");
    assert_eq!(report.findings[0].notes, ["`k` on sm_90", "in the baseline: `-O3`", "now: `-O1`"]);
    // Who allows that compares all the same.
    let mut levels = Levels::default();
    levels.set("incomparable-baseline", Level::Allow, occlint::expect::LevelOrigin::Package);
    let baseline = Baseline::of(&run(input(vec![compiled("-O3", "13.0.88", 8)])));
    let all =
        Input { baseline: Some(Arc::new(baseline)), levels, ..input(vec![compiled("-O1", "13.0.88", 80)]) };
    assert_eq!(fired(&run(all)), ["spill-regression"]);
}

#[test]
fn another_compiler_is_said_or_not_compared_with() {
    let report = after(compiled("-O3", "13.0.88", 8), compiled("-O3", "13.5.37", 80));
    assert_eq!(fired(&report), ["spill-regression"]);
    let note = "the baseline is nvcc 13.0.88's, this run is 13.5.37's: the difference may be the compiler's";
    assert!(report.findings[0].notes.iter().any(|one| one == note), "{:?}", report.findings[0].notes);
    let baseline = Baseline::of(&run(input(vec![compiled("-O3", "13.0.88", 8)])));
    let compare = CompareRules { same_compiler: true, ..CompareRules::default() };
    let now = vec![compiled("-O3", "13.5.37", 80)];
    let report = run(Input { baseline: Some(Arc::new(baseline)), compare, ..input(now) });
    assert_eq!(
        said(&report)[0],
        "warning[incomparable-baseline] 1 kernel was made by another compiler in the baseline: it was not compared"
    );
    assert_eq!(fired(&report), ["incomparable-baseline", "spill"], "what is not compared is judged as new");
}

#[test]
fn what_a_limit_lets_pass_is_counted_and_above_it_the_lint_fires() {
    let limited = |soft, hard, now: u32| {
        let mut levels = Levels::default();
        levels.limit("spill-regression", Limits { soft, hard });
        let own = |bytes| spilling(kernel("k", "sm_90"), bytes, bytes);
        let baseline = Baseline::of(&run(input(vec![own(100)])));
        run(Input { baseline: Some(Arc::new(baseline)), levels, ..input(vec![own(now)]) })
    };
    let (five, two) = (Some(Increase::Share(500)), Some(Increase::Amount(2)));
    let words = |report: &Report| said(report).first().map(|line| line.split(']').next().unwrap().to_owned());
    let report = limited(None, five, 105);
    assert_eq!((words(&report), report.within_limits), (None, 1));
    let report = limited(None, five, 106);
    assert_eq!((words(&report).as_deref(), report.within_limits), (Some("error[spill-regression"), 0));
    assert_eq!(words(&limited(two, five, 103)).as_deref(), Some("warning[spill-regression"));
    assert_eq!(words(&limited(two, five, 102)), None);
    assert_eq!(words(&limited(two, None, 103)).as_deref(), Some("error[spill-regression"));
    assert_eq!(words(&limited(None, None, 101)).as_deref(), Some("error[spill-regression"));
}

#[test]
fn of_equal_code_other_settings_make_no_difference() {
    let with = |settings: &str| Kernel { code: Some(7), ..compiled(settings, "13.0.88", 8) };
    let report = after(with("-O3 -std=c++17"), with("-std=c++17 -O3"));
    assert_eq!((fired(&report).len(), report.known), (0, 1));
}

#[test]
fn blocks_of_another_size_are_compared_by_their_warps() {
    let of = |threads: u32, registers: u32| {
        let mut kernel = bounded("k", "sm_80", threads, 0);
        kernel.usage.registers = Some(registers);
        kernel
    };
    // 64 registers leave 32 warps: 8 blocks of 128 threads, 4 of 256
    assert!(fired(&after(of(128, 64), of(256, 64))).is_empty());
    assert_eq!(after(of(256, 64), of(128, 64)).improved, 0);
    // 5 blocks of 128 threads by 96 registers are more blocks than 4 of 256, and fewer warps than their 32
    assert_eq!(
        said(&after(of(256, 64), of(128, 96))),
        [
            "error[residency-regression] `k` keeps 20 warps per SM on sm_80, 32 in the baseline (blocks of 256 threads then, of 128 now)"
        ]
    );
}

#[test]
fn what_is_known_may_not_grow() {
    let of = |bytes: u32| {
        let mut kernel = kernel("k", "sm_90");
        kernel.usage.stack_frame_bytes = Some(bytes);
        kernel.local_memory = Some(vec![occlint::kernel::LocalMemory {
            kind: occlint::kernel::LocalKind::Array,
            bytes: Some(bytes),
            name: Some("a".to_owned()),
            at: None,
        }]);
        kernel
    };
    let same = after(of(400), of(400));
    assert_eq!((fired(&same).len(), same.known), (0, 1));
    assert_eq!((fired(&after(of(400), of(40))).len(), after(of(400), of(40)).known), (0, 1));
    let more = after(of(400), of(80_000));
    assert_eq!(fired(&more), ["local-memory"]);
    assert!(
        more.findings[0].notes.contains(&"400 in the baseline".to_owned()),
        "{:?}",
        more.findings[0].notes
    );
}

#[test]
fn an_architecture_that_is_not_checked_any_more_is_gone() {
    let before = vec![kernel("p/k", "sm_80"), kernel("p/k", "sm_90"), kernel("q/k", "sm_80")];
    let baseline = Arc::new(Baseline::of(&run(input(before))));
    let now = |kernels: Vec<Kernel>| {
        let baseline = Some(Arc::clone(&baseline));
        run(Input { baseline, package: "p".to_owned(), ..input(kernels) })
    };
    let report = now(vec![kernel("p/k", "sm_90")]);
    assert_eq!(
        said(&report),
        ["warning[stale-baseline] the baseline has 1 kernel that is not here any more"]
    );
    assert!(report.findings[0].notes[0].contains("sm_80"), "{:?}", report.findings[0].notes);
    let none = now(Vec::new());
    assert_eq!(
        said(&none),
        ["warning[stale-baseline] the baseline has 2 kernels that are not here any more"]
    );
}

#[test]
fn a_second_kernel_of_a_name_does_not_hide_the_first() {
    let named = |key: &str, bytes: u32| {
        let mut kernel = coded(key, u64::from(bytes), bytes);
        kernel.name.key = key.to_owned();
        kernel.units = vec!["kernels/a.cu".to_owned()];
        kernel
    };
    let report = all_after(vec![named("p/k(int)", 8)], vec![named("p/k(int) [kernels/a.cu]", 80)]);
    // its old key is not here any more
    assert_eq!(fired(&report), ["spill-regression", "stale-baseline"]);
}
