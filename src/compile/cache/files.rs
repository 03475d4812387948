//! What files hold, as digests; whether a file is still the same is asked of its metadata where those can be trusted.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::digest;
use crate::sys::files;
use crate::sys::memo::Memo;
use crate::sys::state::{FileState, now};

/// The first line; another one is another format, and not read.
const HEAD: &str = "occlint files 2";
/// So many files are remembered; with more, only those of the last run.
const MOST: usize = 50_000;

/// A digest of contents, in the 32 hexadecimal digits that it is compared in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Digest([u8; 32]);

impl Digest {
    /// That of a file that is not there.
    pub(super) const MISSING: Self = Self([b'0'; 32]);

    pub(super) fn of(bytes: &[u8]) -> Self {
        let text = format!("{:032x}", digest::of_contents(bytes));
        Self::parse(&text).unwrap_or(Self::MISSING)
    }

    /// Reads what `Debug` writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits: [u8; 32] = text.as_bytes().try_into().ok()?;
        digits.iter().all(u8::is_ascii_hexdigit).then_some(Self(digits))
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A file's contents at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Known {
    state: FileState,
    digest: Digest,
    /// When that was written down, nanoseconds since 1970.
    at: i128,
}

/// A file that was looked at; `None`: it cannot be read.
type Slot = Arc<OnceLock<Option<Known>>>;

/// The files that compilations read.
#[derive(Debug)]
pub(super) struct Files {
    memo: Memo,
    /// From earlier runs.
    before: HashMap<String, Known>,
    /// Looked at in this run, each once: who else asks for it meanwhile waits.
    now: Mutex<HashMap<Arc<str>, Slot>>,
}

impl Files {
    /// Reads what earlier runs wrote down; a file that is missing or broken says nothing.
    pub(super) fn open(folder: &Path) -> Self {
        let memo = Memo::new(folder.join("files.txt"), HEAD);
        let before = memo.read().lines().filter_map(parse).collect();
        Self { memo, before, now: Mutex::default() }
    }

    /// The digest of a file's contents, looked at once in a run, and the path as all who ask share it; `None` where it cannot be
    /// read.
    pub(super) fn digest(&self, path: &str) -> Option<(Arc<str>, Digest)> {
        let (path, known) = self.known(path);
        known.map(|known| (path, known.digest))
    }

    fn known(&self, path: &str) -> (Arc<str>, Option<Known>) {
        let (path, slot) = {
            let mut now = self.now();
            match now.get_key_value(path) {
                Some((path, slot)) => (Arc::clone(path), Arc::clone(slot)),
                None => {
                    let (path, slot) = (Arc::<str>::from(path), Slot::default());
                    now.insert(Arc::clone(&path), Arc::clone(&slot));
                    (path, slot)
                }
            }
        };
        let known = *slot.get_or_init(|| self.look(&path));
        (path, known)
    }

    /// The digest of what a compilation that began at `start` has read; `None` where the file changed since it was looked at or
    /// since then.
    pub(super) fn digest_as_read(&self, path: &str, start: i128) -> Option<Digest> {
        let known = self.known(path).1?;
        let same = FileState::of(path)? == known.state;
        (same && known.state.newest() < start).then_some(known.digest)
    }

    fn look(&self, path: &str) -> Option<Known> {
        let state = FileState::of(path)?;
        let trusted = |known: &&Known| known.state == state && state.is_settled(known.at);
        if let Some(known) = self.before.get(path).filter(trusted) {
            return Some(*known);
        }
        let at = now();
        let bytes = files::read_bytes(path.as_ref()).ok()?;
        Some(Known { state, digest: Digest::of(&bytes), at })
    }

    /// Forgets what this run looked at.
    pub(super) fn forget(&self) {
        self.now().clear();
    }

    /// Writes down what this run looked at.
    pub(super) fn close(&self) {
        let now = self.now();
        let known = || now.iter().filter_map(|(path, slot)| Some((&**path, (*slot.get()?)?)));
        if known().all(|(path, known)| self.before.get(path) == Some(&known)) {
            return;
        }
        let before = self.before.iter().filter(|_| self.before.len() <= MOST);
        let mut all: BTreeMap<&str, Known> = before.map(|(path, known)| (path.as_str(), *known)).collect();
        all.extend(known());
        let lines: String = all.iter().filter_map(|(path, known)| line(path, *known)).collect();
        self.memo.write(&lines);
    }

    fn now(&self) -> MutexGuard<'_, HashMap<Arc<str>, Slot>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn line(path: &str, known: Known) -> Option<String> {
    let Known { state, digest, at } = known;
    (!path.contains('\n')).then(|| format!("{digest:?} {state} {at} {path}\n"))
}

fn parse(line: &str) -> Option<(String, Known)> {
    let mut words = line.splitn(7, ' ');
    let digest = Digest::parse(words.next()?)?;
    let state = FileState::parse(&mut words)?;
    let at = words.next()?.parse().ok()?;
    Some((words.next()?.to_owned(), Known { state, digest, at }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &str, text: &str) {
        std::fs::write(path, text).unwrap();
    }

    fn in_folder(folder: &Path, name: &str) -> String {
        folder.join(name).to_str().unwrap().to_owned()
    }

    fn digest(files: &Files, path: &str) -> Option<Digest> {
        files.digest(path).map(|(_, digest)| digest)
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let state = FileState::parse(&mut "3 -5 7 9".split(' ')).unwrap();
        let known = Known { state, digest: Digest::of(b"x"), at: 11 };
        let path = "/a b/ü.h";
        assert_eq!(parse(line(path, known).unwrap().trim_end()), Some((path.to_owned(), known)));
        assert_eq!(line("/a\nb", known), None);
        for broken in ["", "x", "0 1 2 3 4 5 6", &"0".repeat(32)] {
            assert_eq!(parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn contents_decide_and_young_metadata_are_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let path = &in_folder(folder.path(), "h.h");
        write(path, "one");
        let files = Files::open(folder.path());
        let first = Digest::of(b"one");
        assert_eq!(digest(&files, path), Some(first));
        assert_eq!(digest(&files, &in_folder(folder.path(), "none")), None);
        files.close();
        // of the same size within the same tick: what was written down is too young
        let again = Files::open(folder.path());
        let known = again.before[path];
        assert!(!known.state.is_settled(known.at));
        write(path, "two");
        let second = Some(Digest::of(b"two"));
        assert_eq!(digest(&Files::open(folder.path()), path), second);
        // Old enough, the metadata are believed: nobody reads the file.
        let mut trusting = Files::open(folder.path());
        let state = FileState::of(path).unwrap();
        let at = state.newest() + 2_000_000_000;
        trusting.before.insert(path.clone(), Known { state, digest: first, at });
        assert_eq!(digest(&trusting, path), Some(first));
        trusting.now().clear();
        trusting.before.insert(path.clone(), Known { state, digest: first, at: at - 1 });
        assert_eq!(digest(&trusting, path), second);
    }

    #[test]
    fn what_changed_while_it_was_compiled_is_not_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = &in_folder(folder.path(), "h.h");
        write(path, "one");
        let files = Files::open(folder.path());
        let written = FileState::of(path).unwrap().newest();
        assert!(files.digest_as_read(path, written + 1).is_some());
        assert_eq!(files.digest_as_read(path, written), None, "it may have been written after it was read");
        write(path, "three");
        assert_eq!(files.digest_as_read(path, i128::MAX), None, "it was looked at before");
    }
}
