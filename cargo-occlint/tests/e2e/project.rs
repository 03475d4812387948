//! Crates on disk, and runs of the command on them.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

use occlint::sys::env::Env;
use occlint::sys::process::Cancel;
use occlint::toolkit::{self, FetchOptions, Toolkit};
use serde_json::Value;

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Where pinned toolkits of tests are kept.
pub(crate) fn home() -> PathBuf {
    let own = Env::from_process().var("OCCLINT_HOME").map(PathBuf::from);
    own.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("occlint-home"))
}

/// All files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The pinned toolkit 13.0, fetched once.
pub(crate) fn toolkit() -> &'static Toolkit {
    static TOOLKIT: OnceLock<Toolkit> = OnceLock::new();
    TOOLKIT.get_or_init(|| {
        let own = Env::from_process();
        let own = own.vars().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let env = Env::from_pairs(own.chain([("OCCLINT_HOME".into(), home().into_os_string())]));
        let cancel = Cancel::new();
        let options =
            FetchOptions { env: &env, offline: false, extra: &[], progress: &|_| {}, cancel: &cancel };
        toolkit::pinned("13.0", options)
            .unwrap_or_else(|error| panic!("the real compiler is needed: {error}"))
    })
}

/// A crate in a folder of its own.
pub(crate) struct Project {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

/// What a run left.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The JSON lines of one `reason`.
    pub(crate) fn lines(&self, reason: &str) -> Vec<Value> {
        let lines = self.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["reason"] == reason).collect()
    }

    /// The kernel line of a name and an architecture.
    pub(crate) fn kernel(&self, name: &str, arch: &str) -> Value {
        let is = |line: &Value| line["name"].as_str().unwrap().starts_with(name) && line["arch"] == arch;
        self.lines("kernel")
            .into_iter()
            .find(is)
            .unwrap_or_else(|| panic!("no `{name}` on {arch}: {}", self.stderr))
    }

    /// `lint kernel arch` of every finding about a kernel, sorted.
    pub(crate) fn findings(&self) -> Vec<String> {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let short =
            |name: String| name.split(['(', '<']).next().unwrap().trim_start_matches("void ").to_owned();
        let mut all: Vec<String> = self
            .lines("finding")
            .iter()
            .map(|line| {
                format!("{} {} {}", text(&line["lint"]), short(text(&line["kernel"])), text(&line["arch"]))
            })
            .collect();
        all.sort();
        all
    }

    /// Asserts the exit status, showing everything where it differs.
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}

impl Project {
    /// A package `demo` with this configuration after `[package.metadata.occlint]`.
    pub(crate) fn new(config: &str) -> Self {
        Self::at(".", config)
    }

    /// The same in a folder of this name.
    pub(crate) fn at(name: &str, config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let project = Self { _folder: folder, path };
        let head = "[package]\nname = \"demo\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
        project.write("Cargo.toml", &format!("{head}[package.metadata.occlint]\n{config}\n"));
        project.write("src/lib.rs", "");
        project
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// With a kernel file of `tests/kernels`.
    pub(crate) fn with_case(self, name: &str) -> Self {
        let text = std::fs::read_to_string(root().join("tests/kernels").join(name)).unwrap();
        self.write(&format!("kernels/{name}"), &text);
        self
    }

    /// Runs the command here with the real nvcc.
    pub(crate) fn occlint(&self, args: &[&str]) -> Run {
        let nvcc = toolkit().nvcc.to_str().unwrap().to_owned();
        self.run(args, &[("NVCC", &nvcc)])
    }

    /// Runs the command here with these variables and nothing that could find another nvcc.
    pub(crate) fn run(&self, args: &[&str], vars: &[(&str, &str)]) -> Run {
        run_in(self.path(), args, vars, "")
    }
}

/// Runs the command in a folder.
#[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
pub(crate) fn run_in(folder: &Path, args: &[&str], vars: &[(&str, &str)], stdin: &str) -> Run {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-occlint"));
    command.arg("occlint").args(args).current_dir(folder);
    for name in [
        "NVCC",
        "CUDA_HOME",
        "CUDA_PATH",
        "CUDA_ROOT",
        "CI",
        "CARGO_TARGET_DIR",
        "NVCC_PREPEND_FLAGS",
        "NVCC_APPEND_FLAGS",
    ] {
        command.env_remove(name);
    }
    command.env("OCCLINT_HOME", home()).env("COLUMNS", "100").envs(vars.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A run that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { status: status.code().unwrap_or(-1), stdout: text(stdout), stderr: text(stderr) }
}
