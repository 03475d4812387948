//! What tells whether a file was written since: its metadata, where they can be trusted.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A file that changed less than this before it was looked at may have changed again within one tick of its clock.
const YOUNG: Duration = Duration::from_secs(2);

/// Size, times and number of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileState {
    size: u64,
    /// Nanoseconds since 1970 of the last change of the contents, and of anything.
    modified: i128,
    changed: i128,
    inode: u64,
}

impl FileState {
    /// That of the file that a path leads to; `None` where there is none.
    pub(crate) fn of(path: impl AsRef<Path>) -> Option<Self> {
        std::fs::metadata(path).ok().map(|metadata| Self::from_metadata(&metadata))
    }

    fn from_metadata(metadata: &Metadata) -> Self {
        let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            size: metadata.size(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }

    /// When it changed last in any way, nanoseconds since 1970.
    pub(crate) fn newest(self) -> i128 {
        self.modified.max(self.changed)
    }

    /// Whether a file that had this state when it was read at `at` (nanoseconds since 1970), and has it now, is the same.
    pub(crate) fn is_settled(self, at: i128) -> bool {
        self.newest() + YOUNG.as_nanos() as i128 <= at
    }

    /// Reads what `Display` writes: four numbers.
    pub(crate) fn parse<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let size = words.next()?.parse().ok()?;
        let (modified, changed) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Self { size, modified, changed, inode: words.next()?.parse().ok()? })
    }
}

impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, modified, changed, inode } = self;
        write!(f, "{size} {modified} {changed} {inode}")
    }
}

/// Nanoseconds since 1970.
pub(crate) fn now() -> i128 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i128::try_from(since.as_nanos()).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let state = FileState { size: 3, modified: -5, changed: 7, inode: 9 };
        assert_eq!(FileState::parse(&mut state.to_string().split(' ')), Some(state));
        assert_eq!(FileState::parse(&mut "1 2 3".split(' ')), None);
        assert_eq!(state.newest(), 7);
        let settled = 7 + 2_000_000_000;
        assert!(state.is_settled(settled) && !state.is_settled(settled - 1));
    }
}
