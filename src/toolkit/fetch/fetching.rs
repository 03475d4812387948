//! What a pin names is fetched where it is not in the cache.

use std::path::Path;

use super::install::{Installer, Job};
use super::pin::Place;
use super::{finish, lock, manifest};
use crate::sys::Scratch;
use crate::sys::env::Env;
use crate::sys::files::{self, FileError};
use crate::sys::process::Cancel;
use crate::toolkit::{Toolkit, ToolkitError};

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

/// The toolkit of this release, fetched first if it is not in the cache.
///
/// # Errors
/// The release is unknown, the network may not be used, pip fails, the folder cannot be written.
pub fn pinned(release: &str, options: FetchOptions<'_>) -> Result<Toolkit, ToolkitError> {
    let place = Place::of(release, options.env, options.extra)?;
    if let Some(toolkit) = place.read()? {
        return Ok(toolkit);
    }
    if options.offline {
        return Err(place.absent());
    }
    files::create_folder(&place.toolkits)?;
    let waiting = || {
        (options.progress)(&format!("waiting for another process that is fetching CUDA {}", place.release));
    };
    let _lock = lock::take(&place.toolkits.join(format!("{}.lock", place.name)), &waiting, options.cancel)?;
    match place.read()? {
        Some(toolkit) => Ok(toolkit),
        None => fetch(&place, options),
    }
}

/// Fetches under the lock: into a temporary folder, the manifest last, then one rename.
fn fetch(place: &Place, options: FetchOptions<'_>) -> Result<Toolkit, ToolkitError> {
    let FetchOptions { env, extra, progress, cancel, .. } = options;
    let Place { release, requirements, toolkits, .. } = place;
    let installer = Installer::find(env, cancel)?;
    remove_left_overs(place)?;
    let work = Scratch::new(toolkits, &temporary(place)).map_err(|cause| FileError {
        doing: "create a folder in",
        path: toolkits.clone(),
        cause,
    })?;
    let size = if extra.is_empty() {
        "about 110 MB".into()
    } else {
        format!("about 110 MB and {}", extra.join(", "))
    };
    progress(&format!(
        "fetching CUDA {release} ({size}) into `{}`; NVIDIA's CUDA Toolkit EULA applies to these files",
        toolkits.display()
    ));
    let target = work.path().join("toolkit");
    installer.install(&Job { release, requirements, target: &target, work: work.path(), env }, cancel)?;
    progress(&format!("checking CUDA {release}"));
    let (root, version) = finish::finish(&target, release, env, cancel)?;
    manifest::write(&target, &root, version, requirements)?;
    let folder = place.folder();
    std::fs::rename(&target, &folder).map_err(|cause| FileError {
        doing: "rename a folder to",
        path: folder,
        cause,
    })?;
    let unreadable =
        || ToolkitError::Incomplete { release: (*release).into(), what: "it cannot be read back".into() };
    let toolkit = place.read()?.ok_or_else(unreadable)?;
    progress(&format!("fetched CUDA {}", toolkit.version));
    Ok(toolkit)
}

/// How the temporary folders of this toolkit begin.
fn temporary(place: &Place) -> String {
    format!(".{}.tmp-", place.name)
}

/// Removes what processes that died left, and a folder of this name that is not whole. The lock is ours, so no living
/// process of ours uses them.
fn remove_left_overs(place: &Place) -> Result<(), FileError> {
    for path in files::entries(&place.toolkits)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name == place.name {
            remove(&path)?;
        } else if name.starts_with(&temporary(place)) {
            // The pip of a killed process may still be writing there: what stays now goes next time.
            let _ = remove(&path);
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> Result<(), FileError> {
    std::fs::remove_dir_all(folder).map_err(|cause| FileError { doing: "remove", path: folder.into(), cause })
}
