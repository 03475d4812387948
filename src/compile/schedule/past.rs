//! What compilations cost in earlier runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::Cost;
use crate::arch::Arch;
use crate::sys::memo::Memo;

/// The first line; another one is another format, and not read.
const HEAD: &str = "occlint costs 1";
/// So many compilations are remembered; with more, only those of the last run.
const MOST: usize = 50_000;

/// What compilations cost, by unit and architecture. It decides an order, and no result.
#[derive(Debug)]
pub(in crate::compile) struct Past {
    memo: Memo,
    before: BTreeMap<String, Cost>,
    now: Mutex<BTreeMap<String, Cost>>,
}

impl Past {
    /// Reads what earlier runs wrote down in a folder; a file that is missing or broken says nothing.
    pub(in crate::compile) fn open(folder: &Path) -> Self {
        let memo = Memo::new(folder.join("costs.txt"), HEAD);
        let before = read(&memo);
        Self { memo, before, now: Mutex::default() }
    }

    /// What a unit cost last time.
    pub(in crate::compile) fn of(&self, unit: &str, arch: Arch) -> Option<Cost> {
        self.before.get(&key(unit, arch)).copied()
    }

    /// Notes what a unit cost.
    pub(in crate::compile) fn note(&self, unit: &str, arch: Arch, cost: Cost) {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).insert(key(unit, arch), cost);
    }

    /// Writes down what is new.
    pub(in crate::compile) fn close(&self) {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if now.is_empty() {
            return;
        }
        // Another run may have written since.
        let mut all = read(&self.memo);
        if all.len() > MOST {
            all.clear();
        }
        all.extend(now.iter().map(|(key, cost)| (key.clone(), *cost)));
        let line = |(key, cost): (&String, &Cost)| {
            format!("{} {} {key}\n", cost.time.as_millis(), cost.bytes.div_ceil(1024))
        };
        let lines: String = all.iter().filter(|(key, _)| !key.contains('\n')).map(line).collect();
        self.memo.write(&lines);
    }
}

fn key(unit: &str, arch: Arch) -> String {
    format!("{arch} {unit}")
}

fn read(memo: &Memo) -> BTreeMap<String, Cost> {
    memo.read().lines().filter_map(parse).collect()
}

/// Milliseconds, kibibytes, architecture and unit.
fn parse(line: &str) -> Option<(String, Cost)> {
    let (millis, rest) = line.split_once(' ')?;
    let (kibibytes, key) = rest.split_once(' ')?;
    let bytes = kibibytes.parse::<u64>().ok()?.checked_mul(1024)?;
    Some((key.to_owned(), Cost { time: Duration::from_millis(millis.parse().ok()?), bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_found_again_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b): (Arch, Arch) = ("sm_80".parse().unwrap(), "sm_90a".parse().unwrap());
        let cost = |millis, bytes| Cost { time: Duration::from_millis(millis), bytes };
        let first = Past::open(folder.path());
        first.note("k/a b.cu", a, cost(7, 2048));
        let other = Past::open(folder.path());
        other.note("k/a b.cu", b, cost(9, 1));
        first.close();
        other.close();
        let past = Past::open(folder.path());
        assert_eq!(past.of("k/a b.cu", a), Some(cost(7, 2048)));
        assert_eq!(past.of("k/a b.cu", b), Some(cost(9, 1024)), "in whole kibibytes");
        assert_eq!(past.of("b.cu", a), None);
    }

    #[test]
    fn a_broken_file_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "garbage", "occlint costs 2\n1 1 sm_80 k\n", "occlint costs 1\nx y\n-1 5 sm_80 k\n"]
        {
            std::fs::write(folder.path().join("costs.txt"), text).unwrap();
            assert!(Past::open(folder.path()).before.is_empty(), "{text}");
        }
    }
}
