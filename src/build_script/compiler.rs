//! The nvcc that a build script compiles with, and the arguments that cc gives to it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::build_script::scene::Scene;
use crate::build_script::{BuildError, paths};
use crate::capture::{self, NvccCall};
use crate::sys::env::Env;
use crate::sys::files;
use crate::sys::process::Cancel;
use crate::toolkit::{self, FLAG_VARIABLES, Toolkit};

/// nvcc with cc's arguments.
#[derive(Debug)]
pub(super) struct Compiler {
    pub(super) toolkit: Toolkit,
    /// cc's arguments, without those that keep the check from meaning anything.
    pub(super) args: Vec<OsString>,
    /// What the arguments and nvcc's own variables say.
    pub(super) call: NvccCall,
    /// Variables that cc sets for the compiler.
    pub(super) vars: Vec<(OsString, OsString)>,
    /// Device code for a debugger was asked for: nothing can be checked.
    pub(super) debug: bool,
    /// cc's builder for the archive: the same, without what cc adds for debuggers.
    pub(super) cc: cc::Build,
}

/// nvcc's flags for device code that is not optimised.
const DEBUG: [&str; 2] = ["-G", "--device-debug"];

impl Compiler {
    /// Finds nvcc and asks cc for its arguments. cc's `-G` for the dev profile is left out, unless it is asked for
    /// (`debug`, or among the flags).
    ///
    /// # Errors
    /// There is no nvcc, or cc cannot say its arguments.
    pub(super) fn new(
        cc: &cc::Build,
        nvcc: Option<&Path>,
        debug: bool,
        scene: &Scene,
    ) -> Result<Self, BuildError> {
        let cancel = Cancel::in_shared_group();
        let mut cc = cc.clone();
        let toolkit = find(nvcc, scene, &cancel)?;
        // cc and this helper tell cargo folders of it.
        paths::printable("the path of nvcc", &toolkit.nvcc)?;
        paths::printable("the toolkit", &toolkit.root)?;
        let found = toolkit.nvcc.as_os_str();
        let names = variables(&scene.env);
        let is_other = |name: &OsStr| names.iter().all(|own| name != OsStr::new(own));
        let own = scene.env.vars().filter(|(name, _)| is_other(name));
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        // cc looks for nvcc by this variable alone, and for the CUDA runtime beside it.
        cc.set_envs_snapshot(own.chain([(OsString::from("NVCC"), found.to_owned())]));
        let tool = cc.try_get_compiler()?;
        if tool.path().as_os_str() != found {
            return Err(BuildError::usage(
                "the `cc::Build` is not for CUDA",
                "call `.cuda(true)` on it, before `.cudart(…)`",
            ));
        }
        let vars = tool.get_envs().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut args = args_of(&tool);
        paths::inputs(&args)?;
        let mut optimised = cc.clone();
        optimised.debug(false);
        let asked = args_of(&optimised.try_get_compiler()?);
        let has_debug = |args: &[OsString]| args.iter().any(|arg| DEBUG.iter().any(|flag| arg == flag));
        let flags = FLAG_VARIABLES.map(|name| capture::words(scene.env.text(name).unwrap_or_default()));
        let by_variable = flags.iter().flatten().any(|word| DEBUG.contains(&word.as_str()));
        let debug = debug || has_debug(&asked) || by_variable;
        if !debug {
            args.retain(|arg| DEBUG.iter().all(|flag| arg != flag));
        }
        let call = read(&args, &flags);
        let cc = if debug { cc } else { optimised };
        Ok(Self { toolkit, args: without_threads(args), call, vars, debug, cc })
    }
}

/// What nvcc is told in all: by its variables and by its arguments, files of arguments included.
fn read(args: &[OsString], [front, back]: &[Vec<String>; 2]) -> NvccCall {
    let own = args.iter().map(|arg| arg.to_string_lossy().into_owned());
    let all: Vec<String> = front.iter().cloned().chain(own).chain(back.iter().cloned()).collect();
    let text = |file: &str| files::read_text(Path::new(file)).ok();
    let expanded = capture::expand(&all, &text).unwrap_or(all);
    // a query without an input says nothing of flags
    capture::parse(&expanded)
}

/// cc's arguments, without a wrapper such as sccache: it would answer without the compiler's report.
fn args_of(tool: &cc::Tool) -> Vec<OsString> {
    let command = tool.to_command();
    let args: Vec<&OsStr> = command.get_args().collect();
    let is_wrapped = command.get_program() != tool.path();
    let skipped =
        if is_wrapped { args.iter().position(|arg| *arg == tool.path()).map_or(0, |at| at + 1) } else { 0 };
    args[skipped..].iter().map(|arg| (*arg).to_owned()).collect()
}

/// Several ptxas at a time would mix their reports: files are compiled in parallel instead.
fn without_threads(args: Vec<OsString>) -> Vec<OsString> {
    let mut kept = Vec::with_capacity(args.len());
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy();
        match text.trim_start_matches('-').split('=').next() {
            Some("t" | "threads") if text.starts_with('-') => {
                if !text.contains('=') {
                    args.next();
                }
            }
            _ => {
                drop(text);
                kept.push(arg);
            }
        }
    }
    kept
}

/// The nvcc that is named in the build script, in `NVCC` as cc reads it, pinned, or found.
fn find(named: Option<&Path>, scene: &Scene, cancel: &Cancel) -> Result<Toolkit, BuildError> {
    let env = &scene.env;
    let unasked = |nvcc: &Path, origin: &str| Toolkit::unasked(nvcc, origin.to_owned(), env, cancel);
    if let Some(path) = named {
        return Ok(unasked(&executable(path, "`nvcc(…)`", env)?, "`nvcc(…)`"));
    }
    let set = variables(env).into_iter().find_map(|name| Some((env.var(&name)?, format!("`{name}`"))));
    if let Some((path, by)) = set {
        return Ok(unasked(&executable(Path::new(path), &by, env)?, &by));
    }
    if let Some(pin) = &scene.config.cuda {
        let extra: Vec<String> = scene.config.cuda_extra.iter().map(|name| name.value.clone()).collect();
        return Ok(toolkit::fetched(&pin.value, env, &extra)?);
    }
    let (nvcc, origin) = toolkit::locate_any(env)?;
    Ok(unasked(&nvcc, &origin))
}

/// The variables in which cc looks for nvcc, in its order.
fn variables(env: &Env) -> Vec<String> {
    let target = env.text("TARGET").unwrap_or_default();
    let kind = if env.text("HOST") == Some(target) { "HOST" } else { "TARGET" };
    let flat = target.replace(['-', '.'], "_");
    vec![format!("NVCC_{target}"), format!("NVCC_{flat}"), format!("{kind}_NVCC"), "NVCC".to_owned()]
}

fn executable(path: &Path, by: &str, env: &Env) -> Result<PathBuf, BuildError> {
    let bare = path.components().count() == 1;
    let found = if bare { env.find_program(&path.to_string_lossy()) } else { None };
    let found = found.or_else(|| files::is_executable(path).then(|| path.to_owned()));
    let absolute = found.map(|path| std::path::absolute(&path).unwrap_or(path));
    absolute.ok_or_else(|| toolkit::ToolkitError::Named { by: by.to_owned(), path: path.to_owned() }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_left_out_in_each_spelling() {
        let kept = |args: &[&str]| {
            let kept = without_threads(args.iter().map(OsString::from).collect());
            kept.iter().map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(kept(&["-O3", "-t", "4", "-c"]), "-O3 -c");
        assert_eq!(kept(&["--threads=0", "-t=2", "-std=c++17"]), "-std=c++17");
        assert_eq!(kept(&["-Xcompiler", "-O3"]), "-Xcompiler -O3");
    }
}
