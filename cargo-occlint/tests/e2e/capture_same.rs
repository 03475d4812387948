//! Capture changes nothing of what a build makes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::project::{Project, Run, root, toolkit};

/// The link takes kernels away that no host code launches.
const LAUNCHES: [(&str, &str); 2] = [
    (
        "kernels/axpy.cu",
        "extern \"C\" void launch_dot(float* o, const float* x, int n) { dot<<<1, 256>>>(o, x, x, n); }\n",
    ),
    (
        "kernels/norm.cu",
        "extern \"C\" void launch_norm(float* o, const float* x, int n) { norm<<<1, 1024>>>(o, x, n); }\n",
    ),
];

/// `examples/plain-cc` in a folder of its own, all of its kernels launched.
fn plain_cc() -> Project {
    let project = Project::new("");
    let example = root().join("examples/plain-cc");
    let files = ["Cargo.toml", "Cargo.lock", "build.rs", "src/lib.rs"];
    let kernels = ["kernels/axpy.cu", "kernels/norm.cu", "kernels/reduce.cuh"];
    for name in files.into_iter().chain(kernels) {
        let more: String = LAUNCHES.iter().filter(|(file, _)| *file == name).map(|(_, text)| *text).collect();
        project.write(name, &(std::fs::read_to_string(example.join(name)).unwrap() + &more));
    }
    project
}

/// `cargo check`, as its user runs it.
#[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
fn cargo_check(project: &Project, target: &Path) {
    let nvcc = toolkit().nvcc.parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths([nvcc].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut command = std::process::Command::new("cargo");
    command.args(["check", "--quiet", "--release", "--locked", "--target-dir"]).arg(target);
    for name in
        ["NVCC", "CUDA_HOME", "CUDA_PATH", "CARGO_TARGET_DIR", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"]
    {
        command.env_remove(name);
    }
    let output = command.env("PATH", path).current_dir(project.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The objects and archives of the build script below a target folder, by name, without nvcc's names of temporary files.
fn made(target: &Path) -> BTreeMap<String, Vec<u8>> {
    let runs: Vec<PathBuf> = std::fs::read_dir(target.join("release/build"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("out"))
        .filter(|out| out.is_dir())
        .collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    let files = std::fs::read_dir(&runs[0]).unwrap().map(|entry| entry.unwrap().path());
    let objects = files.filter(|path| matches!(path.extension(), Some(kind) if kind == "o" || kind == "a"));
    objects
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, without_temporary_names(std::fs::read(&path).unwrap()))
        })
        .collect()
}

/// `tmpxft_000076a4_00000000-6_…`: the number of the process that compiled.
fn without_temporary_names(mut bytes: Vec<u8>) -> Vec<u8> {
    const NAME: &[u8] = b"tmpxft_";
    for at in 0..bytes.len().saturating_sub(NAME.len() + 17) {
        if bytes[at..].starts_with(NAME) {
            bytes[at + NAME.len()..][..17].fill(b'-');
        }
    }
    bytes
}

/// What both a linked cubin and a check of the sources tell.
fn figures(run: &Run) -> BTreeMap<String, [Value; 4]> {
    let of = |line: &Value| ["registers", "barriers", "static_smem", "stack"].map(|key| line[key].clone());
    run.lines("kernel")
        .iter()
        .map(|line| (format!("{} {}", line["mangled"], line["arch"]), of(line)))
        .collect()
}

#[test]
fn a_build_makes_the_same_with_and_without_capture() {
    let project = plain_cc();
    let plain = project.path().join("plain");
    cargo_check(&project, &plain);
    let args = ["--message-format", "json", "--experiments", "off"];
    let captured = project.occlint(&[&args[..], &["--capture", "build"]].concat());
    let folder = project.path().join("target/occlint/capture");
    let folder = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let (without, with) = (made(&plain), made(&folder.join("target")));
    let names: Vec<&String> = with.keys().collect();
    assert!(names.len() == 4 && names.iter().any(|name| name.ends_with("_dlink.o")), "{names:?}");
    assert_eq!(without.keys().collect::<Vec<_>>(), names);
    for (name, bytes) in &without {
        assert!(*bytes == with[name], "`{name}` differs");
    }

    // The figures are those of the machine code that the build links.
    let linked = std::fs::read_dir(plain.join("release/build")).unwrap().find_map(|entry| {
        let path = entry.unwrap().path().join("out/kernels_dlink.o");
        path.is_file().then_some(path)
    });
    let other = Project::new("sources = [\"linked.o\"]");
    std::fs::copy(linked.unwrap(), other.path().join("linked.o")).unwrap();
    let (built, captured) = (figures(&other.occlint(&args)), figures(&captured));
    assert_eq!(built.len(), 6, "{built:?}");
    assert_eq!(captured, built);
}
