//! Build scripts that a capture could harm, or that could hide what they compile.

use crate::capture::{KERNEL, crate_with, said, script, units};
use crate::project::{Project, Run, toolkit};

const JSON: [&str; 4] = ["--message-format", "json", "--experiments", "off"];

fn names(run: &Run) -> Vec<String> {
    let mut names: Vec<String> =
        run.lines("kernel").iter().map(|line| line["qualified"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn notes(run: &Run) -> String {
    said(run, "Note").join("\n")
}

#[test]
fn what_a_build_writes_outside_of_its_own_folder_is_the_real_thing() {
    let project = crate_with(
        "nvcc(&[\"-ptx\", \"-arch=sm_90\", \"-o\", \"src/k.ptx\", \"kernels/k.cu\"]);\n\
         nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);\n\
         nvcc(&[\"-c\", \"-arch=sm_90\", \"kernels/k.cu\"]);",
    );
    let run = project.occlint(&JSON).exits(0);
    assert_eq!(units(&run), ["kernels/k.cu sm_90"]);
    assert!(said(&run, "Compiling")[0].contains("3 calls of nvcc (recorded)"), "{}", run.stderr);
    let made = |name: &str| std::fs::read(project.path().join(name)).unwrap();
    assert!(String::from_utf8(made("src/k.ptx")).unwrap().contains(".visible .entry"));
    assert!(made("k.o").windows(10).any(|bytes| bytes == b".nv_fatbin"), "an object of nvcc's own");
}

#[test]
fn a_source_that_is_written_twice_or_taken_away_is_checked_as_it_was() {
    let project = crate_with(
        "for name in [\"g0\", \"g1\"] {\n std::fs::write(\"gen.cu\", format!(\"__global__ void {name}(int* a) {{ *a = 1; }}\"))\
         .unwrap();\n nvcc(&[\"-cubin\", \"-arch=sm_90\", \"-o\", &format!(\"OUT/{name}.cubin\"), \"gen.cu\"]);\n}\n\
         std::fs::remove_file(\"gen.cu\").unwrap();\n\
         nvcc(&[\"-cubin\", \"-arch=sm_90\", \"-o\", \"OUT/k.cubin\", \"kernels/k.cu\"]);",
    );
    for _ in 0..2 {
        assert_eq!(names(&project.occlint(&JSON).exits(0)), ["g0", "g1", "k"]);
    }
    // The author's own sources are read where they are.
    project.write("kernels/k.cu", &KERNEL.replace(" k(", " renamed("));
    assert_eq!(names(&project.occlint(&JSON).exits(0)), ["g0", "g1", "renamed"]);
}

#[test]
fn the_folder_of_a_call_may_be_gone() {
    let project = crate_with(
        "let source = std::fs::canonicalize(\"kernels/k.cu\").unwrap();\n let work = out.join(\"work\");\n\
         std::fs::create_dir(&work).unwrap();\n let nvcc = std::env::var(\"NVCC\").unwrap();\n\
         assert!(Command::new(nvcc).current_dir(&work).args([\"-c\", \"-arch=sm_90\", \"-o\", \"k.o\"]).arg(source)\
         .status().unwrap().success());\n std::fs::remove_dir_all(&work).unwrap();",
    );
    assert_eq!(names(&project.occlint(&JSON).exits(0)), ["k"]);
}

#[test]
fn a_real_build_says_which_device_code_no_call_explains() {
    let nvcc = toolkit().nvcc.display().to_string();
    let project = crate_with(&format!(
        "nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);\n\
         std::fs::copy(out.join(\"k.o\"), out.join(\"copy.o\")).unwrap();\n\
         assert!(Command::new({nvcc:?}).args([\"-cubin\", \"-arch=sm_90\", \"-o\"]).arg(out.join(\"hidden.cubin\"))\
         .arg(\"kernels/k.cu\").status().unwrap().success());"
    ));
    let run = project.occlint(&["--capture", "build"]).exits(0);
    assert!(notes(&run).contains("out/hidden.cubin` holds device code that no call"), "{}", run.stderr);
}

#[test]
fn calls_that_hide_their_script_belong_to_it() {
    let build = "if std::env::var_os(\"CARGO_FEATURE_MORE\").is_some() {\n let nvcc = std::env::var(\"NVCC\").unwrap();\n\
         assert!(Command::new(nvcc).env_clear().env(\"PATH\", \"/usr/bin:/bin\").args([\"-c\", \"-arch=sm_90\", \"-o\"])\
         .arg(out.join(\"l.o\")).arg(\"kernels/l.cu\").status().unwrap().success());\n}\n\
         nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);";
    let project = crate_with(build);
    let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    project.write("Cargo.toml", &format!("{manifest}\n[features]\nmore = []\n"));
    project.write("kernels/l.cu", &KERNEL.replace(" k(", " l("));
    let with = [&JSON[..], &["--features", "more"]].concat();
    for (args, expected) in [(&with[..], &["k", "l"][..]), (&JSON[..], &["k"]), (&with[..], &["k", "l"])] {
        assert_eq!(names(&project.occlint(args).exits(0)), expected, "{args:?}");
    }
}

#[test]
fn nvccs_variables_are_those_of_this_run() {
    let project = crate_with("nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);");
    let nvcc = toolkit().nvcc.display().to_string();
    let capped = |run: &Run| run.findings().iter().any(|finding| finding.starts_with("maxrregcount"));
    for cap in [false, true, false] {
        let append = cap.then_some(("NVCC_APPEND_FLAGS", "-maxrregcount=16"));
        let vars: Vec<(&str, &str)> = [("NVCC", nvcc.as_str())].into_iter().chain(append).collect();
        let run = project.run(&JSON, &vars).exits(0);
        assert_eq!(capped(&run), cap, "{}", run.stderr);
    }
}

#[test]
fn damaged_records_are_made_anew() {
    let project = crate_with("nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);");
    project.occlint(&JSON).exits(0);
    let walk = ignore::WalkBuilder::new(project.path().join("target")).standard_filters(false).build();
    let calls = walk.map(|entry| entry.unwrap().into_path()).find(|path| path.ends_with("calls")).unwrap();
    for damage in ["file", "folder"] {
        if damage == "file" {
            let first = std::fs::read_dir(&calls).unwrap().map(|entry| entry.unwrap().path());
            let record = first.into_iter().find(|path| path.extension().is_some_and(|e| e == "json"));
            std::fs::write(record.unwrap(), "{").unwrap();
        } else {
            std::fs::remove_dir_all(&calls).unwrap();
        }
        let run = project.occlint(&JSON).exits(0);
        assert_eq!(names(&run), ["k"]);
        assert!(said(&run, "Compiling")[0].contains("(recorded)"), "{damage}: {}", run.stderr);
    }
}

#[test]
fn code_for_the_host_compiler_and_for_the_linker_counts() {
    let project = crate_with(
        "nvcc(&[\"-cuda\", \"-arch=sm_90\", \"-o\", \"OUT/k.ii\", \"kernels/k.cu\"]);\n\
         nvcc(&[\"-dlto\", \"-ltoir\", \"-arch=compute_80\", \"-o\", \"OUT/l.ltoir\", \"kernels/l.cu\"]);",
    );
    project.write("kernels/l.cu", &KERNEL.replace(" k(", " l("));
    assert_eq!(names(&project.occlint(&JSON).exits(0)), ["k", "l"]);
}

#[test]
fn a_call_that_cannot_be_written_down_is_said() {
    let project = crate_with(
        "use std::os::unix::ffi::OsStringExt;\n\
         let odd = std::ffi::OsString::from_vec(b\"-DODD=\\\"\\xff\\\"\".to_vec());\n\
         let program = std::env::var(\"NVCC\").unwrap();\n\
         assert!(Command::new(program).arg(odd).args([\"-c\", \"-arch=sm_90\", \"-o\"]).arg(out.join(\"l.o\"))\
         .arg(\"kernels/k.cu\").status().unwrap().success());\n\
         nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);",
    );
    let run = project.occlint(&[]).exits(0);
    assert!(notes(&run).contains("a call of nvcc has arguments that are no UTF-8"), "{}", run.stderr);
}

#[test]
fn the_gpu_that_a_build_was_told_of_is_said() {
    let project = crate_with(
        "let cc = Command::new(\"nvidia-smi\").args([\"--query-gpu=compute_cap\", \"--format=csv,noheader\"]).output()\
         .unwrap().stdout;\n let cc = String::from_utf8(cc).unwrap().trim().replace('.', \"\");\n\
         nvcc(&[\"-ptx\", &format!(\"-arch=sm_{cc}\"), \"-o\", \"OUT/k.ptx\", \"kernels/k.cu\"]);",
    );
    let run = project.occlint(&JSON).exits(0);
    assert_eq!(units(&run), ["kernels/k.cu sm_90"]);
    assert!(notes(&run).contains("it was told compute capability 9.0"), "{}", run.stderr);
    let run = project.occlint(&[&JSON[..], &["--arch", "sm_80"]].concat()).exits(0);
    assert!(!notes(&run).contains("compute capability"), "{}", run.stderr);
}

/// A workspace of members with these build scripts; each has a kernel, and those after the first depend on it.
fn workspace(members: &[(&str, &str)]) -> Project {
    let project = Project::new("");
    let list: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    project.write(
        "Cargo.toml",
        &format!(
            "[workspace]\nmembers = {list:?}\nresolver = \"3\"\n[workspace.metadata.occlint]\n\
             lints = {{ missing-bounds = \"deny\" }}\n"
        ),
    );
    for (index, (name, build)) in members.iter().enumerate() {
        let manifest = format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
        let first = members[0].0;
        let needs = format!("[dependencies]\n{first} = {{ path = \"../{first}\" }}\n");
        project.write(&format!("{name}/Cargo.toml"), &(manifest + if index > 0 { &needs } else { "" }));
        project.write(&format!("{name}/src/lib.rs"), "");
        if !build.is_empty() {
            project.write(&format!("{name}/build.rs"), &script(build));
            project.write(&format!("{name}/kernels/k.cu"), "__global__ void k(int* a) { *a = 1; }\n");
        }
    }
    project
}

const COMPILES: &str = "nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);";

#[test]
fn a_member_whose_build_fails_hides_no_others() {
    let project = workspace(&[("a", COMPILES), ("m", "panic!(\"no luck\");"), ("z", COMPILES)]);
    let run = project.occlint(&[&JSON[..], &["--workspace"]].concat()).exits(101);
    assert!(
        run.stderr.contains("no luck") && run.stderr.contains("the build of `m` fails"),
        "{}",
        run.stderr
    );
    assert_eq!(units(&run), ["a/kernels/k.cu sm_90", "z/kernels/k.cu sm_90"]);
    assert_eq!(run.findings().len(), 2, "{:?}", run.findings());
}

#[test]
fn a_member_that_only_depends_on_cuda_is_told_where_it_is() {
    let project = workspace(&[("gpu", COMPILES), ("app", "")]);
    let run = project.occlint(&["-p", "app"]).exits(101);
    assert!(run.stderr.contains("it depends on `gpu`, which may compile CUDA: `-p gpu`"), "{}", run.stderr);
    // The workspace's levels hold for its members, whoever asks for them.
    let run = project.occlint(&[&JSON[..], &["-p", "app", "--deps"]].concat()).exits(100);
    assert_eq!(units(&run), ["gpu/kernels/k.cu sm_90"]);
}

#[test]
fn a_dependency_whose_build_fails_is_no_pass() {
    let project = workspace(&[("dep", "panic!(\"no luck\");"), ("own", COMPILES)]);
    let run = project.occlint(&["-p", "own", "-A", "missing-bounds"]).exits(0);
    assert!(notes(&run).contains("build scripts of dependencies failed (dep)"), "{}", run.stderr);
    let run = project.occlint(&["-p", "own", "--deps"]).exits(101);
    assert!(run.stderr.contains("no luck"), "{}", run.stderr);
}
