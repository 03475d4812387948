//! The linked cubin: what it says comes before nvlink's log, and a contradiction is no pass.

use serde_json::{Value, json};

use crate::linked::{ARCHS, finding, program};
use crate::project::{Project, Run, toolkit};

const JSON: [&str; 2] = ["--message-format", "json"];
const CAPPED: &str = "\"-rdc=true\", \"-maxrregcount=40\"";

/// A toolkit whose nvlink is a script: `real` is the true one.
fn with_nvlink(project: &Project, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let (nvcc, nvlink) = (toolkit().nvcc.display(), toolkit().nvlink.as_ref().unwrap().display());
    let ptxas = toolkit().ptxas.as_ref().unwrap().display();
    for (name, text) in [
        ("nvcc", format!("#!/bin/sh\nexec '{nvcc}' \"$@\"\n")),
        ("ptxas", format!("#!/bin/sh\nexec '{ptxas}' \"$@\"\n")),
        ("nvlink", format!("#!/bin/sh\nreal='{nvlink}'\n{body}\n")),
    ] {
        project.write(&format!("toolkit/bin/{name}"), &text);
        let path = project.path().join("toolkit/bin").join(name);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // link-time optimisation looks for libnvvm there
    std::os::unix::fs::symlink(toolkit().root.join("lib64"), project.path().join("toolkit/lib64")).unwrap();
    project.path().join("toolkit/bin/nvcc").to_str().unwrap().to_owned()
}

fn lied_to(project: &Project, body: &str) -> Run {
    let nvcc = with_nvlink(project, body);
    project.run(&["--arch", "sm_90"], &[("NVCC", &nvcc)])
}

#[test]
fn a_log_that_the_linked_cubin_contradicts_is_no_pass() {
    let filtered = |sed: &str| format!("\"$real\" \"$@\" 2>&1 | sed '{sed}'");
    for (body, words) in [
        (
            filtered("s/used 40 reg/used 32 reg/"),
            "`kcall(float*, float const*, int)` uses 32 registers in the log and 40 in the cubin",
        ),
        (
            filtered("s/3072 bytes smem/2048 bytes smem/"),
            "`kcall(float*, float const*, int)` uses 1024 bytes of shared memory in the log and 2048 in the cubin",
        ),
        (
            filtered("s/(target: sm_90)/(target: sm_80)/"),
            "the log reports `kcall(float*, float const*, int)` for sm_80, not for sm_90",
        ),
        (
            "\"$real\" -kernels-used kplain \"$@\"".to_owned(),
            "the cubin does not have `kcall(float*, float const*, int)`",
        ),
        (
            "\"$real\" \"$@\"; for last; do :; done; printf 'no cubin' > \"$last\"".to_owned(),
            "the cubin cannot be read: it is no 64-bit ELF file",
        ),
    ] {
        let run = lied_to(&program(CAPPED), &body).exits(101);
        for words in [words, "the device link ended well, but", "link_callee.cu, kernels/link_caller.cu"] {
            assert!(run.stderr.contains(words), "{words:?} is missing after {body} in\n{}", run.stderr);
        }
    }
    let honest = lied_to(&program(CAPPED), "exec \"$real\" \"$@\"").exits(0);
    assert!(honest.stderr.contains("Checked 2 kernels on sm_90"), "{}", honest.stderr);
}

#[test]
fn a_log_that_says_nothing_leaves_the_cubins_figures() {
    let project = program(CAPPED);
    let nvcc = with_nvlink(&project, "\"$real\" \"$@\" 2>/dev/null >/dev/null");
    let args = [&JSON[..], &["--arch", "sm_90"]].concat();
    let kernel = project.run(&args, &[("NVCC", &nvcc)]).exits(0).kernel("kcall(", "sm_90");
    assert_eq!((&kernel["registers"], &kernel["linked"]), (&40.into(), &true.into()));
    assert_eq!((&kernel["static_smem"], &kernel["barriers"]), (&2048.into(), &1.into()));
}

/// In the whole-program log of link-time optimisation, too.
#[test]
fn a_link_time_log_that_the_cubin_contradicts_is_no_pass() {
    let run = lied_to(&program("\"-dlto\""), "\"$real\" \"$@\" 2>&1 | sed 's/Used 40 reg/Used 32 reg/'");
    let run = run.exits(101);
    let words = "`kcall(float*, float const*, int)` uses 32 registers in the log and 40 in the cubin";
    assert!(run.stderr.contains(words), "{}", run.stderr);
}

/// The figures are nvdisasm's (`-annotate`) of the linked cubins.
#[test]
fn the_lines_of_spills_in_another_unit_are_known() {
    for (flags, expected) in [
        (CAPPED, [("sm_80", 153), ("sm_90", 153), ("sm_120", 151)]),
        ("\"-dlto\"", [("sm_80", 99), ("sm_90", 98), ("sm_120", 96)]),
    ] {
        let run = program(flags).occlint(&JSON).exits(0);
        for (arch, instructions) in expected {
            let kernel = run.kernel("kcall(", arch);
            let sums = [&kernel["spill_instructions"], &kernel["callee_spills"]];
            assert_eq!(sums, [&json!(instructions); 2], "{flags} {arch}");
            let lines = kernel["spill_lines"].as_array().unwrap();
            assert!(lines.iter().any(|line| {
                line["file"] == "kernels/link_callee.cu"
                    && line["line"] == 8
                    && line["hot"] == true
                    && line["function"] == "_Z5heavyPKfi"
            }));
            assert_eq!(kernel["spills_unknown_in"], json!([]));
            assert_eq!(run.kernel("kplain(", arch)["spill_instructions"], 0);
            assert_eq!(run.kernel("kplain(", arch)["local_memory"], json!([]));
            if flags == CAPPED {
                // nobody looked into the frame of another unit's function
                assert_eq!(kernel["local_memory"], Value::Null);
            }
        }
        let found = finding(&run, "spill", "sm_90");
        let labels = found["labels"].as_array().unwrap();
        assert!(labels.iter().any(|label| label["text"].as_str().unwrap().contains("in a loop")), "{found}");
    }
}

#[test]
fn newer_toolkits_say_the_same() {
    let project = Project::new(&format!("cuda = \"13.5\"\n{ARCHS}\nflags = [{CAPPED}]"))
        .with_case("link_caller.cu")
        .with_case("link_callee.cu");
    let run = project.run(&JSON, &[]).exits(0);
    for (arch, instructions) in [("sm_80", 153), ("sm_90", 153), ("sm_120", 151)] {
        let kernel = run.kernel("kcall(", arch);
        assert_eq!((&kernel["registers"], &kernel["callee_spills"]), (&40.into(), &instructions.into()));
        // nvlink 13.5 prints a barrier for each kernel
        assert_eq!(run.kernel("kplain(", arch)["barriers"], 0, "{arch}");
    }
}

/// What a kernel calls and what is said of its spills.
fn unknown(kernel: &Value) -> [&Value; 4] {
    ["spill_instructions", "callee_spills", "spills_unknown_in", "spills_unknown_through_pointer"]
        .map(|field| &kernel[field])
}

#[test]
fn spills_that_nothing_tells_are_null_and_named() {
    let project = Project::new("archs = [\"sm_90\"]\nflags = [\"-rdc=true\"]").with_case("link_caller.cu");
    let text = "extern __device__ float far(float);\n__device__ float near_by(float x) { return x; }\n\
                using Function = float (*)(float);\n__device__ Function table = near_by;\n\
                __global__ void through(float* o) { *o = table(*o); }\n\
                __global__ void prints(float* o) { printf(\"%f\", *o); }\n";
    project.write("kernels/pointer.cu", &format!("#include <cstdio>\n{text}"));
    let run = project.occlint(&[&JSON[..], &["--kernels"]].concat()).exits(0);
    let null = Value::Null;
    let heavy = json!(["heavy(float const*, int)"]);
    assert_eq!(unknown(&run.kernel("kcall(", "sm_90")), [&null, &null, &heavy, &json!(false)]);
    assert_eq!(unknown(&run.kernel("through(", "sm_90")), [&null, &null, &json!([]), &json!(true)]);
    assert_eq!(unknown(&run.kernel("prints(", "sm_90")), [&json!(0), &json!(0), &json!([]), &json!(false)]);
    let human = project.occlint(&["--kernels"]).exits(0);
    let flat = human.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "the spills of `heavy(float const*, int)` are unknown",
        "the spills of what it calls through a pointer are unknown",
        "sm_90 ~24 1 2048 ? 0/0",
    ] {
        assert!(flat.contains(words), "{words:?} is missing in\n{}", human.stdout);
    }
}

#[test]
fn the_units_own_cubins_tell_spills_where_nothing_was_linked() {
    // 40 registers for `heavy`, 32 for `capped`, which the link refuses; `open` needs what nothing defines
    let project = program(CAPPED);
    let text = "__device__ float heavy(const float* p, int n);\n__device__ float missing(float);\n\
                __global__ void __launch_bounds__(256, 8) capped(float* o, const float* p, int n) { *o = heavy(p, n); }\n\
                __global__ void open(float* o, const float* p, int n) { *o = missing(heavy(p, n)); }\n";
    project.write("kernels/more.cu", text);
    let run = project.occlint(&[&JSON[..], &["--arch", "sm_90"]].concat());
    let capped = run.kernel("capped(", "sm_90");
    assert_eq!(capped["linked"], false, "{}", run.stderr);
    assert_eq!(unknown(&capped), [&json!(153), &json!(153), &json!([]), &json!(false)]);
    let open = run.kernel("open(", "sm_90");
    let missing = json!(["missing(float)"]);
    assert_eq!(unknown(&open), [&Value::Null, &Value::Null, &missing, &json!(false)]);
    assert_eq!(open["spill_lines"].as_array().unwrap().len(), 5);
}

#[test]
fn the_table_shows_the_linked_stack() {
    let project = program(CAPPED);
    let run = project.occlint(&["--kernels", "--arch", "sm_90"]).exits(0);
    let row = run.stdout.lines().find(|line| line.starts_with("  sm_90")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words[..6], ["sm_90", "40", "1", "2048", "192", "0/0"]);
}
