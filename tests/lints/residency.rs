//! `unlaunchable`, `bounds-dropped`, `residency-below-bounds`, `residency-below-target`.

use occlint::kernel::{Kernel, RemarkKind, Severity};

use crate::support::{bounded, configured, fired, input, kernel, placed, remark, run, said, says};

fn min_blocks_ignored(mut kernel: Kernel) -> Kernel {
    let text = "Value of threads per SM for entry k is out of range. .minnctapersm will be ignored";
    let kind = RemarkKind::MinBlocksIgnored { with_threads: false };
    kernel.remarks.push(remark(kind, Severity::Warning, text));
    kernel
}

/// `spiller` of the suite on sm_120: 72 registers, no spill, 7 blocks.
fn spiller_sm_120() -> Kernel {
    let mut kernel = placed(bounded("spiller", "sm_120", 128, 16));
    kernel.usage.registers = Some(72);
    min_blocks_ignored(kernel)
}

#[test]
fn a_dropped_bound_without_a_spill_is_denied() {
    let report = run(input(vec![spiller_sm_120()]));
    assert_eq!(
        said(&report),
        ["error[bounds-dropped] `spiller` loses its 16 min blocks: ptxas ignored the bound on sm_120"]
    );
    let finding = &report.findings[0];
    let label = &finding.labels[0];
    assert_eq!(label.text, "16 × 128 threads is more than the 1536 that sm_120 holds; ptxas ignored it");
    let (source, range) = label.span.clone().expect("the text is known");
    assert_eq!(&source.text()[range], "__launch_bounds__(128, 16)");
    assert_eq!(
        finding.notes,
        [
            "`spiller` fits 7 blocks per SM on sm_120, its bounds ask for 16",
            "72 registers → 7 blocks (registers); shared memory 100, warps 12, blocks 24, barriers no limit",
        ]
    );
    let help = finding.help.as_deref().expect("help");
    assert!(help.starts_with("ask for at most 12 blocks of 128 threads on sm_120"), "{help}");
    assert_eq!(report.kernels[0].residency.expect("known").blocks, 7);
}

#[test]
fn the_same_bound_holds_on_sm_90() {
    assert!(says(vec![placed(bounded("spiller", "sm_90", 128, 16))]).is_empty());
}

#[test]
fn a_bound_that_no_compiler_could_meet_needs_no_warning() {
    let mut silent = spiller_sm_120();
    silent.remarks.clear();
    let report = run(input(vec![silent]));
    assert_eq!(said(&report), ["error[bounds-dropped] `spiller` cannot have its 16 min blocks on sm_120"]);
    assert!(says(vec![bounded("spiller", "sm_120", 128, 12)]).is_empty());
}

#[test]
fn more_min_blocks_than_the_sm_has() {
    let report = run(input(vec![placed(bounded("k", "sm_90", 32, 33))]));
    assert_eq!(fired(&report), ["bounds-dropped"]);
    assert_eq!(report.findings[0].labels[0].text, "33 blocks are more than the 32 that sm_90 holds");
    assert!(says(vec![bounded("k", "sm_90", 32, 32)]).is_empty());
}

#[test]
fn partial_warps_take_whole_ones() {
    // 25 × 65 threads are 1,625, but 75 warps; an SM has 64
    let report = run(input(vec![placed(bounded("k", "sm_90", 65, 25))]));
    let dropped = report.findings.iter().find(|f| f.lint == "bounds-dropped").expect("fires");
    assert_eq!(dropped.labels[0].text, "25 × 3 warps is more than the 64 that sm_90 holds");
    assert!(!fired(&run(input(vec![bounded("k", "sm_90", 65, 21)]))).contains(&"bounds-dropped"));
}

#[test]
fn named_barriers_limit_from_9_0_on() {
    let with = |barriers: u32, arch: &str| {
        let mut kernel = bounded("barriers", arch, 64, 16);
        kernel.usage = occlint::kernel::Usage {
            registers: Some(14),
            barriers: Some(barriers),
            static_shared_bytes: Some(256),
            ..kernel.usage
        };
        run(input(vec![kernel]))
    };
    for (barriers, arch, blocks) in [(8, "sm_90", 8), (8, "sm_120", 3), (16, "sm_90", 4), (16, "sm_120", 1)] {
        let report = with(barriers, arch);
        assert_eq!(report.kernels[0].residency.expect("known").blocks, blocks, "{barriers} on {arch}");
        let plural = if blocks == 1 { "block" } else { "blocks" };
        let expected = format!(
            "error[residency-below-bounds] `barriers` fits {blocks} {plural} per SM on {arch}, its bounds ask for 16"
        );
        assert_eq!(said(&report), [expected]);
        let start = format!("{barriers} named barriers → {blocks} {plural} (barriers); ");
        assert!(report.findings[0].notes[0].starts_with(&start), "{:?}", report.findings[0].notes);
    }
    let help = with(8, "sm_90").findings[0].help.clone().expect("help");
    assert_eq!(
        help,
        "by arithmetic, 16 blocks of 64 threads have room for at most 4 named barriers per block: try that, or ask for \
         8 blocks, and measure both"
    );
    assert!(with(8, "sm_80").findings.is_empty());
}

#[test]
fn the_reserve_of_shared_memory_counts() {
    for (arch, blocks) in [("sm_80", 18), ("sm_86", 11), ("sm_89", 11), ("sm_90", 25)] {
        let mut tile8k = bounded("tile8k", arch, 64, blocks);
        tile8k.usage.static_shared_bytes = Some(8192);
        tile8k.usage.registers = Some(16);
        assert!(says(vec![tile8k.clone()]).is_empty(), "{arch}");
        tile8k.bounds.min_blocks = Some(blocks + 1);
        let report = run(input(vec![tile8k]));
        assert_eq!(fired(&report), ["residency-below-bounds"], "{arch}");
        assert!(
            said(&report)[0].contains(&format!("fits {blocks} blocks per SM on {arch}")),
            "{:?}",
            said(&report)
        );
    }
}

#[test]
fn the_bounds_are_judged_with_their_own_block() {
    // 40 registers: 12 blocks of 128 fit, with blocks of 256 it is 6
    let mut kernel = bounded("k", "sm_90", 128, 12);
    kernel.usage.registers = Some(40);
    let toml = "[[package.metadata.occlint.kernel]]\nname = \"k\"\nblock = 64\n";
    assert!(said(&run(configured(vec![kernel.clone()], toml))).is_empty());
    kernel.bounds.min_blocks = Some(13);
    assert_eq!(
        said(&run(configured(vec![kernel], toml))),
        ["error[residency-below-bounds] `k` fits 12 blocks per SM on sm_90, its bounds ask for 13"]
    );
}

#[test]
fn help_says_what_the_blocks_leave() {
    let mut kernel = bounded("k", "sm_90", 256, 4);
    kernel.usage.registers = Some(65);
    kernel.usage.static_shared_bytes = Some(60_000);
    let report = run(input(vec![kernel]));
    // 65,536 registers / (4 × 8 warps × 32) = 64; 233,472 / 4 = 58,368 bytes, less the reserve of 1,024
    assert_eq!(
        report.findings[0].help.as_deref(),
        Some(
            "by arithmetic, 4 blocks of 256 threads have room for at most 64 registers per thread and 57344 bytes of \
             shared memory per block: try that, or ask for 3 blocks, and measure both"
        )
    );
    assert_eq!(
        report.findings[0].notes,
        [
            "65 registers and 60000 bytes of shared memory → 3 blocks (registers, shared memory); warps 8, blocks 32, \
          barriers no limit"
        ]
    );
}

#[test]
fn a_target_is_met_or_not() {
    let toml = |blocks: u32| {
        format!(
            "[[package.metadata.occlint.kernel]]\nname = \"softmax\"\nblock = 256\ndynamic-smem = \"48 KiB\"\nmin-blocks = {blocks}\n"
        )
    };
    let mut softmax = placed(kernel("softmax", "sm_80"));
    softmax.usage.registers = Some(64);
    softmax.dynamic_shared = Some(true);
    let report = run(configured(vec![softmax.clone()], &toml(4)));
    assert_eq!(fired(&report), ["residency-below-target"]);
    assert!(
        said(&report)[0].starts_with("error[residency-below-target] `softmax` fits 3 blocks per SM on sm_80")
    );
    assert_eq!(
        report.findings[0].notes[0],
        "49152 bytes of shared memory → 3 blocks (shared memory); registers 4, warps 8, blocks 32, barriers no limit"
    );
    let label = report.findings[0].labels.last().expect("labels");
    assert_eq!((label.file.as_str(), label.line), ("Cargo.toml", 5));
    assert!(run(configured(vec![softmax], &toml(3))).findings.is_empty());
}

#[test]
fn a_target_that_cannot_be_judged_is_no_pass() {
    let toml = "[[package.metadata.occlint.kernel]]\nname = \"k\"\nmin-blocks = 1\n";
    let cannot = |kernel: Kernel| said(&run(configured(vec![kernel], toml))).join("\n");
    assert!(cannot(kernel("k", "sm_90")).contains("cannot be judged: nothing says its block size"));
    assert!(
        cannot(bounded("k", "sm_30", 128, 0)).contains("cannot be judged: the limits of the architecture")
    );
    let mut unknown = bounded("k", "sm_90", 128, 0);
    unknown.usage.registers = None;
    assert!(cannot(unknown).contains("cannot be judged: its registers are unknown"));
    let mut nowhere = bounded("k", "sm_90", 128, 0);
    nowhere.arch = None;
    assert!(cannot(nowhere).contains("cannot be judged"));
    assert!(cannot(bounded("k", "sm_90", 128, 0)).is_empty());
}

#[test]
fn a_block_takes_more_registers_than_a_launch_gives() {
    // sm_62 has 32,768 registers per block: 32 warps of 35 registers, allocated as 40, take 40,960
    let with = |arch: &str, registers: u32| {
        let mut kernel = bounded("nms", arch, 1024, 0);
        kernel.usage.registers = Some(registers);
        said(&run(input(vec![kernel])))
    };
    let denied = with("sm_62", 35);
    assert_eq!(denied.len(), 1, "{denied:?}");
    assert!(
        denied[0]
            .starts_with("error[unlaunchable] `nms` cannot launch on sm_62: 35 registers × 1024 threads")
    );
    assert!(denied[0].contains("32768"), "{denied:?}");
    assert!(with("sm_62", 32).is_empty());
    assert!(with("sm_61", 35).is_empty());
    assert!(with("sm_61", 64).is_empty());
    assert!(with("sm_61", 65)[0].contains("65536"));
}

#[test]
fn shared_memory_above_the_opt_in_limit() {
    let toml = |bytes: u32| {
        format!("[[package.metadata.occlint.kernel]]\nname = \"k\"\nblock = 64\ndynamic-smem = {bytes}\n")
    };
    let mut kernel = kernel("k", "sm_86");
    kernel.usage.static_shared_bytes = Some(1024);
    let limit = 99 * 1024 - 1024;
    assert!(run(configured(vec![kernel.clone()], &toml(limit))).findings.is_empty());
    let report = run(configured(vec![kernel], &toml(limit + 1)));
    assert_eq!(fired(&report), ["unlaunchable"]);
    assert!(
        said(&report)[0].contains("101377 bytes of shared memory are more than the 101376"),
        "{:?}",
        said(&report)
    );
}

#[test]
fn a_target_that_the_bounds_rule_out() {
    let toml = |block: u32| format!("[[package.metadata.occlint.kernel]]\nname = \"k\"\nblock = {block}\n");
    let with = |kernel: &Kernel, block: u32| fired(&run(configured(vec![kernel.clone()], &toml(block))));
    let at_most = bounded("k", "sm_90", 256, 0);
    assert_eq!(with(&at_most, 512), ["unlaunchable"]);
    assert!(with(&at_most, 128).is_empty());
    let mut exactly = kernel("k", "sm_90");
    exactly.bounds.required_threads = Some([16, 16, 1]);
    assert_eq!(with(&exactly, 128), ["unlaunchable"]);
    assert!(with(&exactly, 256).is_empty());
}

#[test]
fn a_bound_above_1024_threads() {
    let report = run(input(vec![bounded("k", "sm_90", 2048, 0)]));
    assert_eq!(
        said(&report),
        [
            "error[unlaunchable] `k` cannot launch on sm_90: a block of 2048 threads is more than the 1024 that any \
          block may have"
        ]
    );
    let note = "`k` declares 2048 threads per block, more than the 1024 that any block may have on sm_90";
    assert_eq!(report.findings[0].notes, [note]);
    // launched with a smaller block, the bound is still none
    let toml = "[[package.metadata.occlint.kernel]]\nname = \"k\"\nblock = 256\n";
    let report = run(configured(vec![bounded("k", "sm_90", 2048, 0)], toml));
    assert_eq!(fired(&report), ["bounds-dropped"]);
    assert!(says(vec![bounded("k", "sm_90", 1024, 0)]).is_empty());
}

#[test]
fn occlints_own_architectures_only_warn_about_bounds() {
    let mut own = input(vec![spiller_sm_120(), bounded("wide", "sm_90", 2048, 0)]);
    own.default_archs = true;
    let report = run(own);
    assert_eq!(report.findings.len(), 2);
    assert!(report.findings.iter().all(|f| f.level == occlint::finding::Level::Warn), "{:?}", said(&report));
    let mut set =
        configured(vec![spiller_sm_120()], "[package.metadata.occlint.lints]\nbounds-dropped = \"deny\"\n");
    set.default_archs = true;
    assert!(said(&run(set))[0].starts_with("error[bounds-dropped]"));
}
