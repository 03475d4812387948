//! What will be compiled with: the toolkit and the architectures.

use std::path::Path;

use occlint::arch::Arch;
use occlint::compile::native_archs;
use occlint::expect::{self, Config, ConfigError, Sourced};
use occlint::sys::env::Env;
use occlint::sys::process::Cancel;
use occlint::toolkit::{self, FetchOptions, Search, Toolkit};

use crate::cli::CheckArgs;
use crate::error::RunError;
use crate::terminal::Terminal;

/// Taken where neither configuration nor command line names architectures. nvcc's own default, sm_75, would drop
/// bounds that are fine on every newer part.
const DEFAULT_ARCHS: [u16; 3] = [80, 90, 120];

/// What build scripts that ask for a GPU are told where there is none, and nothing is asked for: H100.
pub(crate) const GPU_OF_NONE: u16 = 90;

/// The toolkit: a pin (`--cuda`, then `cuda`) is fetched, else the machine's own is looked for.
pub(crate) fn toolkit(
    args: &CheckArgs,
    config: &Config,
    env: &Env,
    terminal: &Terminal,
    cancel: &Cancel,
) -> Result<Toolkit, RunError> {
    let pin = args.compile.cuda.as_ref().or(config.cuda.as_ref().map(|pin| &pin.value));
    let Some(release) = pin.filter(|_| args.compile.nvcc.is_none()) else {
        let cancel = &cancel.limited(args.compile.timeout);
        let search = Search { nvcc: args.compile.nvcc.as_deref(), env, cancel };
        return toolkit::find(search).map_err(RunError::Toolkit);
    };
    let extra: Vec<String> = config.cuda_extra.iter().map(|name| name.value.clone()).collect();
    let offline = args.selection.offline || args.selection.frozen;
    let progress = |line: &str| terminal.status("Fetching", line);
    let options = FetchOptions { env, offline, extra: &extra, progress: &progress, cancel };
    toolkit::pinned(release, options).map_err(RunError::Toolkit)
}

/// Puts the flags of nvcc's own variables around the configured ones, as nvcc does, so that they are checked alike.
pub(crate) fn environment_flags(
    configs: &mut [Config],
    env: &Env,
    terminal: &Terminal,
) -> Result<(), RunError> {
    for name in toolkit::FLAG_VARIABLES {
        let Some(value) = env.var(name) else { continue };
        let value = value.to_str().ok_or_else(|| {
            RunError::cannot(format!("`{name}` is not UTF-8"), "unset it, or write its flags anew")
        })?;
        let flags = expect::environment_flags(value).map_err(|error| {
            RunError::cannot(format!("`{name}` cannot be applied: {}", error.message), error.help)
        })?;
        for config in &mut *configs {
            let at = if name == "NVCC_PREPEND_FLAGS" { 0 } else { config.flags.len() };
            config.flags.splice(at..at, flags.iter().cloned());
        }
        if !flags.is_empty() {
            terminal.status("Applying", &format!("{name}: {}", value.trim()));
        }
    }
    Ok(())
}

/// The architectures to compile for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Archs {
    pub(crate) list: Vec<Arch>,
    /// occlint's own choice.
    pub(crate) default: bool,
    /// All that are configured (no `--arch`).
    pub(crate) complete: bool,
}

/// Resolves architectures: `--arch`, else `archs`, else the default; `native` is asked of the machine.
pub(crate) fn archs(
    args: &CheckArgs,
    config: &Config,
    toolkit: &Toolkit,
    env: &Env,
    (scratch, cancel): (&Path, &Cancel),
) -> Result<Archs, RunError> {
    let cancel = &cancel.limited(args.compile.timeout);
    let can = if toolkit.is_none() {
        Vec::new()
    } else {
        toolkit::supported_archs(toolkit, env, cancel).map_err(RunError::Toolkit)?
    };
    let asked: Vec<Sourced<String>> = match (&config.archs, args.compile.arch.as_slice()) {
        (Some(archs), []) => archs.clone(),
        (None, []) => {
            let known = DEFAULT_ARCHS.map(Arch::from_cc_tenths).into_iter();
            let list: Vec<Arch> = known.filter(|arch| supports(&can, *arch)).collect();
            return Ok(Archs { list, default: true, complete: true });
        }
        (_, names) => names.iter().map(|name| Sourced { value: name.clone(), span: None }).collect(),
    };
    let mut list = Vec::new();
    for name in &asked {
        if name.value == "native" {
            let native = native_archs(env, scratch, cancel);
            if native.is_empty() {
                let help = "name the architectures, for example `sm_90`".to_owned();
                return Err(at(
                    name,
                    "`native` needs a GPU on this machine, and none answers".to_owned(),
                    help,
                ));
            }
            list.extend(native);
        } else {
            list.push(one(name, &can, toolkit)?);
        }
    }
    list.sort();
    list.dedup();
    Ok(Archs { list, default: false, complete: args.compile.arch.is_empty() })
}

fn one(name: &Sourced<String>, can: &[Arch], toolkit: &Toolkit) -> Result<Arch, RunError> {
    let examples = "write it like `sm_90`, `sm_90a` or `sm_120f`";
    let arch: Arch = name
        .value
        .parse()
        .map_err(|_| at(name, format!("`{}` is no architecture", name.value), examples.to_owned()))?;
    arch.limits().map_err(|error| at(name, error.to_string(), examples.to_owned()))?;
    if supports(can, arch) {
        return Ok(arch);
    }
    let list: Vec<String> = can.iter().map(ToString::to_string).collect();
    let message = format!("the toolkit {} cannot compile for {arch}", toolkit.version);
    Err(at(name, message, format!("it can do {}; pin another toolkit or take it out", list.join(", "))))
}

/// Toolkits list plain architectures; their `a` and `f` forms go with them.
pub(crate) fn supports(can: &[Arch], arch: Arch) -> bool {
    can.is_empty() || can.iter().any(|able| able.cc_tenths() == arch.cc_tenths())
}

fn at(name: &Sourced<String>, message: String, help: String) -> RunError {
    match &name.span {
        Some(span) => RunError::Config(vec![ConfigError { message, span: span.clone(), help: Some(help) }]),
        None => RunError::cannot(message, help),
    }
}
