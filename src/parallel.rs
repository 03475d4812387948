//! Jobs in parallel, their results in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use crate::order;
use crate::sys::jobserver::JobServer;

/// How long a worker waits before it asks again for a permit.
const PAUSE: Duration = Duration::from_millis(5);

/// Threads for short jobs: more of them wait for memory, and for each other.
const FEW: usize = 4;

/// Workers for which one thread finishes what they did.
const WORKERS_A_FINISHER: usize = 8;

/// How many jobs may run at a time.
#[derive(Clone, Debug)]
pub struct Workers {
    most: usize,
    server: Option<Arc<JobServer>>,
}

impl Workers {
    /// At most so many, one at least. With a server each beyond the first needs one of its tokens.
    pub fn new(most: usize, server: Option<JobServer>) -> Self {
        Self { most: most.max(1), server: server.map(Arc::new) }
    }

    /// The most that can run at a time.
    pub fn most(&self) -> usize {
        self.most
    }

    /// The same for jobs that take less than a thread does to start: few threads, one for every 32 jobs at most.
    pub(crate) fn few(&self, jobs: usize) -> Self {
        Self { most: self.most.min(FEW).min(jobs / 32).max(1), server: self.server.clone() }
    }

    /// Does `count` jobs, begun in their order, this thread being one of those that do. The results are in the order of the jobs.
    pub(crate) fn run<T: Send>(&self, count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
        // Without a server every thread has leave.
        let permit = || match &self.server {
            Some(server) => server.try_take().map(Some),
            None => Some(None),
        };
        in_parallel_permitted(self.most, count, permit, job)
    }

    /// The same where a job ends in something short that the next one need not wait for: `finish` gets what came of each on a
    /// thread of its own, which needs no permit, one for every 8 workers.
    pub(crate) fn run_then<A: Send, T: Send>(
        &self,
        count: usize,
        job: impl Fn(usize) -> A + Sync,
        finish: impl Fn(A) -> T + Sync,
    ) -> Vec<T> {
        let (sender, receiver) = mpsc::channel();
        let receiver = Mutex::new(receiver);
        let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
        let results = Mutex::new(Vec::with_capacity(count));
        let finisher = || {
            while let Some((index, made)) = next() {
                let result = finish(made);
                results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
            }
        };
        std::thread::scope(|scope| {
            let finishers = self.most.min(count).div_ceil(WORKERS_A_FINISHER);
            (0..finishers).for_each(|_| drop(scope.spawn(finisher)));
            self.run(count, |index| drop(sender.send((index, job(index)))));
            drop(sender);
            finisher();
        });
        in_order(results)
    }
}

/// The results in the order of their jobs.
fn in_order<T>(results: Mutex<Vec<(usize, T)>>) -> Vec<T> {
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    order::sort_by_key(&mut results, |(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Does `count` jobs on at most `workers` threads, this one included, where each other needs a permit for each job, and gives it
/// back after it.
fn in_parallel_permitted<T: Send, P>(
    workers: usize,
    count: usize,
    permit: impl Fn() -> Option<P> + Sync,
    job: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(count));
    let one = || {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index < count {
            let result = job(index);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
        index < count
    };
    let helper = || {
        while next.load(Ordering::Relaxed) < count {
            match permit() {
                Some(_permit) => _ = one(),
                None => std::thread::sleep(PAUSE),
            }
        }
    };
    std::thread::scope(|scope| {
        let helpers = workers.min(count).saturating_sub(1);
        (0..helpers).for_each(|_| drop(scope.spawn(helper)));
        while one() {}
    });
    in_order(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_jobs() {
        for workers in [0, 1, 3, 100] {
            let workers = Workers::new(workers, None);
            assert_eq!(workers.run(20, |n| n * n), (0..20).map(|n| n * n).collect::<Vec<_>>());
        }
        assert!(Workers::new(4, None).run(0, |n| n).is_empty());
    }

    #[test]
    fn what_is_finished_elsewhere_is_in_order_too() {
        for workers in [1, 3, 100] {
            let done = Workers::new(workers, None).run_then(20, |n| n * n, |square| square + 1);
            assert_eq!(done, (0..20).map(|n| n * n + 1).collect::<Vec<_>>());
        }
        assert!(Workers::new(4, None).run_then(0, |n| n, |n| n).is_empty());
    }

    #[test]
    fn a_job_need_not_wait_until_another_is_finished() {
        let (sender, receiver) = mpsc::channel();
        let receiver = Mutex::new(receiver);
        // The first one is finished only after the second one began, on the one worker that there is.
        let job = |n: usize| {
            sender.send(n).unwrap();
            n
        };
        let finish = |n: usize| {
            if n == 0 {
                while receiver.lock().unwrap().recv_timeout(Duration::from_secs(60)).unwrap() != 1 {}
            }
        };
        assert_eq!(Workers::new(1, None).run_then(2, job, finish).len(), 2);
    }

    #[test]
    fn short_jobs_have_few_threads() {
        let most = |most, jobs| Workers::new(most, None).few(jobs).most();
        assert_eq!((most(16, 1000), most(2, 1000), most(16, 64), most(16, 3)), (4, 2, 2, 1));
    }

    #[test]
    fn without_a_permit_this_thread_does_all() {
        let here = std::thread::current().id();
        let done = in_parallel_permitted(4, 20, || None::<()>, |n| (n, std::thread::current().id() == here));
        assert_eq!(done, (0..20).map(|n| (n, true)).collect::<Vec<_>>());
    }
}
