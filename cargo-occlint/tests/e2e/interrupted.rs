//! Ctrl-C and SIGTERM, wherever a run may be blocked.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::project::Project;

const PATIENCE: Duration = Duration::from_secs(20);

#[expect(clippy::disallowed_methods, reason = "the test is the user's shell")]
fn command(program: &str) -> Command {
    Command::new(program)
}

fn start(folder: &Path, args: &[&str], vars: &[(&str, &str)]) -> Child {
    let mut command = command(env!("CARGO_BIN_EXE_cargo-occlint"));
    command.arg("occlint").args(args).current_dir(folder).envs(vars.iter().copied());
    command.env_remove("CARGO_TARGET_DIR").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn signal(name: &str, child: &Child) {
    let mut kill = command("/bin/kill");
    assert!(kill.args([format!("-{name}"), child.id().to_string()]).status().unwrap().success());
}

/// How a process ends; one that does not is ended here, and the test fails.
fn ending(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("it goes on after the signal");
}

fn until(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < PATIENCE, "it never came so far");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A process that reads standard input has caught up with us when it sleeps in `read`.
fn reads(child: &Child) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let handled = |line: &str| line.strip_prefix("SigCgt:").map(|mask| u64::from_str_radix(mask.trim(), 16));
    let mask = status.lines().find_map(handled).and_then(Result::ok).unwrap_or_default();
    stat.contains(") S ") && mask & (1 << 14) != 0
}

#[test]
fn a_run_that_waits_for_standard_input_ends_at_once() {
    for (args, name) in [(["occupancy", "--batch"], "TERM"), (["--from-log", "-"], "INT")] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = start(folder.path(), &args, &[]);
        until(|| reads(&child));
        signal(name, &child);
        assert_eq!(ending(&mut child).code(), Some(130), "{args:?}");
    }
}

#[test]
fn a_run_that_waits_for_another_ends_at_once() {
    let project = Project::new("").with_case("smem80.cu");
    let work = project.path().join("target/occlint");
    fs::create_dir_all(&work).unwrap();
    let lock = fs::File::create(work.join(".lock")).unwrap();
    lock.lock().unwrap();
    let mut child = start(project.path(), &[], &[]);
    let mut said = Vec::new();
    let mut stderr = child.stderr.take().unwrap();
    while !String::from_utf8_lossy(&said).contains("waiting for another occlint") {
        let mut buffer = [0; 256];
        let read = stderr.read(&mut buffer).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&said));
        said.extend(&buffer[..read]);
    }
    signal("TERM", &child);
    assert_eq!(ending(&mut child).code(), Some(130));
}

#[test]
fn a_cargo_that_hangs_is_ended_with_its_children() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new("").with_case("smem80.cu");
    project.write("cargo", "#!/bin/sh\nsleep 78 &\necho $! > pid.new\nmv pid.new pid\nsleep 78\n");
    let (cargo, pid) = (project.path().join("cargo"), project.path().join("pid"));
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let mut child = start(project.path(), &[], &[("CARGO", cargo.to_str().unwrap())]);
    until(|| pid.exists());
    signal("INT", &child);
    assert_eq!(ending(&mut child).code(), Some(130));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("interrupted"), "{said}");
    let stat = format!("/proc/{}/stat", fs::read_to_string(&pid).unwrap().trim());
    until(|| fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z ")));
}
