//! Which files there are to choose from: a new one may be found before the one that was read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::shared::{List, bare};
use crate::digest::Key;
use crate::sys::files;

/// How deep folders are looked into.
const DEPTH: usize = 4;
/// So many names are looked at: a source may stand beside anything.
const MOST: usize = 5_000;

/// The files below folders, looked at once in a run.
#[derive(Default, Debug)]
pub(super) struct Folders {
    known: Mutex<BTreeMap<PathBuf, Arc<Listing>>>,
    /// By folder and list of headers: the files that have the name of one of these.
    in_lists: Mutex<HashMap<(PathBuf, usize), Key>>,
}

/// The files below a folder.
#[derive(Default, Debug)]
struct Listing {
    /// Relative to it, without hidden ones and those in `target`; sorted.
    names: Vec<String>,
    /// Which of them have a name, without folders.
    by_name: HashMap<String, Vec<usize>>,
}

impl Folders {
    /// The files in folders of headers that have the name of one that was read and are none of the author's that were: a new one
    /// may be found before that. Where sources ask for files, all there are.
    pub(super) fn rivals(&self, folders: &[PathBuf], read: &[String], (list, asks): (&List, bool)) -> Key {
        let own: BTreeSet<&str> = read.iter().map(|path| bare(path)).collect();
        // Quoted names are looked for beside the file that includes them, too.
        let beside = read.iter().filter_map(|path| Path::new(path).parent());
        let beside: BTreeSet<&Path> =
            beside.filter(|folder| !folders.iter().any(|known| folder.starts_with(known))).collect();
        let mut rivals = Key::new();
        for folder in folders.iter().map(PathBuf::as_path).chain(beside) {
            let listing = self.listing(folder);
            if asks {
                rivals = listing.names.iter().fold(rivals, |key, name| key.and(name));
                continue;
            }
            rivals = rivals.and(&self.in_list(folder, &listing, list).to_string());
            for &index in own.iter().filter_map(|name| listing.by_name.get(*name)).flatten() {
                let name = &listing.names[index];
                if !read.iter().any(|path| Path::new(path) == folder.join(name)) {
                    rivals = rivals.and(name);
                }
            }
        }
        rivals
    }

    fn in_list(&self, folder: &Path, listing: &Listing, list: &List) -> Key {
        let mut known = self.in_lists.lock().unwrap_or_else(PoisonError::into_inner);
        let id = (folder.to_owned(), Arc::as_ptr(&list.names).addr());
        *known.entry(id).or_insert_with(|| {
            let named = listing.names.iter().filter(|name| list.names.contains(bare(name)));
            named.fold(Key::new(), |key, name| key.and(name))
        })
    }

    fn listing(&self, folder: &Path) -> Arc<Listing> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(folder).cloned();
        found.unwrap_or_else(|| {
            let mut listing = Listing::default();
            add((&mut listing.names, &mut 0), folder, Path::new(""), DEPTH);
            for (index, name) in listing.names.iter().enumerate() {
                listing.by_name.entry(bare(name).to_owned()).or_default().push(index);
            }
            let listing = Arc::new(listing);
            known().insert(folder.to_owned(), Arc::clone(&listing));
            listing
        })
    }

    /// Forgets what was looked at.
    pub(super) fn forget(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.in_lists.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Adds the names below a folder. Folders that are links are names: they may lead anywhere.
fn add((names, seen): (&mut Vec<String>, &mut usize), folder: &Path, below: &Path, depth: usize) {
    for path in files::entries(&folder.join(below)).unwrap_or_default() {
        let Some(name) = path.file_name() else { continue };
        let text = name.to_string_lossy();
        let below = below.join(name);
        if text.starts_with('.') || text == "target" {
            continue;
        }
        *seen += 1;
        if *seen > MOST {
            return;
        }
        if depth > 0 && path.is_dir() && !path.is_symlink() {
            add((names, seen), folder, &below, depth - 1);
        } else {
            names.push(below.to_string_lossy().into_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[&str]) -> List {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        List { files: Arc::new([]), names: Arc::new(names) }
    }

    #[test]
    fn files_are_named_and_what_leads_back_is_no_way_on() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        for file in ["k.cu", ".hidden.h", "sub/a.cuh", "vector"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), folder.path().join("sub/up")).unwrap();
        let folders = Folders::default();
        assert_eq!(folders.listing(folder.path()).names, ["k.cu", "sub/a.cuh", "sub/up", "vector"]);
        std::fs::write(folder.path().join("later"), "").unwrap();
        assert_eq!(folders.listing(folder.path()).names.len(), 4, "looked at once");
        assert!(folders.listing(Path::new("/no such folder")).names.is_empty());
    }

    #[test]
    fn only_a_file_with_the_name_of_one_that_was_read_is_a_rival() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::create_dir(path("sub")).unwrap();
        std::fs::write(path("k.cu"), "").unwrap();
        std::fs::write(path("sub/n.cu"), "").unwrap();
        let (read, list) = ([path("k.cu"), path("sub/n.cu")], list(&["vector"]));
        let rivals = |asks| Folders::default().rivals(&[folder.path().to_owned()], &read, (&list, asks));
        let (before, asked) = (rivals(false), rivals(true));
        std::fs::write(path("other.h"), "").unwrap();
        assert_eq!(rivals(false), before);
        assert_ne!(rivals(true), asked, "it may be the one that was asked for");
        for rival in ["n.cu", "sub/vector", "sub/k.cu"] {
            std::fs::write(path(rival), "").unwrap();
            assert_ne!(rivals(false), before, "{rival}");
            std::fs::remove_file(path(rival)).unwrap();
        }
        assert_eq!(rivals(false), before);
    }
}
