//! What sets and maps are made of.

use std::cmp::Ordering;

use super::sort::{arrange, positions};

/// Items as they came, and their positions in order: an insertion moves the four bytes of each later position, and no item.
///
/// 100,000 items in any order are inserted in less than a second. More than `u32::MAX` items are not provided for.
#[derive(Clone)]
pub(super) struct Sorted<T> {
    items: Vec<T>,
    order: Vec<u32>,
}

impl<T> Sorted<T> {
    pub(super) const fn new() -> Self {
        Self { items: Vec::new(), order: Vec::new() }
    }

    pub(super) const fn len(&self) -> usize {
        self.items.len()
    }

    /// The place in the order of the item that is `Equal`, else the one where such an item belongs.
    pub(super) fn find(&self, compare: impl Fn(&T) -> Ordering) -> Result<usize, usize> {
        search(&self.order, &|at| compare(&self.items[at]))
    }

    /// The item at a place of the order.
    pub(super) fn at(&self, place: usize) -> Option<&T> {
        self.order.get(place).map(|&at| &self.items[at as usize])
    }

    /// The item at a place of the order, whose key must stay as it is.
    pub(super) fn at_mut(&mut self, place: usize) -> &mut T {
        &mut self.items[self.order[place] as usize]
    }

    /// Adds an item where [`Self::find`] says that it belongs.
    pub(super) fn insert(&mut self, place: usize, item: T) {
        insert(&mut self.order, place, self.items.len());
        self.items.push(item);
    }

    /// Takes the item at a place of the order out.
    pub(super) fn remove(&mut self, place: usize) -> T {
        let at = remove(&mut self.order, place);
        self.items.swap_remove(at)
    }

    /// Leaves the items that `wanted` holds for.
    pub(super) fn retain(&mut self, wanted: impl FnMut(&mut T) -> bool) {
        self.settle().retain_mut(wanted);
        self.order = positions(self.items.len());
    }

    pub(super) fn iter(&self) -> Iter<'_, T> {
        Iter { items: &self.items, order: self.order.iter() }
    }

    /// The items, in order.
    pub(super) fn into_vec(mut self) -> Vec<T> {
        std::mem::take(self.settle())
    }

    /// Moves the items to where they belong.
    fn settle(&mut self) -> &mut Vec<T> {
        arrange(&mut self.items, std::mem::take(&mut self.order));
        &mut self.items
    }
}

/// Items in order.
#[derive(Debug)]
pub struct Iter<'a, T> {
    items: &'a [T],
    order: std::slice::Iter<'a, u32>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self { items: self.items, order: self.order.clone() }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.order.next().map(|&at| &self.items[at as usize])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.order.size_hint()
    }
}

fn search(order: &[u32], compare: &dyn Fn(usize) -> Ordering) -> Result<usize, usize> {
    order.binary_search_by(|&at| compare(at as usize))
}

fn insert(order: &mut Vec<u32>, place: usize, at: usize) {
    order.insert(place, at as u32);
}

/// Takes a position out, and gives the last item's position to it: that item moves into the gap.
fn remove(order: &mut Vec<u32>, place: usize) -> usize {
    let at = order.remove(place);
    let last = order.len() as u32;
    order.iter_mut().filter(|other| **other == last).for_each(|other| *other = at);
    at as usize
}
