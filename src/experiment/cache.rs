//! Figures that were assembled before.

use std::collections::BTreeMap;
use std::path::Path;

use crate::digest::Key;
use crate::experiment::Figures;
use crate::sys::memo::Memo;

/// The first line of a file of figures; another one is another format, and not read.
const HEAD: &str = "occlint experiments 4";
/// Figures that a file keeps beyond those of the last run.
const MOST_OLD: usize = 2000;

/// The figures of one source and architecture, in a file.
#[derive(Debug)]
pub(super) struct Cache {
    memo: Memo,
    old: BTreeMap<Key, Figures>,
    used: BTreeMap<Key, Figures>,
    is_new: bool,
}

impl Cache {
    /// Reads a file of figures; one that is missing or broken has none.
    pub(super) fn open(path: &Path) -> Self {
        let memo = Memo::new(path.to_owned(), HEAD);
        let text = memo.read();
        let old = whole(&text).map(|lines| lines.lines().filter_map(read).collect()).unwrap_or_default();
        Self { memo, old, used: BTreeMap::new(), is_new: false }
    }

    pub(super) fn get(&mut self, key: Key) -> Option<Figures> {
        let figures = *self.old.get(&key).or_else(|| self.used.get(&key))?;
        self.used.insert(key, figures);
        Some(figures)
    }

    pub(super) fn put(&mut self, key: Key, figures: Figures) {
        self.used.insert(key, figures);
        self.is_new = true;
    }

    /// Writes what is new. A cache that cannot be written is a run that is slower next time, and no more.
    pub(super) fn close(self) {
        if !self.is_new {
            return;
        }
        let keep = if self.old.len() > MOST_OLD { BTreeMap::new() } else { self.old };
        let all: BTreeMap<Key, Figures> = keep.into_iter().chain(self.used).collect();
        let lines: String = all.iter().map(|(key, figures)| write(*key, figures)).collect();
        self.memo.write(&format!("{lines}{}", end(&lines)));
    }
}

/// The last line: a file that was cut or changed does not fit it.
fn end(lines: &str) -> String {
    format!("end {}\n", Key::new().and(lines))
}

/// The lines before the last one, if it fits them.
fn whole(text: &str) -> Option<&str> {
    let (lines, _) = text.split_at(text.rfind("end ")?);
    (text == format!("{lines}{}", end(lines))).then_some(lines)
}

fn write(key: Key, figures: &Figures) -> String {
    let &Figures {
        registers,
        barriers,
        static_shared_bytes,
        spill_store_bytes,
        spill_load_bytes,
        shared_spills,
    } = figures;
    let known = |figure: Option<u32>| figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string());
    let (barriers, spills) = (known(barriers), known(shared_spills));
    format!(
        "{key} {registers} {barriers} {static_shared_bytes} {spill_store_bytes} {spill_load_bytes} {spills}\n"
    )
}

fn read(line: &str) -> Option<(Key, Figures)> {
    let words: Vec<&str> = line.split(' ').collect();
    let &[key, registers, barriers, shared, stores, loads, spills] = words.as_slice() else { return None };
    let known = |word: &str| if word == "-" { Some(None) } else { Some(Some(word.parse().ok()?)) };
    let figures = Figures {
        registers: registers.parse().ok()?,
        barriers: known(barriers)?,
        static_shared_bytes: shared.parse().ok()?,
        spill_store_bytes: stores.parse().ok()?,
        spill_load_bytes: loads.parse().ok()?,
        shared_spills: known(spills)?,
    };
    Some((Key::parse(key)?, figures))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(registers: u32, barriers: Option<u32>) -> Figures {
        Figures {
            registers,
            barriers,
            static_shared_bytes: 1,
            spill_store_bytes: 2,
            spill_load_bytes: 3,
            shared_spills: barriers,
        }
    }

    #[test]
    fn figures_are_found_again_by_everything_they_depend_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unit.txt");
        let (one, two) = (Key::new().and("ptx").and("a"), Key::new().and("pt").and("xa"));
        assert_ne!(one, two);
        let mut cache = Cache::open(&path);
        assert_eq!(cache.get(one), None);
        cache.put(one, figures(40, Some(2)));
        cache.put(two, figures(41, None));
        cache.close();
        let mut cache = Cache::open(&path);
        assert_eq!(cache.get(one), Some(figures(40, Some(2))));
        assert_eq!(cache.get(two), Some(figures(41, None)));
        // cut anywhere, or changed in a figure: nothing of it is believed
        let text = std::fs::read_to_string(&path).unwrap();
        for cut in 0..text.len() {
            std::fs::write(&path, &text[..cut]).unwrap();
            assert_eq!((Cache::open(&path).get(one), Cache::open(&path).get(two)), (None, None), "{cut}");
        }
        std::fs::write(&path, text.replace(" 41 ", " 14 ")).unwrap();
        assert_eq!(Cache::open(&path).get(one), None);
    }

    #[test]
    fn a_broken_file_has_no_figures() {
        for line in ["", "x", "0 1 2 3 4 5 6", "00000000000000000000000000000001 1 2 3 4 5", "é 1 - 3 4 5 6"]
        {
            assert_eq!(read(line), None, "{line}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unit.txt");
        let key = Key::new();
        std::fs::write(&path, format!("another format\n{}", write(key, &figures(1, None)))).unwrap();
        assert_eq!(Cache::open(&path).get(key), None);
    }
}
