//! `tools/synthetic.py`: what is measured on its crates is a check that passes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::{root, run_in, toolkit};

#[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
fn make(folder: &Path, args: &[&str]) -> bool {
    let script = root().join("tools/synthetic.py");
    Command::new("python3").arg(script).arg(folder).args(args).status().unwrap().success()
}

fn texts(folder: &Path, into: &mut BTreeMap<PathBuf, String>, top: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, into, top);
        } else {
            into.insert(path.strip_prefix(top).unwrap().to_owned(), fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn a_synthetic_crate_has_one_known_finding_a_heavy_unit_and_is_always_the_same() {
    let scratch = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| scratch.path().join(name));
    let args = ["--units", "4", "--kernels", "2", "--archs", "sm_90"];
    assert!(make(&one, &args) && make(&two, &args));
    assert!(!make(&one, &args), "a folder that is there is left alone");
    let [made, again] = [&one, &two].map(|folder| {
        let mut all = BTreeMap::new();
        texts(folder, &mut all, folder);
        all
    });
    assert_eq!(made, again);
    let nvcc = toolkit().nvcc.to_str().unwrap();
    let json = ["--message-format", "json", "--experiments", "off"];
    let run = run_in(&one, &json, &[("NVCC", nvcc)], "").exits(0);
    // Two kernels in each unit; three products and the one that spills in the heavy unit.
    assert_eq!(run.lines("kernel").len(), 4 * 2 + 4);
    assert_eq!(run.findings(), ["spill wide sm_90"]);
}
