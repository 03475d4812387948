//! Files in parallel, as many as cargo grants.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::order;
use crate::sys::env::Env;
use crate::sys::jobserver::JobServer;

/// How long a worker waits before it asks again for a token.
const PAUSE: Duration = Duration::from_millis(5);

/// How many jobs may run at a time.
#[derive(Debug)]
pub(super) struct Jobs {
    workers: usize,
    server: Option<JobServer>,
}

impl Jobs {
    /// `NUM_JOBS`, and the tokens of cargo's job server beyond the one that this process has.
    pub(super) fn of_env(env: &Env) -> Self {
        let workers = env.text("NUM_JOBS").and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
        Self { workers, server: JobServer::from_env(env) }
    }

    /// Does `count` jobs; the results are in their order.
    pub(super) fn run<T: Send>(&self, count: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
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
        let is_open = || next.load(Ordering::Relaxed) < count;
        let helper = || {
            while is_open() {
                let token = self.server.as_ref().map(JobServer::try_take);
                match token {
                    Some(None) => std::thread::sleep(PAUSE),
                    Some(Some(_)) | None => drop(one()),
                }
            }
        };
        std::thread::scope(|scope| {
            let helpers = self.workers.min(count).saturating_sub(1);
            (0..helpers).for_each(|_| drop(scope.spawn(helper)));
            while one() {}
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        order::sort_by_key(&mut results, |(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_jobs_are_done_in_order() {
        for workers in ["0", "1", "4", "many"] {
            let jobs = Jobs::of_env(&Env::from_pairs([("NUM_JOBS", workers)]));
            assert_eq!(jobs.run(20, |n| n * n), (0..20).map(|n| n * n).collect::<Vec<_>>());
        }
    }
}
