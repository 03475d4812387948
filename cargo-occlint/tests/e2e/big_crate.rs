//! A crate with 1,600 kernels, compiled for real: what a person sees stays a page.

use std::collections::{BTreeMap, BTreeSet};

use crate::project::{Project, Run};

/// What becomes of a family's kernels.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// Forty values that live at once do not fit the 32 registers that the bounds leave.
    Spills,
    /// An array with an index that only the running kernel knows.
    LocalArray,
    Clean,
}

/// How a family's kernels are made.
#[derive(Clone, Copy)]
enum Form {
    /// One template, instantiated.
    Template,
    /// One macro, with so many kernels on each line.
    Macro(usize),
}

/// Twenty templates and macros by unit: fate, form, kernels.
const UNITS: [&[(Fate, Form, usize)]; 6] = {
    use Fate::{Clean, LocalArray, Spills};
    use Form::{Macro, Template};
    [
        &[(Spills, Template, 30), (Spills, Template, 25)],
        &[(Spills, Template, 25), (Spills, Macro(5), 20)],
        &[(LocalArray, Template, 174), (LocalArray, Template, 36), (LocalArray, Template, 40)],
        &[(LocalArray, Template, 50), (LocalArray, Macro(10), 100), (LocalArray, Macro(1), 50)],
        &[(Clean, Template, 120), (Clean, Template, 130), (Clean, Template, 140), (Clean, Macro(1), 60)],
        &[
            (Clean, Template, 110),
            (Clean, Template, 150),
            (Clean, Template, 100),
            (Clean, Template, 140),
            (Clean, Macro(10), 100),
        ],
    ]
};

/// Head and body of a family's kernels; `N` is a number from 1 on.
fn kernel(fate: Fate, name: &str) -> String {
    match fate {
        Fate::Spills => format!(
            "__global__ void __launch_bounds__(1024, 2) {name}(int* o, const int* a) {{ int v[40]; \
             _Pragma(\"unroll\") for (int i = 0; i < 40; i++) v[i] = a[threadIdx.x + i * (N)]; __syncthreads(); \
             _Pragma(\"unroll\") for (int i = 0; i < 40; i++) o[threadIdx.x + i * (N)] = v[i]; }}"
        ),
        Fate::LocalArray => format!(
            "__global__ void {name}(int* o, int k) {{ int s[4 * (N)]; s[k & 3] = o[N]; s[k & 1] = o[1]; \
             o[0] = s[k * 7 & 3]; }}"
        ),
        Fate::Clean => format!("__global__ void {name}(int* o, int k) {{ o[threadIdx.x] = k + (N); }}"),
    }
}

fn family(name: &str, (fate, form, kernels): (Fate, Form, usize)) -> String {
    match form {
        Form::Template => {
            let parameters = if fate == Fate::Spills { "int*, const int*" } else { "int*, int" };
            let instances = (1..=kernels).map(|n| {
                format!("template __global__ void {name}<element<float, {n}>, {n}>({parameters});\n")
            });
            format!("template <typename T, int N>\n{}\n", kernel(fate, name)) + &instances.collect::<String>()
        }
        Form::Macro(per_line) => {
            let upper = name.to_uppercase();
            let numbers: Vec<String> = (1..=kernels).map(|n| format!("{upper}({n})")).collect();
            let lines = numbers.chunks(per_line).map(|line| line.join(" ") + "\n");
            format!("#define {upper}(N) {}\n", kernel(fate, &format!("{name}_##N")))
                + &lines.collect::<String>()
        }
    }
}

fn project() -> Project {
    let project =
        Project::new("archs = [\"sm_90\"]\n[package.metadata.occlint.lints]\nlocal-memory = \"warn\"");
    for (unit, families) in UNITS.iter().enumerate() {
        let mut text =
            "namespace library { namespace detail {\ntemplate <typename T, int N> struct element {};\n"
                .to_owned();
        for (index, &what) in families.iter().enumerate() {
            text.push_str(&family(&format!("family_{unit}_{index}_kernel"), what));
        }
        project.write(&format!("kernels/families/unit_{unit}.cu"), &(text + "} }\n"));
    }
    project
}

/// How many kernels of the crate have this fate.
fn expected(fate: Fate) -> usize {
    UNITS
        .iter()
        .flat_map(|families| families.iter())
        .filter(|family| family.0 == fate)
        .map(|family| family.2)
        .sum()
}

/// Families with this fate: each is one cause.
fn causes(fate: Fate) -> usize {
    UNITS.iter().flat_map(|families| families.iter()).filter(|family| family.0 == fate).count()
}

/// The kernels that JSON names in findings of a lint.
fn named(json: &Run, lint: &str) -> usize {
    let findings = json.lines("finding");
    let of_lint = findings.iter().filter(|line| line["lint"] == lint);
    of_lint.map(|line| line["key"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>().len()
}

/// For each lint, the groups that a person is shown and the kernels that they count.
fn shown(human: &str) -> BTreeMap<String, (usize, usize)> {
    let words = human
        .replace("error[", "warning[")
        .replace("(one of ", "(worst of ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let mut shown: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for group in words.split("warning[").skip(1) {
        let (lint, rest) = group.split_once(']').unwrap();
        let worst_of =
            rest.split_once("(worst of ").map(|(_, count)| count.split([' ', ')']).next().unwrap());
        let of_lint = shown.entry(lint.trim_start_matches("occlint::").to_owned()).or_default();
        *of_lint = (of_lint.0 + 1, of_lint.1 + worst_of.map_or(1, |count| count.parse::<usize>().unwrap()));
    }
    shown
}

#[test]
fn a_crate_of_1600_kernels_takes_a_hundred_lines_of_a_hundred_columns() {
    let (project, spilling, arrays) = (project(), expected(Fate::Spills), expected(Fate::LocalArray));
    assert_eq!((spilling, arrays, expected(Fate::Clean)), (100, 450, 1050), "the crate is what it should be");
    let json = project.occlint(&["--message-format", "json"]).exits(0);
    assert_eq!(json.lines("kernel").len(), 1600);
    let kernels = json.lines("kernel");
    let frames = |spills: bool| {
        let fits = |line: &&serde_json::Value| line["stack"] != 0 && (line["spill_stores"] != 0) == spills;
        kernels.iter().filter(fits).count()
    };
    assert_eq!((frames(true), frames(false)), (spilling, arrays), "what the compiler made of it");
    assert_eq!((named(&json, "spill"), named(&json, "local-memory")), (spilling, arrays));

    let human = project.occlint(&["-D", "spill"]).exits(100);
    let lines: Vec<&str> = human.stdout.lines().chain(human.stderr.lines()).collect();
    assert!(lines.len() <= 100, "{} lines\n{}", lines.len(), human.stdout);
    let widest = lines.iter().max_by_key(|line| line.chars().count()).unwrap();
    assert!(widest.chars().count() <= 100, "{widest}");
    let drawn = human.stdout.matches("─[kernels/families/unit_").count();
    assert_eq!(drawn, 5, "the worst five with a snippet\n{}", human.stdout);
    let worst = &human.stdout[..human.stdout.match_indices("[occlint::").nth(1).unwrap().0];
    for words in [
        "assembled again with other bounds (`family_",
        "min blocks  registers",
        "most without spills",
        "measure both",
    ] {
        assert!(worst.contains(words), "the worst keeps its table: {words}\n{worst}");
    }
    let last: Vec<&str> = lines.iter().filter(|line| line.starts_with(['…', 'k'])).copied().collect();
    assert_eq!(last.len(), causes(Fate::Spills) + causes(Fate::LocalArray) - drawn, "{last:#?}");
    let shown = shown(&human.stdout);
    assert_eq!(shown["spill"], (causes(Fate::Spills), spilling), "{}", human.stdout);
    assert_eq!(shown["local-memory"], (causes(Fate::LocalArray), arrays), "{}", human.stdout);
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(human.stderr.contains("1600 kernels on sm_90: 100 errors, 450 warnings"), "{}", human.stderr);
}
