//! Folders and files under names that nobody else has: for what lives shortly. The standard library does it in a few
//! lines; a crate for it would cost every build script five seconds of compiling.

use std::fs::{DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Names that are tried before giving up: others may have guessed some.
const TRIES: u32 = 32;

/// A folder that only this user can enter, removed with all that is in it when dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one in `folder`, with a name that begins with `prefix`.
    ///
    /// # Errors
    /// `folder` is missing or not writable.
    pub fn new(folder: &Path, prefix: &str) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        with_new_name(folder, prefix, |path| builder.create(path)).map(|(path, ())| Self(path))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that stays behind is only untidy.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file that is not yet where it belongs, removed when dropped unless it was put there.
#[derive(Debug)]
pub(super) struct Unplaced {
    path: Option<PathBuf>,
    pub(super) file: File,
}

impl Unplaced {
    /// Makes one in `folder`, with the permissions of any new file.
    pub(super) fn in_folder(folder: &Path) -> io::Result<Self> {
        let create = |path: &Path| File::options().write(true).create_new(true).open(path);
        let (path, file) = with_new_name(folder, ".occlint-", create)?;
        Ok(Self { path: Some(path), file })
    }

    /// Renames it, over what is there.
    pub(super) fn place(mut self, to: &Path) -> io::Result<()> {
        let Some(from) = self.path.take() else { return Ok(()) };
        std::fs::rename(&from, to).inspect_err(|_| self.path = Some(from))
    }
}

impl Drop for Unplaced {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Calls `create`, which fails where the path exists, with new names until it succeeds.
fn with_new_name<T>(
    folder: &Path,
    prefix: &str,
    create: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut tried = 0;
    loop {
        tried += 1;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{prefix}{}-{time:x}-{count}", std::process::id()));
        match create(&path) {
            Ok(made) => return Ok((path, made)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < TRIES => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_folder_is_its_own_and_goes() {
        let all = Scratch::new(&std::env::temp_dir(), "occlint-").unwrap();
        let (one, two) = (Scratch::new(all.path(), "x").unwrap(), Scratch::new(all.path(), "x").unwrap());
        assert_ne!(one.path(), two.path());
        std::fs::write(one.path().join("file"), "text").unwrap();
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists() && two.path().is_dir());
        assert!(Scratch::new(&all.path().join("gone"), "x").is_err());
    }

    #[test]
    fn a_name_that_is_taken_is_not_used() {
        let all = Scratch::new(&std::env::temp_dir(), "occlint-").unwrap();
        let calls = AtomicU32::new(0);
        let create = |_: &Path| match calls.fetch_add(1, Ordering::Relaxed) {
            0..=2 => Err(io::ErrorKind::AlreadyExists.into()),
            call => Ok(call),
        };
        assert_eq!(with_new_name(all.path(), "x", create).unwrap().1, 3);
        let never = |_: &Path| -> io::Result<()> { Err(io::ErrorKind::AlreadyExists.into()) };
        assert!(with_new_name(all.path(), "x", never).is_err());
    }

    #[test]
    fn a_file_is_placed_or_gone() {
        let all = Scratch::new(&std::env::temp_dir(), "occlint-").unwrap();
        let count = || std::fs::read_dir(all.path()).unwrap().count();
        drop(Unplaced::in_folder(all.path()).unwrap());
        assert_eq!(count(), 0);
        let failed = Unplaced::in_folder(all.path()).unwrap().place(&all.path().join("no/folder"));
        assert!(failed.is_err() && count() == 0);
        Unplaced::in_folder(all.path()).unwrap().place(&all.path().join("file")).unwrap();
        assert_eq!(count(), 1);
    }
}
