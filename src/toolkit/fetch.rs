//! Fetching a pinned toolkit into the user's cache: whole, or not at all.

use std::path::{Path, PathBuf};

use crate::sys::env::Env;
use crate::sys::files::{self, FileError, FolderLock};
use crate::sys::process::Cancel;
use crate::toolkit::pin::{Pin, Platform};
use crate::toolkit::{Toolkit, ToolkitError, Version, home, install, tools};

/// Told what a fetch is doing, for a terminal.
pub type Progress<'a> = &'a (dyn Fn(&str) + Sync);

/// How to fetch.
#[derive(Clone, Copy)]
pub struct FetchOptions<'a> {
    /// The environment: `OCCLINT_HOME`, `XDG_CACHE_HOME`, `HOME`, `PATH`.
    pub env: &'a Env,
    /// Refuse to use the network.
    pub offline: bool,
    /// `cuda-extra`.
    pub extra: &'a [String],
    /// Called with one line at each stage.
    pub progress: Progress<'a>,
    /// Ends children on Ctrl-C.
    pub cancel: &'a Cancel,
}

/// Written last, before the rename: the version of the nvcc beside it.
const MANIFEST: &str = "occlint-toolkit.txt";
/// Where the wheels put a toolkit.
const ROOT: &str = "nvidia/cu13";

/// The toolkit of this release, fetched first if it is not in the cache. One that is there starts no process.
///
/// # Errors
/// The release or an extra is unknown, the network may not be used, pip fails, the folder cannot be written.
pub fn pinned(release: &str, options: FetchOptions<'_>) -> Result<Toolkit, ToolkitError> {
    let pin = Pin::new(release, options.extra, Platform::here())?;
    let home = home(options.env).ok_or(ToolkitError::NoHome)?;
    let folder = pin.folder(&home);
    if let Some(toolkit) = cached(&folder, release) {
        return Ok(toolkit);
    }
    if options.offline {
        return Err(ToolkitError::Offline { release: release.to_owned(), folder });
    }
    let locks = folder.with_extension("lock");
    let waiting =
        || (options.progress)(&format!("CUDA {release}: waiting for another process that fetches it"));
    let _lock = FolderLock::take(&locks, waiting).map_err(ToolkitError::File)?;
    // Another process may have fetched it while we waited.
    if let Some(toolkit) = cached(&folder, release) {
        return Ok(toolkit);
    }
    fetch(&pin, &folder, options)?;
    cached(&folder, release).ok_or_else(|| ToolkitError::Fetch {
        release: release.to_owned(),
        command: "pip".to_owned(),
        output: format!("`{}` is not usable after the fetch", folder.display()),
    })
}

/// A toolkit that was renamed into place.
fn cached(folder: &Path, release: &str) -> Option<Toolkit> {
    let manifest = std::fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let version = Version::parse(manifest.lines().next()?)?;
    let nvcc = folder.join(ROOT).join("bin/nvcc");
    nvcc.is_file().then(|| Toolkit::of(nvcc, version, format!("pinned {release}")))
}

fn fetch(pin: &Pin, folder: &Path, options: FetchOptions<'_>) -> Result<(), ToolkitError> {
    let release = pin.release.name;
    (options.progress)(&format!(
        "CUDA {release}, about 110 MB, into {} (NVIDIA's CUDA Toolkit EULA applies to these files)",
        folder.display()
    ));
    // A fixed name under the lock: what a killed fetch left is emptied by the next.
    let scratch = folder.with_extension("partial");
    files::create_empty_folder(&scratch).map_err(ToolkitError::File)?;
    let site = scratch.join("site");
    files::create_folder(&site).map_err(ToolkitError::File)?;
    install::install(pin, &site, &scratch, options.env, options.cancel)?;
    let root = site.join(ROOT);
    link_libraries(&root).map_err(ToolkitError::File)?;
    let version = tools::version_of(&root.join("bin/nvcc"), options.cancel)?;
    files::write_atomically(&site.join(MANIFEST), format!("{version}\n{}", pin.requirements).as_bytes())
        .map_err(ToolkitError::File)?;
    files::replace_folder(&site, folder).map_err(ToolkitError::File)?;
    files::remove_folder(&scratch).map_err(ToolkitError::File)
}

/// `lib64 → lib`, and a `libcudart.so` for linkers, which the wheels leave out.
fn link_libraries(root: &Path) -> Result<(), FileError> {
    let link = |to: &str, at: PathBuf| match at.symlink_metadata() {
        Ok(_) => Ok(()),
        Err(_) => symlink(to, &at).map_err(|cause| FileError { doing: "link", path: at.clone(), cause }),
    };
    link("lib", root.join("lib64"))?;
    let lib = root.join("lib");
    let entries = std::fs::read_dir(&lib).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    for name in &names {
        if let Some((plain, _)) = name.split_once(".so.").map(|(base, v)| (format!("{base}.so"), v)) {
            if !names.contains(&plain) {
                link(name, lib.join(plain))?;
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn symlink(to: &str, at: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn symlink(_to: &str, _at: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
