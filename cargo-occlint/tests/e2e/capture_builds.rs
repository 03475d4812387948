//! Builds that do odd things with nvcc: each is captured, or it is said what is not.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

use crate::capture::{KERNEL, crate_with, said, script, units};
use crate::project::{Project, toolkit};

const JSON: [&str; 4] = ["--message-format", "json", "--experiments", "off"];

/// The compiling lines of a run, without the package's name.
fn compiled(project: &Project) -> String {
    let run = project.occlint(&JSON).exits(0);
    said(&run, "Compiling").join("\n").replace("demo: ", "")
}

fn program(project: &Project, name: &str, text: &str) {
    project.write(name, text);
    std::fs::set_permissions(project.path().join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn several_sources_in_one_call_and_cuda_under_other_names() {
    let project = crate_with(
        "nvcc(&[\"-c\", \"-arch=sm_90\", \"kernels/k.cu\", \"kernels/l.cu\", \"-odir\", \"OUT\"]);\n\
         nvcc(&[\"-x\", \"cu\", \"-c\", \"-arch=sm_90\", \"kernels/m.cpp\", \"-o\", \"OUT/m.o\"]);\n\
         for made in [\"k.o\", \"l.o\", \"m.o\"] { assert!(out.join(made).is_file(), \"{made}\"); }",
    );
    project.write("kernels/l.cu", &KERNEL.replace(" k(", " l("));
    project.write("kernels/m.cpp", &KERNEL.replace(" k(", " m("));
    let run = project.occlint(&JSON).exits(0);
    assert_eq!(units(&run), ["kernels/k.cu sm_90", "kernels/l.cu sm_90", "kernels/m.cpp sm_90"]);
    assert_eq!(said(&run, "Compiling"), ["demo: 3 units of 2 calls of nvcc (recorded) for sm_90"]);
}

#[test]
fn sources_that_the_build_takes_away_or_writes_again_are_checked_as_they_were() {
    let project = crate_with(
        "let write = |name: &str, n: &str| std::fs::write(out.join(name), format!(\"#include \\\"bounds.cuh\\\"\\n\
         __global__ void BOUNDS {n}(float* a) {{ a[0] = 1; }}\\n\")).unwrap();\n\
         std::fs::write(out.join(\"bounds.cuh\"), \"#define BOUNDS __launch_bounds__(64)\\n\").unwrap();\n\
         for n in [\"first\", \"second\"] { write(\"again.cu\", n); \
         nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", &format!(\"OUT/{n}.o\"), \"OUT/again.cu\"]); }\n\
         write(\"gone.cu\", \"gone\");\n nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/gone.o\", \"OUT/gone.cu\"]);\n\
         for made in [\"gone.cu\", \"gone.o\", \"first.o\"] { std::fs::remove_file(out.join(made)).unwrap(); }",
    );
    for round in ["recorded", "its build script is fresh"] {
        let run = project.occlint(&JSON).exits(0);
        assert!(said(&run, "Compiling")[0].contains(round), "{}", run.stderr);
        let names = run.lines("kernel").iter().map(|line| line["name"].to_string()).collect::<BTreeSet<_>>();
        assert!(names.into_iter().eq(["\"first(float*)\"", "\"gone(float*)\"", "\"second(float*)\""]));
        assert!(run.lines("kernel").iter().all(|line| line["bounds"]["max_threads"] == 64), "{}", run.stdout);
    }
}

#[test]
fn a_program_that_finds_the_gpu_is_made_and_run() {
    let project = crate_with(
        "nvcc(&[\"kernels/ask.cu\", \"-o\", \"OUT/ask\"]);\n\
         let said = Command::new(out.join(\"ask\")).output().unwrap().stdout;\n\
         let arch = String::from_utf8(said).unwrap();\n\
         nvcc(&[\"-cubin\", &arch, \"-o\", \"OUT/k.cubin\", \"kernels/k.cu\"]);",
    );
    project.write("kernels/ask.cu", "#include <cstdio>\nint main() { printf(\"-arch=sm_86\"); }\n");
    assert_eq!(compiled(&project), "1 unit of 1 call of nvcc (recorded) for sm_86");
}

#[test]
fn calls_in_parallel_and_calls_that_are_killed() {
    let project = crate_with(
        "std::thread::scope(|scope| for n in 0..8 { scope.spawn(move || nvcc(&[\"-c\", \"-arch=sm_90\", \
         &format!(\"-DN={n}\"), \"-o\", &format!(\"OUT/{n}.o\"), \"kernels/k.cu\"])); });\n\
         let mut child = Command::new(\"nvcc\").args([\"-c\", \"-arch=sm_90\", \"-DN=0\", \"kernels/k.cu\", \"-o\"])\
         .arg(out.join(\"killed.o\")).spawn().unwrap();\n\
         let _ = child.kill();\n child.wait().unwrap();",
    );
    // The killed one may have been written down before.
    let said = compiled(&project);
    assert!(
        said.starts_with("8 units of ") && said.ends_with(" calls of nvcc (recorded) for sm_90"),
        "{said}"
    );
}

#[test]
fn a_wrapper_script_and_a_cache_in_front_are_looked_through() {
    let project = crate_with(
        "assert_eq!(std::env::var(\"RUSTC_WRAPPER\").unwrap_or_default(), \"\");\n\
         for (front, n) in [(\"./wrap.sh\", \"2\"), (\"sccache\", \"3\")] {\n\
         let status = Command::new(front).args([\"nvcc\", \"-c\", \"-arch=sm_90\", \"kernels/k.cu\"])\
         .arg(format!(\"-DN={n}\")).arg(\"-o\").arg(out.join(n)).status().unwrap();\n\
         assert!(status.success() && out.join(n).is_file());\n}\n\
         assert_eq!(Command::new(\"sccache\").arg(\"--version\").output().unwrap().stdout, b\"sccache 9\\n\");",
    );
    program(&project, "wrap.sh", "#!/bin/sh\nexec \"$@\" -lineinfo\n");
    // One that has the object already.
    program(&project, "tools/sccache", "#!/bin/sh\n[ \"$1\" = --version ] && echo sccache 9 || exec true\n");
    project.write(".cargo/config.toml", "[build]\nrustc-wrapper = \"sccache\"\n");
    let nvcc = toolkit().nvcc.to_str().unwrap();
    let path = std::env::join_paths(
        [project.path().join("tools")].into_iter().chain(std::env::split_paths(&path())),
    );
    let run = project.run(&JSON, &[("NVCC", nvcc), ("PATH", path.unwrap().to_str().unwrap())]).exits(0);
    assert_eq!(said(&run, "Compiling"), ["demo: 2 units of 2 calls of nvcc (recorded) for sm_90"]);
}

#[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
fn path() -> String {
    std::env::var("PATH").unwrap()
}

#[test]
fn a_build_that_fails_before_any_call_is_not_run_again_for_real() {
    let project = crate_with("panic!(\"libfoo is missing\");");
    let run = project.occlint(&[]).exits(101);
    assert!(said(&run, "Note").is_empty(), "{}", run.stderr);
    assert_eq!(run.stderr.matches("libfoo is missing").count(), 1, "{}", run.stderr);
}

#[test]
fn the_build_script_runs_beside_a_dependency_that_does_not_compile() {
    let project = crate_with("nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);");
    let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    project.write("Cargo.toml", &format!("{manifest}[dependencies]\nbroken = {{ path = \"broken\" }}\n"));
    project.write("broken/Cargo.toml", "[package]\nname = \"broken\"\nversion = \"0.0.0\"\n");
    project.write("broken/src/lib.rs", "");
    project.write("broken/build.rs", "fn main() { panic!(\"unsupported toolkit\"); }");
    assert_eq!(compiled(&project), "1 unit of 1 call of nvcc (recorded) for sm_90");
}

#[test]
fn the_source_folder_stays_as_it_is() {
    let project = crate_with("nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);");
    project.write("Cargo.lock", "version = 4\n[[package]]\nname = \"demo\"\nversion = \"0.0.0\"\n");
    let files = || {
        let walk = ignore::WalkBuilder::new(project.path()).standard_filters(false).build();
        walk.map(|entry| {
            let entry = entry.unwrap();
            let modified = entry.metadata().unwrap().modified().unwrap();
            (entry.into_path(), modified)
        })
        .collect::<BTreeSet<_>>()
    };
    let before = files();
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().to_str().unwrap();
    project.occlint(&["--target-dir", target, "--locked"]).exits(0);
    assert_eq!(files(), before);
}

#[test]
fn members_without_cuda_are_skipped() {
    let project = Project::new("");
    project
        .write("Cargo.toml", "[workspace]\nmembers = [\"with\", \"without\", \"plain\"]\nresolver = \"3\"\n");
    for (name, build) in [
        ("with", script("nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);")),
        ("without", script("")),
        ("plain", String::new()),
    ] {
        project.write(
            &format!("{name}/Cargo.toml"),
            &format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n"),
        );
        project.write(&format!("{name}/src/lib.rs"), "");
        if !build.is_empty() {
            project.write(&format!("{name}/build.rs"), &build);
        }
    }
    project.write("with/kernels/k.cu", KERNEL);
    let run = project.occlint(&["--workspace"]).exits(0);
    assert_eq!(said(&run, "Compiling"), ["with: 1 unit of 1 call of nvcc (recorded) for sm_90"]);
    assert!(said(&run, "Checked")[0].starts_with("1 kernel on sm_90"), "{}", run.stderr);
    let alone = project.occlint(&["-p", "without"]).exits(101);
    assert!(alone.stderr.contains("nothing to check: the package `without`"), "{}", alone.stderr);
}
