//! Experiments whose ptxas breaks, lies or is not asked again, and how many there may be.

use crate::experiments::{small, words};
use crate::project::{Project, toolkit};

/// A toolkit whose ptxas, as experiments call it, is a script; nvcc is the real one, with its own ptxas.
fn with_ptxas(project: &Project, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let (nvcc, ptxas) = (toolkit().nvcc.display(), toolkit().ptxas.as_ref().unwrap().display());
    for (name, text) in [
        ("nvcc", format!("#!/bin/sh\nexec '{nvcc}' \"$@\"\n")),
        ("ptxas", format!("#!/bin/sh\nreal='{ptxas}'\necho call >> \"$0.calls\"\n{body}\n")),
    ] {
        project.write(&format!("toolkit/bin/{name}"), &text);
        let path = project.path().join("toolkit/bin").join(name);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    project.path().join("toolkit/bin/nvcc").to_str().unwrap().to_owned()
}

fn calls(project: &Project) -> usize {
    let text = std::fs::read_to_string(project.path().join("toolkit/bin/ptxas.calls"));
    text.map_or(0, |text| text.lines().count())
}

#[test]
fn a_second_run_assembles_nothing_and_says_the_same() {
    let project = small();
    let nvcc = with_ptxas(&project, "exec \"$real\" \"$@\"");
    let off = project.run(&["--experiments", "off", "--message-format", "json"], &[("NVCC", &nvcc)]).exits(0);
    assert_eq!((calls(&project), off.kernel("spiller(", "sm_90")["frontier"].is_null()), (0, true));
    let first = project.run(&["--message-format", "json"], &[("NVCC", &nvcc)]).exits(0);
    let made = calls(&project);
    assert!(made > 0, "{}", first.stderr);
    let second = project.run(&["--message-format", "json"], &[("NVCC", &nvcc)]).exits(0);
    assert_eq!((calls(&project), second.stdout == first.stdout), (made, true));
    // other flags are other code
    let flags =
        Project::new("archs = [\"sm_90\"]\nsources = [\"kernels/*.cu\"]\nflags = [\"-Xptxas\", \"-O1\"]");
    let manifest = std::fs::read_to_string(flags.path().join("Cargo.toml")).unwrap();
    project.write("Cargo.toml", &manifest);
    let third = project.run(&["--message-format", "json"], &[("NVCC", &nvcc)]).exits(0);
    assert!(calls(&project) > made, "{}", third.stderr);
}

#[test]
fn a_ptxas_that_breaks_or_lies_gives_a_note_and_no_frontier() {
    for (body, note) in [
        ("exit 3", "ptxas failed with exit status 3"),
        ("echo 'ptxas fatal   : out of memory' >&2; exit 1", "exit status 1: ptxas fatal   : out of memory"),
        ("echo '{\"garbage\": 1}'", "ptxas ended well, but its report is not whole"),
        ("kill -9 $$", "ptxas was ended"),
        (
            "printf 'fatal \\033[31mred\\007 %0500d\\n' 1; exit 1",
            "exit status 1: fatal \u{fffd}[31mred\u{fffd} 000",
        ),
        ("\"$real\" \"$@\" 2>&1 | sed 's/Used 32/Used 48/' >&2", "assembled again as it was built"),
    ] {
        let project = small();
        let nvcc = with_ptxas(&project, body);
        let run = project.run(&["--message-format", "json"], &[("NVCC", &nvcc)]).exits(0);
        assert!(run.kernel("spiller(", "sm_90")["frontier"].is_null(), "{body}");
        let notes: Vec<&str> =
            run.stderr.lines().filter(|line| line.trim_start().starts_with("Note ")).collect();
        assert!(notes.len() == 1 && notes[0].contains(note), "{body}: {}", run.stderr);
        assert!(notes[0].chars().count() < 320, "{body}: {}", run.stderr);
        assert!(run.findings().contains(&"spill spiller sm_90".to_owned()), "{body}");
    }
}

#[test]
fn what_a_lying_ptxas_said_is_not_kept() {
    let project = small();
    let nvcc = with_ptxas(&project, "\"$real\" \"$@\" 2>&1 | sed 's/Used 32/Used 48/' >&2");
    let args = ["--message-format", "json"];
    let lied = project.run(&args, &[("NVCC", &nvcc)]).exits(0);
    assert!(lied.kernel("spiller(", "sm_90")["frontier"].is_null());
    let honest = project.occlint(&args).exits(0);
    assert!(!honest.kernel("spiller(", "sm_90")["frontier"].is_null(), "{}", honest.stderr);
}

#[test]
fn what_the_limit_leaves_out_is_said() {
    let project = small();
    let archs = "archs = [\"sm_80\", \"sm_90\"]";
    let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    project.write("Cargo.toml", &manifest.replace("archs = [\"sm_90\"]", archs));
    let args = ["--message-format", "json", "--max-experiments", "5"];
    let run = project.occlint(&args).exits(0);
    let has = |arch: &str| !run.kernel("spiller(", arch)["frontier"].is_null();
    assert!(has("sm_80") != has("sm_90"), "{}", run.stderr);
    let note = "1 more kernel could be assembled again: `--max-experiments 10` has entries for all";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    let left_out = if has("sm_80") { "sm_90" } else { "sm_80" };
    assert_eq!(run.kernel("spiller(", left_out)["no_frontier"], "limit");
    let human = words(&project.occlint(&["--max-experiments", "5"]).exits(0).stdout);
    assert!(
        human.contains("`--max-experiments 5` was used up; a larger one shows what they cost"),
        "{human}"
    );
    let all = project.occlint(&["--message-format", "json", "--max-experiments", "10"]).exits(0);
    assert!(all.lines("kernel").iter().all(|line| !line["frontier"].is_null()), "{}", all.stderr);
    let none = project.occlint(&["--message-format", "json", "--max-experiments", "0"]).exits(0);
    assert!(none.lines("kernel").iter().all(|line| line["frontier"].is_null()));
}
