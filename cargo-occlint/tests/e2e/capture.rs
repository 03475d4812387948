//! Crates whose build scripts know nothing of occlint: what they give to the real nvcc is checked.

use crate::project::{Project, Run, toolkit};

/// A crate whose build script runs these statements.
pub(crate) fn crate_with(build: &str) -> Project {
    let project = Project::new("");
    project.write("build.rs", &script(build));
    project.write("kernels/k.cu", KERNEL);
    project
}

/// A build script of these statements; `nvcc` calls what it finds first.
pub(crate) fn script(build: &str) -> String {
    format!(
        "use std::path::Path;\nuse std::process::Command;\n\
             fn nvcc(args: &[&str]) {{\n    let out = std::env::var(\"OUT_DIR\").unwrap();\n\
             let program = std::env::var(\"NVCC\").unwrap_or(\"nvcc\".into());\n\
             let args: Vec<String> = args.iter().map(|arg| arg.replace(\"OUT\", &out)).collect();\n\
             assert!(Command::new(program).args(args).status().unwrap().success());\n}}\n\
             fn main() {{\n    println!(\"cargo::rerun-if-changed=kernels\");\n    \
             let out = std::env::var(\"OUT_DIR\").unwrap();\n    let out = Path::new(&out);\n    let _ = out;\n{build}\n}}\n"
    )
}

pub(crate) const KERNEL: &str = "#ifndef N\n#define N 1\n#endif\n\
    __global__ void __launch_bounds__(128) k(float* a) { a[threadIdx.x] = N; }\n";

/// The lines of standard error that begin with a verb.
pub(crate) fn said<'r>(run: &'r Run, verb: &str) -> Vec<&'r str> {
    run.stderr.lines().filter_map(|line| line.trim_start().strip_prefix(verb)).map(str::trim).collect()
}

pub(crate) fn units(run: &Run) -> Vec<String> {
    let mut all: Vec<String> = run
        .lines("kernel")
        .iter()
        .map(|line| format!("{} {}", line["source"].as_str().unwrap(), line["arch"].as_str().unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn what_a_build_script_compiles_is_checked_with_its_flags_and_architectures() {
    let project = crate_with(
        "nvcc(&[\"-c\", \"-maxrregcount=32\", \"-gencode=arch=compute_80,code=sm_80\", \
         \"-gencode=arch=compute_90,code=[sm_90,compute_90]\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);",
    );
    project.write("kernels/unused.cu", "this is no kernel\n");
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    assert_eq!(units(&run), ["kernels/k.cu sm_80", "kernels/k.cu sm_90"]);
    assert!(run.findings().iter().any(|finding| finding.starts_with("maxrregcount")), "{:?}", run.findings());
    assert_eq!(said(&run, "Compiling"), ["demo: 1 unit of 1 call of nvcc (recorded) for sm_80, sm_90"]);
}

#[test]
fn a_fresh_build_script_is_checked_by_its_earlier_calls_and_a_changed_one_anew() {
    let project = crate_with("nvcc(&[\"-ptx\", \"-arch=sm_90\", \"-o\", \"OUT/k.ptx\", \"kernels/k.cu\"]);");
    let args = ["--message-format", "json"];
    let first = project.occlint(&args).exits(0);
    let second = project.occlint(&args).exits(0);
    assert_eq!(units(&first), units(&second));
    assert!(second.stderr.contains("its build script is fresh"), "{}", second.stderr);
    project.write("kernels/k.cu", &KERNEL.replace(" k(", " renamed("));
    let third = project.occlint(&args).exits(0);
    assert_eq!(said(&third, "Compiling"), ["demo: 1 unit of 1 call of nvcc (recorded) for sm_90"]);
    assert!(third.lines("kernel")[0]["name"].as_str().unwrap().starts_with("renamed("), "{}", third.stdout);
}

#[test]
fn calls_that_were_recorded_under_another_path_are_made_anew() {
    let project = crate_with("nvcc(&[\"-ptx\", \"-arch=sm_90\", \"-o\", \"OUT/k.ptx\", \"kernels/k.cu\"]);");
    let elsewhere = tempfile::tempdir().unwrap();
    let [target, link] = ["target", "link"].map(|name| elsewhere.path().join(name));
    std::fs::create_dir(&target).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    for path in [&target, &link, &target] {
        let run = project.occlint(&["--target-dir", path.to_str().unwrap()]).exits(0);
        assert_eq!(said(&run, "Compiling"), ["demo: 1 unit of 1 call of nvcc (recorded) for sm_90"]);
    }
}

#[test]
fn what_a_build_writes_anew_is_looked_at_after_it() {
    let project = crate_with(
        "let n = std::fs::read_to_string(\"kernels/n.txt\").unwrap();\n\
         std::fs::write(out.join(\"n.h\"), format!(\"#define N {n}\\n\")).unwrap();\n\
         nvcc(&[\"-ptx\", \"-arch=sm_90\", \"-IOUT\", \"-o\", \"OUT/k.ptx\", \"kernels/k.cu\"]);",
    );
    let kernel = "#include \"n.h\"\n__global__ void __launch_bounds__(128) k(float* a) {\n\
        __shared__ float s[N];\n s[threadIdx.x % N] = a[0];\n __syncthreads();\n *a = s[0];\n}\n";
    project.write("kernels/k.cu", kernel);
    let shared = |n: &str| {
        project.write("kernels/n.txt", n);
        let run = project.occlint(&["--message-format", "json"]).exits(0);
        run.lines("kernel")[0]["static_smem"].clone()
    };
    assert_eq!(shared("64"), 256);
    // Old enough that nobody reads the files again to know them.
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert_eq!(shared("64"), 256);
    assert_eq!(shared("96"), 384);
    assert_eq!(shared("64"), 256);
}

#[test]
fn a_script_that_skips_what_it_has_made_is_seen_whole_after_a_change() {
    let project = crate_with(
        "for name in [\"k\", \"l\"] {\n let made = out.join(name);\n let source = format!(\"kernels/{name}.cu\");\n \
         let newer = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();\n \
         if newer(&made) < newer(Path::new(&source)) { nvcc(&[\"-c\", \"-arch=sm_90\", \"-o\", made.to_str().unwrap(), &source]); }\n}",
    );
    project.write("kernels/l.cu", &KERNEL.replace(" k(", " l("));
    let args = ["--message-format", "json"];
    project.occlint(&args).exits(0);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    project.write("kernels/l.cu", &KERNEL.replace(" k(", " m("));
    let run = project.occlint(&args).exits(0);
    assert_eq!(units(&run), ["kernels/k.cu sm_90", "kernels/l.cu sm_90"]);
}

#[test]
fn one_source_under_two_sets_of_flags_is_two_units() {
    let project = crate_with(
        "for n in [\"2\", \"3\"] { nvcc(&[\"-cubin\", \"-arch=sm_90\", &format!(\"-DN={n}\"), \"-o\", &format!(\"OUT/{n}\"), \
         \"kernels/k.cu\"]); }",
    );
    let run = project.occlint(&[]).exits(0);
    assert_eq!(said(&run, "Compiling"), ["demo: 2 units of 2 calls of nvcc (recorded) for sm_90"]);
    assert!(said(&run, "Checked")[0].starts_with("1 kernel on sm_90"), "{}", run.stderr);
}

#[test]
fn a_script_that_reads_what_nvcc_makes_is_built_for_real() {
    let project = crate_with(
        "nvcc(&[\"-ptx\", \"-arch=sm_90\", \"-o\", \"OUT/k.ptx\", \"kernels/k.cu\"]);\n\
         let text = std::fs::read_to_string(out.join(\"k.ptx\")).unwrap();\n\
         assert!(text.contains(\".entry\"), \"no entry in the PTX\");",
    );
    let run = project.occlint(&[]).exits(0);
    assert_eq!(said(&run, "Note"), ["the build needs what nvcc makes: it runs for real"]);
    assert_eq!(said(&run, "Compiling"), ["demo: 1 unit of 1 call of nvcc (from the real build) for sm_90"]);
    let forced = project.occlint(&["--capture", "record"]).exits(101);
    assert!(forced.stderr.contains("no entry in the PTX"), "{}", forced.stderr);
    assert!(forced.stderr.contains("`--capture build` runs the build for real"), "{}", forced.stderr);
}

#[test]
fn a_build_that_fails_shows_its_own_error_first() {
    let project = crate_with("panic!(\"the moon is in the wrong phase\");");
    let run = project.occlint(&[]).exits(101);
    let (own, ours) =
        (run.stderr.find("the moon is in the wrong phase"), run.stderr.find("the build of `demo` fails"));
    assert!(own.is_some() && own < ours, "{}", run.stderr);
    assert!(run.stdout.is_empty());
    let run = project.occlint(&["--via", "sources"]).exits(0);
    assert!(said(&run, "Checked")[0].starts_with("1 kernel"), "{}", run.stderr);
}

#[test]
fn a_build_script_without_nvcc_leaves_the_sources_to_be_found() {
    let project = crate_with("");
    let run = project.occlint(&["--arch", "sm_90"]).exits(0);
    assert!(said(&run, "Compiling")[0].contains("every `.cu` of the package"), "{}", run.stderr);
    let forced = project.occlint(&["--via", "build"]).exits(101);
    assert!(forced.stderr.contains("the build of `demo` did not call nvcc"), "{}", forced.stderr);
}

#[test]
fn questions_are_answered_by_the_real_nvcc() {
    let version = toolkit().version.to_string();
    let project = crate_with(&format!(
        "let ask = |arg| {{ let out = Command::new(\"nvcc\").arg(arg).output().unwrap(); String::from_utf8(out.stdout).unwrap() }};\n\
         assert!(ask(\"--version\").contains(\"V{version}\"));\n assert!(ask(\"--list-gpu-code\").contains(\"sm_90\"));\n\
         nvcc(&[\"-fatbin\", \"-arch=sm_90\", \"-o\", \"OUT/k\", \"kernels/k.cu\"]);"
    ));
    let run = project.occlint(&["--capture", "record"]).exits(0);
    assert!(said(&run, "Compiling")[0].contains("1 call of nvcc"), "{}", run.stderr);
}

#[test]
fn relocatable_units_keep_their_mode_and_are_linked() {
    let project = crate_with(
        "for n in [\"link_caller\", \"link_callee\"] { nvcc(&[\"-arch=sm_90\", \"-dc\", \"-o\", &format!(\"OUT/{n}.o\"), \
         &format!(\"kernels/{n}.cu\")]); }\n\
         nvcc(&[\"-arch=sm_90\", \"-dlink\", \"OUT/link_caller.o\", \"OUT/link_callee.o\", \"-o\", \"OUT/dlink.o\"]);",
    )
    .with_case("link_caller.cu")
    .with_case("link_callee.cu");
    let captured = project.occlint(&["--message-format", "json", "--experiments", "off"]);
    let direct = Project::new("archs = [\"sm_90\"]\nflags = [\"-rdc=true\"]")
        .with_case("link_caller.cu")
        .with_case("link_callee.cu")
        .occlint(&["--message-format", "json", "--experiments", "off"]);
    let figures = |run: &Run| {
        let of = |line: &serde_json::Value| {
            ["name", "registers", "compiled_registers", "stack", "linked", "residency"]
                .map(|key| line[key].clone())
        };
        let mut all: Vec<_> = run.lines("kernel").iter().map(of).collect();
        all.sort_by_key(|line| line[0].to_string());
        all
    };
    assert!(!figures(&direct).is_empty());
    assert_eq!(figures(&captured), figures(&direct));
    assert_eq!((captured.status, captured.findings()), (direct.status, direct.findings()));
}

#[test]
fn a_call_by_an_absolute_path_is_not_seen_and_said() {
    let nvcc = toolkit().nvcc.display().to_string();
    let project = crate_with(&format!(
        "let made = out.join(\"k.ptx\");\n assert!(Command::new({nvcc:?}).args([\"-ptx\", \"-arch=sm_90\", \"-o\"]).arg(&made)\
         .arg(\"kernels/k.cu\").status().unwrap().success());"
    ));
    let run = project.occlint(&["--arch", "sm_90"]).exits(0);
    let note = said(&run, "Note");
    assert!(
        note.len() == 1 && note[0].contains("out/k.ptx` holds device code that no call"),
        "{}",
        run.stderr
    );
    let forced = project.occlint(&["--via", "build"]).exits(101);
    assert!(
        forced.stderr.contains("holds device code") && forced.stderr.contains("did not call nvcc"),
        "{}",
        forced.stderr
    );
}

#[test]
fn a_script_that_clears_its_environment_is_seen() {
    let project = crate_with(
        "let nvcc = std::env::var(\"NVCC\").unwrap();\n assert!(Command::new(nvcc).env_clear()\
         .env(\"PATH\", \"/usr/bin:/bin\").args([\"-cubin\", \"-arch=sm_90\", \"-o\"]).arg(out.join(\"k\"))\
         .arg(\"kernels/k.cu\").status().unwrap().success());",
    );
    let run = project.occlint(&[]).exits(0);
    assert!(said(&run, "Compiling")[0].contains("1 call of nvcc (recorded)"), "{}", run.stderr);
}

#[test]
fn arguments_in_files_and_variables_count() {
    let project = crate_with(
        "std::fs::write(out.join(\"a.rsp\"), \"-DN=7 -maxrregcount=64\").unwrap();\n\
         nvcc(&[\"-c\", \"-arch=sm_90\", \"--options-file\", \"OUT/a.rsp\", \"-o\", \"OUT/k.o\", \"kernels/k.cu\"]);\n\
         std::fs::remove_file(out.join(\"a.rsp\")).unwrap();",
    );
    let nvcc = toolkit().nvcc.to_str().unwrap();
    let vars = [("NVCC", nvcc), ("NVCC_APPEND_FLAGS", "-DM=2")];
    project.write("kernels/k.cu", &KERNEL.replace("= N;", "= N + M;"));
    let run = project.run(&["--message-format", "json"], &vars).exits(0);
    assert!(run.findings().iter().any(|finding| finding.starts_with("maxrregcount")), "{:?}", run.findings());
}
