//! A pin becomes a toolkit: from the cache.

use std::path::PathBuf;

use super::{home, manifest};
use crate::sys::env::Env;
use crate::toolkit::releases::{Machine, Release};
use crate::toolkit::{Toolkit, ToolkitError};

/// The toolkit of this release if it is in the cache; runs no process and writes nothing.
///
/// # Errors
/// The release is unknown, the toolkit is not there, not whole or cannot be read.
pub fn fetched(release: &str, env: &Env, extra: &[String]) -> Result<Toolkit, ToolkitError> {
    let place = Place::of(release, env, extra)?;
    place.read()?.ok_or_else(|| place.absent())
}

/// Where a pinned toolkit is, and what it is made of.
pub(super) struct Place {
    pub(super) release: &'static str,
    pub(super) requirements: String,
    /// `OCCLINT_HOME/toolkits`.
    pub(super) toolkits: PathBuf,
    /// `13.0-<digest>`: its folder in `toolkits`.
    pub(super) name: String,
}

impl Place {
    pub(super) fn of(release: &str, env: &Env, extra: &[String]) -> Result<Self, ToolkitError> {
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

    pub(super) fn folder(&self) -> PathBuf {
        self.toolkits.join(&self.name)
    }

    /// The toolkit, if it is there and whole. One that cannot be read is not taken for one that is not whole, which
    /// would be removed.
    pub(super) fn read(&self) -> Result<Option<Toolkit>, ToolkitError> {
        let folder = self.folder();
        manifest::read(&folder, self.release, &self.requirements)
            .map_err(|error| ToolkitError::Unreadable { folder, error })
    }

    /// Why there is no toolkit where it is not fetched.
    pub(super) fn absent(&self) -> ToolkitError {
        let folder = self.folder();
        if folder.exists() {
            return ToolkitError::Damaged { release: self.release.into(), folder };
        }
        ToolkitError::Offline { release: self.release.into(), folder: self.toolkits.clone() }
    }
}
