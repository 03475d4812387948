//! The crate's real build, run by cargo with the shadow toolkit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cargo_metadata::Message;
use occlint::arch::Arch;
use occlint::sys::env::Env;
use occlint::sys::files;
use occlint::sys::process::{self, Call, Cancel, Output, ProcessError};
use occlint::toolkit::Toolkit;

use crate::capture::record::Record;
use crate::capture::shadow::{Mode, Shadow, doing};
use crate::capture::unseen::device_code;
use crate::cli::{BuildArgs, SelectionArgs};
use crate::error::RunError;
use crate::workspace::Member;

/// What a capture needs.
pub(crate) struct Capture<'a> {
    /// The package whose build is captured.
    pub(crate) member: &'a Member,
    /// The workspace's Cargo.toml decides profiles and patches: cargo runs in its folder.
    pub(crate) workspace: &'a Path,
    /// Cargo's target folder, below which everything of ours lies.
    pub(crate) target: &'a Path,
    /// The toolkit that is mirrored.
    pub(crate) toolkit: &'a Toolkit,
    /// Features and profile.
    pub(crate) build: &'a BuildArgs,
    /// `--locked` and the like.
    pub(crate) selection: &'a SelectionArgs,
    /// What a stand-in for nvidia-smi answers.
    pub(crate) arch: Option<Arch>,
    /// The environment.
    pub(crate) env: &'a Env,
    /// Ends the build when the user interrupts.
    pub(crate) cancel: &'a Cancel,
}

/// What a build told.
#[derive(Debug)]
pub(crate) struct Captured {
    /// How it was captured.
    pub(crate) mode: Mode,
    /// The calls of the package's own build script, as they were made.
    pub(crate) records: Vec<Record>,
    /// The build script had nothing to do: its calls are those of an earlier run.
    pub(crate) kept: bool,
    /// Files with device code that none of these calls made.
    pub(crate) unseen: Vec<PathBuf>,
}

/// How one run of cargo ended.
struct Ran {
    /// `OUT_DIR` of the package's build script, if it ran or was fresh.
    out_dir: Option<PathBuf>,
    /// What cargo printed for people, where it failed.
    failure: Option<String>,
}

/// Runs the build, recording if that suffices, else for real.
///
/// # Errors
/// The build itself fails, with its own words; or the shadow toolkit cannot be made.
pub(crate) fn capture(
    capture: &Capture<'_>,
    asked: Option<Mode>,
    say: &dyn Fn(&str),
) -> Result<Captured, RunError> {
    if let Some(mode) = asked {
        return attempt(capture, mode)?.map_err(|failure| failed(capture, mode, &failure));
    }
    match attempt(capture, Mode::Record)? {
        Ok(captured) => Ok(captured),
        Err(_) => {
            say("the build needs what nvcc makes: it runs for real");
            attempt(capture, Mode::Build)?.map_err(|failure| failed(capture, Mode::Build, &failure))
        }
    }
}

fn failed(capture: &Capture<'_>, mode: Mode, said: &str) -> RunError {
    let help = match mode {
        Mode::Record => {
            "recording leaves stand-ins for what nvcc makes; `--capture build` runs the build for real"
        }
        Mode::Build => {
            "make `cargo check --release` work with this toolkit, or check the `.cu` files alone with `--via sources`"
        }
    };
    RunError::Build { package: capture.member.name.clone(), said: said.to_owned(), help: help.to_owned() }
}

/// One way to capture; the inner error is what cargo said.
fn attempt(capture: &Capture<'_>, mode: Mode) -> Result<Result<Captured, String>, RunError> {
    let version = &capture.toolkit.version;
    let folder = capture.target.join("occlint/capture").join(format!("{}-{version}", mode.name()));
    let target = folder.join("target");
    let calls = folder.join("calls");
    files::create_folder(&folder)?;
    // Calls of a build whose folder is gone are nobody's.
    if !target.is_dir() {
        files::create_empty_folder(&calls)?;
    }
    let shadow = Shadow::make(&folder, capture.toolkit, mode, (capture.env, capture.arch, capture.cancel))?;
    let mut known = Calls::read(&calls)?;
    for last in [false, true] {
        let start = SystemTime::now();
        let ran = cargo(capture, &shadow, &target, &folder)?;
        let Some(out_dir) = ran.out_dir else {
            return Ok(match ran.failure {
                Some(said) => Err(said),
                None => Ok(Captured { mode, records: Vec::new(), kept: false, unseen: Vec::new() }),
            });
        };
        let now = Calls::read(&calls)?;
        let before = known.of(&out_dir, capture.member);
        let again = ran_since(&out_dir, start) || now.of(&out_dir, capture.member).len() > before.len();
        // A script that ran again over what it had left may have left out what was fresh: it runs from nothing.
        if again && !before.is_empty() && !last {
            forget(&out_dir, &now.of(&out_dir, capture.member))?;
            known = Calls::read(&calls)?;
            continue;
        }
        let records: Vec<Record> =
            now.of(&out_dir, capture.member).into_iter().map(|(_, record)| record).collect();
        // What a real build makes is explained by the calls that were seen, if there are any.
        let explained = mode == Mode::Build && !records.is_empty();
        let unseen = if explained { Vec::new() } else { device_code(&out_dir) };
        return Ok(Ok(Captured { mode, records, kept: !again, unseen }));
    }
    Ok(Err("the build script runs again and again".to_owned()))
}

/// Removes what a build script left, so that cargo runs it again, and the calls that it made.
fn forget(out_dir: &Path, calls: &[(PathBuf, Record)]) -> Result<(), RunError> {
    for (path, _) in calls {
        files::remove_if_there(path)?;
    }
    let run = out_dir.parent().unwrap_or(out_dir);
    Ok(std::fs::remove_dir_all(run).map_err(doing("remove", run))?)
}

/// Whether cargo ran the build script of this folder after `start`: it stamps the folder then.
fn ran_since(out_dir: &Path, start: SystemTime) -> bool {
    let stamp = out_dir.parent().map(|run| run.join("invoked.timestamp"));
    let modified = stamp.and_then(|stamp| std::fs::metadata(stamp).ok()?.modified().ok());
    // Time stamps of files may be coarser than the clock.
    modified.is_some_and(|modified| modified + std::time::Duration::from_millis(50) >= start)
}

fn cargo(capture: &Capture<'_>, shadow: &Shadow, target: &Path, scratch: &Path) -> Result<Ran, RunError> {
    let program = capture.env.var("CARGO").map_or_else(|| "cargo".into(), PathBuf::from);
    let mut call = Call::new(program)
        .args(["check", "--message-format=json-render-diagnostics", "--package", &capture.member.id])
        .args(capture.build.cargo_args())
        .args(capture.selection.lock_args())
        .arg("--target-dir")
        .arg(target);
    call.folder = Some(capture.workspace.to_owned());
    call.vars = shadow.vars(capture.env);
    let output = process::run(&call, scratch, capture.cancel).map_err(|error| match error {
        ProcessError::Interrupted => RunError::Interrupted,
        error => RunError::cannot(error.to_string(), "the crate's own build is captured: cargo is needed"),
    })?;
    Ok(understand(capture.member, &output))
}

fn understand(member: &Member, output: &Output) -> Ran {
    let messages = Message::parse_stream(output.stdout.as_bytes()).filter_map(Result::ok);
    let out_dir = messages.into_iter().find_map(|message| match message {
        Message::BuildScriptExecuted(script) if script.package_id.repr == member.id => {
            Some(script.out_dir.into_std_path_buf())
        }
        _ => None,
    });
    let failure = (!output.status.success()).then(|| output.stderr.clone());
    Ran { out_dir, failure }
}

/// The calls in a folder, oldest first.
struct Calls(BTreeMap<PathBuf, Record>);

impl Calls {
    fn read(folder: &Path) -> Result<Self, RunError> {
        let mut all = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(doing("read", folder))? {
            let path = entry.map_err(doing("read", folder))?.path();
            if let Some(record) = Record::read(&path) {
                all.insert(path, record);
            }
        }
        Ok(Self(all))
    }

    /// Those of a package's build script: by `OUT_DIR`, else by where they ran.
    fn of(&self, out_dir: &Path, member: &Member) -> Vec<(PathBuf, Record)> {
        let run = out_dir.parent().unwrap_or(out_dir);
        let is_own = |record: &Record| match (&record.out_dir, &record.package) {
            (Some(theirs), _) => theirs == out_dir,
            (None, Some(package)) => *package == member.folder,
            (None, None) => record.folder.starts_with(run) || record.folder.starts_with(&member.folder),
        };
        let own = self.0.iter().filter(|(_, record)| is_own(record));
        own.map(|(path, record)| (path.clone(), record.clone())).collect()
    }
}
