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

/// Reads a file.
///
/// # Errors
/// The file is missing or unreadable.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    std::fs::read(path).map_err(|cause| FileError { doing: "read", path: path.into(), cause })
}

/// Reads a file as text; bytes that are no UTF-8 become U+FFFD.
///
/// # Errors
/// The file is missing or unreadable.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    let bytes = read_bytes(path)?;
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
        let file = std::fs::File::create(&path).map_err(error)?;
        if file.try_lock().is_err() {
            waiting();
            file.lock().map_err(error)?;
        }
        Ok(Self { _file: file })
    }
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
