//! Jobs in parallel, their results in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::order;

/// Does `count` jobs on at most `workers` threads, this one included. The results are in the order of the jobs.
pub(super) fn in_parallel<T: Send>(workers: usize, count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(count));
    let worker = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= count {
            break;
        }
        let result = job(index);
        results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
    };
    std::thread::scope(|scope| {
        let more = workers.min(count).saturating_sub(1);
        (0..more).for_each(|_| drop(scope.spawn(worker)));
        worker();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    order::sort_by_key(&mut results, |(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_jobs() {
        for workers in [0, 1, 3, 100] {
            assert_eq!(in_parallel(workers, 20, |n| n * n), (0..20).map(|n| n * n).collect::<Vec<_>>());
        }
        assert!(in_parallel(4, 0, |n| n).is_empty());
    }
}
