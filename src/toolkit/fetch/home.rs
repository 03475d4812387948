//! The folder for fetched toolkits and caches.

use std::path::{Path, PathBuf};

use crate::sys::env::Env;
use crate::toolkit::ToolkitError;
use crate::toolkit::error::safe_for_nvcc;

/// The folder for fetched toolkits and caches: `OCCLINT_HOME`, else `XDG_CACHE_HOME/occlint`, else
/// `HOME/.cache/occlint`. It need not exist.
///
/// # Errors
/// None of the three is set, or nvcc could not work in that folder.
pub fn home(env: &Env) -> Result<PathBuf, ToolkitError> {
    let own = env.var("OCCLINT_HOME").map(PathBuf::from);
    // A relative one is ignored, as the XDG specification asks.
    let xdg = || {
        env.var("XDG_CACHE_HOME")
            .map(Path::new)
            .filter(|path| path.is_absolute())
            .map(|path| path.join("occlint"))
    };
    let user = || env.var("HOME").map(|home| Path::new(home).join(".cache").join("occlint"));
    let folder = own.or_else(xdg).or_else(user).ok_or(ToolkitError::NoHome)?;
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    if safe_for_nvcc(&folder) { Ok(folder) } else { Err(ToolkitError::UnsafeHome { folder }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vars: &[(&str, &str)]) -> Result<PathBuf, ToolkitError> {
        home(&Env::from_pairs(vars.iter().copied()))
    }

    #[test]
    fn the_order_is_kept() {
        let all = [("OCCLINT_HOME", "/o"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(of(&all).unwrap(), Path::new("/o"));
        assert_eq!(of(&all[1..]).unwrap(), Path::new("/x/occlint"));
        assert_eq!(of(&all[2..]).unwrap(), Path::new("/h/.cache/occlint"));
        assert_eq!(of(&[("OCCLINT_HOME", ""), ("HOME", "/h")]).unwrap(), Path::new("/h/.cache/occlint"));
        assert_eq!(of(&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")]).unwrap(), Path::new("/h/.cache/occlint"));
        assert!(matches!(of(&[]), Err(ToolkitError::NoHome)));
    }

    #[test]
    fn a_relative_folder_becomes_absolute() {
        assert!(of(&[("OCCLINT_HOME", "cache")]).unwrap().is_absolute());
    }

    #[test]
    fn what_a_shell_would_read_is_refused() {
        for folder in ["/a$(b)", "/a`b`", "/a\"b", "/a\\b", "/a\nb"] {
            assert!(
                matches!(of(&[("OCCLINT_HOME", folder)]), Err(ToolkitError::UnsafeHome { .. })),
                "{folder}"
            );
        }
        assert!(of(&[("OCCLINT_HOME", "/with space/und ümlaut/it's")]).is_ok());
    }
}
