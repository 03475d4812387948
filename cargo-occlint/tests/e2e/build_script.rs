//! Crates whose build scripts compile with `occlint::Build`: what cargo shows, with the real compiler.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::project::{Project, home, root, toolkit};

/// A crate whose build script has these statements in `main`.
pub(crate) struct Crate {
    pub(crate) project: Project,
    /// Its name: crates of one name and different folders are one to cargo, in one target folder.
    name: String,
    target: PathBuf,
}

impl Drop for Crate {
    fn drop(&mut self) {
        for folder in ["build", "deps", ".fingerprint", "incremental"] {
            for entry in
                std::fs::read_dir(self.target.join("debug").join(folder)).into_iter().flatten().flatten()
            {
                let file = entry.file_name().to_string_lossy().replace('_', "-");
                if file.trim_start_matches("lib").starts_with(&self.name) {
                    let path = entry.path();
                    let _ = if path.is_dir() {
                        std::fs::remove_dir_all(path)
                    } else {
                        std::fs::remove_file(path)
                    };
                }
            }
        }
    }
}

/// What cargo left.
pub(crate) struct Cargo {
    name: String,
    status: i32,
    pub(crate) stderr: String,
}

impl Crate {
    pub(crate) fn new(build: &str, config: &str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("demo-{}-{}-", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let project = Project::new(config);
        let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).unwrap();
        let dependency = format!(
            "[build-dependencies]\nocclint = {{ path = {:?}, features = [\"build-script\"] }}\n",
            root()
        );
        project.write(
            "Cargo.toml",
            &manifest
                .replace("[workspace]\n", &format!("[workspace]\n{dependency}"))
                .replace("\"demo\"", &format!("{name:?}")),
        );
        project.write("build.rs", &format!("fn main() {{\n{build}\n}}\n"));
        // The repository's own versions: nothing is looked up.
        std::fs::copy(root().join("Cargo.lock"), project.path().join("Cargo.lock")).unwrap();
        // The library is built once for all tests.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build-script");
        Self { project, name, target }
    }

    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        self.project.write(name, text);
        self
    }

    pub(crate) fn nvcc() -> String {
        toolkit().nvcc.to_str().unwrap().to_owned()
    }

    /// `cargo build` with the real nvcc.
    pub(crate) fn build(&self) -> Cargo {
        self.cargo(&["build"], &[("NVCC", &Self::nvcc())])
    }

    #[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
    pub(crate) fn cargo(&self, args: &[&str], vars: &[(&str, &str)]) -> Cargo {
        let mut command = Command::new("cargo");
        command.args(args).arg("--offline").current_dir(self.project.path());
        for name in [
            "NVCC",
            "CUDA_HOME",
            "CUDA_PATH",
            "CUDA_ROOT",
            "OCCLINT",
            "DOCS_RS",
            "RUSTFLAGS",
            "CARGO_BUILD_RUSTFLAGS",
        ] {
            command.env_remove(name);
        }
        command
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_TERM_COLOR", "never")
            .env("OCCLINT_HOME", home());
        let Output { status, stderr, .. } = command.envs(vars.iter().copied()).output().unwrap();
        Cargo {
            name: self.name.clone(),
            status: status.code().unwrap_or(-1),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }

    /// `cargo occlint --from-build` shows what the build left, in each format.
    fn shows_its_report(&self, status: i32, lint: &str) {
        let target = self.target.to_str().unwrap();
        for format in ["human", "short", "json"] {
            let args = ["--from-build", "--target-dir", target, "--message-format", format];
            let run = self.project.run(&args, &[]).exits(status);
            assert!(run.stdout.contains(lint), "{format}: {}", run.stdout);
            assert!(run.stderr.contains("1 report of its last build"), "{}", run.stderr);
        }
    }

    /// The folder that this crate's build script wrote last.
    pub(crate) fn out(&self) -> PathBuf {
        let folders = std::fs::read_dir(self.target.join("debug/build")).unwrap();
        let is_own = |path: &PathBuf| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            path.join("out").is_dir() && name.is_some_and(|name| name.starts_with(&self.name))
        };
        folders.filter_map(|entry| Some(entry.ok()?.path())).find(is_own).unwrap().join("out")
    }

    pub(crate) fn report(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.out().join("occlint").join(format!("{name}.json"))).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Cargo {
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}", self.stderr);
        self
    }

    /// What the build script's directives made cargo say: `warning` or `error` lines of the package.
    pub(crate) fn said(&self, word: &str) -> Vec<&str> {
        let head = format!("{word}: {}@0.0.0: ", self.name);
        self.stderr.lines().filter_map(|line| line.strip_prefix(head.as_str())).collect()
    }
}

const SAXPY: &str = "#include \"scale.cuh\"\n\n\
    __global__ void __launch_bounds__(256, 4) saxpy(float* y, const float* x, float a, int n) {\n\
    \x20   int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] += scale(x[i], a);\n}\n\n\
    extern \"C\" void launch_saxpy(float* y, const float* x, float a, int n) { saxpy<<<(n + 255) / 256, 256>>>(y, x, a, n); }\n";
const SCALE: &str = "__device__ inline float scale(float x, float a) { return a * x; }\n";
/// 16 blocks of 128 threads are more than an SM of sm_120 holds.
const DROPPED: &str = "__global__ void __launch_bounds__(128, 16) dropped(float* a) { a[threadIdx.x] *= 2.0f; }\n\
    extern \"C\" void launch_dropped(float* a) { dropped<<<1, 128>>>(a); }\n";
const LINK: &str = "unsafe extern \"C\" { fn launch_saxpy(y: *mut f32, x: *const f32, a: f32, n: i32); }\n\
    pub fn saxpy() { unsafe { launch_saxpy(std::ptr::null_mut(), std::ptr::null(), 1.0, 0) } }\n\
    #[test]\nfn links() { let _ = saxpy as fn(); }\n";

fn saxpy(more: &str, config: &str) -> Crate {
    let build = format!(
        "occlint::Build::new().arch(\"sm_80\").arch(\"sm_90\").include(\"kernels\").file(\"kernels/saxpy.cu\"){more}.compile(\"saxpy\");"
    );
    Crate::new(&build, config)
        .with("kernels/saxpy.cu", SAXPY)
        .with("kernels/scale.cuh", SCALE)
        .with("src/lib.rs", LINK)
}

#[test]
fn a_clean_crate_is_built_checked_and_linked_without_a_word() {
    let demo = saxpy("", "");
    let run = demo.cargo(&["test", "--no-run"], &[("NVCC", &Crate::nvcc())]).exits(0);
    assert!(!run.stderr.contains("@0.0.0"), "{}", run.stderr);
    let kernels: Vec<String> = demo
        .report("saxpy")
        .iter()
        .filter(|line| line["reason"] == "kernel")
        .map(|line| {
            format!(
                "{} {} {}",
                line["key"].as_str().unwrap(),
                line["arch"].as_str().unwrap(),
                line["residency"]
            )
        })
        .collect();
    assert_eq!(kernels.len(), 2, "{kernels:?}");
    assert!(
        kernels[0].starts_with(&format!("{}/saxpy(float*, float const*, float, int) sm_80", demo.name)),
        "{kernels:?}"
    );
    let fresh = demo.cargo(&["test", "--no-run", "-v"], &[("NVCC", &Crate::nvcc())]).exits(0);
    assert!(fresh.stderr.contains("Fresh demo-"), "{}", fresh.stderr);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    demo.project.write("kernels/scale.cuh", &SCALE.replace("a * x", "a * x + 1.0f"));
    let again = demo.cargo(&["test", "--no-run", "-v"], &[("NVCC", &Crate::nvcc())]).exits(0);
    assert!(again.stderr.contains("Dirty demo-") && again.stderr.contains("scale.cuh"), "{}", again.stderr);
}

#[test]
fn a_denied_finding_fails_the_build_at_its_place() {
    let demo = Crate::new("occlint::Build::new().arch(\"sm_120\").file(\"k.cu\").compile(\"k\");", "")
        .with("k.cu", DROPPED);
    let run = demo.build().exits(101);
    let errors = run.said("error");
    assert_eq!(errors.len(), 1, "{}", run.stderr);
    assert!(errors[0].starts_with("k.cu:1:17: error[occlint::bounds-dropped]: `dropped"), "{}", run.stderr);
    assert!(!run.stderr.contains('\x1b'), "{}", run.stderr);
    assert!(run.stderr.contains("\n    help: ask for at most 12 blocks"), "{}", run.stderr);
    let text = std::fs::read_to_string(demo.out().join("occlint/k.txt")).unwrap();
    assert!(text.contains("error[occlint::bounds-dropped]") && text.contains("help: ask for"), "{text}");
    assert!(text.ends_with("1 kernel on sm_120: 1 error, no warnings\n"), "{text}");
    demo.shows_its_report(100, "bounds-dropped");
    let soft = demo.cargo(&["build"], &[("NVCC", &Crate::nvcc()), ("OCCLINT", "warn")]).exits(0);
    assert!(soft.said("warning")[0].contains("warning[occlint::bounds-dropped]"), "{}", soft.stderr);
    let off = demo.cargo(&["build"], &[("NVCC", &Crate::nvcc()), ("OCCLINT", "off")]).exits(0);
    assert!(off.said("warning").is_empty(), "{}", off.stderr);
    let wrong = demo.cargo(&["build"], &[("NVCC", &Crate::nvcc()), ("OCCLINT", "no")]).exits(101);
    assert!(wrong.said("error")[0].contains("`OCCLINT=no`"), "{}", wrong.stderr);
}

#[test]
fn several_files_are_linked_and_the_linked_figures_are_checked() {
    let callee = "__device__ __noinline__ float heavy(const float* p, int n) {\n    float v[40];\n    #pragma unroll\n\
        \x20   for (int i = 0; i < 40; ++i) v[i] = p[i * n];\n    float s = 0;\n    #pragma unroll\n\
        \x20   for (int i = 0; i < 40; ++i)\n        for (int j = 0; j < 40; ++j) s += v[i] * v[j] + v[(i + j) % 40];\n    return s;\n}\n";
    let caller = "extern __device__ float heavy(const float* p, int n);\n\
        __global__ void __launch_bounds__(256) calls(float* o, const float* p, int n) { o[threadIdx.x] = heavy(p, n); }\n\
        __global__ void __launch_bounds__(256) unused(float* o, const float* p, int n) { o[threadIdx.x] = heavy(p, n); }\n\
        extern \"C\" void launch(float* o, const float* p, int n) { calls<<<1, 256>>>(o, p, n); }\n";
    let build = "occlint::Build::new().arch(\"sm_80\").arch(\"sm_90\").files([\"callee.cu\", \"caller.cu\"]).compile(\"k\");";
    let demo = Crate::new(build, "").with("callee.cu", callee).with("caller.cu", caller);
    demo.build().exits(0);
    let report = demo.report("k");
    let kernels: Vec<&Value> = report.iter().filter(|line| line["reason"] == "kernel").collect();
    assert_eq!(kernels.len(), 4);
    for kernel in kernels {
        let (linked, compiled) =
            (kernel["registers"].as_u64().unwrap(), kernel["compiled_registers"].as_u64().unwrap());
        assert_eq!(kernel["linked"], true, "{kernel}");
        assert!(linked > compiled, "{kernel}");
    }
}

#[test]
fn targets_come_from_cargo_toml_the_source_and_the_builder() {
    let demo = saxpy(
        ".kernel(\"saxpy\").min_blocks(9).kernel(\"saxpi\").block(64)",
        "[[package.metadata.occlint.kernel]]\nname = \"saxpy\"\nmin-blocks = 2\n",
    )
    .with(
        "kernels/saxpy.cu",
        &SAXPY.replace("\n__global__", "\n// occlint: min-blocks = 3, max-registers = 5\n__global__"),
    );
    let run = demo.build().exits(101);
    let errors = run.said("error");
    assert!(
        errors.iter().any(|line| line.contains("residency-below-target") && line.contains('9')),
        "{}",
        run.stderr
    );
    assert!(
        errors.iter().any(|line| line.contains("register-budget") && line.contains('5')),
        "{}",
        run.stderr
    );
    assert!(
        run.said("warning").iter().any(|line| line.starts_with("build.rs:2:") && line.contains("saxpi")),
        "{}",
        run.stderr
    );
}

#[test]
fn without_nvcc_the_error_says_how_to_get_one_and_optional_goes_on() {
    let cargo = std::path::PathBuf::from(env!("CARGO"));
    let path = format!("{}:/usr/bin:/bin", cargo.parent().unwrap().display());
    let demo = saxpy("", "");
    let run = demo.cargo(&["check"], &[("PATH", &path)]).exits(101);
    let error = run.said("error")[0];
    assert!(
        error.starts_with("no CUDA compiler (nvcc) was found: pin one with `cuda = \"13.0\"`"),
        "{}",
        run.stderr
    );
    assert!(error.contains("NVCC=") && run.stderr.contains("looked at:"), "{}", run.stderr);
    let demo = saxpy(".optional()", "");
    let run = demo.cargo(&["check"], &[("PATH", &path)]).exits(0);
    assert_eq!(run.said("warning").len(), 1, "{}", run.stderr);
    let warning = run.said("warning")[0];
    assert!(warning.contains("no CUDA compiler") && warning.contains("cuda = \"13.0\""), "{}", run.stderr);
    let docs = saxpy("", "").cargo(&["check"], &[("PATH", &path), ("DOCS_RS", "1")]).exits(0);
    assert!(docs.said("warning").is_empty(), "{}", docs.stderr);
    let home = demo.project.path().join("no-home");
    let vars = [("PATH", path.as_str()), ("OCCLINT_HOME", home.to_str().unwrap())];
    let missing = saxpy("", "cuda = \"13.0\"").cargo(&["check"], &vars).exits(101);
    assert!(
        missing.said("error")[0].contains(": run `cargo occlint --cuda 13.0` once"),
        "{}",
        missing.stderr
    );
    assert!(!missing.stderr.contains("network"), "{}", missing.stderr);
    // the pinned one, which is there
    let pinned = saxpy("", "cuda = \"13.0\"").cargo(&["test", "--no-run"], &[("PATH", &path)]).exits(0);
    assert!(pinned.said("warning").is_empty(), "{}", pinned.stderr);
}

#[test]
fn device_code_for_a_debugger_is_not_checked_and_says_so() {
    let run = saxpy(".device_debug(true)", "").build().exits(0);
    assert_eq!(
        run.said("warning"),
        ["device code is compiled for a debugger (`-G`), so no kernel was checked"]
    );
}

#[test]
fn ptx_is_what_nvcc_makes_and_its_kernels_are_checked() {
    let build = "let built = occlint::Build::new().flag(\"-arch=compute_90\").include(\"kernels\").file(\"kernels/saxpy.cu\")\n\
        .kernel(\"saxpy\").max_registers(3).try_compile_ptx();\n\
        println!(\"cargo:warning={}\", built.unwrap_err());";
    let demo = saxpy("", "").with("build.rs", &format!("fn main() {{ {build} }}")).with(
        "src/lib.rs",
        "pub const PTX: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/saxpy.ptx\"));",
    );
    let run = demo.build().exits(0);
    assert!(
        run.said("warning")[0].contains("kernels/saxpy.cu:3:43: error[occlint::register-budget]"),
        "{}",
        run.stderr
    );
    let plain = demo.project.path().join("plain.ptx");
    let call = occlint::sys::process::Call::new(&toolkit().nvcc).args([
        "-ptx",
        "-arch=compute_90",
        "-Ikernels",
        "-o",
    ]);
    let mut call = call.arg(&plain).arg("kernels/saxpy.cu");
    call.folder = Some(demo.project.path().to_owned());
    assert!(
        occlint::sys::process::run(&call, demo.project.path(), &Default::default()).unwrap().status.success()
    );
    let made = std::fs::read_to_string(demo.out().join("saxpy.ptx")).unwrap();
    assert_eq!(made, std::fs::read_to_string(plain).unwrap());
}

#[test]
fn what_does_not_compile_shows_the_compilers_own_words() {
    let run = saxpy("", "")
        .with("kernels/scale.cuh", "__device__ float scale(float, float) { return nothing; }\n")
        .build()
        .exits(101);
    assert_eq!(
        run.said("error"),
        [
            "cannot compile `kernels/saxpy.cu`: kernels/scale.cuh(1): error: identifier \"nothing\" is undefined"
        ]
    );
    assert!(run.stderr.contains("identifier \"nothing\" is undefined"), "{}", run.stderr);
}

/// An example of the repository, in a folder of its own.
fn example(name: &str) -> Crate {
    fn copy(from: &Path, to: &Path, crate_: &Crate) {
        for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), to.join(entry.file_name()));
            if path.is_dir() && entry.file_name() != "target" {
                copy(&path, &name, crate_);
            } else if path.is_file() && entry.file_name() != "Cargo.lock" {
                crate_.project.write(name.to_str().unwrap(), &std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let made = Crate::new("", "");
    let folder = root().join("examples").join(name);
    copy(&folder, Path::new(""), &made);
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let manifest = manifest.replace("\"../..\"", &format!("{:?}", root()));
    made.project.write("Cargo.toml", &manifest.replace(&format!("{name:?}"), &format!("{:?}", made.name)));
    made
}

#[test]
fn the_examples_are_built_checked_and_linked() {
    for (name, report, kernels) in [("cc-saxpy", "kernels", 6), ("ptx-include", "ptx", 2)] {
        let demo = example(name);
        let run = demo.cargo(&["test"], &[("NVCC", &Crate::nvcc())]).exits(0);
        assert!(run.said("warning").is_empty(), "{}", run.stderr);
        let lines = demo.report(report);
        let judged: Vec<&Value> = lines.iter().filter(|line| line["reason"] == "kernel").collect();
        assert_eq!(judged.len(), kernels, "{name}");
        assert!(judged.iter().all(|line| line["residency"].as_u64() >= Some(4)), "{judged:?}");
        assert!(!lines.iter().any(|line| line["reason"] == "finding"), "{lines:?}");
    }
}

#[test]
fn device_code_and_ptx_that_others_make_are_checked_alone() {
    let build = "let mut build = occlint::Build::new();\nbuild.arch(\"sm_90\").arch(\"sm_120\").file(\"k.cu\");\n\
        let checked = build.try_check();\nprintln!(\"cargo:warning=check: {}\", checked.unwrap_err());\n\
        let checked = build.kernel(\"shipped\").max_registers(1).try_check_ptx([\"shipped.ptx\"]);\n\
        println!(\"cargo:warning=ptx: {}\", checked.unwrap_err());";
    let ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry shipped(.param .u64 p)\n{\n\
        .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nst.global.u64 [%rd1], %rd1;\nret;\n}\n";
    let demo = Crate::new(build, "").with("k.cu", DROPPED).with("shipped.ptx", ptx);
    let run = demo.build().exits(0);
    let said = run.said("warning");
    assert!(
        said.iter().any(|line| line.starts_with("check: k.cu:1:17: error[occlint::bounds-dropped]")
            && line.ends_with("sm_120")),
        "{}",
        run.stderr
    );
    assert!(
        said.iter().any(|line| line.starts_with("ptx: build.rs:6:21: error[occlint::register-budget]")
            && line.ends_with("its budget is 1 (in `shipped.ptx`)")),
        "{}",
        run.stderr
    );
}
