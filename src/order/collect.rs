//! Collecting into the standard library's sets and maps.

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
