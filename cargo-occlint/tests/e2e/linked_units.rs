//! Which units a program has: symbols that two of them define, and PTX.

use crate::linked::finding;
use crate::project::{Project, toolkit};

const JSON: [&str; 2] = ["--message-format", "json"];

/// A caller of `heavy`, and units that each define it.
fn clash(flag: &str, others: &[&str]) -> Project {
    let project = Project::new(&format!("archs = [\"sm_80\", \"sm_120\"]\nflags = [\"{flag}\"]"));
    let declared = "__device__ float heavy(const float* p, int n)";
    let kernel = |name: &str| {
        format!("__global__ void {name}(float* o, const float* p, int n) {{ *o = heavy(p, n); }}\n")
    };
    project.write("a.cu", &format!("{declared};\n{}", kernel("calls")));
    for name in others {
        let body = "{ float s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }";
        let defined = declared.replace("float heavy", "__noinline__ float heavy");
        project.write(&format!("{name}.cu"), &format!("{defined} {body}\n{}", kernel(name)));
    }
    project
}

const BOTH: &str =
    "`heavy(float const*, int)` is defined in `b.cu` and in `c.cu`, and no program can have both";
const ALL: &str = "`heavy(float const*, int)` is defined in `b.cu`, in `c.cu` and in `d.cu`, and no program can \
                   have more than one of them";

#[test]
fn a_symbol_that_several_units_define_is_said_with_the_units() {
    for (units, words) in [(&["b", "c"][..], BOTH), (&["b", "c", "d"], ALL)] {
        let run = clash("-rdc=true", units).occlint(&JSON).exits(0);
        for arch in ["sm_80", "sm_120"] {
            let found = finding(&run, "preliminary-figures", arch);
            assert_eq!((&found["unit"], &found["arch"]), (&"a.cu".into(), &arch.into()));
            assert!(found["message"].as_str().unwrap().contains(words), "{found}");
            assert!(found["help"].as_str().unwrap().contains("the units of one program"), "{found}");
            assert_eq!(run.kernel("calls(", arch)["linked"], false);
            assert_eq!(run.kernel("b(", arch)["linked"], true);
        }
        assert!(!run.stdout.contains("nothing that was linked"), "{}", run.stdout);
    }
}

#[test]
fn with_link_time_optimisation_the_units_are_named_too() {
    for (units, words) in [(&["b", "c"][..], BOTH), (&["b", "c", "d"], ALL)] {
        let run = clash("-dlto", units).occlint(&[]).exits(101);
        for words in
            [&format!("cannot check `a.cu` for sm_80: the device link failed: {words}"), "one program"]
        {
            assert!(run.stderr.contains(words), "{words:?} is missing in\n{}", run.stderr);
        }
    }
}

/// `a.cu` and `b.cu` as PTX of relocatable code.
#[expect(clippy::disallowed_methods, reason = "the test is the user's build")]
fn ptx(project: &Project, unit: &str) {
    let path = project.path().join(unit);
    let output = std::process::Command::new(&toolkit().nvcc)
        .args(["-ptx", "-arch=compute_80", "-rdc=true", "-lineinfo", "-o"])
        .arg(path.with_extension("ptx"))
        .arg(&path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn ptx_that_calls_other_units_is_linked() {
    let project = clash("-rdc=true", &["b"]);
    ptx(&project, "a.cu");
    let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    let with = |sources: &str| manifest.replace("archs = ", &format!("sources = [{sources}]\narchs = "));
    project.write("Cargo.toml", &with("\"a.ptx\", \"b.cu\""));
    let mixed = project.occlint(&JSON).exits(0);
    ptx(&project, "b.cu");
    project.write("Cargo.toml", &with("\"a.ptx\", \"b.ptx\""));
    let all = project.occlint(&JSON).exits(0);
    for run in [mixed, all] {
        for arch in ["sm_80", "sm_120"] {
            let kernel = run.kernel("calls(", arch);
            assert_eq!((&kernel["linked"], &kernel["units"]), (&true.into(), &serde_json::json!(["a.ptx"])));
            let callee = run.kernel("b(", arch);
            assert_eq!(kernel["registers"], callee["registers"], "both need what `heavy` needs");
            assert_eq!(kernel["functions"][0]["name"], "heavy(float const*, int)");
        }
    }
}

#[test]
fn ptx_of_a_whole_program_is_not_linked() {
    let project = Project::new("archs = [\"sm_80\"]\nflags = [\"-rdc=true\"]\nsources = [\"*.ptx\"]");
    project
        .write("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
    let run = project.occlint(&JSON).exits(0);
    assert!(run.kernel("k", "sm_80")["linked"].is_null());
}

#[test]
fn what_ptx_needs_from_other_units_is_said_without_a_link() {
    for flag in ["-O3", "-dlto"] {
        let project = clash(flag, &[]);
        ptx(&project, "a.cu");
        let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
        project.write("Cargo.toml", &manifest.replace("archs = ", "sources = [\"a.ptx\"]\narchs = "));
        let run = project.occlint(&[]).exits(101);
        let words = "`heavy(float const*, int)` is defined elsewhere: with `-rdc=true` in `flags`";
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
}
