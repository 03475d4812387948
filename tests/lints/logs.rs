//! Logs of real compilers, judged as far as a log can say it.

use occlint::check::{Input, Report};
use occlint::evidence::from_log;
use occlint::finding::Level;

use crate::support::{configured, fired, levels, run, said};

fn log(name: &str, toml: &str) -> Report {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs").join(name);
    let bytes = std::fs::read(path).expect("a log");
    let evidence = from_log(name, &String::from_utf8_lossy(&bytes));
    run(Input { units: evidence.units, complete: false, ..configured(evidence.kernels, toml) })
}

#[test]
fn a_dropped_bound_of_the_suite_on_sm_120() {
    let report = log("made_suite.sm_120.log", "");
    let denied: Vec<_> = levels(&report).into_iter().filter(|(_, level)| *level == Level::Deny).collect();
    assert_eq!(denied, [("bounds-dropped", Level::Deny)]);
    assert!(said(&report)[0].contains("spiller"), "{:?}", said(&report));
    assert!(
        said(&report).iter().any(|line| line.starts_with("warning[unbounded-stack]")),
        "{:?}",
        said(&report)
    );
}

#[test]
fn spills_of_the_suite_on_sm_90() {
    let report = log("made_suite.sm_90.log", "");
    let spiller = said(&report).into_iter().find(|line| line.contains("spiller")).expect("it spills");
    assert!(spiller.contains("552 bytes of stores and 584 bytes of loads per thread on sm_90"), "{spiller}");
    assert!(!fired(&report).contains(&"bounds-dropped"), "{:?}", said(&report));
}

#[test]
fn local_memory_without_a_spill_is_no_spill() {
    assert!(log("made_nospill.sm_90.log", "").findings.is_empty());
}

#[test]
fn a_device_function_that_spills_is_named_with_its_kernel() {
    let report = log("made_callee_spill.sm_90.log", "");
    let line = said(&report).into_iter().find(|line| line.starts_with("warning[spill]")).expect("fires");
    assert!(line.contains("which spills 196 bytes of stores and 204 bytes of loads"), "{line}");
}

#[test]
fn registers_per_block_of_sm_62() {
    let toml = "[[package.metadata.occlint.kernel]]\nname = \"fused_vision*\"\nblock = 1024\n";
    let report = log("30_tvm_7623_sm62_regs_per_block_32k.log", toml);
    assert_eq!(levels(&report), [("unlaunchable", Level::Deny)]);
    assert!(log("30_tvm_7623_sm62_regs_per_block_32k.log", "").findings.is_empty());
}

#[test]
fn a_fragment_can_be_allowed_with_a_reason() {
    let report = log("33_fa3_1410_spill_ok.log", "");
    assert_eq!(levels(&report), [("spill", Level::Warn)]);
    let toml = "[[package.metadata.occlint.kernel]]\nname = \"*\"\n\
                allow = [{ lint = \"spill\", max = 132, reason = \"the fastest variant\" }]\n";
    let report = log("33_fa3_1410_spill_ok.log", toml);
    assert_eq!((report.findings.len(), report.waived), (0, 1));
}

#[test]
fn errors_are_never_clean() {
    let logs = [
        "made_bigsmem_error.log",
        "made_rdc.sm_90.log",
        "38_cuvs_462_ptxas_regcount_error_debug.log",
        "41_unresolved_extern.log",
        "63_local_135_too_much_shared_error.log",
        "68_local_135_werror.log",
        "69_local_135_arch_native_no_gpu.log",
        "29_mfaktc_32_windows_C9999_fatal.log",
    ];
    for name in logs {
        let report = log(name, "");
        let denied = report.findings.iter().any(|finding| finding.level == Level::Deny);
        assert!(denied || !report.errors.is_empty(), "{name}: {:?}", said(&report));
    }
}

#[test]
fn a_capped_unit_draws_one_warning_a_cause() {
    let report = log("made_maxrregcount24.sm_90.log", "");
    let caps = fired(&report).iter().filter(|lint| **lint == "maxrregcount").count();
    assert_eq!(caps, 1, "{:?}", said(&report));
    // its own bounds win over the option: twice, for two limits
    let dropped: Vec<_> =
        said(&report).into_iter().filter(|line| line.contains("[bounds-dropped]")).collect();
    assert!(
        dropped.iter().all(|line| line.starts_with("warning") && line.contains("24 gave way to")),
        "{dropped:?}"
    );
    assert!(!dropped.is_empty());
}

#[test]
fn advisories_and_setmaxnreg_have_their_codes() {
    let all = said(&log("made_wgmma_setmaxnreg.sm_90a.log", "")).join("\n");
    for code in ["C7508", "C7511", "C7517"] {
        assert!(all.contains(code), "{code}: {all}");
    }
}

#[test]
fn every_log_is_judged_in_one_style() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs");
    let mut judged = 0;
    let strict: String = occlint::lints::LINTS
        .iter()
        .map(|lint| format!("{} = \"deny\"\n", lint.name))
        .fold("[package.metadata.occlint.lints]\n".to_owned(), |all, line| all + &line);
    for entry in std::fs::read_dir(folder).expect("logs") {
        let name = entry.expect("a log").file_name().into_string().expect("a plain name");
        judged += log(&name, &strict).findings.len();
    }
    assert!(judged > 100, "{judged}");
}
