//! `merge` of whole reports, `--exit-zero`, `--no-fail-fast`.

use crate::project::{Project, Run};

const BASE: [&str; 4] = ["--experiments", "off", "--message-format", "json"];

fn log(name: &str, arch: &str, registers: u32, spills: u32) -> String {
    format!(
        "ptxas info    : Compiling entry function '{name}' for '{arch}'\nptxas info    : Function properties for {name}\n\
         \x20   {spills} bytes stack frame, {spills} bytes spill stores, {spills} bytes spill loads\n\
         ptxas info    : Used {registers} registers, used 0 barriers\n"
    )
}

/// Reports of logs: `(file, log)`.
fn reports(logs: &[(&str, String)]) -> Project {
    let project = Project::new("");
    for (name, text) in logs {
        project.write("build.log", text);
        let json = format!("json={name}");
        project.run(&["--from-log", "build.log", "--output", &json], &[]);
    }
    project
}

fn merge(project: &Project, args: &[&str]) -> Run {
    project.run(&[&["merge"], args].concat(), &[])
}

fn text(project: &Project, name: &str) -> String {
    std::fs::read_to_string(project.path().join(name)).unwrap()
}

#[test]
fn one_report_is_written_as_it_was() {
    let project = Project::new("archs = [\"sm_90\", \"sm_120\"]").with_case("suite.cu");
    project.occlint(&["--output", "json=whole.json"]).exits(100);
    let run = merge(&project, &["whole.json", "--message-format", "json"]).exits(100);
    assert_eq!(run.stdout, text(&project, "whole.json"));
    let human = project.occlint(&[]).exits(100);
    assert_eq!(merge(&project, &["whole.json"]).exits(100).stdout, human.stdout);
    merge(&project, &["whole.json", "--exit-zero", "-q"]).exits(0);
}

#[test]
fn reports_of_architectures_are_one() {
    let project = reports(&[
        ("a.json", log("_Z1kPf", "sm_80", 32, 8)),
        ("b.json", log("_Z1kPf", "sm_90", 32, 8)),
        ("both.json", log("_Z1kPf", "sm_80", 32, 8) + &log("_Z1kPf", "sm_90", 32, 8)),
    ]);
    let run = merge(&project, &["b.json", "a.json", "--message-format", "json"]).exits(0);
    assert_eq!(run.stdout, text(&project, "both.json"));
    let again = merge(&project, &["a.json", "b.json", "both.json", "--message-format", "json"]).exits(0);
    assert_eq!(again.lines("kernel"), run.lines("kernel"), "the same is there once");
    assert_eq!(again.lines("finding"), run.lines("finding"));
}

#[test]
fn what_two_reports_have_otherwise_is_an_error() {
    let project =
        reports(&[("a.json", log("_Z1kPf", "sm_80", 32, 0)), ("b.json", log("_Z1kPf", "sm_80", 40, 0))]);
    let run = merge(&project, &["a.json", "b.json"]).exits(101);
    assert!(
        run.stderr.contains("`k(float*)` on sm_80 is not the same in `a.json` and in `b.json`"),
        "{}",
        run.stderr
    );
    merge(&project, &["a.json", "b.json", "--output", "json=./a.json"]).exits(2);
    assert!(project.path().join("a.json").exists());
    // An error leaves no report of before.
    project.write("out.xml", "old");
    merge(&project, &["a.json", "b.json", "--output", "junit=out.xml"]).exits(101);
    assert!(!project.path().join("out.xml").exists());
}

#[test]
fn half_a_report_and_none_are_errors() {
    let project = reports(&[("a.json", log("_Z1kPf", "sm_80", 32, 0))]);
    let good = text(&project, "a.json");
    project.write("cut.json", good.lines().next().unwrap());
    project.write("failed.json", &good.replace("\"failures\":0", "\"failures\":1"));
    project.write("empty.json", "{\"reason\":\"summary\",\"format_version\":1}\n");
    for (file, words) in [
        ("cut.json", "it is cut off"),
        ("failed.json", "could not do all its work"),
        ("empty.json", "nothing was checked"),
        ("none.json", "none.json"),
    ] {
        for more in [&[][..], &["--exit-zero"]] {
            let run = merge(&project, &[&[file], more].concat()).exits(101);
            assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
        }
        if file != "empty.json" {
            merge(&project, &["a.json", file]).exits(101);
        }
    }
    merge(&project, &[]).exits(2);
}

#[test]
fn hostile_lines_are_errors_and_steer_nothing() {
    let project = reports(&[("a.json", log("_Z1kPf", "sm_80", 32, 8))]);
    let good = text(&project, "a.json");
    let name = r#"k\u001b[31m --> </details> ]]> ::error::x\u202e%0A<b>|`"#;
    let hostile = good.replace("k(float*)", name);
    project.write("a.json", &hostile.replace("\\u202e", "\u{202e}"));
    for format in ["human", "short", "json", "github", "gitlab", "junit", "markdown", "sarif"] {
        let run = merge(&project, &["a.json", "--message-format", format]).exits(0);
        assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{format}: {}", run.stdout);
        assert!(!run.stdout.lines().any(|line| line.starts_with("::error")), "{format}: {}", run.stdout);
        if format == "junit" {
            assert!(!run.stdout.contains("]]>") && !run.stdout.contains("<b>"), "{}", run.stdout);
        }
    }
    for (from, to, words) in [
        ("\"lint\":\"spill\"", "\"lint\":\"splil\"", "is no lint of this occlint"),
        ("\"level\":\"warn\"", "\"level\":[]", "`level` is no text"),
        ("\"template\":\"", "\"template\":\"{", "`template` has a brace"),
        ("\"weight\":", "\"weight\":-", "`weight` is no whole number"),
        ("\"labels\":[]", "\"labels\":[7]", "`labels` has what is no object"),
        ("\"partition\":null", "\"partition\":7", "`partition` is no part"),
        ("\"partition\":null", "\"partition\":\"1/4294967295\"", "are parts of different runs"),
        ("\"run\":null", "\"run\":null,\"run\":null", "it says `run` twice"),
    ] {
        assert!(good.contains(from), "{from}: {good}");
        project.write("bad.json", &good.replace(from, to));
        let run = merge(&project, &["bad.json"]).exits(101);
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    let many = good
        .replace("\"partition\":null", "\"partition\":\"1/4294967295\"")
        .replace("\"run\":null", "\"run\":\"x\"");
    project.write("many.json", &many);
    assert!(merge(&project, &["many.json"]).exits(101).stderr.contains("parts are missing: 2/4294967295"));
}

#[test]
fn findings_without_failing() {
    let project = Project::new("archs = [\"sm_120\"]").with_case("suite.cu");
    let run = project.occlint(&[&BASE[..], &["--exit-zero"]].concat()).exits(0);
    assert!(!run.lines("finding").is_empty());
    project.write("kernels/broken.cu", "__global__ void k( {\n");
    project.occlint(&[&BASE[..], &["--exit-zero", "--output", "json=failed.json"]].concat()).exits(101);
    let run = merge(&project, &["failed.json"]).exits(101);
    assert!(run.stderr.contains("could not do all its work"), "{}", run.stderr);
    std::fs::remove_dir_all(project.path().join("kernels")).unwrap();
    project.occlint(&["--exit-zero"]).exits(101);
}

#[test]
fn with_no_fail_fast_all_packages_are_tried() {
    let project = Project::new("");
    project.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\", \"c\"]\nresolver = \"3\"\n");
    for (name, config) in [
        ("a", "archs = [\"sm_90\"]\nsources = [\"none.cu\"]"),
        ("b", "archs = [\"sm_90\"]"),
        ("c", "archs = [\"sm_9000\"]"),
    ] {
        let head = format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
        project
            .write(&format!("{name}/Cargo.toml"), &format!("{head}[package.metadata.occlint]\n{config}\n"));
        project.write(&format!("{name}/src/lib.rs"), "");
        project.write(&format!("{name}/k.cu"), "__global__ void k(int* a) { *a = 1; }\n");
    }
    let fast = project.occlint(&[&BASE[..], &["--workspace"]].concat()).exits(101);
    assert_eq!(fast.stdout, "");
    let all = project.occlint(&[&BASE[..], &["--workspace", "--no-fail-fast"]].concat()).exits(101);
    assert_eq!(all.kernel("k(", "sm_90")["key"], "b/k(int*)");
    assert!(all.stderr.contains("none.cu") && all.stderr.contains("sm_9000"), "{}", all.stderr);
    assert_eq!(all.lines("summary")[0]["failures"], 2, "each package is named");
}
