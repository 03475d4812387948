//! Which headers there are to choose from: a new one may be found before the one that was read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::digest::Key;
use crate::sys::files;

/// How deep folders are looked into.
const DEPTH: usize = 4;
/// So many names are looked at: a source may stand beside anything.
const MOST: usize = 5_000;
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
            let mut key = Key::new();
            add((&mut key, &mut 0), folder, Path::new(""), DEPTH);
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), key);
            key
        })
    }
}

/// Adds the names below a folder. Folders that are links are names: they may lead anywhere.
fn add((key, seen): (&mut Key, &mut usize), folder: &Path, below: &Path, depth: usize) {
    for path in files::entries(&folder.join(below)).unwrap_or_default() {
        let Some(name) = path.file_name() else { continue };
        let text = name.to_string_lossy();
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let below = below.join(name);
        if text.starts_with('.') || text == "target" {
            continue;
        }
        *seen += 1;
        if *seen > MOST {
            return;
        }
        if depth > 0 && path.is_dir() && !path.is_symlink() {
            add((key, seen), folder, &below, depth - 1);
        } else if !OTHERS.contains(&&*ending) {
            *key = key.and(&below.to_string_lossy());
        }
    }
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
        // What leads back is no way on.
        std::os::unix::fs::symlink(folder.path(), folder.path().join("sub/up")).unwrap();
        assert!(!seen.contains(&names()));
    }
}
