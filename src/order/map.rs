//! Maps in order of their keys.

use std::borrow::Borrow;
use std::fmt;

use super::positions::Place;
use super::sorted::{Iter, Sorted};

/// What [`std::collections::BTreeMap`] is, for less code: see [`crate::order`].
#[derive(Clone)]
pub struct Map<K, V>(Sorted<(K, V)>);

impl<K, V> Map<K, V> {
    /// The empty map.
    pub const fn new() -> Self {
        Self(Sorted::new())
    }

    /// How many keys there are.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keys and values, in order of the keys.
    pub fn iter(&self) -> Pairs<'_, K, V> {
        Pairs(self.0.iter())
    }

    /// The keys, ascending.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values, in order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// The values alone, in order of their keys.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    /// Leaves the pairs that `wanted` holds for.
    pub fn retain(&mut self, mut wanted: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain(|(key, value)| wanted(key, value));
    }
}

impl<K: Ord, V> Map<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<Place, Place>
    where
        K: Borrow<Q>,
    {
        self.0.find(|(own, _)| own.borrow().cmp(key))
    }

    /// A key's value.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(&self.0.at(place).1)
    }

    /// A key's value.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(&mut self.0.at_mut(place).1)
    }

    /// Whether the key is there.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Gives a key a value; returns the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.0.at_mut(place).1, value)),
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// Takes a key out; returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        Some(self.0.remove(place).1)
    }

    /// A key's value; where there is none, the one that is made.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let pair = match self.find(&key) {
            Ok(place) => self.0.at_mut(place),
            Err(place) => self.0.insert(place, (key, make())),
        };
        &mut pair.1
    }

    /// A key's value; where there is none, this one.
    pub fn get_or_insert(&mut self, key: K, value: V) -> &mut V {
        self.get_or_insert_with(key, || value)
    }

    /// A key's value; where there is none, the default.
    pub fn get_or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.get_or_insert_with(key, V::default)
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// The last of the values of a key counts.
impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.insert(key, value);
        }
    }
}

/// The last of the values of a key counts.
impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Self::new();
        map.extend(pairs);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

/// Keys and values, in order of the keys.
#[derive(Debug)]
pub struct Pairs<'a, K, V>(Iter<'a, (K, V)>);

impl<K, V> Clone for Pairs<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'a, K, V> Iterator for Pairs<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key, value))
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_vec().into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Pairs<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq> Eq for Map<K, V> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// What is done to a map.
    #[derive(Clone, Debug)]
    enum Step {
        Insert(String, u8),
        Remove(String),
        Change(String, u8),
        Append(String, u8),
        Retain(u8),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let key = || "[a-d]{0,2}";
        let step = prop_oneof![
            8 => (key(), 0..4_u8).prop_map(|(key, value)| Step::Insert(key, value)),
            3 => key().prop_map(Step::Remove),
            3 => (key(), 0..4_u8).prop_map(|(key, value)| Step::Change(key, value)),
            3 => (key(), 0..4_u8).prop_map(|(key, value)| Step::Append(key, value)),
            1 => (0..3_u8).prop_map(Step::Retain),
        ];
        proptest::collection::vec(step, 0..48)
    }

    fn done(steps: &[Step]) -> (Map<String, Vec<u8>>, BTreeMap<String, Vec<u8>>) {
        let (mut ours, mut theirs) = (Map::new(), BTreeMap::new());
        for step in steps.iter().cloned() {
            match step {
                Step::Insert(key, value) => {
                    assert_eq!(ours.insert(key.clone(), vec![value]), theirs.insert(key, vec![value]));
                }
                Step::Remove(key) => assert_eq!(ours.remove(key.as_str()), theirs.remove(key.as_str())),
                Step::Change(key, value) => {
                    let (own, their) = (ours.get_mut(key.as_str()), theirs.get_mut(key.as_str()));
                    assert_eq!(own, their);
                    own.into_iter().chain(their).for_each(|values| values.push(value));
                }
                Step::Append(key, value) => {
                    ours.get_or_default(key.clone()).push(value);
                    theirs.entry(key).or_default().push(value);
                }
                Step::Retain(value) => {
                    ours.retain(|_, values| values.pop().is_some_and(|last| last > value));
                    theirs.retain(|_, values| values.pop().is_some_and(|last| last > value));
                }
            }
        }
        (ours, theirs)
    }

    proptest! {
        #[test]
        fn is_as_the_standard_library_s((one, two) in (steps(), steps()), key in "[a-d]{0,2}") {
            let ((ours, theirs), (other, of_theirs)) = (done(&one), done(&two));
            prop_assert!(ours.iter().eq(&theirs));
            prop_assert!(ours.keys().eq(theirs.keys()));
            prop_assert!(ours.values().eq(theirs.values()));
            prop_assert_eq!((ours.len(), ours.is_empty()), (theirs.len(), theirs.is_empty()));
            prop_assert_eq!(ours.get(key.as_str()), theirs.get(key.as_str()));
            prop_assert_eq!(ours.contains_key(key.as_str()), theirs.contains_key(key.as_str()));
            prop_assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
            prop_assert_eq!(ours == other, theirs == of_theirs);
            let reversed: Map<_, _> = theirs.clone().into_iter().rev().collect();
            prop_assert_eq!(&ours, &reversed);
            prop_assert!(ours.clone().into_values().eq(theirs.clone().into_values()));
            prop_assert!(ours.into_iter().eq(theirs));
        }
    }
}
