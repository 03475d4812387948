//! What files hold, as digests; whether a file is still the same is asked of its metadata where those can be trusted.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::digest::Key;
use crate::sys::files;

/// The first line; another one is another format, and not read.
const HEAD: &str = "occlint files 1";
/// A file that changed less than this before its digest was written down may have changed again within one tick of its clock.
const YOUNG: Duration = Duration::from_secs(2);

/// What tells whether a file was written since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    size: u64,
    /// Nanoseconds since 1970 of the last change of the contents, and of anything.
    modified: i128,
    changed: i128,
    inode: u64,
}

impl State {
    fn of(metadata: &Metadata) -> Self {
        let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            size: metadata.size(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }

    fn newest(self) -> i128 {
        self.modified.max(self.changed)
    }
}

/// A file's contents at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Known {
    state: State,
    digest: Key,
    /// When that was written down, nanoseconds since 1970.
    at: i128,
}

/// The files that compilations read.
#[derive(Debug)]
pub(super) struct Files {
    path: PathBuf,
    /// From earlier runs.
    before: BTreeMap<PathBuf, Known>,
    /// Looked at in this run; `None`: it cannot be read.
    now: Mutex<BTreeMap<PathBuf, Option<Known>>>,
}

/// Nanoseconds since 1970.
pub(super) fn clock() -> i128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i128::try_from(since.as_nanos()).unwrap_or(i128::MAX)
}

impl Files {
    /// Reads what earlier runs wrote down; a file that is missing or broken says nothing.
    pub(super) fn open(folder: &Path) -> Self {
        let path = folder.join("files.txt");
        let text = files::read_text(&path).unwrap_or_default();
        let lines = text.strip_prefix(HEAD).and_then(|rest| rest.strip_prefix('\n')).unwrap_or_default();
        let before = lines.lines().filter_map(parse).collect();
        Self { path, before, now: Mutex::default() }
    }

    /// The digest of a file's contents, looked at once in a run; `None` where it cannot be read.
    pub(super) fn digest(&self, path: &Path) -> Option<Key> {
        if let Some(known) = self.now().get(path) {
            return known.map(|known| known.digest);
        }
        let known = self.look(path);
        self.now().insert(path.to_owned(), known);
        known.map(|known| known.digest)
    }

    /// The digest of what a compilation that began at `start` has read; `None` where the file changed since it was looked at or
    /// since then.
    pub(super) fn digest_as_read(&self, path: &Path, start: i128) -> Option<Key> {
        let digest = self.digest(path)?;
        let known = self.now().get(path).copied().flatten()?;
        let same = State::of(&path.metadata().ok()?) == known.state;
        (same && known.state.newest() < start).then_some(digest)
    }

    fn look(&self, path: &Path) -> Option<Known> {
        let state = State::of(&path.metadata().ok()?);
        let trusted =
            |known: &&Known| known.state == state && state.newest() + YOUNG.as_nanos() as i128 <= known.at;
        if let Some(known) = self.before.get(path).filter(trusted) {
            return Some(*known);
        }
        let at = clock();
        let bytes = files::read_bytes(path).ok()?;
        Some(Known { state, digest: Key::new().and_bytes(&bytes), at })
    }

    /// Writes down what this run looked at. What cannot be written makes the next run slower, and no more.
    pub(super) fn close(&self) {
        let now = self.now();
        let known: BTreeMap<&PathBuf, Known> =
            now.iter().filter_map(|(path, known)| Some((path, (*known)?))).collect();
        let is_new = known.iter().any(|(path, known)| self.before.get(*path) != Some(known));
        if !is_new {
            return;
        }
        let mut all: BTreeMap<&PathBuf, Known> =
            self.before.iter().map(|(path, known)| (path, *known)).collect();
        all.extend(known);
        let lines: String = all.iter().filter_map(|(path, known)| line(path, *known)).collect();
        let _ = files::write_atomically(&self.path, format!("{HEAD}\n{lines}").as_bytes());
    }

    fn now(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Option<Known>>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line(path: &Path, known: Known) -> Option<String> {
    let path = path.to_str().filter(|path| !path.contains('\n'))?;
    let Known { state: State { size, modified, changed, inode }, digest, at } = known;
    Some(format!("{digest} {size} {modified} {changed} {inode} {at} {path}\n"))
}

fn parse(line: &str) -> Option<(PathBuf, Known)> {
    let mut words = line.splitn(7, ' ');
    let mut next = || words.next();
    let digest = Key::parse(next()?)?;
    let size = next()?.parse().ok()?;
    let (modified, changed) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let inode = next()?.parse().ok()?;
    let at = next()?.parse().ok()?;
    let path = PathBuf::from(next()?);
    Some((path, Known { state: State { size, modified, changed, inode }, digest, at }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn old(path: &Path, text: &str) {
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let state = State { size: 3, modified: -5, changed: 7, inode: 9 };
        let known = Known { state, digest: Key::new().and("x"), at: 11 };
        let path = PathBuf::from("/a b/ü.h");
        assert_eq!(parse(line(&path, known).unwrap().trim_end()), Some((path, known)));
        assert_eq!(line(Path::new("/a\nb"), known), None);
        for broken in ["", "x", "0 1 2 3 4 5 6", &"0".repeat(32)] {
            assert_eq!(parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn contents_decide_and_young_metadata_are_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.h");
        old(&path, "one");
        let files = Files::open(folder.path());
        let first = files.digest(&path).unwrap();
        assert_eq!(first, Key::new().and("one"));
        assert_eq!(files.digest(&folder.path().join("none")), None);
        files.close();
        // of the same size within the same tick: what was written down is too young
        let again = Files::open(folder.path());
        let known = again.before[&path];
        assert!(known.state.newest() + YOUNG.as_nanos() as i128 > known.at);
        old(&path, "two");
        assert_eq!(Files::open(folder.path()).digest(&path), Some(Key::new().and("two")));
        // Old enough, the metadata are believed: nobody reads the file.
        let mut trusting = Files::open(folder.path());
        let state = State::of(&path.metadata().unwrap());
        let at = state.newest() + YOUNG.as_nanos() as i128;
        trusting.before.insert(path.clone(), Known { state, digest: first, at });
        assert_eq!(trusting.digest(&path), Some(first));
        trusting.now().clear();
        trusting.before.insert(path.clone(), Known { state, digest: first, at: at - 1 });
        assert_eq!(trusting.digest(&path), Some(Key::new().and("two")));
    }

    #[test]
    fn what_changed_while_it_was_compiled_is_not_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.h");
        old(&path, "one");
        let files = Files::open(folder.path());
        let written = State::of(&path.metadata().unwrap()).newest();
        assert!(files.digest_as_read(&path, written + 1).is_some());
        assert_eq!(files.digest_as_read(&path, written), None, "it may have been written after it was read");
        old(&path, "three");
        assert_eq!(files.digest_as_read(&path, i128::MAX), None, "it was looked at before");
    }
}
