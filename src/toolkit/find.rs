//! Finding an installed toolkit.

use std::path::{Path, PathBuf};

use crate::order;
use crate::sys::env::Env;
use crate::sys::files;
use crate::sys::process::Cancel;
use crate::toolkit::{Toolkit, ToolkitError};

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

/// Finds nvcc: `--nvcc`, `NVCC`, `CUDA_HOME`, `CUDA_PATH`, `CUDA_ROOT`, `PATH`, the usual folders.
///
/// # Errors
/// None is found (every place looked at is named), or the one that was named does not work.
pub fn find(search: Search<'_>) -> Result<Toolkit, ToolkitError> {
    let (nvcc, origin) = locate(search.nvcc, search.env, Path::new("/"))?;
    Toolkit::of_nvcc(&nvcc, origin, search.env, search.cancel)
}

/// Finds nvcc as [`find`] does, with how it was found in words, without running it.
///
/// # Errors
/// None is found, or `NVCC` names none.
#[cfg(feature = "build-script")]
pub(crate) fn locate_any(env: &Env) -> Result<(PathBuf, String), ToolkitError> {
    locate(None, env, Path::new("/"))
}

/// The first nvcc in order, with how it was found in words. `top` is `/`, but for tests.
fn locate(nvcc: Option<&Path>, env: &Env, top: &Path) -> Result<(PathBuf, String), ToolkitError> {
    let mut looked = Vec::new();
    if let Some(path) = nvcc {
        return named("`--nvcc`", path, env);
    }
    match env.var("NVCC") {
        Some(path) => return named("`NVCC`", Path::new(path), env),
        None => looked.push("`NVCC`: not set".to_owned()),
    }
    for variable in ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"] {
        let Some(root) = env.var(variable).map(Path::new) else {
            looked.push(format!("`{variable}`: not set"));
            continue;
        };
        match in_folder(&root.join("bin")) {
            Some(nvcc) => return Ok((nvcc, format!("`{variable}`"))),
            None => looked.push(format!("`{variable}`: no `bin/nvcc` in `{}`", root.display())),
        }
    }
    if let Some(nvcc) = on_path(Path::new("nvcc"), env) {
        return Ok((nvcc, "`nvcc` on PATH".to_owned()));
    }
    looked.push(path_in_words(env));
    for folder in usual_folders(top) {
        match in_folder(&folder.join("bin")) {
            Some(nvcc) => return Ok((nvcc, format!("`{}`", folder.display()))),
            None => looked.push(format!("`{}`: no `bin/nvcc`", folder.display())),
        }
    }
    Err(ToolkitError::NotFound { looked })
}

/// The nvcc that was named: a path, or a bare name on `PATH`.
fn named(by: &str, path: &Path, env: &Env) -> Result<(PathBuf, String), ToolkitError> {
    let bare = path.components().count() == 1 && !path.has_root();
    let found = if bare { on_path(path, env) } else { None };
    let found = found.or_else(|| files::is_executable(path).then(|| path.to_owned()));
    match found {
        Some(nvcc) => Ok((absolute(nvcc), by.to_owned())),
        None => Err(ToolkitError::Named { by: by.to_owned(), path: path.to_owned() }),
    }
}

fn on_path(name: &Path, env: &Env) -> Option<PathBuf> {
    files::find_program(name, &env.path_folders()).map(absolute)
}

fn in_folder(folder: &Path) -> Option<PathBuf> {
    let nvcc = folder.join("nvcc");
    files::is_executable(&nvcc).then(|| absolute(nvcc))
}

// nvcc is run from other folders.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

fn path_in_words(env: &Env) -> String {
    let folders: Vec<String> =
        env.path_folders().iter().map(|folder| format!("`{}`", folder.display())).collect();
    if folders.is_empty() {
        return "`PATH`: not set".to_owned();
    }
    format!("`PATH`: no `nvcc` in {}", folders.join(", "))
}

/// Where installers put toolkits; versioned folders newest first.
fn usual_folders(top: &Path) -> Vec<PathBuf> {
    let local = top.join("usr/local");
    let mut versioned: Vec<(Vec<u32>, PathBuf)> = std::fs::read_dir(&local)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let version = path.file_name()?.to_str()?.strip_prefix("cuda-")?;
            Some((version.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?, path))
        })
        .collect();
    order::sort(&mut versioned);
    let versioned = versioned.into_iter().rev().map(|(_, path)| path);
    let fixed =
        ["opt/cuda", "usr/lib/cuda", "usr/lib/nvidia-cuda-toolkit", "usr"].map(|folder| top.join(folder));
    std::iter::once(local.join("cuda")).chain(versioned).chain(fixed).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::toolkit::Version;
    use crate::toolkit::stand_in::script;

    const GOOD: &str = "echo 'Cuda compilation tools, release 13.0, V13.0.88'";

    fn located(
        nvcc: Option<&Path>,
        vars: &[(&str, &Path)],
        top: &Path,
    ) -> Result<(PathBuf, String), ToolkitError> {
        locate(nvcc, &Env::from_pairs(vars.iter().map(|(name, value)| (name, value.as_os_str()))), top)
    }

    #[test]
    fn the_order_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        for place in
            ["flag/nvcc", "var/nvcc", "home/bin/nvcc", "cpath/bin/nvcc", "croot/bin/nvcc", "path/nvcc"]
        {
            script(&at(place), GOOD);
        }
        script(&at("usr/local/cuda-9.2/bin/nvcc"), GOOD);
        script(&at("usr/local/cuda-13.0/bin/nvcc"), GOOD);
        let vars = [
            ("NVCC", at("var/nvcc")),
            ("CUDA_HOME", at("home")),
            ("CUDA_PATH", at("cpath")),
            ("CUDA_ROOT", at("croot")),
            ("PATH", at("path")),
        ];
        let flag = at("flag/nvcc");
        assert_eq!(
            located(Some(&flag), &[("NVCC", &at("var/nvcc"))], dir.path()).unwrap(),
            (flag, "`--nvcc`".into())
        );
        let expected = ["var/nvcc", "home/bin/nvcc", "cpath/bin/nvcc", "croot/bin/nvcc", "path/nvcc"];
        for (skip, expected) in expected.into_iter().enumerate() {
            let vars: Vec<(&str, &Path)> =
                vars[skip..].iter().map(|(name, path)| (*name, path.as_path())).collect();
            assert_eq!(located(None, &vars, dir.path()).unwrap().0, at(expected));
        }
        // 13.0 is newer than 9.2, though "13.0" sorts before "9.2"
        assert_eq!(located(None, &[], dir.path()).unwrap().0, at("usr/local/cuda-13.0/bin/nvcc"));
        script(&at("usr/local/cuda/bin/nvcc"), GOOD);
        assert_eq!(located(None, &[], dir.path()).unwrap().0, at("usr/local/cuda/bin/nvcc"));
    }

    #[test]
    fn a_named_one_that_is_missing_is_an_error_though_another_exists() {
        let dir = tempfile::tempdir().unwrap();
        script(&dir.path().join("path/nvcc"), GOOD);
        let path = dir.path().join("path");
        let missing = dir.path().join("missing/nvcc");
        let error = located(None, &[("NVCC", &missing), ("PATH", &path)], dir.path()).unwrap_err();
        assert!(matches!(error, ToolkitError::Named { ref by, .. } if by == "`NVCC`"), "{error}");
        let plain = dir.path().join("path/plain");
        fs::write(&plain, "not executable").unwrap();
        let error = located(Some(&plain), &[("PATH", &path)], dir.path()).unwrap_err();
        assert!(matches!(error, ToolkitError::Named { ref by, .. } if by == "`--nvcc`"), "{error}");
    }

    #[test]
    fn a_bare_name_is_found_on_path() {
        let dir = tempfile::tempdir().unwrap();
        script(&dir.path().join("bin/nvcc-13"), GOOD);
        let found =
            located(None, &[("NVCC", Path::new("nvcc-13")), ("PATH", &dir.path().join("bin"))], dir.path());
        assert_eq!(found.unwrap().0, dir.path().join("bin/nvcc-13"));
    }

    #[test]
    fn every_place_is_named_when_there_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let vars = [("CUDA_HOME", Path::new("/nowhere")), ("PATH", Path::new("/no/a:/no/b"))];
        let error = located(None, &vars, dir.path()).unwrap_err().to_string();
        for place in [
            "`NVCC`",
            "`CUDA_HOME`: no `bin/nvcc` in `/nowhere`",
            "`CUDA_PATH`",
            "`CUDA_ROOT`",
            "`/no/a`, `/no/b`",
            "usr/local/cuda`",
            "opt/cuda`",
        ] {
            assert!(error.contains(place), "{place} is not in\n{error}");
        }
    }

    fn found(nvcc: &Path) -> Result<Toolkit, ToolkitError> {
        find(Search { nvcc: Some(nvcc), env: &Env::default(), cancel: &Cancel::new() })
    }

    #[test]
    fn tools_are_found_beside_a_link_and_behind_it() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap().join("cuda/bin");
        script(&real.join("nvcc"), GOOD);
        script(&real.join("ptxas"), GOOD);
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(real.join("nvcc"), &link).unwrap();
        let toolkit = found(&link).unwrap();
        assert_eq!(toolkit.version, Version { major: 13, minor: 0, build: 88 });
        assert_eq!(toolkit.ptxas, Some(real.join("ptxas")));
        assert_eq!(toolkit.cuobjdump, None);
        assert_eq!(Some(toolkit.root.as_path()), real.parent());
    }

    #[test]
    fn a_wrapper_says_where_its_nvcc_is() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("cuda/bin");
        script(&real.join("ptxas"), GOOD);
        let here = format!("[ \"$1\" = --dryrun ] && echo '#$ _HERE_={}' >&2", real.display());
        script(&dir.path().join("w/nvcc"), &format!("{here}\n{GOOD}"));
        let toolkit = found(&dir.path().join("w/nvcc")).unwrap();
        assert_eq!((toolkit.nvcc, toolkit.root), (dir.path().join("w/nvcc"), dir.path().join("cuda")));
    }

    #[test]
    fn garbage_nothing_and_failure_are_version_errors() {
        let dir = tempfile::tempdir().unwrap();
        for (body, printed) in
            [("echo garbage", "garbage"), ("true", ""), (&format!("{GOOD}; exit 1"), "V13.0.88")]
        {
            let nvcc = dir.path().join("nvcc");
            script(&nvcc, body);
            let error = found(&nvcc).unwrap_err();
            assert!(
                matches!(&error, ToolkitError::Version { output, .. } if output.contains(printed)),
                "{error}"
            );
        }
    }
}
