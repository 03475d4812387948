//! What ptxas says about an entry.

use crate::evidence::ptxas_log::{Log, LogFunction};
use crate::kernel::{Kernel, Spills, Usage};

/// What an entry uses under some bounds, the spills of the functions that it calls included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figures {
    /// Registers per thread.
    pub registers: u32,
    /// Named barriers per block; `None` where ptxas does not print them (before 12.6).
    pub barriers: Option<u32>,
    /// Static shared memory per block, bytes.
    pub static_shared_bytes: u32,
    /// Bytes per thread that spill stores write.
    pub spill_store_bytes: u32,
    /// Bytes per thread that spill loads read.
    pub spill_load_bytes: u32,
    /// Spill instructions to shared memory, which ptxas counts in no bytes; `None` where there may be some.
    pub shared_spills: Option<u32>,
}

impl Figures {
    /// The figures of the build; `None` where one is unknown.
    pub fn of(kernel: &Kernel) -> Option<Self> {
        let shared_spills = kernel.spills.as_ref().map(Spills::shared);
        let mut figures = Self { shared_spills, ..Self::alone(&kernel.usage)? };
        for function in &kernel.functions {
            figures.add(function.spill_store_bytes, function.spill_load_bytes);
        }
        Some(figures)
    }

    /// Those of an entry without its callees, as far as a log tells: no spills to shared memory.
    fn alone(usage: &Usage) -> Option<Self> {
        Some(Self {
            registers: usage.registers?,
            barriers: usage.barriers,
            static_shared_bytes: usage.static_shared_bytes.unwrap_or(0),
            spill_store_bytes: usage.spill_store_bytes?,
            spill_load_bytes: usage.spill_load_bytes?,
            shared_spills: Some(0),
        })
    }

    /// Whether anything spills; `None` where only spills to shared memory are possible, and not known.
    pub fn spills(&self) -> Option<bool> {
        let bytes = self.spill_store_bytes > 0 || self.spill_load_bytes > 0;
        if bytes { Some(true) } else { self.shared_spills.map(|count| count > 0) }
    }

    /// Whether something spills, or may.
    pub(super) fn may_spill(&self) -> bool {
        self.spills() != Some(false)
    }

    /// Registers and spills, by which two ways of assembling are compared.
    pub const fn code(&self) -> (u32, u32, u32) {
        (self.registers, self.spill_store_bytes, self.spill_load_bytes)
    }

    fn add(&mut self, stores: Option<u32>, loads: Option<u32>) {
        self.spill_store_bytes = self.spill_store_bytes.saturating_add(stores.unwrap_or(0));
        self.spill_load_bytes = self.spill_load_bytes.saturating_add(loads.unwrap_or(0));
    }
}

/// The figures of an entry in ptxas' log; `None` where the log does not say them whole. `callees`: the functions that follow
/// it are its own, as in the log of a whole program; after relocatable code any may follow.
pub fn figures(log: &Log, entry: &str, callees: bool) -> Option<Figures> {
    let is = |function: &LogFunction| {
        function.entry && !function.from_warning && function.name.as_deref() == Some(entry)
    };
    let mut found = log.functions.iter().enumerate().filter(|(_, function)| is(function));
    let (index, function) = found.next().filter(|_| found.next().is_none())?;
    let mut figures = Figures::alone(&function.usage)?;
    let own = |callee: &&LogFunction| callees && !callee.entry && callee.after == Some(index);
    for callee in log.functions.iter().filter(own) {
        figures.add(callee.usage.spill_store_bytes, callee.usage.spill_load_bytes);
    }
    Some(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::ptxas_log::parse;

    const LOG: &str = "ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'a' for 'sm_90'\n\
        ptxas info    : Function properties for a\n\
        \x20   0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
        ptxas info    : Used 40 registers, used 1 barriers, 256 bytes smem\n\
        ptxas info    : Function properties for heavy\n\
        \x20   136 bytes stack frame, 196 bytes spill stores, 204 bytes spill loads\n\
        ptxas info    : Compiling entry function 'b' for 'sm_90'\n";

    #[test]
    fn the_spills_of_callees_count() {
        let (barriers, static_shared_bytes) = (Some(1), 256);
        let right = Figures {
            registers: 40,
            barriers,
            static_shared_bytes,
            spill_store_bytes: 196,
            spill_load_bytes: 204,
            shared_spills: Some(0),
        };
        assert_eq!(figures(&parse(LOG), "a", true), Some(right));
        let apart = Figures { spill_store_bytes: 0, spill_load_bytes: 0, ..right };
        assert_eq!(figures(&parse(LOG), "a", false), Some(apart));
    }

    #[test]
    fn spills_to_shared_memory_are_spills_and_unknown_ones_neither() {
        let none =
            Figures { spill_store_bytes: 0, spill_load_bytes: 0, ..figures(&parse(LOG), "a", true).unwrap() };
        let with = |shared_spills: Option<u32>| Figures { shared_spills, ..none }.spills();
        assert_eq!((with(Some(0)), with(Some(24)), with(None)), (Some(false), Some(true), None));
        assert_eq!(Figures { shared_spills: None, spill_load_bytes: 4, ..none }.spills(), Some(true));
    }

    #[test]
    fn what_is_cut_off_missing_or_twice_there_gives_nothing() {
        for (text, entry) in [(LOG, "b"), (LOG, "c"), (LOG, "heavy"), ("", "a"), ("Segmentation fault", "a")]
        {
            assert_eq!(figures(&parse(text), entry, true), None, "{entry}");
        }
        assert_eq!(figures(&parse(&LOG.replace("'b'", "'a'")), "a", true), None);
        let cut = LOG.replace("0 bytes spill stores, 0 bytes spill loads", "");
        assert_eq!(figures(&parse(&cut), "a", true), None);
    }
}
