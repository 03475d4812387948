//! The crate's real build, run by cargo with the shadow toolkit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cargo_metadata::Message;
use occlint::arch::Arch;
use occlint::sys::env::Env;
use occlint::sys::files::{self, FileError};
use occlint::sys::process::{self, Call, Cancel, Output, ProcessError};
use occlint::text::{count, sanitize};
use occlint::toolkit::Toolkit;

use crate::capture::calls::Calls;
use crate::capture::record::{self, FORMAT_VERSION, Record};
use crate::capture::shadow::{Mode, Shadow};
use crate::capture::unseen::unseen;
use crate::cli::{BuildArgs, SelectionArgs};
use crate::error::RunError;
use crate::terminal::telling;
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
    /// Hears, every so often, what the build does.
    pub(crate) progress: (Duration, &'a (dyn Fn(&str) + Sync)),
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
    /// Calls that could not be written down, as far as they can be shown.
    pub(crate) unread: Vec<String>,
    /// The build asked which GPU there is, and a stand-in told it.
    pub(crate) asked_gpu: bool,
    /// Packages whose build scripts failed, while the package's own did not.
    pub(crate) failed_scripts: Vec<String>,
    /// The calls of other packages' build scripts, by package.
    pub(crate) others: BTreeMap<String, Vec<Record>>,
}

/// How one run of cargo ended.
struct Ran {
    /// The build scripts that ran or were fresh: the package's identity and the script's `OUT_DIR`.
    scripts: Vec<(String, PathBuf)>,
    /// What cargo printed for people, where it failed.
    failure: Option<String>,
}

impl Ran {
    /// The packages whose build scripts failed, by cargo's words.
    fn failed_scripts(&self) -> Vec<String> {
        let said = self.failure.as_deref().unwrap_or_default();
        let words = said.split("failed to run custom build command for `").skip(1);
        let mut names: Vec<String> =
            words.filter_map(|rest| Some(sanitize(rest.split([' ', '`']).next()?))).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// A build that failed.
struct Failed {
    said: String,
    /// Some call was answered by a stand-in for what it would make.
    stand_ins: bool,
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
    let first = asked.unwrap_or(Mode::Record);
    match attempt(capture, first)? {
        Ok(captured) => Ok(captured),
        Err(failure) if asked.is_some() || !failure.stand_ins => Err(failed(capture, first, &failure)),
        Err(_) => {
            say("the build needs what nvcc makes: it runs for real");
            attempt(capture, Mode::Build)?.map_err(|failure| failed(capture, Mode::Build, &failure))
        }
    }
}

fn failed(capture: &Capture<'_>, mode: Mode, failure: &Failed) -> RunError {
    let help = match mode {
        Mode::Record if failure.stand_ins => {
            "recording leaves stand-ins for what nvcc makes; `--capture build` runs the build for real"
        }
        _ => {
            "make `cargo check --release` work with this toolkit, or check the `.cu` files alone with `--via sources`"
        }
    };
    RunError::Build {
        package: capture.member.name.clone(),
        said: failure.said.clone(),
        help: help.to_owned(),
    }
}

/// One way to capture; the inner error is what cargo said.
fn attempt(capture: &Capture<'_>, mode: Mode) -> Result<Result<Captured, Failed>, RunError> {
    let version = &capture.toolkit.version;
    // Cargo does not know that these change what a build makes: each setting has a build of its own.
    let settings = record::variables(capture.env).map(|digest| format!("-{digest}")).unwrap_or_default();
    let name = format!("{}-{version}-{FORMAT_VERSION}{settings}", mode.name());
    let folder = capture.target.join("occlint/capture").join(name);
    let target = folder.join("target");
    let calls = folder.join("calls");
    files::create_folder(&folder)?;
    // Calls name folders as they were: another path to this one, or one that it was moved from, makes them nobody's.
    let (place, here) = (folder.join("place.txt"), folder.to_string_lossy());
    let is_here = files::read_text(&place).is_ok_and(|text| text == here);
    let mut known = match Calls::read(&calls)?.filter(|_| is_here && target.is_dir()) {
        Some(known) => known,
        // Calls of a build whose folder is gone are nobody's, and what a build did whose calls are gone nobody knows.
        None => {
            files::create_empty_folder(&calls)?;
            files::create_empty_folder(&target)?;
            files::write(&place, here.as_bytes())?;
            Calls::default()
        }
    };
    let shadow = Shadow::make(&folder, capture.toolkit, mode, (capture.env, capture.arch, capture.cancel))?;
    for last in [false, true] {
        let start = SystemTime::now();
        let ran = cargo(capture, &shadow, (&target, &folder))?;
        let mut now = Calls::read(&calls)?.unwrap_or_default();
        now.settle(&known, &folder)?;
        let own = ran.scripts.iter().any(|(id, _)| *id == capture.member.id);
        let failed_scripts = ran.failed_scripts();
        let counts = !own || (capture.build.deps && !failed_scripts.is_empty());
        if let (true, Some(said)) = (counts, ran.failure) {
            let stand_ins = mode == Mode::Record && now.len() > known.len();
            return Ok(Err(Failed { said, stand_ins }));
        }
        let scripts: Vec<Script> = ran
            .scripts
            .into_iter()
            .map(|script| Script::new(capture, script, (&known, &now), start))
            .collect();
        // A script that ran again over what it had left may have left out what was fresh: it runs from nothing.
        let over: Vec<&Script> = scripts.iter().filter(|script| script.again && script.before).collect();
        if !over.is_empty() && !last {
            over.iter().try_for_each(|script| forget(script))?;
            known = Calls::read(&calls)?.unwrap_or_default();
            continue;
        }
        let (unread, asked_gpu) = (std::mem::take(&mut now.unread), now.asked_gpu);
        return Ok(Ok(Captured { unread, asked_gpu, failed_scripts, ..told(capture, mode, scripts) }));
    }
    Ok(Err(Failed { said: "the build script runs again and again".to_owned(), stand_ins: false }))
}

/// A build script, and the calls that it made.
struct Script {
    /// Its package.
    id: String,
    out_dir: PathBuf,
    calls: Vec<(PathBuf, Record)>,
    /// It ran just now.
    again: bool,
    /// Calls of it were known already.
    before: bool,
}

impl Script {
    fn new(
        capture: &Capture<'_>,
        (id, out_dir): (String, PathBuf),
        (known, now): (&Calls, &Calls),
        start: SystemTime,
    ) -> Self {
        let member = (id == capture.member.id).then_some(capture.member);
        let before = known.of(&out_dir, member).len();
        let calls = now.of(&out_dir, member);
        let again = ran_since(&out_dir, start) || calls.len() > before;
        Self { id, out_dir, calls, again, before: before > 0 }
    }
}

/// What the scripts of a build tell of its package.
fn told(capture: &Capture<'_>, mode: Mode, scripts: Vec<Script>) -> Captured {
    let mut all = Captured {
        mode,
        records: Vec::new(),
        kept: true,
        unseen: Vec::new(),
        unread: Vec::new(),
        asked_gpu: false,
        failed_scripts: Vec::new(),
        others: BTreeMap::new(),
    };
    for script in scripts {
        let records = script.calls.into_iter().map(|(_, record)| record);
        if script.id != capture.member.id {
            all.others.entry(script.id).or_default().extend(records);
            continue;
        }
        all.kept &= !script.again;
        all.records.extend(records);
        let calls = (mode == Mode::Build).then_some(all.records.as_slice());
        all.unseen.extend(unseen(&script.out_dir, calls.unwrap_or_default()));
    }
    all.others.retain(|_, records| !records.is_empty());
    all
}

/// Removes what a build script left, so that cargo runs it again, and the calls that it made.
fn forget(script: &Script) -> Result<(), RunError> {
    for (path, _) in &script.calls {
        files::remove_if_there(path)?;
    }
    let run = script.out_dir.parent().unwrap_or(&script.out_dir);
    Ok(std::fs::remove_dir_all(run).map_err(FileError::of("remove", run))?)
}

/// Whether cargo ran the build script of this folder after `start`: it stamps the folder then.
fn ran_since(out_dir: &Path, start: SystemTime) -> bool {
    let stamp = out_dir.parent().map(|run| run.join("invoked.timestamp"));
    let modified = stamp.and_then(|stamp| std::fs::metadata(stamp).ok()?.modified().ok());
    // Time stamps of files may be coarser than the clock.
    modified.is_some_and(|modified| modified + Duration::from_millis(50) >= start)
}

fn cargo(capture: &Capture<'_>, shadow: &Shadow, (target, scratch): (&Path, &Path)) -> Result<Ran, RunError> {
    let program = capture.env.var("CARGO").map_or_else(|| "cargo".into(), PathBuf::from);
    let mut call = Call::new(program)
        // The package's build script runs even where a crate beside it does not compile.
        .args(["check", "--keep-going", "--message-format=json-render-diagnostics"])
        .args(["--package", &capture.member.id])
        .args(capture.build.cargo_args())
        .args(capture.selection.lock_args())
        .arg("--target-dir")
        .arg(target);
    call.folder = Some(capture.workspace.to_owned());
    call.vars = shadow.vars(capture.env);
    let (pace, say) = capture.progress;
    let doing = |since: Duration| say(&doing_now(since, scratch));
    let run = || process::run(&call, scratch, capture.cancel);
    let output = telling(pace, &doing, run).map_err(|error| match error {
        ProcessError::Interrupted => RunError::Interrupted,
        error => RunError::cannot(error.to_string(), "the crate's own build is captured: cargo is needed"),
    })?;
    Ok(understand(&output))
}

/// `40 s, 12 calls of nvcc; cargo: Compiling cc v1.2.3`: what cargo printed last.
fn doing_now(since: Duration, scratch: &Path) -> String {
    let written = files::entries(&scratch.join("calls")).unwrap_or_default();
    let calls = written.iter().filter(|path| path.extension().is_some_and(|e| e == "json")).count();
    let said = files::read_text(&scratch.join("stderr")).unwrap_or_default();
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).map(|line| sanitize(line.trim()));
    let cargo = last.map(|line| format!("; cargo: {line}")).unwrap_or_default();
    format!("{} s, {} of nvcc{cargo}", since.as_secs(), count(calls, "call"))
}

fn understand(output: &Output) -> Ran {
    let messages = Message::parse_stream(output.stdout.as_bytes()).filter_map(Result::ok);
    let script = |message| match message {
        Message::BuildScriptExecuted(script) => {
            Some((script.package_id.repr, script.out_dir.into_std_path_buf()))
        }
        _ => None,
    };
    let failure = (!output.status.success()).then(|| output.stderr.clone());
    Ran { scripts: messages.filter_map(script).collect(), failure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_the_time_the_calls_and_cargos_last_line() {
        let folder = tempfile::tempdir().unwrap();
        let at = |since| doing_now(Duration::from_secs(since), folder.path());
        assert_eq!(at(10), "10 s, 0 calls of nvcc");
        let write =
            |name: &str, text: &str| files::write(&folder.path().join(name), text.as_bytes()).unwrap();
        files::create_folder(&folder.path().join("calls/sources")).unwrap();
        write("calls/1.json", "{}");
        write("stderr", "   Compiling a v1\n   Compiling b\u{1b}[0m v2\n\n");
        assert!(at(20).starts_with("20 s, 1 call of nvcc; cargo: Compiling b"), "{}", at(20));
        assert!(!at(20).contains('\u{1b}'));
    }
}
