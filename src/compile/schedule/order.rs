//! The longest compilation first: what begins late must not be what takes long.

use std::time::Duration;

/// What a compilation cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::compile) struct Cost {
    /// How long it took.
    pub(in crate::compile) time: Duration,
    /// The most memory that one of its processes had, in bytes.
    pub(in crate::compile) bytes: u64,
}

/// What is known before a compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::compile) struct Expected {
    /// What it cost last time.
    pub(in crate::compile) last: Option<Cost>,
    /// Which source it is of: those of one source take about as long for each architecture.
    pub(in crate::compile) source: usize,
    /// The size of its source in bytes.
    pub(in crate::compile) source_bytes: u64,
}

/// Compilations that have not begun, and what those that ended tell of them.
#[derive(Debug)]
pub(in crate::compile) struct Queue {
    jobs: Vec<Expected>,
    waiting: Vec<usize>,
    /// No earlier run tells anything.
    first_run: bool,
    /// By source: one began, and the microseconds that the last of those that ended took.
    sources: Vec<(bool, Option<u128>)>,
    /// Microseconds of all that is known, and the bytes of their sources.
    known: (u128, u128),
}

impl Queue {
    /// All of these wait.
    pub(in crate::compile) fn new(jobs: Vec<Expected>) -> Self {
        let last = jobs.iter().filter_map(|job| Some((micros(job.last?), u128::from(job.source_bytes))));
        let known = last.fold((0, 0), |all, (time, bytes)| (all.0 + time, all.1 + bytes));
        let sources = jobs.iter().map(|job| job.source + 1).max().unwrap_or(0);
        Self {
            waiting: (0..jobs.len()).collect(),
            first_run: jobs.iter().all(|job| job.last.is_none()),
            sources: vec![(false, None); sources],
            known,
            jobs,
        }
    }

    /// The compilation that begins next: the longest, by what it took last time, else by what its source took for another
    /// architecture, else as long as others of its size. Where no earlier run tells anything, each source has its turn
    /// before the second architecture of any, so that this is known. Of equals the first one is first.
    pub(in crate::compile) fn take(&mut self) -> Option<usize> {
        let mut longest: Option<(usize, (bool, u128))> = None;
        for (at, &job) in self.waiting.iter().enumerate() {
            let rank = self.rank(job);
            if longest.is_none_or(|(_, most)| rank > most) {
                longest = Some((at, rank));
            }
        }
        let job = longest.map(|(at, _)| self.waiting.remove(at))?;
        self.sources[self.jobs[job].source].0 = true;
        Some(job)
    }

    /// Notes how long a compilation took.
    pub(in crate::compile) fn ended(&mut self, job: usize, took: Duration) {
        let Expected { source, source_bytes, .. } = self.jobs[job];
        self.sources[source].1 = Some(took.as_micros());
        self.known.0 += took.as_micros();
        self.known.1 += u128::from(source_bytes);
    }

    /// Whether a job has its turn to tell how long its source takes, and how long it is expected to take, in microseconds; where
    /// nothing is known, the size of its source.
    fn rank(&self, job: usize) -> (bool, u128) {
        let Expected { last, source, source_bytes } = self.jobs[job];
        let (began, took) = self.sources[source];
        let bytes = u128::from(source_bytes);
        let of_size = || (bytes * self.known.0).checked_div(self.known.1).unwrap_or(bytes);
        (self.first_run && !began, last.map(micros).or(took).unwrap_or_else(of_size))
    }
}

fn micros(cost: Cost) -> u128 {
    cost.time.as_micros()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(source: usize, millis: Option<u64>, source_bytes: u64) -> Expected {
        let cost = |millis| Cost { time: Duration::from_millis(millis), bytes: 0 };
        Expected { last: millis.map(cost), source, source_bytes }
    }

    fn order(jobs: &[Expected]) -> Vec<usize> {
        let mut queue = Queue::new(jobs.to_vec());
        std::iter::from_fn(|| queue.take()).collect()
    }

    #[test]
    fn what_took_longest_is_first_and_equals_stay_in_order() {
        let jobs = [job(0, Some(5), 9), job(1, Some(70), 1), job(2, Some(5), 1), job(3, Some(6), 1)];
        assert_eq!(order(&jobs), [1, 3, 0, 2]);
    }

    #[test]
    fn a_new_one_is_as_long_as_others_of_its_size() {
        // 10 ms for 1,000 bytes: 1,500 bytes lie between 10 and 20 ms.
        let jobs = [job(0, Some(10), 1000), job(1, None, 1500), job(2, Some(20), 2000), job(3, None, 1)];
        assert_eq!(order(&jobs), [2, 1, 0, 3]);
    }

    #[test]
    fn where_nothing_is_known_sizes_decide() {
        assert_eq!(
            order(&[job(0, None, 1), job(1, None, 3), job(2, None, 0), job(3, None, 3)]),
            [1, 3, 0, 2]
        );
        assert_eq!(order(&[job(0, Some(1), 0), job(1, Some(2), 0)]), [1, 0]);
        assert!(order(&[]).is_empty());
    }

    #[test]
    fn in_a_first_run_each_source_has_a_turn_and_then_tells_of_the_others() {
        // Three sources, three architectures each; the smallest takes longest.
        let sizes = [30, 20, 10];
        let jobs: Vec<Expected> = (0..9).map(|n| job(n / 3, None, sizes[n / 3])).collect();
        let mut queue = Queue::new(jobs);
        assert_eq!([queue.take(), queue.take()], [Some(0), Some(3)], "the largest two");
        queue.ended(0, Duration::from_millis(4));
        assert_eq!(queue.take(), Some(6), "the third, before a second one of the first");
        queue.ended(6, Duration::from_millis(9));
        assert_eq!([queue.take(), queue.take()], [Some(7), Some(8)], "the longest source");
        queue.ended(3, Duration::from_millis(5));
        assert_eq!(std::iter::from_fn(|| queue.take()).collect::<Vec<_>>(), [4, 5, 1, 2]);
    }
}
