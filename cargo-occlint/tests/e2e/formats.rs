//! The formats of reviews, from one run, and what could break out of them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::project::{Project, root};

const FORMATS: [&str; 8] = ["human", "short", "json", "github", "gitlab", "junit", "markdown", "sarif"];

fn args<'a>(base: &[&'a str], files: &'a [String]) -> Vec<&'a str> {
    let outputs = files.iter().flat_map(|file| ["--output", file.as_str()]);
    base.iter().copied().chain(outputs).collect()
}

fn files() -> Vec<String> {
    FORMATS.iter().map(|format| format!("{format}=out.{format}")).collect()
}

fn text(folder: &Path, format: &str) -> String {
    std::fs::read_to_string(folder.join(format!("out.{format}"))).unwrap()
}

fn json(folder: &Path, format: &str) -> Value {
    serde_json::from_str(&text(folder, format)).unwrap()
}

/// Holds a report against the official schema.
fn valid_sarif(folder: &Path) -> Value {
    let schema = std::fs::read_to_string(root().join("tests/schemas/sarif-2.1.0.json")).unwrap();
    // Its pattern of a language, which we do not write, has a bracket that no regular expression closes.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let validator = jsonschema::draft7::new(&serde_json::from_str(&schema).unwrap()).unwrap();
    let sarif = json(folder, "sarif");
    let mistakes: Vec<String> = validator.iter_errors(&sarif).map(|error| error.to_string()).collect();
    assert_eq!(mistakes, [""; 0]);
    sarif
}

#[test]
fn one_run_writes_every_format() {
    let project = Project::new("archs = [\"sm_90\", \"sm_120\"]").with_case("suite.cu");
    let all = files();
    let run = project.occlint(&args(&["--message-format", "json", "--experiments", "off"], &all)).exits(100);
    let folder = project.path();
    let (kernels, findings) = (run.lines("kernel").len(), run.lines("finding"));
    let groups: BTreeSet<&str> = findings.iter().map(|line| line["group"].as_str().unwrap()).collect();
    assert_eq!(text(folder, "json"), run.stdout);
    assert!(text(folder, "human").contains("error[occlint::bounds-dropped]"));
    assert_eq!(text(folder, "short").lines().count(), groups.len());

    let sarif = valid_sarif(folder);
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), groups.len());
    let dropped = results.iter().find(|result| result["ruleId"] == "bounds-dropped").unwrap();
    assert_eq!(dropped["level"], "error");
    let place = &dropped["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "kernels/suite.cu");
    assert_eq!(place["region"]["startLine"], 26);
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], true);

    let gitlab = json(folder, "gitlab");
    let prints: BTreeSet<&str> =
        gitlab.as_array().unwrap().iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
    assert_eq!(prints.len(), groups.len(), "each cause has a fingerprint of its own");
    let severe = |issue: &&Value| issue["severity"] == "critical";
    let dropped = gitlab.as_array().unwrap().iter().find(severe).unwrap();
    assert_eq!(
        (&dropped["location"]["lines"]["begin"], &dropped["check_name"]),
        (&26.into(), &"occlint::bounds-dropped".into())
    );

    let junit = text(folder, "junit");
    let document = roxmltree::Document::parse(&junit).unwrap();
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(cases.len(), kernels);
    let failed: Vec<_> =
        cases.iter().filter(|case| case.children().any(|node| node.has_tag_name("failure"))).collect();
    assert_eq!(failed.len(), 1);
    assert!(failed[0].attribute("name").unwrap().starts_with("spiller("), "{junit}");

    let github = text(folder, "github");
    assert_eq!(github.lines().count(), groups.len());
    assert!(github.starts_with("::error file=kernels/suite.cu,line=26,col="), "{github}");
    let markdown = text(folder, "markdown");
    assert!(markdown.starts_with("### occlint") && markdown.contains("| bounds&#45;dropped |"), "{markdown}");
    assert!(markdown.contains("<details>") && markdown.contains("measure"), "{markdown}");

    // The same elsewhere: fingerprints are those of the cause, not of the place on this machine.
    let other = Project::new("archs = [\"sm_90\", \"sm_120\"]").with_case("suite.cu");
    other.occlint(&args(&["--experiments", "off"], &all)).exits(100);
    assert_eq!(json(other.path(), "gitlab"), gitlab);
}

#[test]
fn what_could_not_be_checked_is_no_pass_in_any_format() {
    let project = Project::new("archs = [\"sm_90\"]");
    project.write("kernels/k.cu", "__global__ void k(int* a) { *a = 1; }\n");
    let all = files();
    project.occlint(&args(&[], &all)).exits(0);
    project.write("kernels/broken.cu", "no kernel\n");
    project.occlint(&args(&[], &all)).exits(101);
    let folder = project.path();
    assert!(text(folder, "github").starts_with("::error title=occlint::cannot check `kernels/broken.cu`"));
    assert_eq!(json(folder, "gitlab")[0]["severity"], "blocker");
    assert!(
        text(folder, "junit").contains("errors=\"1\"") && text(folder, "junit").contains("<error message=")
    );
    assert!(text(folder, "markdown").contains("**not checked**"));
    assert_eq!(valid_sarif(folder)["runs"][0]["invocations"][0]["executionSuccessful"], false);
    // A run that ends before its report leaves none of an earlier one.
    project.run(&args(&[], &all), &[]).exits(101);
    assert!(FORMATS.iter().all(|format| !folder.join(format!("out.{format}")).exists()));
}

#[test]
fn nothing_from_a_name_breaks_out_of_a_format() {
    let hostile = "k%0A::error::x|`b`<img src=x>@me\u{1b}[31m&amp;]]>--><!--\"'\\n#1[a](b)";
    let project = Project::new("");
    let log = format!(
        "ptxas info    : Compiling entry function '{hostile}' for 'sm_90'\nptxas info    : Function properties for {hostile}\n\
         \x20   8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n\
         ptxas info    : Used 32 registers, used 0 barriers, 8 bytes cumulative stack size\n"
    );
    project.write("a.log", &log);
    let all = files();
    project.run(&args(&["--from-log", "a.log", "-D", "spill"], &all), &[]).exits(100);
    let folder = project.path();
    for format in FORMATS {
        assert!(!text(folder, format).contains('\u{1b}'), "{format}");
    }
    let page = folder.join("page.md");
    std::fs::write(&page, "before\n").unwrap();
    let vars = [("GITHUB_STEP_SUMMARY", page.to_str().unwrap())];
    project.run(&["--from-log", "a.log", "--message-format", "github"], &vars).exits(0);
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.starts_with("before\n### occlint") && !page.contains("<img"), "{page}");
    let github = text(folder, "github");
    assert!(github.lines().all(|line| line.starts_with("::error ")), "{github}");
    assert!(!github.contains("k%0A") && github.contains("k%250A"), "{github}");
    let sarif = valid_sarif(folder);
    assert!(sarif["runs"][0]["results"][0]["message"]["text"].as_str().unwrap().contains("<img src=x>"));
    let junit = text(folder, "junit");
    let document = roxmltree::Document::parse(&junit).unwrap();
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("failure")).count(), 1);
    let markdown = text(folder, "markdown");
    for raw in ["<img", "@me", "`b`", "x|", "[a](b)", "<!--"] {
        assert!(!markdown.contains(raw), "{raw}: {markdown}");
    }
}

#[test]
fn a_format_that_does_not_exist_is_a_mistake_of_the_command_line() {
    let project = Project::new("");
    for (value, word) in
        [("sarif", "sarif=occlint.sarif"), ("yaml=x", "is no format"), ("sarif=", "sarif=occlint.sarif")]
    {
        let run = project.run(&["--output", value], &[]).exits(2);
        assert!(run.stderr.contains(word), "{}", run.stderr);
    }
}
