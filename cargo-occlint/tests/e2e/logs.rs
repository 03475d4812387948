//! `--from-log`.

use crate::project::{root, run_in};

fn check(log: &str, args: &[&str]) -> crate::project::Run {
    let folder = tempfile::tempdir().unwrap();
    let path = root().join("tests/logs").join(log);
    run_in(
        folder.path(),
        &[&["--from-log", path.to_str().unwrap(), "--message-format", "json"], args].concat(),
        &[],
        "",
    )
}

#[test]
fn a_log_is_checked_without_a_compiler() {
    let run = check("made_suite.sm_120.log", &[]).exits(100);
    assert!(run.findings().contains(&"bounds-dropped spiller sm_120".to_owned()), "{:?}", run.findings());
    assert_eq!(run.kernel("spiller(", "sm_120")["registers"], 72);
}

#[test]
fn standard_input_is_a_log_too() {
    let log = std::fs::read_to_string(root().join("tests/logs/35_xla_prefixed_spill_warning.log")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run = run_in(folder.path(), &["--from-log", "-", "--message-format", "short"], &[], &log).exits(0);
    assert!(run.stdout.contains("spills 28 bytes of stores and 28 bytes of loads"), "{}", run.stdout);
    assert!(run.stdout.contains("spills 16 bytes of stores and 16 bytes of loads"), "{}", run.stdout);
}

#[test]
fn a_log_with_an_error_does_not_pass() {
    check("made_bigsmem_error.log", &[]).exits(100);
    check("made_rdc.sm_90.log", &[]).exits(100);
    check("41_unresolved_extern.log", &[]).exits(101);
}

#[test]
fn a_log_that_is_cut_off_is_no_pass() {
    let head = "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n";
    let folder = tempfile::tempdir().unwrap();
    for rest in ["", "ptxas info    : Used 99999999999 registers\n"] {
        let run = run_in(folder.path(), &["--from-log", "-"], &[], &format!("{head}{rest}")).exits(101);
        assert!(run.stderr.contains("nothing was checked of `k(float*)`"), "{}", run.stderr);
    }
}

#[test]
fn a_log_without_kernels_is_no_pass() {
    check("14_solana_perf_libs_65_functions_only.log", &[]).exits(101);
    let folder = tempfile::tempdir().unwrap();
    let run = run_in(folder.path(), &["--from-log", "-"], &[], "all is well\n").exits(101);
    assert!(run.stderr.contains("nothing was checked"), "{}", run.stderr);
    run_in(folder.path(), &["--from-log", "no-such.log"], &[], "").exits(101);
}

#[test]
fn a_log_in_another_encoding_or_without_an_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let utf16: Vec<u8> = "\u{feff}ptxas info".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(folder.path().join("x.log"), utf16).unwrap();
    let run = run_in(folder.path(), &["--from-log", "x.log"], &[], "").exits(101);
    assert!(run.stderr.contains("`x.log` is UTF-16 text") && run.stderr.contains("iconv"), "{}", run.stderr);
    // A hole on the disk: as long as it says, and nearly free.
    std::fs::File::create(folder.path().join("long.log")).unwrap().set_len((1 << 30) + 1).unwrap();
    let run = run_in(folder.path(), &["--from-log", "long.log"], &[], "").exits(101);
    assert!(run.stderr.contains("longer than 1024 MiB"), "{}", run.stderr);
}
