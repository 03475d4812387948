//! Removing what is kept.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::store::{UNFINISHED, modified, used};
use super::{ahead, shared};
use crate::digest::Key;
use crate::sys::files::{self, FileError};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// What a run bounds by itself, once a day: nothing that was not used for a month, and 8 GB in all.
const BY_ITSELF: Bounds =
    Bounds { unused_for: Some(Duration::from_secs(30 * DAY.as_secs())), bytes: Some(8_000_000_000) };

/// What may stay. Without a bound nothing stays.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Bounds {
    /// Compilations that were used within so long.
    pub unused_for: Option<Duration>,
    /// So many bytes in all, those that were used last.
    pub bytes: Option<u64>,
}

/// What was removed of a cache.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cleaned {
    /// Compilations.
    pub removed: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Compilations that stay.
    pub kept: usize,
}

/// A compilation that is kept.
struct Kept {
    used: SystemTime,
    folder: PathBuf,
    bytes: u64,
}

/// Removes what is out of bounds, the longest unused first. Nothing that the cache has not made is touched.
///
/// # Errors
/// The folder cannot be read, or something in it cannot be removed.
pub fn clean(folder: &Path, bounds: Bounds) -> Result<Cleaned, FileError> {
    let (mut all, calls) = kept(folder)?;
    all.sort_by(|a, b| (b.used, &b.folder).cmp(&(a.used, &a.folder)));
    let mut cleaned = Cleaned::default();
    let (now, mut bytes) = (SystemTime::now(), 0_u64);
    let none = bounds == Bounds::default();
    for one in all {
        bytes = bytes.saturating_add(one.bytes);
        let age = now.duration_since(one.used).unwrap_or_default();
        let is_old = bounds.unused_for.is_some_and(|most| age > most);
        let is_much = bounds.bytes.is_some_and(|most| bytes > most);
        if !(none || is_old || is_much) {
            cleaned.kept += 1;
            continue;
        }
        files::remove_folder(&one.folder)?;
        cleaned.removed += 1;
        cleaned.bytes += one.bytes;
    }
    for call in calls {
        forget_unfinished(&call, now);
        // One that has other entries stays.
        let _ = std::fs::remove_dir(call);
    }
    let is_old = |age| bounds.unused_for.is_some_and(|most| age > most);
    for lists in [shared::FOLDER, ahead::FOLDER] {
        forget_lists(&folder.join(lists), now, &|age| none || cleaned.kept == 0 || is_old(age));
    }
    Ok(cleaned)
}

/// Removes lists by their age: of headers, without which a compilation is done again, and of what runs used.
fn forget_lists(folder: &Path, now: SystemTime, is_old: &dyn Fn(Duration) -> bool) {
    for path in files::entries(folder).unwrap_or_default() {
        let name = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".txt"));
        let age = used(&path).and_then(|used| now.duration_since(used).ok()).unwrap_or_default();
        if name.and_then(Key::parse).is_some() && is_old(age) {
            let _ = files::remove_if_there(&path);
        }
    }
    let _ = std::fs::remove_dir(folder);
}

/// Removes what runs that were ended left: nobody writes an entry for a day.
fn forget_unfinished(call: &Path, now: SystemTime) {
    let is_old = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let written = path.metadata().and_then(|metadata| metadata.modified()).ok();
        let age = written.and_then(|written| now.duration_since(written).ok());
        name.starts_with(UNFINISHED) && age.is_some_and(|age| age > DAY)
    };
    for left in files::entries(call).unwrap_or_default().into_iter().filter(is_old) {
        let _ = files::remove_folder(&left);
    }
}

/// What is kept, and the folders of calls.
fn kept(folder: &Path) -> Result<(Vec<Kept>, Vec<PathBuf>), FileError> {
    let own = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| Key::parse(name).is_some())
    };
    let mut calls = if folder.is_dir() { files::entries(folder)? } else { Vec::new() };
    calls.retain(own);
    let mut all = Vec::new();
    for call in &calls {
        for folder in files::entries(call)?.into_iter().filter(own) {
            let sizes =
                files::entries(&folder)?.into_iter().filter_map(|file| Some(file.metadata().ok()?.len()));
            let (bytes, used) = (sizes.sum(), modified(&folder).unwrap_or(SystemTime::UNIX_EPOCH));
            all.push(Kept { used, folder, bytes });
        }
    }
    Ok((all, calls))
}

/// Bounds a cache that grew, once a day. What cannot be removed stays.
pub(super) fn bound(folder: &Path) {
    let stamp = folder.join("bounded.txt");
    let now = SystemTime::now();
    let last = stamp.metadata().and_then(|metadata| metadata.modified()).ok();
    if last.is_some_and(|last| now.duration_since(last).is_ok_and(|age| age < DAY)) {
        return;
    }
    if files::write_atomically(&stamp, b"what was not used for long was removed last at this file's time\n")
        .is_ok()
    {
        let _ = clean(folder, BY_ITSELF);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache of three compilations of 1,000 bytes and more, used so many days ago.
    fn cache(days: [u64; 3]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (index, days) in days.into_iter().enumerate() {
            let entry = folder.path().join("0".repeat(32)).join(format!("{index:032x}"));
            std::fs::create_dir_all(&entry).unwrap();
            std::fs::write(entry.join("ptx"), [0; 1000]).unwrap();
            let file = std::fs::File::create(entry.join("entry.txt")).unwrap();
            file.set_modified(SystemTime::now() - DAY * u32::try_from(days).unwrap()).unwrap();
        }
        folder
    }

    fn left(folder: &tempfile::TempDir) -> Vec<usize> {
        let entry = |index: &usize| folder.path().join("0".repeat(32)).join(format!("{index:032x}")).exists();
        (0..3).filter(entry).collect()
    }

    #[test]
    fn age_and_size_bound_it_and_the_longest_unused_goes_first() {
        let cleaned = |days, bounds| {
            let cache = cache(days);
            (clean(cache.path(), bounds).unwrap(), left(&cache))
        };
        let old = Bounds { unused_for: Some(DAY * 4), bytes: None };
        assert_eq!(cleaned([5, 1, 9], old), (Cleaned { removed: 2, bytes: 2000, kept: 1 }, vec![1]));
        let large = Bounds { unused_for: None, bytes: Some(2500) };
        assert_eq!(cleaned([5, 1, 9], large), (Cleaned { removed: 1, bytes: 1000, kept: 2 }, vec![0, 1]));
        assert_eq!(cleaned([5, 1, 9], Bounds { bytes: Some(999), ..old }).1, Vec::<usize>::new());
        assert_eq!(cleaned([5, 1, 9], Bounds::default()).1, Vec::<usize>::new());
    }

    #[test]
    fn what_an_ended_run_left_goes_after_a_day() {
        let cache = cache([1, 1, 1]);
        let unfinished = |name: &str| cache.path().join("0".repeat(32)).join(format!("{UNFINISHED}{name}"));
        for (name, days) in [("old", 2), ("new", 0)] {
            std::fs::create_dir(unfinished(name)).unwrap();
            let folder = std::fs::File::open(unfinished(name)).unwrap();
            folder.set_modified(SystemTime::now() - DAY * days).unwrap();
        }
        clean(cache.path(), Bounds { unused_for: Some(DAY * 9), bytes: None }).unwrap();
        assert!(!unfinished("old").exists() && unfinished("new").exists() && left(&cache).len() == 3);
    }

    #[test]
    fn a_cache_that_grows_is_bounded_once_a_day() {
        let cache = cache([40, 1, 31]);
        bound(cache.path());
        assert_eq!(left(&cache), [1]);
        let entry = cache.path().join("0".repeat(32)).join(format!("{:032x}", 0));
        std::fs::create_dir_all(&entry).unwrap();
        bound(cache.path());
        assert_eq!(left(&cache), [0, 1], "it was bounded today");
    }
}
