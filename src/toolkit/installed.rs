//! A toolkit: its tools, and what they say about themselves.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::arch::Arch;
use crate::order;
use crate::sys::env::Env;
use crate::sys::files;
use crate::sys::process::{self, Call, Cancel, Output};
use crate::toolkit::answers::recall;
use crate::toolkit::error::last_lines;
use crate::toolkit::{ToolkitError, Version};

/// Variables from which nvcc takes further flags. No nvcc that is run here sees them: their flags are checked and
/// passed on like the configuration's, or they are not applied.
pub const FLAG_VARIABLES: [&str; 2] = ["NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"];

/// How long a tool may take to say what it is.
const ANSWER: Duration = Duration::from_secs(20);

/// A CUDA toolkit: nvcc, the tools beside it, their version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toolkit {
    /// nvcc.
    pub nvcc: PathBuf,
    /// The folder above `bin`.
    pub root: PathBuf,
    /// What nvcc says it is.
    pub version: Version,
    /// ptxas beside it.
    pub ptxas: Option<PathBuf>,
    /// nvlink beside it.
    pub nvlink: Option<PathBuf>,
    /// cuobjdump beside it.
    pub cuobjdump: Option<PathBuf>,
    /// nvdisasm beside it.
    pub nvdisasm: Option<PathBuf>,
    /// How it was found, in words: "pinned 13.0", "`nvcc` on PATH".
    pub origin: String,
}

impl Toolkit {
    /// The toolkit of this nvcc: runs it for its version and looks for the tools beside it.
    ///
    /// # Errors
    /// nvcc cannot be started, hangs, fails, or prints no version.
    pub fn of_nvcc(nvcc: &Path, origin: String, env: &Env, cancel: &Cancel) -> Result<Self, ToolkitError> {
        let version = version_of(nvcc, env, cancel)?;
        let bin = bin_folder(nvcc, env, cancel);
        Ok(Self::in_bin(nvcc, &bin, version, origin))
    }

    /// The toolkit of this nvcc, which is not asked for its version.
    #[cfg(feature = "build-script")]
    pub(crate) fn unasked(nvcc: &Path, origin: String, env: &Env, cancel: &Cancel) -> Self {
        let version = Version { major: 0, minor: 0, build: 0 };
        Self::in_bin(nvcc, &bin_folder(nvcc, env, cancel), version, origin)
    }

    /// No toolkit: for work that needs none.
    pub fn none() -> Self {
        let version = Version { major: 0, minor: 0, build: 0 };
        Self {
            nvcc: PathBuf::new(),
            root: PathBuf::new(),
            version,
            ptxas: None,
            nvlink: None,
            cuobjdump: None,
            nvdisasm: None,
            origin: "none".to_owned(),
        }
    }

    /// It is [`Toolkit::none`].
    pub fn is_none(&self) -> bool {
        self.nvcc.as_os_str().is_empty()
    }

    /// A toolkit whose version and `bin` folder are known: no process is run.
    pub(super) fn in_bin(nvcc: &Path, bin: &Path, version: Version, origin: String) -> Self {
        let tool = |name: &str| Some(bin.join(name)).filter(|path| files::is_executable(path));
        Self {
            nvcc: nvcc.to_owned(),
            root: bin.parent().unwrap_or(bin).to_owned(),
            version,
            ptxas: tool("ptxas"),
            nvlink: tool("nvlink"),
            cuobjdump: tool("cuobjdump"),
            nvdisasm: tool("nvdisasm"),
            origin,
        }
    }

    /// The folder of the toolkit's own headers: the one with `cuda_runtime.h`, or `include`.
    pub fn include_folder(&self) -> PathBuf {
        let target =
            |machine: &str| self.root.join("targets").join(format!("{machine}-linux")).join("include");
        [self.root.join("include"), target("x86_64"), target("sbsa"), target("aarch64")]
            .into_iter()
            .find(|folder| folder.join("cuda_runtime.h").is_file())
            .unwrap_or_else(|| self.root.join("include"))
    }
}

/// What `PROGRAM --version` says, for nvcc, ptxas and the other tools.
///
/// # Errors
/// It cannot be started, hangs, fails, or prints no version.
pub fn version_of(program: &Path, env: &Env, cancel: &Cancel) -> Result<Version, ToolkitError> {
    let unreadable = |output| ToolkitError::Version { nvcc: program.to_owned(), output };
    let is_answer = |said: &str| Version::parse(said).is_some();
    let said = recall((program, "--version"), env, &is_answer, &|argument| {
        let output = ask(Call::new(program).arg(argument), env, cancel)?;
        let version = if output.status.success() { Version::parse_output(&output.stdout) } else { None };
        Ok(version.ok_or_else(|| unreadable(shown(&output)))?.to_string())
    })?;
    Version::parse(&said).ok_or_else(|| unreadable(said))
}

/// The architectures that this nvcc makes code for, ascending, without variants: `sm_90` stands for `sm_90a` too.
///
/// # Errors
/// nvcc cannot be started, hangs, fails, or prints no architectures.
pub fn supported_archs(toolkit: &Toolkit, env: &Env, cancel: &Cancel) -> Result<Vec<Arch>, ToolkitError> {
    let is_answer = |said: &str| !archs_in(said).is_empty();
    let said = recall((&toolkit.nvcc, "--list-gpu-code"), env, &is_answer, &|argument| {
        let output = ask(Call::new(&toolkit.nvcc).arg(argument), env, cancel)?;
        if !output.status.success() || archs_in(&output.stdout).is_empty() {
            return Err(ToolkitError::Archs { nvcc: toolkit.nvcc.clone(), output: shown(&output) });
        }
        Ok(output.stdout.split_whitespace().collect::<Vec<_>>().join(" "))
    })?;
    Ok(archs_in(&said))
}

fn archs_in(text: &str) -> Vec<Arch> {
    let mut archs: Vec<Arch> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    order::sort(&mut archs);
    archs.dedup();
    archs
}

/// Runs a call that answers at once, in a folder of its own.
pub(super) fn ask(mut call: Call, env: &Env, cancel: &Cancel) -> Result<Output, ToolkitError> {
    let keep = files::scratch()?;
    for (name, value) in env.vars() {
        call = call.var(name, value);
    }
    call.vars.extend(FLAG_VARIABLES.map(|name| (name.into(), None)));
    Ok(process::run(&call.timeout(Some(ANSWER)), keep.path(), cancel)?)
}

pub(super) fn shown(output: &Output) -> String {
    last_lines(&format!("{}\n{}", output.stdout, output.stderr), 8)
}

/// The toolkit's `bin`: beside nvcc, else beside what nvcc is a link to, else where nvcc itself says that it is.
fn bin_folder(nvcc: &Path, env: &Env, cancel: &Cancel) -> PathBuf {
    let folder_of = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
    let beside = folder_of(nvcc);
    let linked = nvcc.canonicalize().map(|real| folder_of(&real)).ok();
    let near = [Some(beside.clone()), linked].into_iter().flatten().find(|folder| has_ptxas(folder));
    near.or_else(|| bin_by_dry_run(nvcc, env, cancel)).unwrap_or(beside)
}

fn has_ptxas(folder: &Path) -> bool {
    files::is_executable(&folder.join("ptxas"))
}

/// A wrapper script far from the toolkit: `nvcc --dryrun` prints `#$ _HERE_=/usr/local/cuda/bin`.
fn bin_by_dry_run(nvcc: &Path, env: &Env, cancel: &Cancel) -> Option<PathBuf> {
    let call = Call::new(nvcc).args(["--dryrun", "-E", "-x", "cu", "/dev/null"]);
    let output = ask(call, env, cancel).ok()?;
    let mut lines = output.stderr.lines().chain(output.stdout.lines());
    let here = lines.find_map(|line| line.strip_prefix("#$ _HERE_="))?;
    Some(PathBuf::from(here.trim())).filter(|folder| has_ptxas(folder))
}
