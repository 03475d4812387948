//! Running a call to its end.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::sys::process::group::{await_exit, end, take_status};
use crate::sys::process::printed::Printed;
use crate::sys::process::{Call, Cancel, ProcessError};

/// How often a running child's output is measured.
const LOOK: Duration = Duration::from_millis(50);

/// What a child left.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Standard output, lossily decoded.
    pub stdout: String,
    /// Standard error, lossily decoded.
    pub stderr: String,
    /// How long it ran.
    pub took: Duration,
    /// The most memory in bytes that it, or one process that it started, had at a time, and no less than this process had when
    /// it started it; `None` where it is not known.
    pub peak_bytes: Option<u64>,
}

/// Runs a call to its end, its output kept in `stdout` and `stderr` files in `keep` (a folder that exists).
///
/// Files rather than pipes: what a killed compiler printed stays readable, and a grandchild that outlives it cannot
/// block us.
///
/// # Errors
/// The program cannot be started, takes longer or prints more than its limits, or the run is interrupted.
pub fn run(call: &Call, keep: &Path, cancel: &Cancel) -> Result<Output, ProcessError> {
    let io = |cause| ProcessError::Io { program: call.program.clone(), cause };
    let create = |name: &str| {
        File::options().read(true).write(true).create(true).truncate(true).open(keep.join(name)).map_err(io)
    };
    let printed = Printed { streams: [create("stdout")?, create("stderr")?], most: call.most_printed };
    let mut command = command(call);
    command.stdin(Stdio::null());
    command.stdout(printed.streams[0].try_clone().map_err(io)?);
    command.stderr(printed.streams[1].try_clone().map_err(io)?);
    let child = start(call, &mut command, cancel)?;
    drop(command);
    let start = Instant::now();
    let (status, peak_bytes) = wait(call, child, &printed, cancel)?;
    let took = start.elapsed();
    let [stdout, stderr] = printed.text().map_err(io)?;
    Ok(Output { status, stdout, stderr, took, peak_bytes })
}

#[expect(clippy::disallowed_methods, reason = "this is the one place")]
fn command(call: &Call) -> Command {
    let mut command = Command::new(&call.program);
    command.args(&call.args);
    if let Some(folder) = &call.folder {
        command.current_dir(folder);
    }
    for (name, value) in &call.vars {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// Becomes the program of a call, which keeps this process's number, group and streams. Returns only where that cannot be.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub fn replace(call: &Call) -> io::Error {
    let mut command = Command::new(&call.program);
    std::os::unix::process::CommandExt::exec(command.args(&call.args))
}

fn start(call: &Call, command: &mut Command, cancel: &Cancel) -> Result<Child, ProcessError> {
    // The lock is held while the child starts, so that `cancel` either sees it or keeps it from starting.
    let mut groups = cancel.groups();
    if cancel.is_cancelled() {
        return Err(ProcessError::Interrupted);
    }
    #[cfg(unix)]
    if !cancel.shared_group {
        std::os::unix::process::CommandExt::process_group(command, 0);
    }
    let start = |cause| ProcessError::Start { program: call.program.clone(), cause };
    let child = command.spawn().map_err(start)?;
    groups.insert(child.id());
    Ok(child)
}

fn wait(
    call: &Call,
    mut child: Child,
    printed: &Printed,
    cancel: &Cancel,
) -> Result<(ExitStatus, Option<u64>), ProcessError> {
    let group = child.id();
    let timeout = [call.timeout, cancel.limit].into_iter().flatten().min();
    let (status, mut broken) = std::thread::scope(|scope| {
        let (done, ended) = mpsc::channel::<()>();
        let guard = scope.spawn(move || {
            let broken = guard(timeout, printed, &ended);
            if broken.is_some() {
                end(group, cancel.shared_group);
            }
            broken
        });
        let status = await_exit(&child).and_then(|()| {
            // Not waited for yet, its number is still its own: what it left running goes with it.
            cancel.groups().remove(&group);
            if !cancel.shared_group {
                end(group, false);
            }
            take_status(&mut child)
        });
        cancel.groups().remove(&group);
        drop(done);
        (status, guard.join().unwrap_or(None))
    });
    if printed.too_much() {
        printed.cut();
        broken = broken.or(Some(Broken::Printed));
    }
    if cancel.is_cancelled() {
        return Err(ProcessError::Interrupted);
    }
    let program = || call.program.clone();
    match broken {
        Some(Broken::Time(limit)) => Err(ProcessError::Timeout { program: program(), limit }),
        Some(Broken::Printed) => Err(ProcessError::TooMuch { program: program(), limit: printed.most }),
        None => status.map_err(|cause| ProcessError::Io { program: program(), cause }),
    }
}

/// A limit that a child broke.
enum Broken {
    /// It ran longer than this.
    Time(Duration),
    /// It printed more than it may.
    Printed,
}

/// Watches over a child's limits until it has `ended`.
fn guard(timeout: Option<Duration>, printed: &Printed, ended: &mpsc::Receiver<()>) -> Option<Broken> {
    let start = Instant::now();
    loop {
        let left = timeout.map_or(LOOK, |limit| limit.saturating_sub(start.elapsed()).min(LOOK));
        if ended.recv_timeout(left) != Err(mpsc::RecvTimeoutError::Timeout) {
            return None;
        }
        if let Some(limit) = timeout.filter(|&limit| start.elapsed() >= limit) {
            return Some(Broken::Time(limit));
        }
        if printed.too_much() {
            return Some(Broken::Printed);
        }
    }
}

/// The signal that ended a process, on Unix.
#[cfg(unix)]
pub fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// The signal that ended a process, on Unix.
#[cfg(not(unix))]
pub fn signal(_status: ExitStatus) -> Option<i32> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str) -> Call {
        Call::new("/bin/sh").args(["-c", script])
    }

    /// Whether a process whose number is in this file still runs.
    fn runs(pid_file: &Path) -> bool {
        let pid = std::fs::read_to_string(pid_file).expect("the script wrote its number");
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    }

    fn ends(pid_file: &Path) -> bool {
        let start = Instant::now();
        while runs(pid_file) && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(10));
        }
        !runs(pid_file)
    }

    #[test]
    fn what_a_child_leaves_running_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let call = sh(&format!("sleep 77 & echo $! > {}; echo out; exit 3", pid.display()));
        let output = run(&call, folder.path(), &Cancel::new()).unwrap();
        assert_eq!((output.status.code(), output.stdout.as_str()), (Some(3), "out\n"));
        assert!(ends(&pid));
    }

    #[test]
    fn what_a_child_of_the_child_needs_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let peak = |script: &str| run(&sh(script), folder.path(), &Cancel::new()).unwrap();
        // A child begins with what this process has.
        let (small, large) =
            (peak("true"), peak("head -c 400000000 /dev/zero | tail -n 1 > /dev/null; sleep 0.05"));
        assert!(small.peak_bytes.is_some_and(|bytes| bytes > 100_000 && bytes < 400_000_000), "{small:?}");
        assert!(large.peak_bytes.is_some_and(|bytes| bytes >= 400_000_000), "{large:?}");
        assert!(large.took >= Duration::from_millis(50));
    }

    #[test]
    fn the_smaller_limit_holds() {
        let folder = tempfile::tempdir().unwrap();
        let (short, long) = (Duration::from_millis(50), Duration::from_secs(60));
        for (own, shared) in [(Some(long), Some(short)), (Some(short), Some(long)), (None, Some(short))] {
            let token = Cancel::new().limited(shared);
            let ended = run(&sh("sleep 77").timeout(own), folder.path(), &token);
            assert!(matches!(ended, Err(ProcessError::Timeout { limit, .. }) if limit == short), "{ended:?}");
        }
    }

    #[test]
    fn a_child_that_prints_too_much_is_ended_with_its_group_and_nothing_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        for stream in ["", ">&2"] {
            let call = sh(&format!("echo $$ > {}; yes {stream}", pid.display())).most_printed(1 << 20);
            let ended = run(&call, folder.path(), &Cancel::new());
            let error = ended.expect_err("it never ends by itself");
            assert_eq!(error.to_string(), "`/bin/sh` printed more than 1 MiB and was ended");
            assert!(ends(&pid));
            for name in ["stdout", "stderr"] {
                assert!(std::fs::metadata(folder.path().join(name)).unwrap().len() <= 1 << 20, "{name}");
            }
        }
    }

    #[test]
    fn a_child_in_our_own_group_is_ended_too() {
        let folder = tempfile::tempdir().unwrap();
        let call = Call::new("/usr/bin/yes").most_printed(1 << 20);
        let printed = run(&call, folder.path(), &Cancel::in_shared_group());
        assert!(matches!(printed, Err(ProcessError::TooMuch { .. })), "{printed:?}");
        let call = Call::new("/bin/sleep").arg("77").timeout(Some(Duration::from_millis(50)));
        let waited = run(&call, folder.path(), &Cancel::in_shared_group());
        assert!(matches!(waited, Err(ProcessError::Timeout { .. })), "{waited:?}");
    }

    #[test]
    fn the_limit_of_what_is_printed_holds_for_a_child_that_ends_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let printed =
            |bytes: u64| run(&sh("printf 12345678").most_printed(bytes), folder.path(), &Cancel::new());
        assert_eq!(printed(8).unwrap().stdout, "12345678");
        let error = printed(7).expect_err("one byte too many");
        assert!(matches!(error, ProcessError::TooMuch { limit: 7, .. }), "{error}");
        assert_eq!(error.to_string(), "`/bin/sh` printed more than 7 bytes and was ended");
    }

    #[test]
    fn cancelling_says_whether_somebody_will_see_it() {
        assert!(!Cancel::new().cancel(), "nothing runs");
        let (folder, cancel) = (tempfile::tempdir().unwrap(), Cancel::new());
        let pid = folder.path().join("pid");
        let call = sh(&format!("echo $$ > {}.new; mv {0}.new {0}; sleep 77", pid.display()));
        std::thread::scope(|scope| {
            let child = scope.spawn(|| run(&call, folder.path(), &cancel));
            while !pid.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(cancel.cancel() && !cancel.cancel(), "the second time it is known already");
            assert!(matches!(child.join().unwrap(), Err(ProcessError::Interrupted)));
        });
        assert!(ends(&pid));
    }
}
