//! `tools/synthetic.py`: what is measured on its crates is a check that passes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::{files, root, run_in, toolkit};

#[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
fn make(folder: &Path, args: &[&str]) -> bool {
    let script = root().join("tools/synthetic.py");
    Command::new("python3").arg(script).arg(folder).args(args).status().unwrap().success()
}

/// The texts of all files, by their place.
fn texts(folder: &Path) -> BTreeMap<PathBuf, String> {
    let place = |path: &PathBuf| path.strip_prefix(folder).unwrap().to_owned();
    files(folder).iter().map(|path| (place(path), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn a_synthetic_crate_has_one_known_finding_a_heavy_unit_and_is_always_the_same() {
    let scratch = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| scratch.path().join(name));
    let args = ["--units", "4", "--kernels", "2", "--archs", "sm_90"];
    assert!(make(&one, &args) && make(&two, &args));
    assert!(!make(&one, &args), "a folder that is there is left alone");
    assert_eq!(texts(&one), texts(&two));
    let nvcc = toolkit().nvcc.to_str().unwrap();
    let json = ["--message-format", "json", "--experiments", "off"];
    let run = run_in(&one, &json, &[("NVCC", nvcc)], "").exits(0);
    // Two kernels in each unit; three products and the one that spills in the heavy unit.
    assert_eq!(run.lines("kernel").len(), 4 * 2 + 4);
    assert_eq!(run.findings(), ["spill wide sm_90"]);
}
