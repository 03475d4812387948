//! What a CI's machine does: scripts in a shell, with the built `cargo-occlint` first in `PATH`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use occlint::sys::env::Env;
use serde_json::Value;

use crate::project::{Run, home, root};

/// A document of the repository.
pub(crate) fn document(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// YAML as JSON; a mistake fails the test.
pub(crate) fn yaml(text: &str) -> Value {
    serde_yaml_ng::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// Makes `<folder>/bin/cargo-occlint` the built program; its folder.
pub(crate) fn install(folder: &Path) -> PathBuf {
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cargo-occlint"), bin.join("cargo-occlint")).unwrap();
    bin
}

/// `PATH` with folders before the rest.
pub(crate) fn path_with(first: &[PathBuf]) -> String {
    let path = Env::from_process().var("PATH").unwrap_or_default().to_owned();
    let all = first.iter().cloned().chain(std::env::split_paths(&path));
    std::env::join_paths(all).unwrap().into_string().unwrap()
}

/// Runs a script as GitHub does (`bash -eo pipefail`), in a folder, with these variables and nothing of a CI around it.
#[expect(clippy::disallowed_methods, reason = "the test is the CI's machine")]
pub(crate) fn bash(folder: &Path, script: &str, vars: &BTreeMap<String, String>) -> Run {
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(folder);
    for (name, _) in Env::from_process().vars() {
        let name = name.to_string_lossy();
        let of_ci = ["GITHUB_", "RUNNER_", "INPUT_", "CI_", "NVCC", "CUDA"];
        if of_ci.iter().any(|start| name.starts_with(start)) || matches!(&*name, "CI" | "CARGO_TARGET_DIR") {
            command.env_remove(&*name);
        }
    }
    command.env("OCCLINT_HOME", home()).envs(vars).stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run {
        status: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
