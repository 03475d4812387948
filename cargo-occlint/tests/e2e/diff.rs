//! `cargo occlint diff BEFORE AFTER`.

use serde_json::Value;

use crate::project::{Project, Run};

const JSON: [&str; 4] = ["--message-format", "json", "--experiments", "off"];

fn suite(bounds: &str) -> String {
    std::fs::read_to_string(crate::project::root().join("tests/kernels/suite.cu"))
        .unwrap()
        .replace("(128, 16) spiller", &format!("({bounds}) spiller"))
}

/// A project with reports and baselines of two states.
fn two_states() -> Project {
    let project = Project::new("archs = [\"sm_90\", \"sm_120\"]");
    for (name, bounds) in [("before", "128, 12"), ("after", "128, 16")] {
        project.write("kernels/suite.cu", &suite(bounds));
        let json = format!("json={name}.json");
        let run = project
            .occlint(&[&JSON[..], &["--output", &json, "--baseline", "none.json", "--bless"]].concat());
        run.exits(0);
        std::fs::rename(project.path().join("none.json"), project.path().join(format!("{name}.base.json")))
            .unwrap();
    }
    project
}

fn diff(project: &Project, args: &[&str]) -> Run {
    project.run(&[&["diff"], args].concat(), &[])
}

fn written(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn reports_and_baselines_of_two_states_say_the_same() {
    let project = two_states();
    let told = diff(&project, &["before.json", "after.json"]).exits(100).stdout;
    assert!(told.starts_with("  arch"), "{told}");
    assert!(told.contains("\nspiller\n  sm_120  ") && told.contains("12 → 7"), "{told}");
    assert!(told.contains("fewer blocks are a lower ceiling"), "{told}");
    assert!(told.contains("error[occlint::spill-regression]\n  × `spiller` spills 552/584 bytes"), "{told}");
    assert!(
        told.lines().take_while(|line| !line.is_empty()).all(|line| line.chars().count() <= 100),
        "{told}"
    );
    let lints = |args: &[&str]| -> (Vec<String>, Vec<Value>) {
        let run = diff(&project, &[args, &["--format", "json"]].concat()).exits(100);
        (run.findings(), run.lines("change"))
    };
    let reports = lints(&["before.json", "after.json"]);
    assert!(reports.0.contains(&"spill-regression spiller sm_90".to_owned()), "{:?}", reports.0);
    for (a, b) in [
        ("before.base.json", "after.json"),
        ("before.json", "after.base.json"),
        ("before.base.json", "after.base.json"),
    ] {
        assert_eq!(lints(&[a, b]), reports, "{a} {b}");
    }
    let comment = diff(&project, &["before.json", "after.json", "--format", "markdown"]).exits(100).stdout;
    assert!(
        comment.starts_with("### occlint: ") && comment.contains("| spiller | sm&#95;120 |"),
        "{comment}"
    );
}

#[test]
fn levels_decide_and_the_same_is_no_change() {
    let project = two_states();
    let both = ["before.json", "after.json"];
    let allow = ["-A", "spill-regression", "-A", "residency-regression", "-A", "limiter-regression"];
    diff(&project, &[&both[..], &allow].concat()).exits(0);
    diff(&project, &[&both[..], &["--exit-zero"]].concat()).exits(0);
    let same = diff(&project, &["after.json", "after.base.json"]).exits(0);
    assert!(same.stdout.contains(" unchanged\n") && !same.stdout.contains('→'), "{}", same.stdout);
}

#[test]
fn nothing_in_common_is_no_comparison() {
    let project = Project::new("");
    let entry = |key: &str, arch: &str| {
        format!(
            "{{\"format_version\":1,\"toolkit\":[],\"kernels\":[{{\"key\":\"{key}\",\"arch\":\"{arch}\"}}]}}"
        )
    };
    project.write("a.json", &entry("p/k()", "sm_90"));
    project.write("b.json", &entry("p/k()", "sm_80"));
    let run = diff(&project, &["a.json", "b.json"]).exits(101);
    assert!(run.stderr.contains("nothing was compared"), "{}", run.stderr);
    diff(&project, &["a.json", "b.json", "--exit-zero"]).exits(101);
    diff(&project, &["a.json", "a.json"]).exits(0);
    diff(&project, &["a.json", "c.json"]).exits(101);
}

/// A kernel's line with what must be there, and more.
fn kernel(more: &str) -> String {
    format!(
        "{{\"reason\":\"kernel\",\"format_version\":1,\"name\":\"k()\",\"mangled\":\"k\",\"key\":\"p/k()\",\
         \"qualified\":\"k\",\"units\":[\"k.cu\"],\"arch\":\"sm_90\"{more}}}"
    )
}

const SUMMARY: &str = "{\"reason\":\"summary\",\"format_version\":1}";

#[test]
fn what_is_no_whole_report_is_an_error_that_says_where() {
    let project = Project::new("");
    let good = kernel(",\"registers\":32");
    project.write("good.json", &written(&[&good, SUMMARY]));
    diff(&project, &["good.json", "good.json"]).exits(0);
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    for (text, word) in [
        (String::new(), "it is empty"),
        (written(&[&good]), "line 1: it is cut off"),
        (format!("{good}\n{}", &SUMMARY[..12]), "line 2: it is cut off"),
        (written(&[&good, SUMMARY, &good]), "line 3: something follows the summary"),
        (written(&[&good, &good, SUMMARY]), "line 2: `k()` on sm_90 is there already, in line 1"),
        (written(&["{\"version\":\"2.1.0\",\"runs\":[]}"]), "it is no report of occlint"),
        (written(&["<testsuites/>"]), "line 1: it is no JSON"),
        (written(&[&deep]), "line 1: it is no JSON"),
        (written(&[&kernel(",\"registers\":1e999"), SUMMARY]), "line 1: it is no JSON"),
        (written(&[&kernel(",\"registers\":99999999999"), SUMMARY]), "line 1: `registers` is no number"),
        (written(&[&kernel(",\"registers\":-1"), SUMMARY]), "line 1: `registers` is no number"),
        (
            written(&[&kernel(",\"registers\":1,\"registers\":2"), SUMMARY]),
            "line 1: it says `registers` twice",
        ),
        (written(&[&kernel(",\"functions\":{}"), SUMMARY]), "line 1: `functions` is no list"),
        (written(&[&kernel(",\"bounds\":[]"), SUMMARY]), "line 1: `bounds` is no object"),
        (written(&[&good.replace("sm_90", "sm_banana"), SUMMARY]), "line 1: `sm_banana` is no architecture"),
        (
            written(&[&good.replace("\"format_version\":1", "\"format_version\":2"), SUMMARY]),
            "it is of format 2",
        ),
        (
            written(&[&good, "{\"reason\":\"summary\",\"format_version\":1,\"partition\":\"1/2\"}"]),
            "it is part 1/2",
        ),
        (
            written(&[&good, "{\"reason\":\"summary\",\"format_version\":1,\"failures\":3}"]),
            "could not do all its work",
        ),
        ("{\"format_version\":1,\"toolkit\":[],\"kernels\":[\n".to_owned(), "is no baseline"),
    ] {
        project.write("bad.json", &text);
        for args in [["bad.json", "good.json"], ["good.json", "bad.json"]] {
            let run = diff(&project, &args).exits(101);
            assert!(run.stderr.contains(word) && run.stderr.contains("bad.json"), "{word}: {}", run.stderr);
            assert_eq!(run.stdout, "");
        }
    }
    std::fs::write(project.path().join("bad.json"), [0x7f, b'E', b'L', b'F', 0xff, 0]).unwrap();
    assert!(diff(&project, &["bad.json", "good.json"]).exits(101).stderr.contains("it is no text"));
    assert!(diff(&project, &["src", "good.json"]).exits(101).stderr.contains("src"));
}

#[test]
fn names_steer_neither_terminal_nor_comment() {
    let project = Project::new("");
    let name = r#"k\u001b[31m --> </details> ]]> ::error::x\u202e()"#;
    let with = |registers: u32, blocks: &str| {
        let more = format!(",\"registers\":{registers},\"block\":256,\"block_from\":\"target\"{blocks}");
        written(&[
            &kernel(&more)
                .replace("\"name\":\"k()\"", &format!("\"name\":\"{name}\""))
                .replace("p/k()", &format!("p/{name}")),
            SUMMARY,
        ])
    };
    project.write("a.json", &with(32, ""));
    project.write("b.json", &with(128, ""));
    for format in ["human", "json", "markdown"] {
        let run = diff(&project, &["a.json", "b.json", "--format", format]).exits(100);
        assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{}", run.stdout);
        if format == "markdown" {
            assert!(
                !run.stdout.contains("-->") && run.stdout.matches("</details>").count() < 2,
                "{}",
                run.stdout
            );
        }
    }
}
