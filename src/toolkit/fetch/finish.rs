//! From installed wheels to a toolkit that compiles and links.

use std::path::{Path, PathBuf};

use super::manifest;
use crate::order::Map;
use crate::sys::env::Env;
use crate::sys::files::{self, FileError};
use crate::sys::process::Cancel;
use crate::toolkit::{ToolkitError, Version, version_of};

/// Adds the links that linking needs and checks the compiler. Returns the toolkit's folder in `target` and its version.
///
/// # Errors
/// There is no nvcc or ptxas, nvcc is of another release, or a link cannot be made.
pub(super) fn finish(
    target: &Path,
    release: &str,
    env: &Env,
    cancel: &Cancel,
) -> Result<(PathBuf, Version), ToolkitError> {
    let incomplete = |what: String| ToolkitError::Incomplete { release: release.to_owned(), what };
    let root = find_root(target)?.ok_or_else(|| incomplete("there is no `bin/nvcc` in it".to_owned()))?;
    let path = target.join(&root);
    if let Some(name) = manifest::lacks(&path)? {
        return Err(incomplete(format!("there is no `{name}` in it, or it is empty")));
    }
    link(Path::new("lib"), &path.join("lib64"))?;
    for (name, versioned) in unversioned(&path.join("lib"))? {
        link(Path::new(&versioned), &path.join("lib").join(name))?;
    }
    let version = version_of(&path.join("bin/nvcc"), env, cancel)?;
    if !version.is_of(release) {
        return Err(incomplete(format!("its nvcc is {version}")));
    }
    Ok((root, version))
}

/// `nvidia/cu13`: the one folder of `nvidia` with a compiler, relative to `target`.
fn find_root(target: &Path) -> Result<Option<PathBuf>, FileError> {
    let has_nvcc = |name: &String| files::is_executable(&target.join("nvidia").join(name).join("bin/nvcc"));
    let names = names_in(&target.join("nvidia"))?;
    Ok(names.into_iter().find(has_nvcc).map(|name| Path::new("nvidia").join(name)))
}

/// Shared libraries that are there only as `libcudart.so.13`: the plain name and the highest version of each.
fn unversioned(folder: &Path) -> Result<Map<String, String>, FileError> {
    let mut found: Map<String, (Vec<u32>, String)> = Map::new();
    for name in names_in(folder)? {
        let Some((stem, version)) = name.split_once(".so.") else { continue };
        let Some(version) = version.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>()
        else {
            continue;
        };
        let entry = found.get_or_default(format!("{stem}.so"));
        *entry = std::mem::take(entry).max((version, name));
    }
    Ok(found.into_iter().map(|(plain, (_, name))| (plain, name)).collect())
}

fn names_in(folder: &Path) -> Result<Vec<String>, FileError> {
    let paths = match files::entries(folder) {
        Err(error) if error.cause.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        paths => paths?,
    };
    let name = |path: &PathBuf| path.file_name()?.to_str().map(str::to_owned);
    Ok(paths.iter().filter_map(name).collect())
}

/// A relative link, unless something of that name is there.
fn link(to: &Path, at: &Path) -> Result<(), FileError> {
    if at.symlink_metadata().is_ok() {
        return Ok(());
    }
    symlink(to, at).map_err(|cause| FileError { doing: "link", path: at.to_owned(), cause })
}

#[cfg(unix)]
fn symlink(to: &Path, at: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn symlink(_to: &Path, _at: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_library_gets_its_plain_name_once() {
        let dir = tempfile::tempdir().unwrap();
        for name in
            ["libcudart.so.13", "liba.so.9", "liba.so.10", "liba.so.10.2", "libb.so", "libb.a", "libc.so.x"]
        {
            std::fs::write(dir.path().join(name), name).unwrap();
        }
        let found: Vec<_> = unversioned(dir.path()).unwrap().into_iter().collect();
        let pair = |plain: &str, name: &str| (plain.to_owned(), name.to_owned());
        assert_eq!(found, [pair("liba.so", "liba.so.10.2"), pair("libcudart.so", "libcudart.so.13")]);
        assert!(unversioned(&dir.path().join("none")).unwrap().is_empty());
    }

    #[test]
    fn a_link_replaces_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("at");
        std::fs::write(&at, "mine").unwrap();
        link(Path::new("other"), &at).unwrap();
        assert_eq!(std::fs::read_to_string(&at).unwrap(), "mine");
    }
}
