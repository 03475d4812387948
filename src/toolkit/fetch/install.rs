//! pip, or uv where there is no pip.

use std::path::{Path, PathBuf};

use crate::sys::env::Env;
use crate::sys::files;
use crate::sys::process::{self, Call, Cancel};
use crate::toolkit::ToolkitError;
use crate::toolkit::error::last_lines;
use crate::toolkit::installed::ask;

/// A program that installs wheels into a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Installer {
    /// `PYTHON -m pip`.
    Pip(PathBuf),
    /// `uv pip`.
    Uv(PathBuf),
}

/// The user's own settings of where and how to install would contradict ours; index, proxy and certificates stay.
const OVERRIDDEN: [&str; 8] = [
    "PIP_CONSTRAINT",
    "PIP_DRY_RUN",
    "PIP_NO_BINARY",
    "PIP_PREFIX",
    "PIP_REQUIREMENT",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_ROOT",
    "PIP_TARGET",
];

impl Installer {
    /// `python3` with pip on `PATH`, else `uv`.
    ///
    /// # Errors
    /// Neither is there, or the run is interrupted.
    pub(super) fn find(env: &Env, cancel: &Cancel) -> Result<Self, ToolkitError> {
        let folders = env.path_folders();
        let mut looked = Vec::new();
        match files::find_program("python3", &folders) {
            None => looked.push("`python3`: not on PATH".to_owned()),
            Some(python) => match ask(Call::new(&python).args(["-m", "pip", "--version"]), env, cancel) {
                Ok(output) if output.status.success() => return Ok(Self::Pip(python)),
                Ok(_) => looked.push(format!("`{} -m pip`: has no pip", python.display())),
                Err(_) if cancel.is_cancelled() => return Err(process::ProcessError::Interrupted.into()),
                Err(error) => looked.push(error.to_string()),
            },
        }
        match files::find_program("uv", &folders) {
            Some(uv) => Ok(Self::Uv(uv)),
            None => {
                looked.push("`uv`: not on PATH".to_owned());
                Err(ToolkitError::NoInstaller { looked })
            }
        }
    }

    /// Installs these requirements into `target`; temporary files stay below `work`, a folder that exists.
    ///
    /// # Errors
    /// It cannot be started, fails, or the run is interrupted.
    pub(super) fn install(&self, job: &Job<'_>, cancel: &Cancel) -> Result<(), ToolkitError> {
        let call = self.call(job);
        files::create_folder(&job.work.join("tmp"))?;
        files::write_atomically(&job.work.join("requirements.txt"), job.requirements.as_bytes())?;
        let output = process::run(&call, job.work, cancel)?;
        if output.status.success() {
            return Ok(());
        }
        let printed = last_lines(&format!("{}\n{}", output.stdout, output.stderr), 12);
        let output = if printed.is_empty() { output.status.to_string() } else { printed };
        Err(ToolkitError::Fetch { release: job.release.to_owned(), command: in_words(&call), output })
    }

    fn call(&self, job: &Job<'_>) -> Call {
        let call = match self {
            Self::Pip(python) => Call::new(python).args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-input",
                "--no-compile",
                "--disable-pip-version-check",
            ]),
            Self::Uv(uv) => Call::new(uv).args(["pip", "install", "--quiet", "--no-progress"]),
        };
        let mut call = call
            .args(["--require-hashes", "--no-deps", "--only-binary", ":all:", "--target"])
            .arg(job.target)
            .arg("-r")
            .arg(job.work.join("requirements.txt"));
        for (name, value) in job.env.vars() {
            call = call.var(name, value);
        }
        call = call
            .var("PIP_USER", "0")
            .var("PIP_DISABLE_PIP_VERSION_CHECK", "1")
            .var("TMPDIR", job.work.join("tmp"));
        call.vars.extend(OVERRIDDEN.map(|name| (name.into(), None)));
        call
    }
}

/// What to install and where.
pub(super) struct Job<'a> {
    pub(super) release: &'a str,
    pub(super) requirements: &'a str,
    pub(super) target: &'a Path,
    pub(super) work: &'a Path,
    pub(super) env: &'a Env,
}

fn in_words(call: &Call) -> String {
    let args = call.args.iter().map(|arg| arg.to_string_lossy());
    std::iter::once(call.program.to_string_lossy()).chain(args).collect::<Vec<_>>().join(" ")
}
