//! A pin becomes a toolkit: from the cache, or fetched into it.

use std::path::{Path, PathBuf};

use super::install::{Installer, Job};
use super::{finish, home, lock, manifest};
use crate::sys::Scratch;
use crate::sys::env::Env;
use crate::sys::files::{self, FileError};
use crate::sys::process::Cancel;
use crate::toolkit::releases::{Machine, Release};
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
    if options.offline && place.folder().exists() {
        return Err(ToolkitError::Damaged { release: place.release.into(), folder: place.folder() });
    }
    if options.offline {
        return Err(ToolkitError::Offline { release: place.release.into(), folder: place.toolkits });
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

/// The toolkit of this release if it is in the cache; runs no process and writes nothing.
pub fn cached(release: &str, env: &Env, extra: &[String]) -> Option<Toolkit> {
    Place::of(release, env, extra).ok()?.read().ok()?
}

/// Where a pinned toolkit is, and what it is made of.
struct Place {
    release: &'static str,
    requirements: String,
    /// `OCCLINT_HOME/toolkits`.
    toolkits: PathBuf,
    /// `13.0-<digest>`: its folder in `toolkits`.
    name: String,
}

impl Place {
    fn of(release: &str, env: &Env, extra: &[String]) -> Result<Self, ToolkitError> {
        use std::env::consts::{ARCH, OS};

        let release = Release::named(release)?;
        let wheels = release.wheels(extra)?;
        let platform =
            || ToolkitError::Platform { release: release.name.into(), platform: format!("{ARCH} {OS}") };
        let machine = Machine::of(OS, ARCH).ok_or_else(platform)?;
        let requirements = manifest::requirements(&wheels, machine);
        let name = format!("{}-{}", release.name, manifest::digest(&requirements));
        Ok(Self { release: release.name, requirements, toolkits: home(env)?.join("toolkits"), name })
    }

    fn folder(&self) -> PathBuf {
        self.toolkits.join(&self.name)
    }

    /// The toolkit, if it is there and whole. One that cannot be read is not taken for one that is not whole, which
    /// would be removed.
    fn read(&self) -> Result<Option<Toolkit>, ToolkitError> {
        let folder = self.folder();
        manifest::read(&folder, self.release, &self.requirements)
            .map_err(|error| ToolkitError::Unreadable { folder, error })
    }

    /// How the temporary folders of this toolkit begin.
    fn temporary(&self) -> String {
        format!(".{}.tmp-", self.name)
    }
}

/// Fetches under the lock: into a temporary folder, the manifest last, then one rename.
fn fetch(place: &Place, options: FetchOptions<'_>) -> Result<Toolkit, ToolkitError> {
    let FetchOptions { env, extra, progress, cancel, .. } = options;
    let Place { release, requirements, toolkits, .. } = place;
    let installer = Installer::find(env, cancel)?;
    remove_left_overs(place)?;
    let work = Scratch::new(toolkits, &place.temporary()).map_err(|cause| FileError {
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

/// Removes what processes that died left, and a folder of this name that is not whole. The lock is ours, so no living
/// process of ours uses them.
fn remove_left_overs(place: &Place) -> Result<(), FileError> {
    for path in files::entries(&place.toolkits)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name == place.name {
            remove(&path)?;
        } else if name.starts_with(&place.temporary()) {
            // The pip of a killed process may still be writing there: what stays now goes next time.
            let _ = remove(&path);
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> Result<(), FileError> {
    std::fs::remove_dir_all(folder).map_err(|cause| FileError { doing: "remove", path: folder.into(), cause })
}
