//! Sorting: for the lists of a report and not for inner loops.

use std::cmp::Ordering;

/// Sorts as `slice::sort_by` does: equal items keep their order.
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = sorted(items.len(), &|a, b| compare(&items[a], &items[b]));
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
fn sorted(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut positions: Vec<u32> = (0..len as u32).collect();
    positions.sort_by(|&a, &b| compare(a as usize, b as usize));
    positions
}

/// Moves the item at `from[i]` to `i`, for each `i`, cycle by cycle.
pub(super) fn arrange<T>(items: &mut [T], mut from: Vec<u32>) {
    for start in 0..items.len() {
        let mut at = start;
        while from[at] as usize != start {
            let next = from[at] as usize;
            items.swap(at, next);
            from[at] = at as u32;
            at = next;
        }
        from[at] = at as u32;
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
