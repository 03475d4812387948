//! No more compilers at a time than memory is there for: one that the system ends, or that has it swap, costs more than waiting.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// What a compiler is taken to need that was never seen: most need 100 MiB, templates several times that.
const UNKNOWN: u64 = 512 << 20;
/// No compiler is taken to need more, whatever was written down: 1 TiB.
const MOST: u64 = 1 << 40;
/// How often it is asked again whether others have freed some.
const PAUSE: Duration = Duration::from_millis(100);

/// What may be taken, and who has how much of it.
pub(in crate::compile) struct Memory<'a> {
    /// Bytes that may be expected of all that run together; `None`: not known, and nobody waits.
    budget: Option<u64>,
    /// Bytes that are free at this moment.
    free: &'a (dyn Fn() -> Option<u64> + Sync),
    held: Mutex<Held>,
    freed: Condvar,
}

#[derive(Default)]
struct Held {
    running: usize,
    bytes: u64,
    waited: usize,
}

/// Leave to run: given back when it is dropped.
pub(in crate::compile) struct Leave<'a> {
    memory: &'a Memory<'a>,
    bytes: u64,
}

impl<'a> Memory<'a> {
    /// What is free now may be taken.
    pub(in crate::compile) fn new(free: &'a (dyn Fn() -> Option<u64> + Sync)) -> Self {
        Self { budget: free(), free, held: Mutex::default(), freed: Condvar::new() }
    }

    /// Waits until a compiler that is expected to need so many bytes (`None`: it was never seen) fits beside those that run. One
    /// alone always does; and where `ended`, nobody waits.
    pub(in crate::compile) fn take(&'a self, bytes: Option<u64>, ended: &dyn Fn() -> bool) -> Leave<'a> {
        let bytes = bytes.unwrap_or(UNKNOWN).min(MOST);
        let lock = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut held = lock();
        let mut waits = false;
        while held.running > 0 && !self.fits(held.bytes, bytes) && !ended() {
            waits = true;
            held = self.freed.wait_timeout(held, PAUSE).unwrap_or_else(PoisonError::into_inner).0;
        }
        held.running += 1;
        held.bytes += bytes;
        held.waited += usize::from(waits);
        Leave { memory: self, bytes }
    }

    fn fits(&self, held: u64, bytes: u64) -> bool {
        let within = self.budget.is_none_or(|budget| held.saturating_add(bytes) <= budget);
        within && (self.free)().is_none_or(|free| bytes <= free)
    }

    /// How many had to wait.
    pub(in crate::compile) fn waited(&self) -> usize {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).waited
    }
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        let mut held = self.memory.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.running -= 1;
        held.bytes -= self.bytes;
        self.memory.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    use super::*;
    use crate::parallel::Workers;

    /// The most that run at a time, of ten that are expected to need `bytes` each.
    fn most(free: Option<u64>, bytes: Option<u64>) -> (usize, usize) {
        let free = || free;
        let memory = Memory::new(&free);
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Workers::new(4, None).run(10, |_| {
            let _leave = memory.take(bytes, &|| false);
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(20));
            running.fetch_sub(1, Ordering::SeqCst);
        });
        (most.into_inner(), memory.waited())
    }

    #[test]
    fn as_many_run_as_there_is_memory_for() {
        assert_eq!(most(Some(100), Some(25)), (4, 0));
        assert_eq!(most(None, Some(25)), (4, 0));
        let (two, waited) = most(Some(100), Some(50));
        assert!(two == 2 && waited > 0, "{two} {waited}");
        assert_eq!(most(Some(100), Some(1000)).0, 1, "one alone always runs");
        assert_eq!(most(None, Some(u64::MAX)), (4, 0));
        assert_eq!(most(Some(UNKNOWN * 2), None).0, 2);
    }

    #[test]
    fn what_others_take_meanwhile_counts() {
        let left = AtomicU64::new(100);
        let free = || Some(left.load(Ordering::SeqCst));
        let memory = Memory::new(&free);
        let first = memory.take(Some(10), &|| false);
        left.store(5, Ordering::SeqCst);
        let asked = AtomicUsize::new(0);
        // Whoever waits is asked whether the run has ended.
        drop(memory.take(Some(10), &|| asked.fetch_add(1, Ordering::SeqCst) > 0));
        assert_eq!((asked.into_inner(), memory.waited()), (2, 1));
        drop(first);
        drop(memory.take(Some(10), &|| false));
        assert_eq!(memory.waited(), 1);
    }
}
