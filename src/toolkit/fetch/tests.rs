//! Fetches with a stand-in for pip: no network, and every way to fail.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::*;
use crate::sys::env::Env;
use crate::sys::process::{Cancel, ProcessError};
use crate::toolkit::stand_in::script;
use crate::toolkit::{Toolkit, ToolkitError};

/// Makes a plausible toolkit in the folder after `--target`.
const LAYOUT: &str = r#"
while [ $# -gt 0 ]; do [ "$1" = --target ] && target=$2; [ "$1" = -r ] && cp "$2" "$OCCLINT_TEST/requirements"; shift; done
root="$target/nvidia/cu13"
mkdir -p "$root/bin" "$root/lib" "$root/nvvm/bin" "$root/include"
printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.88"\n' > "$root/bin/nvcc"
chmod +x "$root/bin/nvcc"
cp -p "$root/bin/nvcc" "$root/bin/ptxas"
cp -p "$root/bin/nvcc" "$root/nvvm/bin/cicc"
echo '#pragma once' > "$root/include/cuda_runtime.h"
echo real > "$root/lib/libcudart.so.13"
"#;

struct Sandbox {
    dir: tempfile::TempDir,
    told: Mutex<Vec<String>>,
}

impl Sandbox {
    /// A home and a PATH whose `python3 -m pip install` runs `install`.
    fn new(install: &str) -> Self {
        let sandbox = Self::bare();
        let body = format!(
            "[ \"$3\" = --version ] && exit 0\necho x >> \"$OCCLINT_TEST/count\"\nenv > \"$OCCLINT_TEST/env\"\n\
             echo \"$@\" > \"$OCCLINT_TEST/args\"\n{install}"
        );
        sandbox.script("python3", &body);
        sandbox
    }

    fn bare() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("bin")).unwrap();
        Self { dir, told: Mutex::default() }
    }

    fn script(&self, name: &str, body: &str) {
        script(&self.dir.path().join("bin").join(name), &format!("PATH=/usr/bin:/bin\n{body}"));
    }

    fn env(&self) -> Env {
        let dir = self.dir.path();
        Env::from_pairs([
            ("PATH", dir.join("bin")),
            ("OCCLINT_HOME", dir.join("home")),
            ("OCCLINT_TEST", dir.to_owned()),
            ("PIP_USER", PathBuf::from("1")),
            ("PIP_TARGET", PathBuf::from("/nowhere")),
            ("PIP_INDEX_URL", PathBuf::from("mirror")),
        ])
    }

    fn pin(&self, offline: bool, cancel: &Cancel) -> Result<Toolkit, ToolkitError> {
        let progress = |line: &str| self.told.lock().unwrap().push(line.to_owned());
        pinned("13.0", FetchOptions { env: &self.env(), offline, extra: &[], progress: &progress, cancel })
    }

    fn fetch(&self) -> Result<Toolkit, ToolkitError> {
        self.pin(false, &Cancel::new())
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path().join(name)).unwrap_or_default()
    }

    /// What is in the folder of toolkits, locks aside.
    fn toolkits(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.dir.path().join("home/toolkits")) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| !name.ends_with(".lock"));
        names.sort();
        names
    }
}

#[test]
fn the_first_pin_fetches_and_the_second_finds_it() {
    let sandbox = Sandbox::new(LAYOUT);
    assert_eq!(fetched("13.0", &sandbox.env(), &[]).ok(), None);
    let toolkit = sandbox.fetch().unwrap();
    assert_eq!((toolkit.version.to_string().as_str(), toolkit.origin.as_str()), ("13.0.88", "pinned 13.0"));
    assert!(toolkit.nvcc.is_file() && toolkit.ptxas.is_some());
    assert_eq!(fs::read_link(toolkit.root.join("lib64")).unwrap(), Path::new("lib"));
    assert_eq!(fs::read_to_string(toolkit.root.join("lib64/libcudart.so")).unwrap(), "real\n");
    let told = sandbox.told.lock().unwrap().clone();
    assert!(told[0].contains("NVIDIA's CUDA Toolkit EULA applies"), "{told:?}");
    assert_eq!(sandbox.fetch().unwrap(), toolkit);
    assert_eq!(sandbox.pin(true, &Cancel::new()).unwrap(), toolkit, "offline is fine now");
    assert_eq!(fetched("13.0", &sandbox.env(), &[]).ok(), Some(toolkit));
    assert_eq!(sandbox.told.lock().unwrap().len(), told.len(), "nothing to tell");
    assert_eq!(sandbox.read("count"), "x\n");
    assert_eq!(sandbox.toolkits().len(), 1, "{:?}", sandbox.toolkits());
}

#[test]
fn pip_gets_exact_hashed_requirements_and_keeps_the_users_mirror() {
    let sandbox = Sandbox::new(LAYOUT);
    sandbox.fetch().unwrap();
    let args = sandbox.read("args");
    for expected in ["-m pip install", "--require-hashes", "--no-deps", "--only-binary :all:", "--no-input"] {
        assert!(args.contains(expected), "{args}");
    }
    let requirements = sandbox.read("requirements");
    assert_eq!(
        requirements.lines().filter(|line| line.contains("==") && line.contains("--hash=sha256:")).count(),
        7
    );
    let env = sandbox.read("env");
    assert!(env.contains("PIP_USER=0\n") && env.contains("PIP_INDEX_URL=mirror\n"), "{env}");
    assert!(!env.contains("PIP_TARGET"), "{env}");
}

#[test]
fn two_at_once_fetch_once() {
    // The first goes on only when the second has said that it waits.
    let sandbox = Sandbox::new(&format!("until [ -e \"$OCCLINT_TEST/go\" ]; do sleep 0.01; done\n{LAYOUT}"));
    let waits = |line: &String| line.starts_with("waiting for another process");
    let (one, two) = std::thread::scope(|scope| {
        let (one, two) = (scope.spawn(|| sandbox.fetch().unwrap()), scope.spawn(|| sandbox.fetch().unwrap()));
        let start = Instant::now();
        while !sandbox.told.lock().unwrap().iter().any(waits) && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        fs::write(sandbox.dir.path().join("go"), "").unwrap();
        (one.join().unwrap(), two.join().unwrap())
    });
    assert_eq!(one, two);
    assert_eq!(sandbox.read("count"), "x\n");
    let told = sandbox.told.lock().unwrap();
    assert_eq!(told.iter().filter(|line| waits(line)).count(), 1, "{told:?}");
}

#[test]
fn what_fails_leaves_nothing() {
    let cases = [
        ("echo 'no matching distribution' >&2; exit 1", "no matching distribution"),
        ("kill -9 $$", "signal: 9"),
        ("exit 0", "there is no `bin/nvcc` in it"),
    ];
    for (install, expected) in cases {
        let sandbox = Sandbox::new(install);
        let error = sandbox.fetch().unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(sandbox.toolkits(), [""; 0]);
        assert_eq!(fetched("13.0", &sandbox.env(), &[]).ok(), None);
    }
}

#[test]
fn another_release_than_asked_for_is_refused() {
    let sandbox = Sandbox::new(&LAYOUT.replace("13.0", "12.9"));
    let error = sandbox.fetch().unwrap_err();
    assert!(
        matches!(&error, ToolkitError::Incomplete { what, .. } if what == "its nvcc is 12.9.88"),
        "{error}"
    );
    assert_eq!(sandbox.toolkits(), [""; 0]);
}

#[test]
fn an_nvcc_that_prints_garbage_is_refused() {
    let sandbox = Sandbox::new(&LAYOUT.replace("release", "garbage"));
    assert!(matches!(sandbox.fetch(), Err(ToolkitError::Version { .. })));
    assert_eq!(sandbox.toolkits(), [""; 0]);
}

#[test]
fn ctrl_c_ends_pip_and_leaves_nothing() {
    let sandbox = Sandbox::new("sleep 60");
    let cancel = Cancel::new();
    let start = Instant::now();
    std::thread::scope(|scope| {
        let fetch = scope.spawn(|| sandbox.pin(false, &cancel));
        while sandbox.read("count").is_empty() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        cancel.cancel();
        assert!(matches!(fetch.join().unwrap(), Err(ToolkitError::Process(ProcessError::Interrupted))));
    });
    assert!(start.elapsed() < Duration::from_secs(30), "the child was not ended");
    assert_eq!(sandbox.toolkits(), [""; 0]);
}

#[test]
fn what_a_killed_process_left_is_never_used_and_is_removed() {
    let sandbox = Sandbox::new(LAYOUT);
    let name = sandbox.fetch().unwrap().nvcc.ancestors().nth(4).unwrap().file_name().unwrap().to_owned();
    let name = name.to_str().unwrap();
    let toolkits = sandbox.dir.path().join("home/toolkits");
    // A killed fetch leaves its temporary folder; a folder without a manifest is not whole.
    let other = toolkits.join(".13.5-0123.tmp-x");
    for folder in [&toolkits.join(format!(".{name}.tmp-abc")), &other] {
        fs::create_dir_all(folder.join("toolkit/nvidia")).unwrap();
    }
    fs::remove_file(toolkits.join(name).join("occlint-toolkit.txt")).unwrap();
    assert_eq!(fetched("13.0", &sandbox.env(), &[]).ok(), None);
    sandbox.fetch().unwrap();
    assert_eq!(sandbox.read("count"), "x\nx\n");
    assert_eq!(sandbox.toolkits(), [".13.5-0123.tmp-x", name], "another toolkit's folders are left alone");
}

#[test]
fn a_toolkit_that_cannot_be_read_is_left_as_it_is() {
    let sandbox = Sandbox::new(LAYOUT);
    let toolkit = sandbox.fetch().unwrap();
    let folder = toolkit.nvcc.ancestors().nth(4).unwrap();
    // A link to itself cannot be read by anybody, the superuser included.
    for name in ["occlint-toolkit.txt", "nvidia/cu13/nvvm/bin/cicc"] {
        let (path, aside) = (folder.join(name), sandbox.dir.path().join("aside"));
        fs::rename(&path, &aside).unwrap();
        std::os::unix::fs::symlink(&path, &path).unwrap();
        let error = sandbox.fetch().unwrap_err();
        assert!(matches!(&error, ToolkitError::Unreadable { .. }), "{error}");
        assert!(
            error.to_string().contains(name) && error.help().unwrap().contains("chmod -R a+rX"),
            "{error}"
        );
        assert!(toolkit.nvcc.is_file(), "it was removed");
        fs::remove_file(&path).unwrap();
        fs::rename(&aside, &path).unwrap();
    }
    assert_eq!(sandbox.fetch().unwrap(), toolkit);
    assert_eq!(sandbox.read("count"), "x\n");
}

#[test]
fn a_whole_toolkit_needs_no_lock_and_anybody_may_read_what_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new(LAYOUT);
    let toolkit = sandbox.fetch().unwrap();
    let folder = toolkit.nvcc.ancestors().nth(4).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o666;
    assert_eq!(mode(&folder.join("occlint-toolkit.txt")), mode(&toolkit.root.join("include/cuda_runtime.h")));
    let lock = folder.with_file_name(format!("{}.lock", folder.file_name().unwrap().to_str().unwrap()));
    fs::remove_file(&lock).unwrap();
    assert_eq!(sandbox.fetch().unwrap(), toolkit);
    assert!(!lock.exists());
}

#[test]
fn a_damaged_toolkit_is_fetched_again_where_it_may_be() {
    let sandbox = Sandbox::new(LAYOUT);
    let toolkit = sandbox.fetch().unwrap();
    fs::write(toolkit.root.join("bin/ptxas"), "").unwrap();
    let error = sandbox.pin(true, &Cancel::new()).unwrap_err();
    assert!(error.to_string().contains("is not whole, and the network may not be used"), "{error}");
    assert_eq!(sandbox.fetch().unwrap(), toolkit);
    assert_eq!(sandbox.read("count"), "x\nx\n");
}

#[test]
fn offline_names_the_folder_and_writes_nothing() {
    let sandbox = Sandbox::new(LAYOUT);
    let error = sandbox.pin(true, &Cancel::new()).unwrap_err();
    assert!(
        error.to_string().contains("home/toolkits` and") || error.to_string().contains("home/toolkits`, and")
    );
    assert!(error.help().unwrap().contains("`cargo occlint --cuda 13.0`"), "{:?}", error.help());
    assert!(sandbox.read("count").is_empty());
    assert!(!sandbox.dir.path().join("home").exists());
}

#[test]
fn uv_is_used_where_python_has_no_pip() {
    let sandbox = Sandbox::bare();
    sandbox.script("python3", "exit 1");
    sandbox.script("uv", &format!("echo \"$@\" > \"$OCCLINT_TEST/args\"\n{LAYOUT}"));
    sandbox.fetch().unwrap();
    assert!(sandbox.read("args").starts_with("pip install "), "{}", sandbox.read("args"));
}

#[test]
fn without_pip_and_uv_both_are_named() {
    let sandbox = Sandbox::bare();
    let error = sandbox.fetch().unwrap_err();
    insta::assert_snapshot!(error, @r"
    fetching a toolkit needs pip or uv; tried:
      `python3`: not on PATH
      `uv`: not on PATH
    ");
    sandbox.script("python3", "exit 1");
    let error = sandbox.fetch().unwrap_err();
    assert!(error.to_string().contains("-m pip`: has no pip"), "{error}");
}

#[test]
fn unknown_releases_and_extras_are_refused_before_anything_is_done() {
    let sandbox = Sandbox::new(LAYOUT);
    let cancel = Cancel::new();
    let env = sandbox.env();
    let extra = ["curan".to_owned()];
    let options =
        FetchOptions { env: &env, offline: false, extra: &extra, progress: &|_| {}, cancel: &cancel };
    assert!(matches!(pinned("13.0", options), Err(ToolkitError::UnknownExtra { .. })));
    assert!(matches!(pinned("12.8", options), Err(ToolkitError::UnknownRelease { .. })));
    assert!(!sandbox.dir.path().join("home").exists());
}

#[test]
fn a_home_that_cannot_be_written_is_named() {
    let sandbox = Sandbox::new(LAYOUT);
    fs::write(sandbox.dir.path().join("home"), "a file").unwrap();
    let error = sandbox.fetch().unwrap_err();
    assert!(
        matches!(&error, ToolkitError::File(_)) && error.to_string().contains("home/toolkits"),
        "{error}"
    );
}
