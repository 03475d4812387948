//! The command line itself.

use crate::project::{Project, run_in};

fn run(args: &[&str]) -> crate::project::Run {
    run_in(tempfile::tempdir().unwrap().path(), args, &[], "")
}

#[test]
fn lints_are_listed_and_explained() {
    assert_eq!(run(&["--list"]).exits(0).stdout.lines().count(), 25);
    let text = run(&["--explain", "spill"]).exits(0).stdout;
    assert!(text.contains("## What it does") && text.contains("measure both"), "{text}");
    let wrong = run(&["--explain", "spil"]).exits(2);
    assert!(wrong.stderr.contains("did you mean `spill`"), "{}", wrong.stderr);
}

#[test]
fn the_calculator_answers_limit_by_limit() {
    let args = ["occupancy", "--arch", "sm_80", "--block", "256", "--regs", "64", "--smem", "48KiB"];
    let text = run(&args).exits(0).stdout;
    for words in
        ["3 blocks fit on one SM of sm_80, limited by shared memory", "37.5 %", "ceiling and not a score"]
    {
        assert!(text.contains(words), "{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    run(&["occupancy", "--arch", "sm_35", "--block", "32", "--regs", "8"]).exits(101);
    run(&["occupancy", "--arch", "sm_80", "--block", "32", "--regs", "8", "--smem", "48kb"]).exits(2);
    let run = run(&["occupancy", "--arch", "sm_80", "--block", "4294967295", "--regs", "255"]).exits(2);
    assert!(run.stderr.contains("1048576"), "{}", run.stderr);
    let line = "{\"arch\":\"sm_90\",\"block\":384,\"regs\":168,\"static_smem\":92160}\n";
    let batch = run_in(tempfile::tempdir().unwrap().path(), &["occupancy", "--batch"], &[], line).exits(0);
    let answer: serde_json::Value = serde_json::from_str(&batch.stdout).unwrap();
    assert_eq!(
        (&answer["blocks"], &answer["limits"]["registers"], &answer["limits"]["shared_memory"]),
        (&1.into(), &1.into(), &2.into())
    );
}

#[test]
fn levels_of_the_command_line_win() {
    let project = Project::new("archs = [\"sm_90\"]\n[package.metadata.occlint.lints]\nspill = \"deny\"");
    let project = project.with_case("smemspill.cu");
    project.occlint(&["-q"]).exits(100);
    project.occlint(&["-q", "-W", "spill"]).exits(0);
    project.occlint(&["-q", "-W", "spill", "-D", "warnings"]).exits(100);
    assert!(project.occlint(&["-A", "spil"]).exits(2).stderr.contains("did you mean `spill`"));
}

#[test]
fn the_default_architectures_are_announced_and_bounds_only_warn() {
    let run = Project::new("").with_case("suite.cu").occlint(&[]).exits(0);
    assert!(run.stderr.contains("sm_80, sm_90, sm_120 (occlint's default"), "{}", run.stderr);
    assert!(run.stdout.contains("warning[occlint::bounds-dropped]"), "{}", run.stdout);
}

#[test]
fn the_table_of_kernels_fits_eighty_columns() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("suite.cu");
    let nvcc = crate::project::toolkit().nvcc.to_str().unwrap();
    let run = project.run(&["--kernels", "-A", "spill"], &[("NVCC", nvcc), ("COLUMNS", "80")]).exits(0);
    assert!(run.stdout.contains("barriers8") && run.stdout.contains("ceiling"), "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
}

#[test]
fn machine_formats_have_standard_output_to_themselves() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("smem80.cu");
    let run = project.occlint(&["--message-format", "json", "--color", "always"]).exits(0);
    assert!(
        run.stdout.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()),
        "{}",
        run.stdout
    );
    for line in run.stdout.lines() {
        assert_eq!(serde_json::from_str::<serde_json::Value>(line).unwrap()["format_version"], 1);
    }
}

#[test]
fn an_unknown_package_is_refused_with_a_near_one() {
    let run = Project::new("").with_case("smem80.cu").occlint(&["-p", "dmeo"]).exits(2);
    assert!(run.stderr.contains("did you mean `demo`"), "{}", run.stderr);
}
