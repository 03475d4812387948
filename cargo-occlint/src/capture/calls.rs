//! The folder of a capture's calls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use occlint::sys::files;

use crate::capture::record::{Record, UNREAD};
use crate::error::RunError;
use crate::workspace::Member;

/// The name of the file that says that a build asked which GPU there is, and was told by a stand-in.
pub(super) const ASKED_GPU: &str = "gpu.asked";

/// The calls in a folder, oldest first.
#[derive(Default)]
pub(super) struct Calls {
    records: BTreeMap<PathBuf, Record>,
    /// Calls that could not be written down, as far as they can be shown.
    pub(super) unread: Vec<String>,
    /// The build asked which GPU there is.
    pub(super) asked_gpu: bool,
}

impl Calls {
    /// Reads a folder; `None` where it is not there, or a file in it is damaged: then nobody knows which calls there were.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, RunError> {
        if !folder.is_dir() {
            return Ok(None);
        }
        let mut all = Self::default();
        for path in files::entries(folder)? {
            let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
            match extension.as_deref() {
                Some("json") => match Record::read(&path) {
                    Some(record) => drop(all.records.insert(path, record)),
                    None => return Ok(None),
                },
                Some(UNREAD) => all.unread.push(files::read_text(&path)?),
                _ => all.asked_gpu |= path.ends_with(ASKED_GPU),
            }
        }
        Ok(Some(all))
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Forgets the copies that new calls kept of sources that are as they were; `build`: where the build's own files lie.
    pub(super) fn settle(&mut self, known: &Self, build: &Path) -> Result<(), RunError> {
        let new = self.records.iter_mut().filter(|(path, _)| !known.records.contains_key(*path));
        for (path, record) in new {
            *record = record.clone().settle(path, build)?;
        }
        Ok(())
    }

    /// Those of a package's build script: by `OUT_DIR`, else by where they ran.
    pub(super) fn of(&self, out_dir: &Path, member: Option<&Member>) -> Vec<(PathBuf, Record)> {
        let run = out_dir.parent().unwrap_or(out_dir);
        let within = |folder: &Path| member.is_some_and(|member| folder.starts_with(&member.folder));
        let is_own = |record: &Record| match (&record.out_dir, &record.package) {
            (Some(theirs), _) => theirs == out_dir,
            (None, Some(package)) => member.is_some_and(|member| *package == member.folder),
            (None, None) => record.folder.starts_with(run) || within(&record.folder),
        };
        let own = self.records.iter().filter(|(_, record)| is_own(record));
        own.map(|(path, record)| (path.clone(), record.clone())).collect()
    }
}
