//! A toolkit and what its tools say of themselves.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::arch::Arch;
use crate::sys::env::is_executable;
use crate::sys::process::{self, Call, Cancel};
use crate::toolkit::{ToolkitError, Version};

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
    /// cuobjdump beside it.
    pub cuobjdump: Option<PathBuf>,
    /// nvdisasm beside it.
    pub nvdisasm: Option<PathBuf>,
    /// How it was found, in words: "pinned 13.0", "`nvcc` on PATH".
    pub origin: String,
}

impl Toolkit {
    /// The toolkit of an nvcc. Tools are looked for beside it, then beside what its links lead to.
    pub(super) fn of(nvcc: PathBuf, version: Version, origin: String) -> Self {
        let real = nvcc.canonicalize().unwrap_or_else(|_| nvcc.clone());
        let folder = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
        let folders = [folder(&nvcc), folder(&real)];
        let tool =
            |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| is_executable(path));
        let root = folder(&folders[1]);
        Self {
            ptxas: tool("ptxas"),
            cuobjdump: tool("cuobjdump"),
            nvdisasm: tool("nvdisasm"),
            nvcc,
            root,
            version,
            origin,
        }
    }
}

/// What a tool prints, both outputs together, if it ends well within 30 seconds.
pub(super) fn ask(program: &Path, args: &[&str], cancel: &Cancel) -> Result<String, ToolkitError> {
    let scratch = tempfile::tempdir().map_err(|cause| {
        ToolkitError::File(crate::sys::files::FileError {
            doing: "create",
            path: std::env::temp_dir(),
            cause,
        })
    })?;
    let call = Call::new(program).args(args).timeout(Some(Duration::from_secs(30)));
    let output = process::run(&call, scratch.path(), cancel).map_err(ToolkitError::Process)?;
    Ok(if output.status.success() { output.stdout + &output.stderr } else { String::new() })
}

/// The version of an nvcc.
pub(super) fn version_of(nvcc: &Path, cancel: &Cancel) -> Result<Version, ToolkitError> {
    let output = ask(nvcc, &["--version"], cancel)?;
    let shortened = || output.chars().take(200).collect();
    Version::parse_output(&output)
        .ok_or_else(|| ToolkitError::Version { nvcc: nvcc.to_owned(), output: shortened() })
}

/// The architectures that a toolkit's nvcc can compile for, ascending; empty where it does not say (before 11.1).
///
/// # Errors
/// nvcc cannot be run.
pub fn supported_archs(toolkit: &Toolkit, cancel: &Cancel) -> Result<Vec<Arch>, ToolkitError> {
    let output = ask(&toolkit.nvcc, &["--list-gpu-code"], cancel)?;
    let mut archs: Vec<Arch> = output.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    archs.sort();
    archs.dedup();
    Ok(archs)
}
