//! Files: reading with errors that name the file, writing whole or not at all.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::source::SourceText;

/// A file that could not be read or written.
#[derive(Debug)]
pub struct FileError {
    /// What was being done: `read`, `write`, `create`.
    pub doing: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Why it failed.
    pub cause: io::Error,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} `{}`: {}", self.doing, self.path.display(), self.cause)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

/// Reads a file as text; bytes that are no UTF-8 become U+FFFD.
///
/// # Errors
/// The file is missing or unreadable.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    let bytes = std::fs::read(path).map_err(|cause| FileError { doing: "read", path: path.into(), cause })?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Makes a folder and its parents.
///
/// # Errors
/// It cannot be made.
pub fn create_folder(path: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(path).map_err(|cause| FileError { doing: "create", path: path.into(), cause })
}

/// Makes a folder that is empty: what an earlier run left there must not be taken for this run's.
///
/// # Errors
/// It cannot be emptied or made.
pub fn create_empty_folder(path: &Path) -> Result<(), FileError> {
    match std::fs::remove_dir_all(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
            return Err(FileError { doing: "empty", path: path.into(), cause });
        }
        _ => {}
    }
    create_folder(path)
}

/// A folder of its own for a short call, removed when dropped.
///
/// # Errors
/// The folder for temporary files cannot be written.
pub fn scratch() -> Result<tempfile::TempDir, FileError> {
    let path = std::env::temp_dir();
    tempfile::Builder::new().prefix("occlint-").tempdir_in(&path).map_err(|cause| FileError {
        doing: "create a folder in",
        path,
        cause,
    })
}

/// Removes a file; one that is not there is no error.
///
/// # Errors
/// It is there and cannot be removed.
pub fn remove_if_there(path: &Path) -> Result<(), FileError> {
    match std::fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
            Err(FileError { doing: "remove", path: path.into(), cause })
        }
        _ => Ok(()),
    }
}

/// Writes a file whole or not at all: a temporary file beside it, then a rename.
///
/// # Errors
/// The folder is missing or not writable, or the disk is full.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let error = |cause| FileError { doing: "write", path: path.into(), cause };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(error)?;
    file.write_all(bytes).map_err(error)?;
    file.as_file().sync_all().map_err(error)?;
    file.persist(path).map_err(|persist| error(persist.error))?;
    Ok(())
}

/// A folder that this process alone uses, until the lock is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: std::fs::File,
}

impl FolderLock {
    /// Makes the folder if need be and takes its lock; calls `waiting` once if another process holds it.
    ///
    /// # Errors
    /// The folder or its lock file cannot be made.
    pub fn take(folder: &Path, waiting: impl FnOnce()) -> Result<Self, FileError> {
        create_folder(folder)?;
        let path = folder.join(".lock");
        let error = |cause| FileError { doing: "lock", path: path.clone(), cause };
        let file = open_lock(&path).map_err(error)?;
        if file.try_lock().is_err() {
            waiting();
            file.lock().map_err(error)?;
        }
        Ok(Self { _file: file })
    }
}

/// Opens a lock file, made if need be. What is in it stays, a link is not followed and a fifo does not block: the
/// folder may be one that others can write.
///
/// # Errors
/// It is a link or no file that can be written.
pub fn open_lock(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options.open(path)
}

/// Whether this is a file that may be run.
pub fn is_executable(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    #[cfg(unix)]
    let allowed = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let allowed = true;
    metadata.is_file() && allowed
}

/// The first program of this name in these folders.
pub fn find_program(name: impl AsRef<Path>, folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(name.as_ref())).find(|path| is_executable(path))
}

/// Source texts by path, each read once. Files that cannot be read are remembered as absent.
#[derive(Debug, Default)]
pub struct SourceMap {
    texts: Mutex<BTreeMap<PathBuf, Option<Arc<SourceText>>>>,
}

impl SourceMap {
    /// The text of a file, shown under `name`.
    pub fn get(&self, path: &Path, name: &str) -> Option<Arc<SourceText>> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts
            .entry(path.to_owned())
            .or_insert_with(|| read_text(path).ok().map(|text| SourceText::new(name, text)))
            .clone()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_a_link_is_refused_and_its_target_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (target, work) = (folder.path().join("precious"), folder.path().join("work"));
        std::fs::write(&target, "text").unwrap();
        create_folder(&work).unwrap();
        std::os::unix::fs::symlink(&target, work.join(".lock")).unwrap();
        let error = FolderLock::take(&work, || ()).unwrap_err();
        assert!(error.path.ends_with(".lock"), "{error}");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "text");
    }
}
