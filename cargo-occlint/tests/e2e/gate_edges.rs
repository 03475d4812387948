//! What a gate must not let pass, and must not destroy.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::project::{Project, toolkit};

const JSON: [&str; 4] = ["--message-format", "json", "--experiments", "off"];
/// A kernel that spills under its bounds, as much as they ask for.
const LIGHT: &str = "__global__ void k(int* a) { *a = 1; }\n";

fn case(name: &str) -> String {
    fs::read_to_string(crate::project::root().join("tests/kernels").join(name)).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
fn git(folder: &std::path::Path, args: &[&str]) -> String {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let output = Command::new("git").args(identity).args(args).current_dir(folder).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_baseline_behind_a_bad_link_is_no_absent_one() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("anon_old_k.cu");
    let file = project.path().join("occlint.baseline.json");
    for to in ["nowhere/b.json", "occlint.baseline.json"] {
        symlink(to, &file).unwrap();
        let run = project.occlint(&JSON).exits(101);
        assert!(run.stderr.contains("occlint.baseline.json"), "{}", run.stderr);
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn a_slip_in_a_baseline_leaves_no_figure_out() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("anon_old_k.cu");
    project.occlint(&["--bless"]).exits(0);
    let file = project.path().join("occlint.baseline.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"spill_stores\"", "\"spill_store\"")).unwrap();
    let run = project.occlint(&JSON).exits(101);
    assert!(run.stderr.contains("`spill_store`"), "{}", run.stderr);
}

#[test]
fn a_member_that_loses_its_kernels_is_said() {
    let project = Project::new("archs = [\"sm_90\"]");
    let member =
        |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
    project.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"3\"\n[workspace.metadata.occlint]\narchs = [\"sm_90\"]\n");
    fs::remove_dir_all(project.path().join("src")).unwrap();
    for name in ["a", "b"] {
        project.write(&format!("{name}/Cargo.toml"), &member(name));
        project.write(&format!("{name}/src/lib.rs"), "");
        project.write(&format!("{name}/k.cu"), LIGHT);
    }
    project.occlint(&["--workspace", "--bless"]).exits(0);
    fs::rename(project.path().join("a/k.cu"), project.path().join("a/k.cuh")).unwrap();
    let run = project.occlint(&[&JSON[..], &["--workspace"]].concat()).exits(0);
    assert_eq!(run.findings(), ["stale-baseline - -"]);
    project.occlint(&["--workspace", "-D", "warnings"]).exits(100);
    project.occlint(&["--workspace", "--bless"]).exits(0);
    project.occlint(&["--workspace", "-D", "warnings"]).exits(0);
}

#[test]
fn outputs_replace_reports_alone() {
    let project = Project::new("archs = [\"sm_90\"]").with_case("anon_old_k.cu");
    project.occlint(&["--bless"]).exits(0);
    let baseline = fs::read_to_string(project.path().join("occlint.baseline.json")).unwrap();
    project.write("old.sarif", "of an earlier run");
    for (output, what) in [
        ("json=kernels/anon_old_k.cu", "a source"),
        ("json=Cargo.toml", "a source"),
        ("markdown=occlint.baseline.json", "a baseline"),
        ("sarif=/dev/null", "what is no file"),
    ] {
        let run = project.occlint(&["--output", "sarif=old.sarif", "--output", output]).exits(101);
        assert!(run.stderr.contains(what), "{output}: {}", run.stderr);
    }
    assert!(
        project.path().join("old.sarif").exists(),
        "nothing is removed before all are what they should be"
    );
    project.occlint(&["--output", "json=a.json", "--output", "short=a.json"]).exits(2);
    assert_eq!(
        fs::read_to_string(project.path().join("kernels/anon_old_k.cu")).unwrap(),
        case("anon_old_k.cu")
    );
    assert_eq!(fs::read_to_string(project.path().join("occlint.baseline.json")).unwrap(), baseline);
    // A link to a report stays one.
    project.write("real.json", "");
    symlink("real.json", project.path().join("link.json")).unwrap();
    project.occlint(&["--output", "json=link.json"]).exits(0);
    assert!(project.path().join("link.json").is_symlink());
    assert!(fs::read_to_string(project.path().join("real.json")).unwrap().contains("\"summary\""));
}

#[test]
fn working_trees_of_others_are_left_alone() {
    let project = Project::new("archs = [\"sm_90\"]");
    project.write(".gitignore", "/target\n");
    project.write("kernels/k.cu", LIGHT);
    git(project.path(), &["init", "--quiet"]);
    git(project.path(), &["add", "--all"]);
    git(project.path(), &["commit", "--quiet", "--message", "x"]);
    let other = tempfile::tempdir().unwrap();
    let tree = other.path().join("tree");
    git(project.path(), &["worktree", "add", "--quiet", "--detach", tree.to_str().unwrap()]);
    // Its disk is not there at the moment.
    let away = other.path().join("away");
    fs::rename(&tree, &away).unwrap();
    project.occlint(&["diff"]).exits(0);
    fs::rename(&away, &tree).unwrap();
    assert_eq!(git(&tree, &["rev-parse", "HEAD"]), git(project.path(), &["rev-parse", "HEAD"]));
    assert_eq!(git(project.path(), &["worktree", "list"]).lines().count(), 2);
}

#[test]
fn parts_of_other_questions_are_not_joined() {
    let project = Project::new("archs = [\"sm_90\"]");
    project.write("kernels/a.cu", LIGHT);
    project.write("kernels/b.cu", "__global__ void j(int* a) { *a = 2; }\n");
    for (part, more) in [("1/2", &["--kernel", "j"][..]), ("2/2", &[])] {
        let output = format!("json=p{}.json", &part[..1]);
        let run = project.occlint(&[&["--partition", part, "--output", &output], more].concat());
        assert!([0, 101].contains(&run.status), "{}", run.stderr);
    }
    let nvcc = toolkit().nvcc.to_str().unwrap().to_owned();
    let joined = project.run(&["merge", "p1.json", "p2.json"], &[("NVCC", &nvcc)]);
    assert_eq!(joined.status, 101, "{}", joined.stdout);
}

#[test]
fn a_kernel_with_another_parameter_is_compared_in_parts_as_well() {
    let project = Project::new("archs = [\"sm_90\"]");
    project.write("kernels/k.cu", &case("anon_old_k.cu"));
    project.write("kernels/b.cu", LIGHT);
    project.occlint(&["--bless"]).exits(0);
    project.write(
        "kernels/k.cu",
        &case("anon_new_k.cu")
            .replace("const float*a){ body", "const float*a, int more){ body")
            .replace("(p,p)", "(p,p,1)"),
    );
    assert_eq!(
        project.occlint(&JSON).exits(100).findings(),
        ["limiter-regression  sm_90", "spill-regression  sm_90"]
    );
    let statuses: Vec<i32> = ["1/2", "2/2"]
        .map(|part| project.occlint(&[&JSON[..], &["--partition", part]].concat()).status)
        .to_vec();
    assert_eq!(statuses.iter().max(), Some(&100), "{statuses:?}");
    project.occlint(&[&JSON[..], &["--kernel", "*anon"]].concat()).exits(100);
}
