//! Finding an installed toolkit.

use std::path::{Path, PathBuf};

use crate::sys::env::{Env, is_executable};
use crate::sys::process::Cancel;
use crate::toolkit::{Toolkit, ToolkitError, tools};

/// Where to look.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// `--nvcc`.
    pub nvcc: Option<&'a Path>,
    /// The environment: `NVCC`, `CUDA_HOME`, `CUDA_PATH`, `CUDA_ROOT`, `PATH`.
    pub env: &'a Env,
    /// Ends children on Ctrl-C.
    pub cancel: &'a Cancel,
}

/// Variables that name a toolkit's folder.
const FOLDERS: [&str; 3] = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"];
/// Folders where toolkits are usually installed.
const USUAL: [&str; 4] = ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda", "/usr"];

/// Finds nvcc: `--nvcc`, `NVCC`, `CUDA_HOME`, `CUDA_PATH`, `CUDA_ROOT`, `PATH`, the usual folders.
///
/// # Errors
/// None is found (every place looked at is named), or the one that was named does not work.
pub fn find(search: Search<'_>) -> Result<Toolkit, ToolkitError> {
    let (nvcc, origin) = locate(search)?;
    let version = tools::version_of(&nvcc, search.cancel)?;
    Ok(Toolkit::of(nvcc, version, origin))
}

fn locate(search: Search<'_>) -> Result<(PathBuf, String), ToolkitError> {
    if let Some(path) = search.nvcc {
        return named(path, "--nvcc", search.env);
    }
    if let Some(path) = search.env.var("NVCC") {
        return named(Path::new(path), "NVCC", search.env);
    }
    let mut looked = vec!["`NVCC` (not set)".to_owned()];
    for name in FOLDERS {
        let Some(folder) = search.env.var(name) else {
            looked.push(format!("`{name}` (not set)"));
            continue;
        };
        let nvcc = Path::new(folder).join("bin/nvcc");
        if is_executable(&nvcc) {
            return Ok((nvcc, format!("`{name}`")));
        }
        looked.push(format!("`{name}`: {}", nvcc.display()));
    }
    if let Some(nvcc) = search.env.find_program("nvcc") {
        return Ok((nvcc, "`nvcc` on PATH".to_owned()));
    }
    looked.push("the folders of `PATH`".to_owned());
    for folder in usual_folders() {
        let nvcc = folder.join("bin/nvcc");
        if is_executable(&nvcc) {
            return Ok((nvcc.clone(), format!("`{}`", nvcc.display())));
        }
        looked.push(nvcc.display().to_string());
    }
    Err(ToolkitError::NotFound { looked })
}

/// What a user names must work: falling back to another nvcc would check with the wrong one.
fn named(path: &Path, by: &str, env: &Env) -> Result<(PathBuf, String), ToolkitError> {
    let bare = path.components().count() == 1 && !path.is_file();
    let found =
        if bare { path.to_str().and_then(|name| env.find_program(name)) } else { Some(path.to_owned()) };
    match found.and_then(|path| std::path::absolute(path).ok()).filter(|path| is_executable(path)) {
        Some(nvcc) => Ok((nvcc, format!("`{by}`"))),
        None => Err(ToolkitError::Named { by: format!("`{by}`"), path: path.to_owned() }),
    }
}

/// The usual folders, versioned ones of `/usr/local` with the newest first.
fn usual_folders() -> Vec<PathBuf> {
    let version = |path: &PathBuf| -> Option<Vec<u32>> {
        let name = path.file_name()?.to_str()?.strip_prefix("cuda-")?;
        name.split('.').map(|part| part.parse().ok()).collect()
    };
    let entries = std::fs::read_dir("/usr/local").into_iter().flatten().filter_map(Result::ok);
    let mut versioned: Vec<_> =
        entries.map(|entry| entry.path()).filter_map(|path| Some((version(&path)?, path))).collect();
    versioned.sort_by(|a, b| b.cmp(a));
    let mut folders: Vec<PathBuf> = USUAL.iter().map(PathBuf::from).collect();
    folders.splice(1..1, versioned.into_iter().map(|(_, path)| path));
    folders
}
