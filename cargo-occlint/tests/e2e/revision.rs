//! `diff [REV]` and `upgrade`: the same sources at another time, and under another compiler.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::project::{Project, Run, home, root, run_in, toolkit};

const FORMAT: [&str; 2] = ["--format", "json"];

#[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
fn git(folder: &Path, args: &[&str]) -> String {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    let output = Command::new("git").args(identity).args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn commit(folder: &Path) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "x"]);
}

fn case(name: &str) -> String {
    std::fs::read_to_string(root().join("tests/kernels").join(name)).unwrap()
}

/// A crate in a repository, with one commit.
fn committed(config: &str, kernel: &str) -> Project {
    let project = Project::new(config);
    project.write(".gitignore", "/target\n");
    project.write("kernels/k.cu", kernel);
    git(project.path(), &["init", "--quiet"]);
    commit(project.path());
    project
}

fn diff(project: &Project, args: &[&str]) -> Run {
    project.occlint(&[&["diff"], args, &FORMAT].concat())
}

/// `lint arch` of each finding.
fn found(run: &Run) -> Vec<String> {
    let text = |line: &Value, field: &str| line[field].as_str().unwrap().to_owned();
    run.lines("finding").iter().map(|line| format!("{} {}", text(line, "lint"), text(line, "arch"))).collect()
}

#[test]
fn the_working_tree_is_compared_with_a_commit() {
    let project = committed("archs = [\"sm_90\"]", &case("anon_old_k.cu"));
    let same = diff(&project, &[]).exits(0);
    assert_eq!((same.lines("change").len(), &same.lines("changes")[0]["unchanged"]), (0, &Value::from(1)));

    project.write("kernels/k.cu", &case("anon_new_k.cu"));
    let worse = diff(&project, &["HEAD"]).exits(100);
    assert_eq!(found(&worse), ["limiter-regression sm_90", "spill-regression sm_90"]);
    let change = &worse.lines("change")[0];
    assert_eq!(change["kind"], "more-spills");
    assert_eq!((&change["before"]["registers"], &change["after"]["registers"]), (&10.into(), &32.into()));
    assert!(worse.stderr.contains("Reused 1 of 1 compilation, unchanged"), "{}", worse.stderr);
    project.occlint(&["diff", "--exit-zero"]).exits(0);

    // Nothing is left behind, neither in the repository nor in the working tree.
    assert_eq!(git(project.path(), &["worktree", "list"]).lines().count(), 1);
    assert_eq!(git(project.path(), &["status", "--porcelain"]), " M kernels/k.cu\n");
    // The other way round it got better.
    commit(project.path());
    project.write("kernels/k.cu", &case("anon_old_k.cu"));
    assert_eq!(found(&diff(&project, &[]).exits(0)), [""; 0]);
    let human = project.occlint(&["diff", "HEAD~1"]).exits(0);
    assert!(human.stdout.contains("1 unchanged"), "{}", human.stdout);
}

#[test]
fn a_package_below_the_repository_and_a_header_of_a_submodule() {
    let lib = Project::new("");
    lib.write("n.h", "#define N 1\n");
    git(lib.path(), &["init", "--quiet"]);
    commit(lib.path());
    let project = Project::at("deep/demo", "archs = [\"sm_90\"]\ninclude = [\"lib\"]");
    project.write(
        "kernels/k.cu",
        "#include <n.h>\n__global__ void __launch_bounds__(100) k(int* a) { *a = N; }\n",
    );
    project.write(".gitignore", "/target\n");
    let top = project.path().parent().unwrap();
    git(top, &["init", "--quiet"]);
    git(top, &["submodule", "--quiet", "add", lib.path().to_str().unwrap(), "demo/lib"]);
    commit(top);
    let run = diff(&project, &[]).exits(0);
    assert_eq!(run.lines("changes")[0]["unchanged"], 1, "{}", run.stderr);
    // Reviews see the repository, not the workspace.
    let outputs = ["--output", "github=g.txt", "--output", "sarif=s.sarif", "--output", "gitlab=q.json"];
    project.occlint(&outputs).exits(0);
    for name in ["g.txt", "s.sarif", "q.json"] {
        let text = std::fs::read_to_string(project.path().join(name)).unwrap();
        assert!(text.contains("demo/kernels/k.cu"), "{name}: {text}");
    }
}

#[test]
fn what_cannot_be_compared_with_is_an_error() {
    let project = committed("archs = [\"sm_90\"]", "no kernel\n");
    project.write("kernels/k.cu", "__global__ void k(int* a) { *a = 1; }\n");
    let broken = diff(&project, &[]).exits(101);
    assert!(broken.stderr.contains("cannot be checked"), "{}", broken.stderr);
    for name in ["nosuch", "--all", "", "HEAD:kernels/k.cu"] {
        let run = project.occlint(&["diff", "--", name]);
        assert!([2, 101].contains(&run.status) && run.stderr.contains("revision"), "{name}: {}", run.stderr);
    }
    // A commit without kernels: all are new, and judged as such.
    std::fs::remove_file(project.path().join("kernels/k.cu")).unwrap();
    commit(project.path());
    project.write("kernels/k.cu", "__global__ void __launch_bounds__(100) k(int* a) { *a = 1; }\n");
    let new = diff(&project, &[]).exits(0);
    assert!(new.stderr.contains("every kernel is judged as a new one"), "{}", new.stderr);
    assert_eq!(found(&new), ["partial-warp sm_90"]);
    // No repository.
    let alone = Project::new("archs = [\"sm_90\"]").with_case("anon_old_k.cu");
    let run = diff(&alone, &[]).exits(101);
    assert!(run.stderr.contains("git"), "{}", run.stderr);
    let run = project.occlint(&["diff", "--message-format", "json"]).exits(2);
    assert!(run.stderr.contains("--format"), "{}", run.stderr);
}

#[test]
fn toolkits_are_compared_side_by_side() {
    toolkit();
    let project = Project::new("archs = [\"sm_90\"]").with_case("suite.cu");
    let home = home();
    let run = |args: &[&str]| run_in(project.path(), args, &[("OCCLINT_HOME", home.to_str().unwrap())], "");
    let upgrade = run(&["upgrade", "--cuda", "13.0,13.5", "--format", "json"]).exits(0);
    let caller = upgrade.lines("change");
    let [caller] = caller.as_slice() else { panic!("one kernel changes: {}", upgrade.stdout) };
    assert_eq!(caller["key"], "demo/caller(float*, int)");
    assert_eq!((&caller["before"]["registers"], &caller["after"]["registers"]), (&24.into(), &27.into()));
    assert_eq!(
        (&caller["before"]["compiler"], &caller["after"]["compiler"]),
        (&"13.0.88".into(), &"13.5.37".into())
    );
    assert_eq!(found(&upgrade), ["register-regression sm_90"]);
    let denied = run(&["upgrade", "--cuda", "13.0,13.5", "-D", "warnings"]).exits(100);
    assert!(denied.stdout.contains("24 → 27"), "{}", denied.stdout);
    run(&["upgrade"]).exits(2);
    run(&["upgrade", "--cuda", "13.0,13.0"]).exits(2);
    run(&["upgrade", "--cuda", "13.0,"]).exits(2);
    run(&["upgrade", "--cuda", "13.0,9.1"]).exits(101);
}
