//! Files: reading with errors that name the file, writing whole or not at all.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::order::{self, Map};
use crate::source::SourceText;
use crate::sys::unique::{Scratch, Unplaced};

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

impl FileError {
    /// What failed, on which file, for what the system says of it.
    pub fn of(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |cause| Self { doing, path: path.clone(), cause }
    }
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

/// The longest source file that is read, in bytes.
const SOURCE_LIMIT: u64 = 64 << 20;

/// The longest text of any kind that is read, in bytes.
const TEXT_LIMIT: u64 = 1 << 30;

/// Reads a regular file of at most 1 GiB.
///
/// # Errors
/// The file is missing, unreadable, longer, or no regular file: a device or a fifo may never end.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    let error = |cause| FileError { doing: "read", path: path.into(), cause };
    read_file(path, TEXT_LIMIT).map_err(error)
}

/// Reads a regular file of at most 1 GiB as text; bytes that are no UTF-8 become U+FFFD.
///
/// # Errors
/// The file is missing, unreadable, longer, or no regular file: a device or a fifo may never end.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    read_regular(path, TEXT_LIMIT)
}

/// Reads a source file: as [`read_text`], but of at most 64 MiB.
///
/// # Errors
/// As of [`read_text`].
pub fn read_source(path: &Path) -> Result<String, FileError> {
    read_regular(path, SOURCE_LIMIT)
}

/// What is in a folder, sorted.
///
/// # Errors
/// It is missing or unreadable.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let error = FileError::of("read", folder);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(&error)? {
        paths.push(entry.map_err(&error)?.path());
    }
    order::sort(&mut paths);
    Ok(paths)
}

/// Reads a stream that may be no regular file to its end; at most 1 GiB.
///
/// # Errors
/// It cannot be read or is longer.
pub fn read_stream(stream: impl io::Read) -> io::Result<Vec<u8>> {
    read_limited(stream, TEXT_LIMIT, Vec::new())
}

/// Reads a text as [`read_text`], with when it was written.
///
/// # Errors
/// As of [`read_text`].
#[cfg(feature = "cache")]
pub(crate) fn read_dated(path: &Path) -> Result<(String, Option<std::time::SystemTime>), FileError> {
    let error = FileError::of("read", path);
    let (file, metadata) = open_regular(path).map_err(&error)?;
    let bytes = read_whole(file, metadata.len(), TEXT_LIMIT).map_err(&error)?;
    Ok((lossy(bytes), metadata.modified().ok()))
}

fn read_regular(path: &Path, limit: u64) -> Result<String, FileError> {
    let error = |cause| FileError { doing: "read", path: path.into(), cause };
    Ok(lossy(read_file(path, limit).map_err(error)?))
}

fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, metadata) = open_regular(path)?;
    read_whole(file, metadata.len(), limit)
}

/// Reads a file into one piece of memory of its size; one that is too long is refused before.
fn read_whole(file: std::fs::File, length: u64, limit: u64) -> io::Result<Vec<u8>> {
    if length > limit {
        return Err(too_long(limit));
    }
    // a file that grows meanwhile is read to its end
    let room = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(1);
    read_limited(file, limit, Vec::with_capacity(room))
}

fn too_long(limit: u64) -> io::Error {
    io::Error::other(format!("it is longer than {} MiB", limit >> 20))
}

/// Opens a file for reading, and refuses what is none; a fifo does not block.
fn open_regular(path: &Path) -> io::Result<(std::fs::File, std::fs::Metadata)> {
    let mut options = std::fs::File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(io::Error::other("it is no regular file")) }
}

fn read_limited(stream: impl io::Read, limit: u64, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let read = stream.take(limit + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|read| read > limit) {
        return Err(too_long(limit));
    }
    Ok(bytes)
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Adds to the end of a file, which is made if it is not there.
///
/// # Errors
/// It cannot be opened or written.
pub fn append(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    use std::io::Write;
    let file = std::fs::File::options().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(bytes)).map_err(FileError::of("write", path))
}

/// Makes a folder and its parents.
///
/// # Errors
/// It cannot be made.
pub fn create_folder(path: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(path).map_err(|cause| FileError { doing: "create", path: path.into(), cause })
}

/// Removes a folder with all that is in it; one that is not there is removed already.
///
/// # Errors
/// It cannot be removed.
pub fn remove_folder(path: &Path) -> Result<(), FileError> {
    match std::fs::remove_dir_all(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
            Err(FileError { doing: "remove", path: path.into(), cause })
        }
        _ => Ok(()),
    }
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
pub fn scratch() -> Result<Scratch, FileError> {
    let path = std::env::temp_dir();
    Scratch::new(&path, "occlint-").map_err(|cause| FileError { doing: "create a folder in", path, cause })
}

/// Writes a file that nobody else reads: an intermediate, which needs no rename.
///
/// # Errors
/// The folder is missing or not writable, or the disk is full.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    std::fs::write(path, bytes).map_err(|cause| FileError { doing: "write", path: path.into(), cause })
}

/// What tells one version of a file from another without reading it: its size and when it was changed.
pub fn stamp(path: &Path) -> Option<(u64, Option<std::time::SystemTime>)> {
    std::fs::metadata(path).ok().map(|file| (file.len(), file.modified().ok()))
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

/// Writes a file whole or not at all: a temporary file beside it, then a rename. Its permissions are those of any new
/// file, not a temporary one's.
///
/// # Errors
/// The folder is missing or not writable, or the disk is full.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let error = |cause| FileError { doing: "write", path: path.into(), cause };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut unplaced = Unplaced::in_folder(folder).map_err(error)?;
    unplaced.file.write_all(bytes).map_err(error)?;
    unplaced.file.sync_all().map_err(error)?;
    unplaced.place(path).map_err(error)
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

    /// Takes the lock of the folder that a file is in, by the folder itself: nothing is left beside the file.
    ///
    /// # Errors
    /// The folder cannot be opened or locked.
    pub fn of_file(path: &Path) -> Result<Self, FileError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        create_folder(folder)?;
        let error = |cause| FileError { doing: "lock", path: folder.to_owned(), cause };
        let file = std::fs::File::open(folder).map_err(error)?;
        file.lock().map_err(error)?;
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

/// A text that is read once: who else asks for it meanwhile waits.
type Slot = Arc<OnceLock<Option<Arc<SourceText>>>>;

/// Source texts by path, each read once. What cannot be read, or is no regular file of at most 64 MiB (a `#line` names
/// whatever it likes), is remembered as absent.
#[derive(Debug, Default)]
pub struct SourceMap {
    /// By path: the system's own strings are compared faster than paths.
    texts: Mutex<Map<OsString, Slot>>,
}

impl SourceMap {
    /// The text of a file, shown under `name`.
    pub fn get(&self, path: &Path, name: &str) -> Option<Arc<SourceText>> {
        let slot = self.slots().get_or_default(path.as_os_str().to_owned()).clone();
        slot.get_or_init(|| read_source(path).ok().map(|text| SourceText::new(name, text))).clone()
    }

    /// Forgets all texts: a build may have written others.
    pub fn forget(&self) {
        *self.slots() = Map::new();
    }

    fn slots(&self) -> MutexGuard<'_, Map<OsString, Slot>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_sane_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (long, fifo) = (folder.path().join("long"), folder.path().join("fifo"));
        std::fs::File::create(&long).unwrap().set_len(SOURCE_LIMIT + 1).unwrap();
        let call = crate::sys::process::Call::new("/usr/bin/mkfifo").arg(&fifo);
        crate::sys::process::run(&call, folder.path(), &Default::default()).unwrap();
        for (path, why) in [
            (Path::new("/dev/zero"), "no regular file"),
            (&fifo, "no regular file"),
            (folder.path(), "no regular file"),
            (&long, "longer than 64 MiB"),
        ] {
            let error = read_source(path).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
            assert!(SourceMap::default().get(path, "shown").is_none());
        }
        assert!(read_stream(io::repeat(0).take(TEXT_LIMIT / 64)).is_ok());
        let read = |stream: &mut dyn io::Read| read_limited(stream, 10, Vec::new());
        assert!(read(&mut io::repeat(0)).is_err() && read(&mut &[1_u8; 10][..]).is_ok());
    }

    #[test]
    fn a_written_file_has_the_permissions_of_a_new_one() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        write_atomically(&ours, b"text").unwrap();
        std::fs::write(&plain, "text").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&ours), mode(&plain));
        assert_eq!(std::fs::read_to_string(&ours).unwrap(), "text");
    }

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
