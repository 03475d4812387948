//! Which headers there are to choose from: a new one may be found before the one that was read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::digest::Key;
use crate::sys::files;

/// How deep folders are looked into.
const DEPTH: usize = 4;
/// Endings of what is no header: a new one of these is included by nobody who did not say so in a file that changed.
const OTHERS: [&str; 12] = ["cu", "cpp", "cc", "c", "rs", "toml", "lock", "md", "txt", "json", "o", "a"];

/// The names of headers below folders, looked at once in a run.
#[derive(Default, Debug)]
pub(super) struct Folders(Mutex<BTreeMap<PathBuf, Key>>);

impl Folders {
    /// A digest of the names below a folder, without hidden ones and `target`.
    pub(super) fn names(&self, folder: &Path) -> Key {
        let known =
            |folder: &Path| self.0.lock().unwrap_or_else(PoisonError::into_inner).get(folder).copied();
        known(folder).unwrap_or_else(|| {
            let key = add(Key::new(), folder, Path::new(""), DEPTH);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), key);
            key
        })
    }
}

fn add(mut key: Key, folder: &Path, below: &Path, depth: usize) -> Key {
    let mut paths = files::entries(&folder.join(below)).unwrap_or_default();
    paths.sort();
    for path in paths {
        let Some(name) = path.file_name() else { continue };
        let text = name.to_string_lossy();
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let below = below.join(name);
        if text.starts_with('.') || text == "target" {
            continue;
        }
        if path.is_dir() && depth > 0 {
            key = add(key, folder, &below, depth - 1);
        } else if !OTHERS.contains(&&*ending) {
            key = key.and(&below.to_string_lossy());
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_header_is_seen_and_a_new_source_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let names = || Folders::default().names(folder.path());
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let empty = names();
        for other in ["k.cu", ".hidden.h", "sub/k.cu"] {
            std::fs::write(folder.path().join(other), "").unwrap();
            assert_eq!(names(), empty, "{other}");
        }
        let mut seen = vec![empty];
        for header in ["a.cuh", "sub/a.cuh", "vector"] {
            std::fs::write(folder.path().join(header), "").unwrap();
            assert!(!seen.contains(&names()), "{header}");
            seen.push(names());
        }
    }
}
