//! `action.yml`: its steps are run here as GitHub's runner does, but for the actions of others, which are counted.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::project::{Project, Run, root, toolkit};
use crate::shell::{bash, document, install, path_with, yaml};

const CLEAN: &str = "__global__ void __launch_bounds__(128) k(int* a) { *a = 1; }\n";
/// `partial-warp`, a warning.
const WARNS: &str = "__global__ void __launch_bounds__(100) k(int* a) { *a = 1; }\n";
/// `bounds-dropped`, an error.
const DENIED: &str = "__global__ void __launch_bounds__(128, 64) k(int* a) { *a = 1; }\n";

/// What an action's steps left.
struct Job {
    /// The exit status of the first step that failed, else 0.
    status: i32,
    /// What all steps printed.
    log: String,
    /// `id.output` of the steps.
    outputs: BTreeMap<String, String>,
    /// The page of the job.
    page: String,
    /// The actions of others that ran, with what they were given.
    used: Vec<(String, Value)>,
}

impl Job {
    fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}", self.log);
        self
    }

    /// The file that an output of the check names.
    fn file(&self, output: &str) -> String {
        let path = &self.outputs[&format!("check.{output}")];
        assert!(Path::new(path).is_absolute(), "{path}");
        std::fs::read_to_string(path).unwrap()
    }
}

fn action() -> Value {
    yaml(&document("action.yml"))
}

/// Fills `${{ inputs.x }}` and `${{ steps.a.outputs.b }}` in.
fn filled(text: &str, values: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        let (expression, after) = after.split_once("}}").unwrap();
        out += before;
        let name = expression.trim().replace("steps.", "").replace(".outputs.", ".");
        out += values.get(&name).map_or("", String::as_str);
        rest = after;
    }
    out + rest
}

/// Whether a step runs: comparisons joined by `&&`, and `always()`.
fn runs(step: &Value, values: &BTreeMap<String, String>, failed: bool) -> bool {
    let Some(condition) = step["if"].as_str() else { return !failed };
    let condition = condition.trim_start_matches("${{").trim_end_matches("}}").trim();
    let holds = |term: &str| {
        if term == "always()" {
            return true;
        }
        let (equal, (name, wanted)) = match term.split_once(" == ") {
            Some(sides) => (true, sides),
            None => (false, term.split_once(" != ").unwrap()),
        };
        let value = filled(&format!("${{{{ {name} }}}}"), values);
        (value == wanted.trim_matches('\'')) == equal
    };
    (!failed || condition.contains("always()")) && condition.split(" && ").all(holds)
}

/// Runs the action in a project.
fn job(project: &Project, inputs: &[(&str, &str)]) -> Job {
    toolkit();
    let machine = tempfile::tempdir().unwrap();
    let file = |name: &str| {
        let path = machine.path().join(name);
        std::fs::write(&path, "").unwrap();
        path.to_str().unwrap().to_owned()
    };
    let action = action();
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for (name, input) in action["inputs"].as_object().unwrap() {
        values.insert(format!("inputs.{name}"), input["default"].as_str().unwrap().to_owned());
    }
    for (name, value) in inputs {
        let known = values.insert(format!("inputs.{name}"), (*value).to_owned());
        assert!(known.is_some(), "{name}");
    }
    let (page, path, env) = (file("page.md"), file("path"), file("env"));
    let mut base: BTreeMap<String, String> = BTreeMap::from(
        [
            ("GITHUB_ACTION_PATH", root().to_str().unwrap()),
            ("GITHUB_STEP_SUMMARY", &page),
            ("GITHUB_PATH", &path),
            ("GITHUB_ENV", &env),
            ("RUNNER_TEMP", project.path().to_str().unwrap()),
            ("RUNNER_TOOL_CACHE", machine.path().to_str().unwrap()),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let mut job = Job {
        status: 0,
        log: String::new(),
        outputs: BTreeMap::new(),
        page: String::new(),
        used: Vec::new(),
    };
    for step in action["runs"]["steps"].as_array().unwrap() {
        if !runs(step, &values, job.status != 0) {
            continue;
        }
        if let Some(uses) = step["uses"].as_str() {
            let given = filled(&step["with"].to_string(), &values);
            let given: Value = serde_json::from_str(&given).unwrap();
            // The cache had the program.
            if given["path"].as_str().is_some_and(|path| path.contains("/program-")) {
                install(Path::new(given["path"].as_str().unwrap()));
            }
            job.used.push((uses.to_owned(), given));
            continue;
        }
        let output = file("output");
        let mut vars = base.clone();
        vars.insert("GITHUB_OUTPUT".to_owned(), output.clone());
        for (name, value) in step["env"].as_object().unwrap() {
            vars.insert(name.clone(), filled(value.as_str().unwrap(), &values));
        }
        let run = bash(project.path(), step["run"].as_str().unwrap(), &vars);
        job.log += &format!("{}{}", run.stdout, run.stderr);
        if job.status == 0 {
            job.status = run.status;
        }
        let id = step["id"].as_str().unwrap_or("-");
        for line in std::fs::read_to_string(&output).unwrap().lines() {
            let (name, value) = line.split_once('=').unwrap();
            values.insert(format!("{id}.{name}"), value.to_owned());
            job.outputs.insert(format!("{id}.{name}"), value.to_owned());
        }
        let folders: Vec<_> = std::fs::read_to_string(&path).unwrap().lines().map(Into::into).collect();
        base.insert("PATH".to_owned(), path_with(&folders));
        let set = std::fs::read_to_string(&env).unwrap();
        base.extend(set.lines().map(|line| line.split_once('=').unwrap()).map(|(n, v)| (n.into(), v.into())));
    }
    job.page = std::fs::read_to_string(&page).unwrap();
    job
}

fn project(kernel: &str) -> Project {
    let project = Project::new("cuda = \"13.0\"\narchs = [\"sm_90\"]");
    project.write("kernels/k.cu", kernel);
    project
}

#[test]
fn it_is_composite_and_no_input_stands_in_a_script() {
    let action = action();
    assert_eq!(action["runs"]["using"], "composite");
    for (name, input) in action["inputs"].as_object().unwrap() {
        assert!(input["description"].as_str().is_some_and(|words| !words.is_empty()), "{name}");
        assert!(input["default"].is_string() && input["required"].is_null(), "{name} is optional, a text");
    }
    let steps = action["runs"]["steps"].as_array().unwrap();
    let (scripts, used): (Vec<&Value>, Vec<&Value>) = steps.iter().partition(|step| step["run"].is_string());
    assert_eq!((scripts.len(), used.len()), (3, 4));
    for step in scripts {
        assert_eq!(step["shell"], "bash");
        let run = step["run"].as_str().unwrap();
        assert!(!run.contains("${{"), "{run}");
        let script = run.trim_start_matches("bash \"$GITHUB_ACTION_PATH/").trim_end_matches('"');
        assert!(document(script).contains("set -euo pipefail"), "{script}");
    }
    for step in used {
        let (_, version) = step["uses"].as_str().unwrap().split_once('@').unwrap();
        assert!(version.starts_with('v'), "{version}");
        assert!(step["continue-on-error"].is_null());
    }
    // What stands in the guide's table is what there is.
    let guide = document("docs/ci.md");
    let rows = guide.lines().filter(|line| line.starts_with("| `"));
    let mut named: Vec<&str> = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`')).collect();
    named.retain(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    named.sort_unstable();
    let mut inputs: Vec<&String> = action["inputs"].as_object().unwrap().keys().collect();
    inputs.sort_unstable();
    assert_eq!(named, inputs);
}

#[test]
fn a_clean_crate_passes_and_its_reports_are_there() {
    let project = project(CLEAN);
    let job = job(&project, &[]).exits(0);
    assert_eq!(job.outputs["check.status"], "0");
    assert!(job.file("comment-file").starts_with("### occlint: 1 kernel"));
    assert!(job.file("sarif-file").contains("\"2.1.0\""));
    assert!(job.file("json-file").contains("\"reason\":\"summary\""));
    assert!(job.page.starts_with("### occlint: 1 kernel"), "{}", job.page);
    let used: Vec<&str> = job.used.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(used, ["actions/cache@v5", "actions/cache@v5", "actions/upload-artifact@v6"]);
    let keys: Vec<&str> = job.used.iter().filter_map(|(_, with)| with["key"].as_str()).collect();
    assert!(keys[0].starts_with("occlint-program-Linux-"), "{keys:?}");
    assert!(keys[1].starts_with("occlint-toolkits-Linux-") && keys[1].contains("-configured-"), "{keys:?}");
    assert_eq!(job.used[1].1["path"], crate::project::home().to_str().unwrap());
}

#[test]
fn a_denied_finding_fails_the_job_and_its_reports_are_there() {
    let project = project(DENIED);
    let inputs = [("upload-sarif", "true"), ("args", "--experiments off"), ("sarif-file", "my report.sarif")];
    let job = job(&project, &inputs).exits(100);
    assert_eq!(job.outputs["check.status"], "100");
    assert!(job.file("comment-file").contains("1 error"));
    assert!(project.path().join("my report.sarif").exists());
    assert!(job.log.contains("::error file=kernels/k.cu,line=1,"), "{}", job.log);
    let (stop, words) = (job.log.find("::stop-commands::"), job.log.find("error[occlint::bounds-dropped]"));
    assert!(stop.is_some() && stop < words, "the report in words is no command: {}", job.log);
    assert!(job.page.contains("1 error"), "{}", job.page);
    let used: Vec<&str> = job.used.iter().map(|(name, _)| name.as_str()).skip(2).collect();
    assert_eq!(used, ["github/codeql-action/upload-sarif@v4", "actions/upload-artifact@v6"]);
    assert!(job.used[2].1["sarif_file"].as_str().unwrap().ends_with("/my report.sarif"));
}

#[test]
fn what_was_not_checked_is_no_pass() {
    let none = Project::new("cuda = \"13.0\"\narchs = [\"sm_90\"]");
    let nothing = job(&none, &[("args", "--exit-zero")]).exits(101);
    assert_eq!(nothing.outputs["check.status"], "101");
    assert!(!nothing.outputs.contains_key("check.json-file"));
    assert_eq!(nothing.used.len(), 2, "there is nothing to upload");
    let project = project(CLEAN);
    for (input, value, words) in [
        ("args", "--list", "left no report"),
        ("baseline", "none.json", "none.json"),
        ("deny-warnings", "yes", "is true or false"),
        ("args", "--kernel 'k", "a quote without its other half"),
        ("working-directory", "none", "is no folder"),
        ("cuda", "newest", "is no release"),
        ("version", "x; touch y", "is no version"),
    ] {
        let job = job(&project, &[(input, value)]).exits(101);
        assert!(job.log.contains(words), "{input}: {}", job.log);
    }
    let both = job(&project, &[("baseline", "a.json"), ("against", "HEAD")]).exits(101);
    assert!(both.log.contains("exclude each other"), "{}", both.log);
    for (input, value) in [("args", "--nosuch"), ("packages", "nosuch")] {
        job(&project, &[(input, value)]).exits(2);
    }
}

#[test]
fn inputs_decide() {
    let project = project(WARNS);
    job(&project, &[]).exits(0);
    job(&project, &[("deny-warnings", "true")]).exits(100);
    let inputs =
        [("arch", "sm_80,sm_120"), ("packages", "demo"), ("args", "--kernel \"k\"\n--allow partial-warp")];
    let both = job(&project, &[&inputs[..], &[("deny-warnings", "true")]].concat()).exits(0);
    let json = both.file("json-file");
    assert!(
        json.contains("\"sm_80\"") && json.contains("\"sm_120\"") && !json.contains("\"sm_90\""),
        "{json}"
    );
    let installed = job(&project, &[("install-only", "true")]).exits(0);
    assert!(installed.outputs.keys().all(|name| name.starts_with("plan.")), "{:?}", installed.outputs);
    assert_eq!(installed.used.len(), 2);
}

#[test]
fn against_a_revision_only_what_is_worse_fails() {
    let project = project(CLEAN);
    let git = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm x";
    bash(project.path(), git, &BTreeMap::new()).exits(0);
    let against = [("against", "HEAD"), ("artifact", "")];
    let same = job(&project, &against).exits(0);
    assert!(same.log.contains("1 unchanged") && same.used.len() == 2, "{}", same.log);
    project.write("kernels/k.cu", DENIED);
    let worse = job(&project, &against).exits(100);
    assert!(worse.log.contains("::error file=kernels/k.cu"), "{}", worse.log);
    job(&project, &[("against", "--help")]).exits(2);
}

#[test]
fn hostile_inputs_are_text() {
    let project = project(CLEAN);
    let hostile = [
        "$(touch made)",
        "`touch made`",
        "x; touch made",
        "x\ntouch made\n",
        "'; touch made; '",
        "\"$(touch made)\"",
        "x'\"\\ $HOME *",
        "--help",
        "&& touch made #",
    ];
    // Inputs that end a run before the others are looked at are tried alone.
    let texts = ["arch", "baseline", "comment-file", "sarif-file", "json-file"];
    let alone = ["args", "packages", "version", "cuda", "working-directory", "deny-warnings", "against"];
    let switches = ["upload-sarif", "install-only", "artifact"];
    let mut named = [&texts[..], &alone, &switches].concat();
    named.sort_unstable();
    assert_eq!(named, action()["inputs"].as_object().unwrap().keys().collect::<Vec<_>>());
    let tried = |inputs: &[(&str, &str)]| {
        let job = job(&project, inputs);
        assert_ne!(job.status, 0, "{inputs:?}: {}", job.log);
        assert!(!project.path().join("made").exists(), "{inputs:?} was run");
        assert!(job.outputs.values().all(|value| !value.contains('\n')), "{inputs:?}");
    };
    for value in hostile {
        tried(&texts.map(|input| (input, value)));
        tried(&[("args", value)]);
        tried(&[("packages", value)]);
    }
    for input in &alone[2..] {
        tried(&[(input, "$(touch made)`touch made`; touch made\ntouch made")]);
    }
}

/// A cargo that writes down what it was called with and where, and installs.
const CARGO: &str = "#!/bin/sh\nprintf '%s\\n' \"$PWD\" \"$@\" >\"$CALLED\"\n\
    mkdir -p \"$OCCLINT_PROGRAM/bin\"\nprintf '#!/bin/sh\\necho it\\n' >\"$OCCLINT_PROGRAM/bin/cargo-occlint\"\n\
    chmod +x \"$OCCLINT_PROGRAM/bin/cargo-occlint\"\n";

#[test]
fn what_is_not_in_the_cache_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(path("cargo")).unwrap();
    std::fs::write(path("cargo/cargo"), CARGO).unwrap();
    bash(folder.path(), "chmod +x cargo/cargo", &BTreeMap::new()).exits(0);
    let install = |version: &str, program: &str| -> (Run, String) {
        let vars = [
            ("PATH", path_with(&[path("cargo").into()])),
            ("CALLED", path("called")),
            ("INPUT_VERSION", version.to_owned()),
            ("OCCLINT_PROGRAM", path(program)),
            ("OCCLINT_TOOLKITS", path("toolkits")),
            ("GITHUB_PATH", path("path")),
        ];
        let vars = vars.map(|(name, value)| (name.to_owned(), value)).into();
        let script = root().join("ci/install.sh");
        std::fs::write(path("called"), "").unwrap();
        let run = bash(folder.path(), &format!("bash '{}'", script.display()), &vars).exits(0);
        (run, std::fs::read_to_string(path("called")).unwrap())
    };
    let (_, own) = install("", "own");
    assert!(own.starts_with(root().to_str().unwrap()) && own.ends_with("\n--path\ncargo-occlint\n"), "{own}");
    assert!(own.contains("\n--locked\n"), "{own}");
    let (_, published) = install("0.1.0", "published");
    assert!(published.ends_with("\n--version\n=0.1.0\ncargo-occlint\n"), "{published}");
    // One that does not run here is none.
    std::fs::write(path("own/bin/cargo-occlint"), "#!/nosuch\n").unwrap();
    assert!(install("", "own").1.contains("--path"));
    let (run, again) = install("", "own");
    assert_eq!((again.as_str(), run.stdout.as_str()), ("", "it\n"));
    assert!(std::fs::read_to_string(path("path")).unwrap().contains("/own/bin\n"));
}

#[test]
fn keys_of_the_cache_follow_the_pins() {
    let project = project(CLEAN);
    let plan = |inputs: &[(&str, &str)]| -> BTreeMap<String, String> {
        job(&project, &[&[("install-only", "true")], inputs].concat()).exits(0).outputs
    };
    let first = plan(&[]);
    project.write(
        "Cargo.toml",
        &(std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap() + "\n#\n"),
    );
    assert_eq!(plan(&[])["plan.toolkits-key"], first["plan.toolkits-key"]);
    let toml = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    project.write("Cargo.toml", &toml.replace("13.0", "13.5"));
    let other = plan(&[]);
    assert_ne!(other["plan.toolkits-key"], first["plan.toolkits-key"]);
    assert_eq!(other["plan.program-key"], first["plan.program-key"]);
    let asked = plan(&[("cuda", "13.5"), ("version", "0.1.0")]);
    assert!(asked["plan.toolkits-key"].contains("-0.1.0-13.5-"), "{asked:?}");
    assert!(asked["plan.program-key"].ends_with("-0.1.0"), "{asked:?}");
}
