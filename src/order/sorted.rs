//! What sets and maps are made of.

use std::cmp::Ordering;

use super::positions::{self, Place, Positions};
use super::sort::arrange;

/// Items as they came, and their positions in order: an insertion moves positions, and no item. More than `u32::MAX`
/// items are not provided for.
#[derive(Clone)]
pub(super) struct Sorted<T> {
    items: Vec<T>,
    order: Positions,
}

impl<T> Sorted<T> {
    pub(super) const fn new() -> Self {
        Self { items: Vec::new(), order: Positions::new() }
    }

    pub(super) const fn len(&self) -> usize {
        self.items.len()
    }

    /// The place of the item that is `Equal`, else the one where such an item belongs.
    pub(super) fn find(&self, compare: impl Fn(&T) -> Ordering) -> Result<Place, Place> {
        self.order.find(&|at| compare(&self.items[at]))
    }

    /// The item at a place where [`Self::find`] found one.
    pub(super) fn at(&self, place: Place) -> &T {
        &self.items[self.order.at(place)]
    }

    /// The item at a place where [`Self::find`] found one; its key must stay as it is.
    pub(super) fn at_mut(&mut self, place: Place) -> &mut T {
        &mut self.items[self.order.at(place)]
    }

    /// Adds an item where [`Self::find`] says that it belongs. Its key must stay as it is.
    pub(super) fn insert(&mut self, place: Place, item: T) -> &mut T {
        let at = self.items.len();
        self.order.insert(place, at);
        self.items.push(item);
        &mut self.items[at]
    }

    /// Takes the item at a place where [`Self::find`] found one out.
    pub(super) fn remove(&mut self, place: Place) -> T {
        let at = self.order.remove(place, self.items.len());
        self.items.swap_remove(at)
    }

    /// Leaves the items that `wanted` holds for.
    pub(super) fn retain(&mut self, wanted: impl FnMut(&mut T) -> bool) {
        arrange(&mut self.items, self.order.take());
        self.items.retain_mut(wanted);
        self.order.reset(self.items.len());
    }

    pub(super) fn iter(&self) -> Iter<'_, T> {
        Iter { items: &self.items, order: self.order.iter() }
    }

    /// The items, in order.
    pub(super) fn into_vec(mut self) -> Vec<T> {
        arrange(&mut self.items, self.order.take());
        self.items
    }
}

/// Items in order.
#[derive(Debug)]
pub struct Iter<'a, T> {
    items: &'a [T],
    order: positions::Iter<'a>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self { items: self.items, order: self.order.clone() }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.order.next().map(|at| &self.items[at])
    }
}
