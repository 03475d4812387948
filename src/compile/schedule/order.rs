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
    /// The size of its source in bytes.
    pub(in crate::compile) source_bytes: u64,
}

/// The order in which compilations begin: by what they took last time; one that is new, by the size of its source, as long as
/// others of that size. Of equals the first one is first.
pub(in crate::compile) fn longest_first(jobs: &[Expected]) -> Vec<usize> {
    let known = jobs.iter().filter_map(|job| Some((micros(job.last?), job.source_bytes)));
    let (time, bytes) = known.fold((0, 0), |all, (time, bytes)| (all.0 + time, all.1 + bytes));
    let expected = |index: &usize| {
        let Expected { last, source_bytes } = jobs[*index];
        // Where nothing is known, sizes alone are compared.
        let alike = || {
            if bytes == 0 { source_bytes.into() } else { u128::from(source_bytes) * time / u128::from(bytes) }
        };
        std::cmp::Reverse(last.map_or_else(alike, micros))
    };
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    crate::order::sort_by_key(&mut order, expected);
    order
}

fn micros(cost: Cost) -> u128 {
    cost.time.as_micros()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(millis: Option<u64>, source_bytes: u64) -> Expected {
        let cost = |millis| Cost { time: Duration::from_millis(millis), bytes: 0 };
        Expected { last: millis.map(cost), source_bytes }
    }

    #[test]
    fn what_took_longest_is_first_and_equals_stay_in_order() {
        let jobs = [job(Some(5), 9), job(Some(70), 1), job(Some(5), 1), job(Some(6), 1)];
        assert_eq!(longest_first(&jobs), [1, 3, 0, 2]);
    }

    #[test]
    fn a_new_one_is_as_long_as_others_of_its_size() {
        // 10 ms for 1,000 bytes: 1,500 bytes lie between 10 and 20 ms.
        let jobs = [job(Some(10), 1000), job(None, 1500), job(Some(20), 2000), job(None, 1)];
        assert_eq!(longest_first(&jobs), [2, 1, 0, 3]);
    }

    #[test]
    fn where_nothing_is_known_sizes_decide() {
        assert_eq!(longest_first(&[job(None, 1), job(None, 3), job(None, 0), job(None, 3)]), [1, 3, 0, 2]);
        assert_eq!(longest_first(&[job(Some(1), 0), job(Some(2), 0)]), [1, 0]);
        assert!(longest_first(&[]).is_empty());
    }
}
