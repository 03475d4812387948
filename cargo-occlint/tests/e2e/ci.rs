//! `docs/ci.md`: its YAML is of the shape that GitHub and GitLab read, and its scripts do what it says.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::project::{Project, Run, toolkit};
use crate::shell::{bash, document, install, path_with, yaml};

const GOOD: &str = "__global__ void __launch_bounds__(128) k(int* a) { *a = 1; }\n";
/// `bounds-dropped`, an error; against the good one a regression.
const WORSE: &str = "__global__ void __launch_bounds__(128, 64) k(int* a) { *a = 1; }\n";

/// The guide's blocks of a language.
fn blocks(language: &str) -> Vec<String> {
    let guide = document("docs/ci.md");
    let parts = guide.split("```").skip(1).step_by(2);
    let own = parts.filter_map(|block| block.split_once('\n')).filter(|(tag, _)| *tag == language);
    own.map(|(_, text)| text.to_owned()).collect()
}

/// The YAML blocks that have a key, at the top.
fn with_key(key: &str) -> Vec<Value> {
    let all = blocks("yaml").iter().map(|text| yaml(text)).collect::<Vec<_>>();
    all.into_iter().filter(|value| value.get(key).is_some()).collect()
}

fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[test]
fn the_workflows_are_of_githubs_shape() {
    let inputs = yaml(&document("action.yml"))["inputs"].clone();
    let outputs = yaml(&document("action.yml"))["outputs"].clone();
    let workflows = with_key("jobs");
    assert_eq!(workflows.len(), 3);
    for workflow in &workflows {
        assert!(workflow["on"].is_string() || workflow["on"].is_object(), "{workflow}");
        assert_eq!(workflow["permissions"]["contents"], "read");
        for job in workflow["jobs"].as_object().unwrap().values() {
            assert!(job["runs-on"].is_string() && job["steps"].is_array(), "{job}");
            for step in each(&job["steps"]) {
                if let Some(run) = step["run"].as_str() {
                    assert!(!run.contains("${{"), "{run}");
                    continue;
                }
                let uses = step["uses"].as_str().unwrap();
                assert!(uses.contains('@'), "{uses}");
                if uses.starts_with("OWNER/occlint@") {
                    for (name, value) in step["with"].as_object().unwrap() {
                        assert!(inputs.get(name).is_some() && value.is_string(), "{name}: {value}");
                    }
                }
            }
        }
    }
    let guide = document("docs/ci.md");
    for (_, rest) in
        guide.match_indices("steps.occlint.outputs.").map(|(at, word)| (at, &guide[at + word.len()..]))
    {
        let name: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        assert!(outputs.get(&name).is_some(), "{name}");
    }
}

/// The jobs of the GitLab blocks, by their blocks.
fn gitlab() -> Vec<BTreeMap<String, Value>> {
    let all = blocks("yaml").iter().map(|text| yaml(text)).collect::<Vec<_>>();
    let jobs = all.into_iter().filter(|value| value.get("jobs").is_none() && value.get("steps").is_none());
    jobs.map(|value| serde_json::from_value(value).unwrap()).collect()
}

#[test]
fn the_pipelines_are_of_gitlabs_shape() {
    let blocks = gitlab();
    assert_eq!(blocks.len(), 3);
    for job in blocks.iter().flat_map(BTreeMap::values) {
        let known = [
            "image",
            "rules",
            "variables",
            "cache",
            "before_script",
            "script",
            "artifacts",
            "parallel",
            "needs",
            "when",
        ];
        let keys = job.as_object().unwrap().keys();
        assert_eq!(keys.filter(|key| !known.contains(&key.as_str())).count(), 0, "{job}");
        assert!(each(&job["script"]).all(Value::is_string) && each(&job["script"]).count() > 0, "{job}");
    }
    let first = &blocks[0]["occlint"];
    assert_eq!(first["artifacts"]["when"], "always");
    assert_eq!(first["cache"]["paths"][0], ".cache/occlint");
    assert!(first["variables"]["OCCLINT_HOME"].as_str().unwrap().ends_with("/.cache/occlint"));
    // Buildkite's.
    assert!(with_key("steps")[0]["steps"][0]["command"].is_string());
}

/// A project in a repository whose `main` is the clean kernel, and this one in the working tree.
struct Machine {
    project: Project,
    vars: BTreeMap<String, String>,
    _bin: tempfile::TempDir,
}

impl Machine {
    fn new(kernel: &str) -> Self {
        toolkit();
        let project = Project::new("archs = [\"sm_90\"]");
        project.write("kernels/k.cu", GOOD);
        project.write("kernels/other.cu", &GOOD.replace(" k(", " other("));
        let bin = tempfile::tempdir().unwrap();
        let path = path_with(&[install(bin.path())]);
        let vars = BTreeMap::from([("PATH".to_owned(), path)]);
        let git = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm x\n\
                   git update-ref refs/remotes/origin/main HEAD";
        bash(project.path(), git, &vars).exits(0);
        project.write("kernels/k.cu", kernel);
        Self { project, vars, _bin: bin }
    }

    fn run(&self, script: &str) -> Run {
        bash(self.project.path(), script, &self.vars)
    }

    /// The files that a script names as outputs.
    fn written(&self, script: &str) -> Vec<String> {
        let words = script.split_whitespace().map(|word| word.trim_matches('"'));
        let named = words
            .filter_map(|word| word.split_once('='))
            .filter(|(format, _)| ["gitlab", "junit", "json", "markdown", "sarif"].contains(format));
        let files = named.map(|(_, file)| file.replace("$CI_NODE_INDEX", "1").replace("$part", "1"));
        files.filter(|file| self.project.path().join(file).exists()).collect()
    }

    fn exists(&self, name: &str) -> bool {
        Path::new(&self.project.path().join(name)).exists()
    }
}

/// A script on a clean crate and on one with a denied finding: its statuses, and its files in both.
fn on_both(script: &str, worse: i32, files: &[&str]) {
    for (kernel, status) in [(GOOD, 0), (WORSE, worse)] {
        let machine = Machine::new(kernel);
        machine.run(script).exits(status);
        assert_eq!(machine.written(script), files, "{script}");
    }
}

#[test]
fn the_shell_recipes_do_what_they_say() {
    let recipes = blocks("sh");
    let [plain, diff, soft, bless, parts] = recipes.as_slice() else {
        panic!("there is a test for each recipe: {recipes:#?}");
    };
    on_both(plain, 100, &["occlint.xml", "occlint.md", "occlint.json"]);
    on_both(diff, 100, &["occlint.xml"]);
    on_both(soft, 0, &["occlint.md"]);
    on_both(parts, 100, &["part1.json", "occlint.xml", "occlint.sarif"]);
    // What is blessed is known, and passes.
    let machine = Machine::new(WORSE);
    machine.run(bless).exits(0);
    assert!(machine.exists("occlint.baseline.json"));
    // Nothing to check is no pass, in any of them.
    for recipe in &recipes {
        let machine = Machine::new(GOOD);
        machine.run("rm -r kernels").exits(0);
        machine.run(recipe).exits(101);
    }
}

#[test]
fn the_scripts_of_pipelines_run() {
    let blocks = gitlab();
    let script = |block: usize, job: &str| -> String {
        each(&blocks[block][job]["script"]).map(|line| format!("{}\n", line.as_str().unwrap())).collect()
    };
    let reports = ["gl-code-quality-report.json", "occlint.xml"];
    on_both(&script(0, "occlint"), 100, &reports);
    for job in blocks.iter().filter_map(|block| block.get("occlint")) {
        let named = &job["artifacts"]["reports"];
        assert!(
            named.is_null() || (named["codequality"] == reports[0] && named["junit"] == reports[1]),
            "{named}"
        );
    }
    for (kernel, status) in [(GOOD, 0), (WORSE, 100)] {
        let mut machine = Machine::new(kernel);
        let base = machine.run("git rev-parse origin/main").exits(0).stdout;
        machine.vars.insert("CI_MERGE_REQUEST_DIFF_BASE_SHA".to_owned(), base.trim().to_owned());
        machine.run(&script(1, "occlint")).exits(status);
        assert_eq!(machine.written(&script(1, "occlint")), reports);

        machine.vars.insert("CI_NODE_TOTAL".to_owned(), "2".to_owned());
        for part in 1..=2 {
            machine.vars.insert("CI_NODE_INDEX".to_owned(), part.to_string());
            machine.run(&script(2, "occlint-part")).exits(0);
        }
        machine.run(&script(2, "occlint")).exits(status);
        // GitHub's verdict, over the same parts where its download puts them.
        machine
            .run("for n in 1 2; do mkdir -p parts/$n; mv part$n.json parts/$n/occlint.json; done")
            .exits(0);
        let workflows = with_key("jobs");
        let last = workflows.iter().find_map(|workflow| each(&workflow["jobs"]["verdict"]["steps"]).last());
        let verdict = last.unwrap()["run"].as_str().unwrap();
        let run = machine.run(verdict).exits(status);
        assert_eq!(run.stdout.contains("::error file=kernels/k.cu"), status == 100, "{}", run.stdout);
        // A part that is missing.
        machine.run("rm -r parts/2").exits(0);
        machine.run(verdict).exits(101);
    }
    let buildkite = with_key("steps")[0]["steps"][0]["command"].as_str().unwrap().to_owned();
    on_both(&buildkite, 100, &["occlint.xml", "occlint.md"]);
}
