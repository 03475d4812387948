//! What a check leaves in `OUT_DIR/occlint`, under names that no other builder of the build script has.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::check::Report;
use crate::order::Set;
use crate::report::{HumanStyle, closing_line, human, json, summary};
use crate::sys::files::{self, FileError};

/// How the text is drawn: for a file.
const STYLE: HumanStyle =
    HumanStyle { width: 100, color: false, unicode: true, verbose: true, foreign: false };

/// The folders that builders of this process used, each with the names they took.
static TAKEN: Mutex<Set<PathBuf>> = Mutex::new(Set::new());

/// The folder of reports and intermediates.
pub(super) fn folder(out: &Path) -> PathBuf {
    out.join("occlint")
}

/// Takes away what an earlier run of the build script reported: once in each process.
///
/// # Errors
/// It is there and cannot be removed.
pub(super) fn begin(out: &Path) -> Result<(), FileError> {
    let folder = folder(out);
    let is_first = TAKEN.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.clone());
    if !is_first || !folder.is_dir() {
        return Ok(());
    }
    for path in files::entries(&folder)? {
        let is_report = path.extension().is_some_and(|kind| kind == "json" || kind == "txt");
        if is_report && path.is_file() {
            files::remove_if_there(&path)?;
        }
    }
    Ok(())
}

/// A name for a builder's report and intermediates: `name`, or `name-2` and so on where builders before it have that.
pub(super) fn claim(out: &Path, name: &str) -> String {
    let folder = folder(out);
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut claimed = name.to_owned();
    let mut number = 1_usize;
    while !taken.insert(folder.join(&claimed)) {
        number += 1;
        claimed = format!("{name}-{number}");
    }
    claimed
}

/// Leaves a report for programs, `NAME.json`, and for people, `NAME.txt`.
///
/// # Errors
/// The folder cannot be written.
pub(super) fn leave(out: &Path, name: &str, report: &Report) -> Result<(), FileError> {
    let folder = folder(out);
    let summary = summary(report);
    files::create_folder(&folder)?;
    files::write_atomically(&folder.join(format!("{name}.json")), json(report, &summary).as_bytes())?;
    let text = format!("{}{}\n", human(report, STYLE), closing_line(&summary));
    files::write_atomically(&folder.join(format!("{name}.txt")), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_once_for_each_folder() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let names: Vec<String> =
            ["ptx", "ptx", "ptx-2", "ptx", "check"].map(|name| claim(one.path(), name)).into();
        assert_eq!(names, ["ptx", "ptx-2", "ptx-2-2", "ptx-3", "check"]);
        assert_eq!(claim(two.path(), "ptx"), "ptx");
    }

    #[test]
    fn reports_of_an_earlier_run_go_once() {
        let out = tempfile::tempdir().unwrap();
        let at = |name: &str| out.path().join("occlint").join(name);
        std::fs::create_dir_all(at("k")).unwrap();
        for name in ["ptx-2.json", "ptx-2.txt", "k/k.ptx", "other"] {
            std::fs::write(at(name), "").unwrap();
        }
        begin(out.path()).unwrap();
        assert!(!at("ptx-2.json").exists() && !at("ptx-2.txt").exists());
        assert!(at("k/k.ptx").exists() && at("other").exists());
        leave(out.path(), "ptx", &Report::default()).unwrap();
        begin(out.path()).unwrap();
        assert!(at("ptx.json").exists());
        assert_eq!(std::fs::read_to_string(at("ptx.txt")).unwrap(), "no kernels: nothing was checked\n");
    }
}
