//! Sets in order.

use std::borrow::Borrow;
use std::fmt;

use super::sorted::{Iter, Sorted};

/// What [`std::collections::BTreeSet`] is, for less code: see [`crate::order`].
#[derive(Clone)]
pub struct Set<T>(Sorted<T>);

impl<T> Set<T> {
    /// The empty set.
    pub const fn new() -> Self {
        Self(Sorted::new())
    }

    /// How many items there are.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items, ascending.
    pub fn iter(&self) -> Iter<'_, T> {
        self.0.iter()
    }

    /// The least item.
    pub fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    /// The greatest item.
    pub fn last(&self) -> Option<&T> {
        self.iter().last()
    }

    /// Leaves the items that `wanted` holds for.
    pub fn retain(&mut self, mut wanted: impl FnMut(&T) -> bool) {
        self.0.retain(|item| wanted(item));
    }
}

impl<T: Ord> Set<T> {
    /// Adds an item; false if its equal was there already, and stays.
    pub fn insert(&mut self, item: T) -> bool {
        let place = self.0.find(|own| own.cmp(&item)).err();
        place.map(|place| self.0.insert(place, item)).is_some()
    }

    /// Whether the item is in the set.
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.find(|own| own.borrow().cmp(item)).is_ok()
    }

    /// Takes an item out; false if it was not there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        let place = self.0.find(|own| own.borrow().cmp(item)).ok();
        place.map(|place| self.0.remove(place)).is_some()
    }
}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Ord> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<'a, T: Ord + Copy> Extend<&'a T> for Set<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, items: I) {
        self.extend(items.into_iter().copied());
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for Set<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_vec().into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Set<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl<T: PartialEq> PartialEq for Set<T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl<T: Eq> Eq for Set<T> {}

impl<T: Ord> PartialOrd for Set<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Ord for Set<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.iter().cmp(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// What is done to a set.
    #[derive(Clone, Debug)]
    enum Step {
        Insert(String),
        Remove(String),
        Retain(String),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let item = || "[a-d]{0,2}";
        let step = prop_oneof![
            8 => item().prop_map(Step::Insert),
            3 => item().prop_map(Step::Remove),
            1 => item().prop_map(Step::Retain),
        ];
        proptest::collection::vec(step, 0..48)
    }

    fn done(steps: &[Step]) -> (Set<String>, BTreeSet<String>) {
        let (mut ours, mut theirs) = (Set::new(), BTreeSet::new());
        for step in steps {
            match step {
                Step::Insert(item) => assert_eq!(ours.insert(item.clone()), theirs.insert(item.clone())),
                Step::Remove(item) => assert_eq!(ours.remove(item.as_str()), theirs.remove(item.as_str())),
                Step::Retain(item) => {
                    ours.retain(|own| own > item);
                    theirs.retain(|own| own > item);
                }
            }
        }
        (ours, theirs)
    }

    proptest! {
        #[test]
        fn is_as_the_standard_library_s((one, two) in (steps(), steps()), item in "[a-d]{0,2}") {
            let ((ours, theirs), (other, of_theirs)) = (done(&one), done(&two));
            prop_assert!(ours.iter().eq(&theirs));
            prop_assert_eq!((ours.len(), ours.is_empty()), (theirs.len(), theirs.is_empty()));
            prop_assert_eq!((ours.first(), ours.last()), (theirs.first(), theirs.last()));
            prop_assert_eq!(ours.contains(item.as_str()), theirs.contains(item.as_str()));
            prop_assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
            prop_assert_eq!(ours == other, theirs == of_theirs);
            prop_assert_eq!(ours.cmp(&other), theirs.cmp(&of_theirs));
            prop_assert_eq!(&ours, &theirs.iter().rev().cloned().collect());
            prop_assert!(ours.into_iter().eq(theirs));
        }
    }
}
