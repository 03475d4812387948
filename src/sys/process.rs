//! Child processes: each in its own process group, ended as a group on time-out or Ctrl-C, and when the child itself
//! has ended.
//!
//! nvcc runs its steps through `sh`: ending nvcc alone leaves `sh`, `cicc` and `ptxas` running.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// The most that a child may print to each of its streams, unless its call says otherwise: 64 MiB. The reports of a
/// thousand kernels are a few MB.
pub const MOST_PRINTED: u64 = 64 << 20;

/// How often a running child's output is measured.
const LOOK: Duration = Duration::from_millis(50);

/// A program with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The folder it runs in; `None` is this process's.
    pub folder: Option<PathBuf>,
    /// Variables to set (`Some`) or to remove (`None`).
    pub vars: Vec<(OsString, Option<OsString>)>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// How many bytes it may print to each of its streams.
    pub most_printed: u64,
}

impl Call {
    /// A call of `program` without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            folder: None,
            vars: Vec::new(),
            timeout: None,
            most_printed: MOST_PRINTED,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets a variable for the child.
    #[must_use]
    pub fn var(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.vars.push((name.as_ref().to_owned(), Some(value.as_ref().to_owned())));
        self
    }

    /// Limits the time.
    #[must_use]
    pub fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Limits the bytes that it may print to each of its streams.
    #[must_use]
    pub fn most_printed(mut self, bytes: u64) -> Self {
        self.most_printed = bytes;
        self
    }
}

/// What a child left.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// Standard output, lossily decoded.
    pub stdout: String,
    /// Standard error, lossily decoded.
    pub stderr: String,
}

/// A child that could not be run to its end.
#[derive(Debug)]
pub enum ProcessError {
    /// It could not be started.
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Its output could not be taken.
    Io {
        /// The program.
        program: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// It ran longer than allowed and was ended with all its children.
    Timeout {
        /// The program.
        program: PathBuf,
        /// The limit.
        limit: Duration,
    },
    /// It printed more than allowed and was ended with all its children; what it printed tells nothing.
    TooMuch {
        /// The program.
        program: PathBuf,
        /// The limit of each stream, bytes.
        limit: u64,
    },
    /// The user interrupted the run.
    Interrupted,
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, cause } => write!(f, "cannot start `{}`: {cause}", program.display()),
            Self::Io { program, cause } => {
                write!(f, "cannot take the output of `{}`: {cause}", program.display())
            }
            Self::Timeout { program, limit } => {
                write!(f, "`{}` ran longer than {} s and was ended", program.display(), limit.as_secs_f64())
            }
            Self::TooMuch { program, limit } => {
                write!(f, "`{}` printed more than {} and was ended", program.display(), amount(*limit))
            }
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// Bytes as people write them: whole MiB where it is such.
fn amount(bytes: u64) -> String {
    if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) {
        format!("{} MiB", bytes >> 20)
    } else {
        format!("{bytes} bytes")
    }
}

impl std::error::Error for ProcessError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { cause, .. } | Self::Io { cause, .. } => Some(cause),
            Self::Timeout { .. } | Self::TooMuch { .. } | Self::Interrupted => None,
        }
    }
}

/// Ends running children, and keeps further ones from starting, when the user interrupts.
#[derive(Clone, Default, Debug)]
pub struct Cancel {
    state: Arc<CancelState>,
    limit: Option<Duration>,
    shared_group: bool,
}

#[derive(Default, Debug)]
struct CancelState {
    cancelled: AtomicBool,
    groups: Mutex<BTreeSet<u32>>,
}

impl Cancel {
    /// A token that nothing has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same token for children of which none may run longer than this, whatever its own limit.
    #[must_use]
    pub fn limited(&self, limit: Option<Duration>) -> Self {
        Self { state: Arc::clone(&self.state), limit, ..*self }
    }

    /// A token for programs that handle no signals: children stay in this process's own group, so that Ctrl-C reaches
    /// them by itself.
    #[must_use]
    pub fn in_shared_group() -> Self {
        Self { shared_group: true, ..Self::default() }
    }

    /// Ends every running group and refuses further ones. Answers whether whoever waits for such a group will now wake
    /// up and see it: not where nothing runs (a read, a lock may be what blocks), nor the second time.
    pub fn cancel(&self) -> bool {
        let groups = self.groups();
        let first = !self.state.cancelled.swap(true, Ordering::SeqCst);
        groups.iter().for_each(|&child| end(child, self.shared_group));
        first && !groups.is_empty()
    }

    /// Whether [`Self::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::SeqCst)
    }

    fn groups(&self) -> std::sync::MutexGuard<'_, BTreeSet<u32>> {
        self.state.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
    let status = wait(call, child, &printed, cancel)?;
    let [stdout, stderr] = printed.text().map_err(io)?;
    Ok(Output { status, stdout, stderr })
}

/// The files that a child's streams go to.
struct Printed {
    streams: [File; 2],
    /// Bytes that each may have.
    most: u64,
}

impl Printed {
    /// Whether a stream has more than it may. One whose length cannot be told is found out when it is read.
    fn too_much(&self) -> bool {
        self.streams.iter().any(|file| file.metadata().is_ok_and(|file| file.len() > self.most))
    }

    /// Gives the disk back what is beyond the limit.
    fn cut(&self) {
        for file in
            self.streams.iter().filter(|file| file.metadata().is_ok_and(|file| file.len() > self.most))
        {
            // A file that cannot be cut is only longer: nothing reads it.
            let _ = file.set_len(self.most);
        }
    }

    /// What was printed, lossily decoded: standard output, standard error. Nothing is read beyond the limit, whatever
    /// still writes.
    fn text(&self) -> io::Result<[String; 2]> {
        let read = |mut file: &File| -> io::Result<String> {
            file.seek(SeekFrom::Start(0))?;
            let mut bytes = Vec::new();
            file.take(self.most).read_to_end(&mut bytes)?;
            let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Ok(String::from_utf8(bytes).unwrap_or_else(|error| lossy(error.as_bytes())))
        };
        let [stdout, stderr] = &self.streams;
        Ok([read(stdout)?, read(stderr)?])
    }
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
) -> Result<ExitStatus, ProcessError> {
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
            child.wait()
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

/// Waits until a child has ended, without taking its status.
#[cfg(unix)]
#[expect(unsafe_code, reason = "waitid has no safe form in std")]
fn await_exit(child: &Child) -> io::Result<()> {
    loop {
        let mut info = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: waitid writes to `info`, which outlives the call; WNOWAIT leaves the child to be waited for.
        let ended = unsafe {
            libc::waitid(libc::P_PID, child.id(), info.as_mut_ptr(), libc::WEXITED | libc::WNOWAIT)
        };
        match ended {
            0 => return Ok(()),
            _ => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
}

#[cfg(not(unix))]
fn await_exit(_child: &Child) -> io::Result<()> {
    Ok(())
}

/// Ends a child with its group; one in our own group alone.
#[cfg(unix)]
#[expect(unsafe_code, reason = "kill has no safe form in std")]
fn end(child: u32, shared_group: bool) {
    if let Ok(child) = libc::pid_t::try_from(child) {
        let whom = if shared_group { child } else { -child };
        // SAFETY: kill takes plain integers; the child is one that we started and have not yet waited for, as is its group.
        unsafe { libc::kill(whom, libc::SIGKILL) };
    }
}

#[cfg(not(unix))]
fn end(_child: u32, _shared_group: bool) {}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

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
