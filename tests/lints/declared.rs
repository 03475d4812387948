//! Lints about what is declared, or not: `missing-bounds`, `partial-warp`, `unknown-dynamic-smem`; advisories.

use occlint::kernel::{RemarkKind, Severity};

use crate::support::{bounded, configured, fired, input, kernel, remark, run, said, says};

#[test]
fn missing_bounds() {
    let warn = "[package.metadata.occlint.lints]\nmissing-bounds = \"warn\"\n";
    let report = run(configured(vec![kernel("k", "sm_90")], warn));
    assert_eq!(said(&report), ["warning[missing-bounds] nothing says the block size of `k` on sm_90"]);
    assert!(says(vec![kernel("k", "sm_90")]).is_empty(), "allowed by default");
    assert!(run(configured(vec![bounded("k", "sm_90", 256, 0)], warn)).findings.is_empty());
    let target = format!("{warn}[[package.metadata.occlint.kernel]]\nname = \"k\"\nblock = 256\n");
    assert!(run(configured(vec![kernel("k", "sm_90")], &target)).findings.is_empty());
}

#[test]
fn partial_warps() {
    assert_eq!(
        says(vec![bounded("k", "sm_90", 100, 0)]),
        ["warning[partial-warp] `k` has a block of 100 threads on sm_90, no multiple of 32"]
    );
    assert!(says(vec![bounded("k", "sm_90", 96, 0)]).is_empty());
    let mut plane = kernel("k", "sm_90");
    plane.bounds.max_threads = Some([16, 6, 1]);
    assert!(says(vec![plane]).is_empty(), "the product counts");
    let target = "[[package.metadata.occlint.kernel]]\nname = \"k\"\nblock = 96\n";
    assert!(run(configured(vec![bounded("k", "sm_90", 100, 0)], target)).findings.is_empty());
}

#[test]
fn dynamic_shared_memory_that_nothing_gives() {
    let mut dynamic = bounded("k", "sm_90", 256, 0);
    dynamic.dynamic_shared = Some(true);
    let report = run(input(vec![dynamic.clone()]));
    assert_eq!(fired(&report), ["unknown-dynamic-smem"]);
    assert!(said(&report)[0].ends_with("is an upper bound"), "{:?}", said(&report));
    let zero = "[[package.metadata.occlint.kernel]]\nname = \"k\"\ndynamic-smem = 0\n";
    assert!(run(configured(vec![dynamic.clone()], zero)).findings.is_empty(), "0 is an answer too");
    dynamic.dynamic_shared = None;
    assert!(says(vec![dynamic]).is_empty());
}

#[test]
fn each_advisory_is_a_finding_with_its_code() {
    let mut gemm = bounded("gemm", "sm_90a", 128, 0);
    for (code, line) in [(7511, Some(105)), (7517, None), (7511, Some(140))] {
        let kind = RemarkKind::Advisory { code, ptx_line: line };
        let text =
            format!("(C{code}) Potential Performance Loss: wgmma.mma_async instructions are serialized");
        gemm.remarks.push(remark(kind, Severity::Info, &text));
    }
    let report = run(input(vec![gemm]));
    assert_eq!(fired(&report), ["perf-advisory", "perf-advisory"]);
    let first = "warning[perf-advisory] `gemm`: ptxas advisory C7511 on sm_90a: wgmma.mma_async instructions are serialized";
    assert_eq!(said(&report)[0], first);
    assert!(said(&report)[1].contains("C7517"), "{:?}", said(&report));
    assert!(report.findings[0].notes.iter().any(|note| note == "lines of the PTX: 105, 140"));
}
