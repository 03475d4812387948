//! One process at a time fetches a toolkit.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use crate::sys::files::{self, FileError};
use crate::sys::process::{Cancel, ProcessError};
use crate::toolkit::ToolkitError;

/// How often to look whether the other process is done.
const POLL: Duration = Duration::from_millis(50);

/// Takes the lock, which ends when the file is dropped (or its process dies). `waiting` is called once if another
/// process has it.
///
/// # Errors
/// The file cannot be made or locked, or the run is interrupted while waiting.
pub(super) fn take(path: &Path, waiting: &dyn Fn(), cancel: &Cancel) -> Result<File, ToolkitError> {
    let error = |doing| move |cause| FileError { doing, path: path.to_owned(), cause };
    let file = files::open_lock(path).map_err(error("create"))?;
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(cause)) => return Err(error("lock")(cause).into()),
            Err(TryLockError::WouldBlock) => {}
        }
        if cancel.is_cancelled() {
            return Err(ProcessError::Interrupted.into());
        }
        if !told {
            waiting();
            told = true;
        }
        std::thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_second_one_waits_says_so_once_and_can_be_interrupted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let told = AtomicUsize::new(0);
        let cancel = Cancel::new();
        let first = take(&path, &|| panic!("nobody has it"), &cancel).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                take(
                    &path,
                    &|| {
                        told.fetch_add(1, Ordering::SeqCst);
                    },
                    &cancel,
                )
            });
            std::thread::sleep(POLL * 4);
            assert!(!second.is_finished());
            cancel.cancel();
            assert!(matches!(second.join().unwrap(), Err(ToolkitError::Process(ProcessError::Interrupted))));
        });
        assert_eq!(told.load(Ordering::SeqCst), 1);
        drop(first);
        // Children that other tests start hold a copy of the lock until they execute: it may take a moment.
        take(&path, &|| {}, &Cancel::new()).unwrap();
    }
}
