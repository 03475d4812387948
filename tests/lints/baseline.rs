//! Lints that compare with a baseline.

use std::sync::Arc;

use occlint::baseline::Baseline;
use occlint::check::{Input, Report};
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
    assert_eq!(notes[0], "since the baseline: 64 → 65 registers");
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
    let archs = |arch: &str| vec![arch.parse().unwrap()];
    let old = of("p/a", "sm_80").updated(of("p/b", "sm_90"), &[]).updated(of("q/c", "sm_90"), &[]);
    let new = old.updated(of("p/d", "sm_90"), &[("p".to_owned(), archs("sm_90"))]);
    let keys: Vec<&str> = new.entries.keys().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["p/a", "p/d", "q/c"]);
}
