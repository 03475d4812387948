//! Fetching a pinned toolkit into the user's cache.

use crate::sys::env::Env;
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
    let _ = options;
    Err(ToolkitError::UnknownRelease { asked: release.to_owned() })
}
