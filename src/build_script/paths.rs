//! Paths that cargo and nvcc are told: what cannot be told is refused before anything is compiled or printed.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path};

use crate::build_script::BuildError;
use crate::text::sanitize;

/// nvcc's options whose value is a folder or a file that goes in.
const INPUTS: [&str; 10] = [
    "-I",
    "--include-path",
    "-include-path",
    "-isystem",
    "--system-include",
    "-system-include",
    "-include",
    "--pre-include",
    "-pre-include",
    "-L",
];

/// Refuses a path with a control character: cargo would take what follows a line break for a directive of its own.
///
/// # Errors
/// It has one.
pub(super) fn printable(what: &str, path: &Path) -> Result<(), BuildError> {
    let shown = path.to_string_lossy();
    match shown.chars().find(|c| c.is_control()) {
        Some(c) => {
            let message = format!(
                "{what} `{}` has the control character {c:?}, which no line for cargo can hold",
                sanitize(&shown)
            );
            Err(error(path, message, "rename it"))
        }
        None => Ok(()),
    }
}

/// Refuses a source that cannot be named in a line for cargo, or in a report.
///
/// # Errors
/// Its path has a control character or is not UTF-8.
pub(super) fn source(path: &Path) -> Result<(), BuildError> {
    printable("the source", path)?;
    if path.to_str().is_none() {
        let message = format!("the path of the source `{}` is not UTF-8", sanitize(&path.to_string_lossy()));
        return Err(error(path, message, "rename it: cargo and the report name it as text"));
    }
    Ok(())
}

/// Refuses a source that is not there; `package` is the folder that relative paths are relative to.
///
/// # Errors
/// There is no such file.
pub(super) fn is_there(path: &Path, absolute: &Path, package: &Path) -> Result<(), BuildError> {
    if absolute.is_file() {
        return Ok(());
    }
    let shown = sanitize(&path.to_string_lossy());
    let message = if absolute.exists() {
        format!("the source `{shown}` is no file")
    } else {
        format!("the source `{shown}` does not exist")
    };
    let package = sanitize(&package.to_string_lossy());
    Err(error(path, message, &format!("correct it in the build script: paths are relative to `{package}`")))
}

/// Refuses arguments of nvcc that name an include folder (or another input) with a control character.
///
/// # Errors
/// One does.
pub(super) fn inputs(args: &[OsString]) -> Result<(), BuildError> {
    let mut before: Option<&OsStr> = None;
    for arg in args {
        let text = arg.to_string_lossy();
        let joined = INPUTS.iter().any(|option| text.starts_with(option));
        if joined || before.is_some_and(|before| INPUTS.iter().any(|option| before == *option)) {
            printable("the include folder", Path::new(arg))?;
        }
        before = Some(arg);
    }
    Ok(())
}

/// Refuses a name of a library that is no file name: what is left of the check is called after it.
///
/// # Errors
/// It is a path, or has a control character.
pub(super) fn library(name: &str) -> Result<(), BuildError> {
    printable("the library", Path::new(name))?;
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(only)), None) if only == name => Ok(()),
        _ => Err(BuildError::usage(
            format!("`{}` is no name of a library", sanitize(name)),
            "give a name without folders: `kernels` becomes `libkernels.a`; `out_dir(…)` says where",
        )),
    }
}

fn error(path: &Path, message: String, help: &str) -> BuildError {
    BuildError::Path { path: path.to_owned(), message, help: help.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_line_is_refused_and_shown_on_one() {
        let error = source(Path::new("a\ncargo:rustc-env=X=1.cu")).unwrap_err();
        assert!(
            matches!(&error, BuildError::Path { path, .. } if path == Path::new("a\ncargo:rustc-env=X=1.cu"))
        );
        let text = error.to_string();
        insta::assert_snapshot!(text, @r"
        error: the source `a�cargo:rustc-env=X=1.cu` has the control character '\n', which no line for cargo can hold
          help: rename it
        ");
        assert!(source(Path::new("kernels/ü b.cu")).is_ok());
        assert!(printable("the output folder", Path::new("/t/a\rb")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_source_whose_name_is_no_text_is_named_lossily() {
        use std::os::unix::ffi::OsStrExt;
        let text = source(Path::new(OsStr::from_bytes(b"k\xff.cu"))).unwrap_err().to_string();
        assert!(text.contains("`k\u{fffd}.cu` is not UTF-8") && text.contains("rename it"), "{text}");
    }

    #[test]
    fn a_missing_source_is_said_to_be_missing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("k.cu"), "").unwrap();
        let check = |name: &str| is_there(Path::new(name), &folder.path().join(name), folder.path());
        assert!(check("k.cu").is_ok());
        let text = check("gone.cu").unwrap_err().to_string();
        assert!(text.contains("the source `gone.cu` does not exist"), "{text}");
        assert!(text.contains(&folder.path().display().to_string()), "{text}");
        assert!(check("").unwrap_err().to_string().contains("is no file"));
    }

    #[test]
    fn include_folders_are_looked_at_in_each_spelling() {
        let check = |args: &[&str]| inputs(&args.iter().map(OsString::from).collect::<Vec<_>>()).is_ok();
        assert!(check(&["-I", "kernels", "-DX=a\nb", "-O3"]));
        for args in [&["-I", "a\nb"][..], &["-Ia\nb"], &["-isystem", "a\nb"], &["--include-path=a\nb"]] {
            assert!(!check(args), "{args:?}");
        }
    }

    #[test]
    fn a_library_has_a_plain_name() {
        assert!(library("kernels").is_ok() && library("libk.a").is_ok());
        for name in ["", ".", "..", "a/b", "/k", "k/", "a\ncargo:x"] {
            assert!(library(name).is_err(), "{name}");
        }
    }
}
