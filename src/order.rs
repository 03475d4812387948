//! Sorting, and sets and maps, that cost a build script little to compile.
//!
//! The standard library's sort is generated anew for each type and each comparison: twenty-five places were a tenth of the
//! code that the compiler generated for this library. Here one sort, of positions, serves them all. Compiling is what
//! this saves: it is for the lists of a report and not for inner loops. `collect` into a set or a map sorts, too.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Sets and maps that are filled by insertion, where `collect` would generate a sort for each.
pub(crate) trait Collect: Iterator + Sized {
    /// The set of the items; of equal ones, the first.
    fn collect_set(self) -> BTreeSet<Self::Item>
    where
        Self::Item: Ord,
    {
        let mut set = BTreeSet::new();
        self.for_each(|item| {
            set.insert(item);
        });
        set
    }

    /// The map of the pairs; of equal keys, the last one's value.
    fn collect_map<K: Ord, V>(self) -> BTreeMap<K, V>
    where
        Self: Iterator<Item = (K, V)>,
    {
        let mut map = BTreeMap::new();
        self.for_each(|(key, value)| {
            map.insert(key, value);
        });
        map
    }
}

impl<I: Iterator> Collect for I {}

/// Sorts as `slice::sort_by` does: equal items keep their order.
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = positions(items.len(), &|a, b| compare(&items[a], &items[b]));
    arrange(items, order);
}

/// Sorts as `slice::sort_by_key` does: items with equal keys keep their order.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts, ascending.
pub(crate) fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// The positions of `len` items, sorted: the only sort that is generated.
fn positions(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..len).collect();
    positions.sort_by(|&a, &b| compare(a, b));
    positions
}

/// Moves the item at `from[i]` to `i`, for each `i`, cycle by cycle.
fn arrange<T>(items: &mut [T], mut from: Vec<usize>) {
    for start in 0..items.len() {
        let mut at = start;
        while from[at] != start {
            let next = from[at];
            items.swap(at, next);
            from[at] = at;
            at = next;
        }
        from[at] = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(items in proptest::collection::vec((0_u8..8, any::<u8>()), 0..64)) {
            let (mut ours, mut theirs) = (items.clone(), items.clone());
            sort_by_key(&mut ours, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(&ours, &theirs);
            sort(&mut ours);
            theirs.sort();
            prop_assert_eq!(&ours, &theirs);
        }
    }
}
