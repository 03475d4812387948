//! Running pip or uv into a fresh folder.

use std::path::{Path, PathBuf};

use crate::sys::env::Env;
use crate::sys::files;
use crate::sys::process::{self, Call, Cancel};
use crate::toolkit::ToolkitError;
use crate::toolkit::pin::Pin;

/// Lines of the installer's output that an error shows.
const SHOWN_LINES: usize = 12;

/// Installs a pin's wheels into `target`, an empty folder; `scratch` gets the requirements and the output.
pub(super) fn install(
    pin: &Pin,
    target: &Path,
    scratch: &Path,
    env: &Env,
    cancel: &Cancel,
) -> Result<(), ToolkitError> {
    let list = scratch.join("requirements.txt");
    files::write_atomically(&list, pin.requirements.as_bytes()).map_err(ToolkitError::File)?;
    let base = installer(env, scratch, cancel)?;
    let call = base
        .args(["install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--target"])
        .arg(target)
        .arg("--requirement")
        .arg(&list)
        .var("PIP_USER", "0")
        .var("PIP_NO_INPUT", "1")
        .var("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .var("PIP_ROOT_USER_ACTION", "ignore");
    let output = process::run(&call, scratch, cancel).map_err(ToolkitError::Process)?;
    if output.status.success() {
        return Ok(());
    }
    let words = output.stdout + &output.stderr;
    let skip = words.lines().count().saturating_sub(SHOWN_LINES);
    let shown: Vec<&str> = words.lines().skip(skip).collect();
    Err(ToolkitError::Fetch {
        release: pin.release.name.to_owned(),
        command: in_words(&call),
        output: shown.join("\n"),
    })
}

/// `python3 -m pip`, else `uv pip`: the first that works.
fn installer(env: &Env, scratch: &Path, cancel: &Cancel) -> Result<Call, ToolkitError> {
    let with_env =
        |program: PathBuf| env.iter().fold(Call::new(program), |call, (name, value)| call.var(name, value));
    let mut looked = Vec::new();
    for (name, module) in [("python3", &["-m", "pip"][..]), ("python", &["-m", "pip"]), ("uv", &["pip"])] {
        looked.push(format!("`{name} {}`", module.join(" ")));
        let Some(program) = env.find_program(name) else { continue };
        let base = with_env(program).args(module);
        let probe = process::run(&base.clone().arg("--version"), scratch, cancel);
        match probe {
            Ok(output) if output.status.success() => return Ok(base),
            // uv's `pip` has no `--version` of its own in every release, but uv itself is enough.
            Ok(_) if name == "uv" => return Ok(base),
            Err(process::ProcessError::Interrupted) => {
                return Err(ToolkitError::Process(process::ProcessError::Interrupted));
            }
            _ => {}
        }
    }
    Err(ToolkitError::NoInstaller { looked })
}

fn in_words(call: &Call) -> String {
    let args = call.args.iter().map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once(call.program.to_string_lossy().into_owned()).chain(args).collect::<Vec<_>>().join(" ")
}
