//! The baseline's file: killed writers, several writers, and formats of before.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::project::Project;

const BASELINE: &str = "b.json";
/// Kills that must fall between the opening of the new file and its renaming.
const HITS: usize = 20;
const MOST_RUNS: usize = 400;

/// A log of kernels that spill so many bytes each.
fn log(prefix: &str, kernels: usize, bytes: u32) -> String {
    let one = |number: usize| {
        let name = format!("{prefix}{number:05}");
        let mangled = format!("_Z{}{name}Pf", name.len());
        format!(
            "ptxas info    : Compiling entry function '{mangled}' for 'sm_90'\n\
             ptxas info    : Function properties for {mangled}\n\
             \x20   {bytes} bytes stack frame, {bytes} bytes spill stores, {bytes} bytes spill loads\n\
             ptxas info    : Used 32 registers, used 0 barriers, 8 bytes cumulative stack size\n"
        )
    };
    (0..kernels).map(one).collect()
}

#[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
fn bless(folder: &Path, log: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-occlint"));
    command.args(["occlint", "--from-log", log, "--baseline", BASELINE, "--bless"]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The file that is written and not yet renamed.
fn unplaced(folder: &Path) -> Option<fs::DirEntry> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.into_iter().find(|entry| entry.file_name().to_string_lossy().starts_with(".occlint-"))
}

fn keys(text: &str) -> BTreeSet<String> {
    let value: Value = serde_json::from_str(text).unwrap();
    let key = |kernel: &Value| kernel["key"].as_str().unwrap().to_owned();
    value["kernels"].as_array().unwrap().iter().map(key).collect()
}

#[test]
fn a_killed_bless_leaves_the_old_file_or_the_new_one() {
    let project = Project::new("");
    let (folder, file) = (project.path(), project.path().join(BASELINE));
    let states = [8, 12].map(|bytes| {
        project.write("a.log", &log("k", 1500, bytes));
        assert!(bless(folder, "a.log").wait().unwrap().success());
        fs::read_to_string(&file).unwrap()
    });
    assert_ne!(states[0], states[1]);
    let (mut hits, mut old, mut new) = (0, 0, 0);
    for run in 0..MOST_RUNS {
        fs::write(&file, &states[0]).unwrap();
        let mut child = bless(folder, "a.log");
        let start = Instant::now();
        while unplaced(folder).is_none() && child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(60), "it never wrote");
        }
        // The kill is swept over the writing, from its first moment to beyond its end.
        std::thread::sleep(Duration::from_micros(100 * (run as u64 % 40)));
        child.kill().unwrap();
        child.wait().unwrap();
        if let Some(left) = unplaced(folder) {
            hits += 1;
            fs::remove_file(left.path()).unwrap();
        }
        match fs::read_to_string(&file).unwrap() {
            text if text == states[0] => old += 1,
            text if text == states[1] => new += 1,
            text => panic!("neither the old file nor the new one: {} bytes", text.len()),
        }
        if hits >= HITS && old >= HITS && new > 0 {
            return;
        }
    }
    panic!(
        "of {MOST_RUNS} kills, {hits} fell between open and rename; {old} left the old file, {new} the new one"
    );
}

#[test]
fn of_writers_at_the_same_time_none_loses_what_another_wrote() {
    let project = Project::new("");
    let folder = project.path();
    let names: Vec<String> = (0..8).map(|number| format!("log{number}")).collect();
    for (number, name) in names.iter().enumerate() {
        project.write(name, &log(&format!("w{number}_"), 200, 8));
    }
    let writers: Vec<Child> = names.iter().map(|name| bless(folder, name)).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let text = fs::read_to_string(folder.join(BASELINE)).unwrap();
    assert_eq!(keys(&text).len(), 8 * 200);
    assert!(unplaced(folder).is_none());
}

#[test]
fn a_baseline_of_format_1_is_compared_with() {
    let project = Project::new("");
    project.write("a.log", &log("k", 1, 12));
    let old = "{\"format_version\":1,\"occlint\":\"0.1.0\",\"toolkit\":[\"13.0.88\"],\"kernels\":[\n\
               {\"key\":\"k00000(float*)\",\"arch\":\"sm_90\",\"registers\":32,\"spill_stores\":8,\"spill_loads\":8,\"findings\":[\"spill\"]}\n]}\n";
    project.write(BASELINE, old);
    let check = ["--from-log", "a.log", "--baseline", BASELINE, "--message-format", "json"];
    assert_eq!(project.run(&check, &[]).exits(100).findings(), ["spill-regression k00000 sm_90"]);
    assert!(bless(project.path(), "a.log").wait().unwrap().success());
    let text = fs::read_to_string(project.path().join(BASELINE)).unwrap();
    assert!(text.starts_with("{\"format_version\":2,"), "{text}");
    project.run(&check, &[]).exits(0);
}

#[test]
fn a_link_stays_a_link() {
    let project = Project::new("");
    project.write("a.log", &log("k", 1, 8));
    fs::create_dir(project.path().join("gate")).unwrap();
    project.write("gate/real.json", "");
    fs::remove_file(project.path().join("gate/real.json")).unwrap();
    std::os::unix::fs::symlink("gate/real.json", project.path().join(BASELINE)).unwrap();
    assert!(bless(project.path(), "a.log").wait().unwrap().success());
    assert!(project.path().join(BASELINE).symlink_metadata().unwrap().is_symlink());
    assert_eq!(keys(&fs::read_to_string(project.path().join("gate/real.json")).unwrap()).len(), 1);
}
