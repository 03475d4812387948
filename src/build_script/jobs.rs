//! Files in parallel, as many as cargo grants.

use crate::parallel::in_parallel_permitted;
use crate::sys::env::Env;
use crate::sys::jobserver::JobServer;

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
        // Without a server every thread has leave.
        let permit = || match &self.server {
            Some(server) => server.try_take().map(Some),
            None => Some(None),
        };
        in_parallel_permitted(self.workers, count, permit, job)
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
