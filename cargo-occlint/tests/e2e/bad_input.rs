//! What goes wrong, and what is said of it. A fake nvcc stands in for faults that the real one cannot be made to have.

use std::path::Path;
use std::time::{Duration, Instant};

use occlint::sys::process::{self, Call, Cancel};

use crate::project::{Project, Run};

const KERNEL: &str = "__global__ void __launch_bounds__(128) k(float* o) { *o = 1; }\n";

fn demo() -> Project {
    let project = Project::new("archs = [\"sm_90\"]");
    project.write("k.cu", KERNEL);
    project
}

/// A fake nvcc that answers queries like a real one and then runs `body`.
fn fake(project: &Project, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = project.path().join("fake/nvcc");
    let text = format!(
        "#!/bin/sh\ncase \"$1\" in\n--version) echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit 0;;\n\
         --list-gpu-code) echo sm_90; exit 0;;\n--dryrun) exit 0;;\nesac\n{body}\n"
    );
    project.write("fake/nvcc", &text);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn says(run: Run, status: i32, words: &[&str]) {
    let run = run.exits(status);
    for words in words {
        assert!(run.stderr.contains(words), "{words:?} is missing in\n{}", run.stderr);
    }
}

#[test]
fn no_nvcc_is_said_with_every_place_that_was_looked_at() {
    // cargo is found by its own variable; nothing else is on PATH.
    let cargo = env!("CARGO");
    let run = demo().run(&[], &[("PATH", "/nonexistent"), ("CARGO", cargo)]);
    says(
        run,
        101,
        &[
            "no CUDA compiler (nvcc) was found",
            "CUDA_HOME",
            "`/usr/local/cuda`: no `bin/nvcc`",
            "cuda = \"13.0\"",
        ],
    );
    let run = demo().run(&["--nvcc", "/no/such/nvcc"], &[]);
    says(run, 101, &["/no/such/nvcc"]);
}

#[test]
fn kernels_outside_the_package_alone_are_no_pass() {
    let project = Project::at("inner", "archs = [\"sm_90\"]");
    project.write("../outer.cuh", KERNEL);
    project.write("k.cu", "#include \"../outer.cuh\"\n");
    says(project.occlint(&[]), 101, &["every kernel stands outside the package", "`sources`"]);

    // what the configuration names is the author's business
    let target = "[[package.metadata.occlint.kernel]]\nname = \"k\"\nmax-registers = 2";
    let project = Project::at("inner", &format!("archs = [\"sm_90\"]\n{target}"));
    project.write("../outer.cuh", KERNEL);
    project.write("k.cu", "#include \"../outer.cuh\"\n");
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    assert_eq!(run.findings(), ["register-budget k sm_90"]);

    let project = Project::at("inner", "archs = [\"sm_90\"]\nsources = [\"../outer.cu\"]");
    project.write("../outer.cu", KERNEL);
    says(project.occlint(&[]), 0, &["1 kernel on sm_90"]);
}

#[test]
fn the_host_compiler_that_cxx_names_is_handed_to_nvcc() {
    let project = demo();
    let nvcc = fake(&project, "echo \"called with $*\"; exit 1");
    let run = project.run(&[], &[("NVCC", &nvcc), ("CXX", "/usr/bin/g++")]);
    says(run, 101, &["-ccbin=/usr/bin/g++ -o"]);
    let run = project.run(&[], &[("NVCC", &nvcc), ("CXX", "/no/such/g++")]);
    says(run, 101, &["/no/such/g++"]);
    // what the user says of nvcc itself comes first
    let run = project.run(&[], &[("NVCC", &nvcc), ("CXX", "/no/such/g++"), ("NVCC_CCBIN", "g++")]);
    assert!(!run.stderr.contains("-ccbin"), "{}", run.stderr);
}

#[test]
fn what_nvcc_says_is_shown_under_our_words() {
    let project = demo();
    project.write("bad.cu", "int x = ;\n");
    says(project.occlint(&[]), 101, &["cannot check `bad.cu` for sm_90", "expected an expression"]);
}

#[test]
fn a_compiler_that_hangs_is_ended_with_its_children() {
    let project = demo();
    let nvcc = fake(&project, "sh -c 'sleep 30; touch survived' & sleep 30");
    let start = Instant::now();
    says(
        project.run(&["--timeout", "0.5"], &[("NVCC", &nvcc)]),
        101,
        &["ran longer than 0.5 s", "--timeout"],
    );
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_long_run_gives_signs_of_life_without_a_terminal() {
    let project = demo();
    let nvcc = fake(&project, "sleep 11; exit 1");
    let run = project.run(&[], &[("NVCC", &nvcc)]);
    let at = |words: &str| {
        run.stderr.find(words).unwrap_or_else(|| panic!("{words:?} is missing in\n{}", run.stderr))
    };
    assert!(at("Compiling demo: 1 source") < at("still at work\n"));
    assert!(!run.stderr.contains(['\u{1b}', '\r']), "{:?}", run.stderr);
    for (args, never) in [(&["-q"][..], ""), (&[], "never")] {
        let vars = [("NVCC", nvcc.as_str()), ("CARGO_TERM_PROGRESS_WHEN", never)];
        assert!(!project.run(args, &vars).stderr.contains("still at work"), "{args:?} {never:?}");
    }
}

#[test]
fn a_compiler_that_prints_without_end_is_ended_and_no_pass() {
    let project = demo();
    // a whole report comes first: what was read of it must not pass
    let report = "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'";
    let nvcc = fake(&project, &format!("echo \"{report}\" >&2; yes 'ptxas info    : 0 bytes gmem' >&2"));
    let start = Instant::now();
    says(
        project.run(&["--timeout", "60"], &[("NVCC", &nvcc)]),
        101,
        &[
            "cannot check `k.cu` for sm_90",
            "printed more than 64 MiB and was ended",
            "run the compiler by hand",
        ],
    );
    assert!(start.elapsed() < Duration::from_secs(20), "it is ended when it has printed too much");
}

#[test]
fn a_compiler_that_prints_garbage_or_nothing_is_no_pass() {
    for body in ["exit 0", "printf '\\377\\376garbage\\033[31m'; exit 0"] {
        let project = demo();
        let nvcc = fake(&project, body);
        says(project.run(&[], &[("NVCC", &nvcc)]), 101, &["left no cubin"]);
    }
    let project = demo();
    let nvcc = fake(&project, "kill -9 $$");
    says(project.run(&[], &[("NVCC", &nvcc)]), 101, &["signal 9"]);
    let project = demo();
    project.write("fake/nvcc", "#!/bin/sh\necho hello\n");
    std::fs::set_permissions(
        project.path().join("fake/nvcc"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let nvcc = project.path().join("fake/nvcc");
    says(project.run(&[], &[("NVCC", nvcc.to_str().unwrap())]), 101, &["did not print a version"]);
}

#[test]
fn nothing_to_check_is_no_pass() {
    says(Project::new("").occlint(&[]), 101, &["nothing to check"]);
    Project::new("").occlint(&["--allow-empty"]).exits(0);
    let project = Project::new("archs = [\"sm_90\"]");
    project.write("host.cu", "void f() {}\n");
    says(project.occlint(&[]), 101, &["no kernel"]);
    let project = Project::new("archs = [\"sm_80\", \"sm_90\"]");
    project.write("k.cu", &format!("#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900\n{KERNEL}#endif\n"));
    says(project.occlint(&[]), 101, &["sm_80", "which was asked for"]);
}

#[test]
fn architectures_that_cannot_be_done_are_refused() {
    for (archs, words) in [
        ("sm_70", "cannot compile for sm_70"),
        ("sm_35", "no residency limits for sm_35"),
        ("compute_90", "did you mean `sm_90`"),
        ("native", "needs a GPU"),
    ] {
        let project = Project::new(&format!("archs = [\"{archs}\"]"));
        project.write("k.cu", KERNEL);
        says(project.occlint(&[]), 101, &[words, "Cargo.toml:7"]);
    }
}

#[test]
fn a_name_that_a_shell_would_run_runs_nothing() {
    for name in ["a$(touch x).cu", "a`touch x`.cu", "a\\b.cu", "a\"b.cu"] {
        let project = demo();
        project.write(name, KERNEL);
        says(project.occlint(&[]), 101, &["nvcc would hand it to a shell"]);
        let found = |folder: &Path| folder.join("x").exists();
        assert!(!found(project.path()) && !found(&project.path().join("target/occlint")), "{name}");
    }
    for config in ["flags = [\"-DX=$(touch x)\"]", "include = [\"a`b`\"]", "defines = [\"X=\\\"y\\\"\"]"] {
        let project = Project::new(&format!("archs = [\"sm_90\"]\n{config}"));
        project.write("k.cu", KERNEL);
        says(project.occlint(&[]), 101, &["hands it to a shell", "Cargo.toml:8"]);
    }
}

#[test]
fn spaces_quotes_and_other_letters_in_paths_work() {
    let project = Project::at("it's é/p q", "archs = [\"sm_90\"]\ninclude = [\"a b/é\"]");
    project.write("a b/é/h.h", "#define BLOCK 128\n");
    let source = "#include <h.h>\n__global__ void __launch_bounds__(BLOCK) k(float* o) { *o = 1; }\n";
    project.write("it's/k ü;&|(x).cu", source);
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    assert_eq!(run.kernel("k(", "sm_90")["source"], "it's/k ü;&|(x).cu");
    let project = Project::new("archs = [\"sm_90\"]\ninclude = [\"it's\"]");
    project.write("it's/h.h", "");
    project.write("k.cu", KERNEL);
    says(project.occlint(&[]), 101, &["nvcc does not find such a folder"]);
}

#[test]
fn a_missing_source_and_a_broken_configuration_are_shown_at_their_place() {
    let project = Project::new("sources = [\"kernels/gone.cu\"]");
    says(project.occlint(&[]), 101, &["matches no file", "Cargo.toml:7"]);
    let project = Project::new(
        "arch = [\"sm_90\"]\nsources = \"k.cu\"\n[package.metadata.occlint.lints]\nspil = \"deny\"\nspill = \"loud\"",
    );
    let words = [
        "unknown key `arch`",
        "did you mean `archs`",
        "`sources` must be an array",
        "did you mean `spill`",
        "`loud` is no level",
    ];
    says(project.occlint(&[]), 101, &words);
    assert!(!project.path().join("target/occlint/demo").exists(), "nothing is begun");
}

#[test]
fn a_comment_that_finds_no_kernel_is_an_error_at_its_place() {
    let project = demo();
    project.write("k.cu", &format!("{KERNEL}// occlint: block = 128\nvoid f();\n"));
    says(project.occlint(&[]), 101, &["no `__global__` follows", "but `void f()`", "k.cu:2"]);
    project.write(
        "k.cu",
        &format!("// occlint: block = 128\n__device__ float f(float x) {{ return x; }}\n{KERNEL}"),
    );
    says(
        project.occlint(&[]),
        101,
        &["no `__global__` follows", "but `__device__ float f(float x)`", "k.cu:1"],
    );
    project.write("k.cu", &format!("// occlint: blok = 128\n{KERNEL}"));
    says(project.occlint(&[]), 101, &["unknown key `blok`", "did you mean `block`"]);
}

#[test]
fn a_debug_build_is_no_check() {
    let project = Project::new("archs = [\"sm_90\"]\nflags = [\"-G\"]").with_case("suite.cu");
    let run = project.occlint(&["--message-format", "json"]).exits(100);
    assert_eq!(run.findings(), ["debug-build - sm_90"]);
}

#[test]
fn a_pin_without_the_network_is_refused() {
    let project = Project::new("cuda = \"13.0\"\narchs = [\"sm_90\"]");
    project.write("k.cu", KERNEL);
    let empty = project.path().join("empty-home");
    let run = project.run(&["--offline"], &[("OCCLINT_HOME", empty.to_str().unwrap())]);
    says(run, 101, &["the network may not be used", "once without `--offline`"]);
    assert!(!empty.exists());
    says(project.run(&["--cuda", "12.9"], &[]), 101, &["12.9", "13.0"]);
}

#[test]
fn flags_of_the_environment_are_checked_like_configured_ones() {
    let project = demo();
    let nvcc = fake(&project, "echo \"called with $* [$NVCC_PREPEND_FLAGS$NVCC_APPEND_FLAGS]\"; exit 1");
    let vars = [("NVCC", nvcc.as_str()), ("NVCC_PREPEND_FLAGS", "-DA"), ("NVCC_APPEND_FLAGS", " -DB  -DC")];
    says(project.run(&[], &vars), 101, &["-DA -DB -DC -o", "k.cu []", "Applying NVCC_PREPEND_FLAGS: -DA"]);
    for (flags, words) in [
        ("-o elsewhere", "`-o` chooses what nvcc makes"),
        ("--keep-dir=elsewhere", "`--keep-dir` chooses what nvcc makes"),
        ("-arch=sm_80", "`-arch` chooses an architecture"),
        ("-DX=$(touch${IFS}elsewhere)", "hands it to a shell"),
        ("-optf=more", "takes flags from a file"),
    ] {
        let run = project.run(&[], &[("NVCC", &nvcc), ("NVCC_APPEND_FLAGS", flags)]);
        says(run, 101, &["`NVCC_APPEND_FLAGS` cannot be applied", words]);
    }
    assert!(!project.path().join("elsewhere").exists());
    let nvcc = crate::project::toolkit().nvcc.to_str().unwrap();
    for (flags, finding) in [("-G", "debug-build - sm_90"), ("-maxrregcount=32", "maxrregcount - sm_90")] {
        let args = ["--message-format", "json", "-D", "warnings"];
        let run = project.run(&args, &[("NVCC", nvcc), ("NVCC_APPEND_FLAGS", flags)]).exits(100);
        assert_eq!(run.findings(), [finding]);
    }
}

#[test]
fn a_file_of_flags_is_refused_at_its_place() {
    let project = Project::new("archs = [\"sm_90\"]\nflags = [\"-optf=opt\"]");
    project.write("k.cu", KERNEL);
    project.write("opt", "-DX=$(touch x)");
    says(
        project.occlint(&[]),
        101,
        &["takes flags from a file", "Cargo.toml:8", "write the flags themselves"],
    );
    assert!(!project.path().join("x").exists());
}

#[test]
fn a_line_directive_reads_no_device_and_shows_no_secret() {
    let secrets = tempfile::tempdir().unwrap();
    let (secret, header) = (secrets.path().join("secret"), secrets.path().join("lib.cuh"));
    std::fs::write(&secret, "hunter2 is on this line\n").unwrap();
    std::fs::write(&header, KERNEL.replace("k(", "from_header(").replace("__launch_bounds__(128) ", ""))
        .unwrap();
    let project = demo();
    let kernel = |name: &str, file: &str| {
        format!("#line 1 \"{file}\"\n__global__ void {name}(float* o) {{ *o = 1; }}\n")
    };
    let text = [
        KERNEL.to_owned(),
        kernel("a", "/dev/zero"),
        kernel("b", secret.to_str().unwrap()),
        format!("#include \"{}\"\n", header.display()),
    ];
    project.write("k.cu", &text.concat());
    let run = project.occlint(&["-W", "missing-bounds", "--foreign", "-v"]).exits(0);
    assert!(run.stdout.contains("from_header(float* o)"), "a real include is shown\n{}", run.stdout);
    assert!(run.stdout.contains("secret:1") && !run.stdout.contains("hunter2"), "{}", run.stdout);
}

#[test]
fn places_that_cannot_be_read_are_no_pass() {
    let project = demo();
    std::os::unix::fs::symlink("gone.cu", project.path().join("z.cu")).unwrap();
    says(project.occlint(&[]), 101, &["cannot check `z.cu`", "No such file"]);
    // Longer than any path may be: not even the superuser can read it.
    let project = demo();
    let make = "for i in $(seq 20); do mkdir $1 && cd $1 || exit 1; done";
    let call = Call::new("/bin/sh").args(["-c", make, "sh", &"d".repeat(250)]);
    let call = Call { folder: Some(project.path().to_owned()), ..call };
    process::run(&call, project.path(), &Cancel::new()).unwrap();
    says(project.occlint(&[]), 101, &["cannot look for sources in", "name the sources with `sources`"]);
    let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
    project.write("Cargo.toml", &format!("{manifest}sources = [\"kernels/*.cu\"]\n"));
    project.write("kernels/k.cu", KERNEL);
    project.occlint(&[]).exits(0);
}

fn with_sources(sources: &str) -> Project {
    let project = Project::new(&format!("archs = [\"sm_90\"]\nsources = {sources}"));
    project.write("kernels/k.cu", KERNEL);
    project
}

#[test]
fn a_file_that_is_named_twice_is_one_unit() {
    let project = with_sources("[\"kernels/k.cu\", \"kernels/../kernels/k.cu\", \"./kernels/*.cu\"]");
    std::os::unix::fs::symlink("k.cu", project.path().join("kernels/a.cu")).unwrap();
    let run = project.occlint(&["--message-format", "json"]).exits(0);
    assert!(run.stderr.contains("1 source for"), "{}", run.stderr);
    assert_eq!(run.kernel("k(", "sm_90")["source"], "kernels/k.cu");
}

#[test]
fn sources_name_kernels() {
    says(with_sources("[\"kernels\"]").occlint(&[]), 101, &["`kernels` is a folder", "`kernels/**/*.cu`"]);
    let run = with_sources("[\"**\"]").occlint(&[]).exits(0);
    assert!(run.stderr.contains("1 source for"), "{}", run.stderr);
    says(
        with_sources("[\"src/**\"]").occlint(&[]),
        101,
        &["matches no `.cu` and no `.ptx` file", "Cargo.toml:8"],
    );
}

#[test]
fn an_include_folder_that_is_none_is_an_error_at_its_place() {
    for (include, words) in [("nope", "there is no folder `nope`"), ("k.cu", "`k.cu` is no folder")] {
        let project = Project::new(&format!("archs = [\"sm_90\"]\ninclude = [\"{include}\"]"));
        project.write("k.cu", KERNEL);
        says(project.occlint(&[]), 101, &[words, "Cargo.toml:8"]);
    }
}

#[test]
fn the_time_limit_holds_for_what_nvcc_is_asked() {
    let project = demo();
    let nvcc = fake(&project, "");
    let text = std::fs::read_to_string(&nvcc).unwrap();
    project.write("fake/nvcc", &text.replacen("#!/bin/sh", "#!/bin/sh\nsleep 30", 1));
    let start = Instant::now();
    says(project.run(&["--timeout", "0.5"], &[("NVCC", &nvcc)]), 101, &["ran longer than 0.5 s"]);
    assert!(start.elapsed() < Duration::from_secs(15));
}
