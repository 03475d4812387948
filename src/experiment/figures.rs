//! What ptxas says about an entry.

use crate::evidence::ptxas_log::{Log, LogFunction};
use crate::kernel::{Kernel, Usage};

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
}

impl Figures {
    /// The figures of the build; `None` where one is unknown.
    pub fn of(kernel: &Kernel) -> Option<Self> {
        let mut figures = Self::alone(&kernel.usage)?;
        for function in &kernel.functions {
            figures.add(function.spill_store_bytes, function.spill_load_bytes);
        }
        Some(figures)
    }

    /// Those of an entry without its callees.
    fn alone(usage: &Usage) -> Option<Self> {
        Some(Self {
            registers: usage.registers?,
            barriers: usage.barriers,
            static_shared_bytes: usage.static_shared_bytes.unwrap_or(0),
            spill_store_bytes: usage.spill_store_bytes?,
            spill_load_bytes: usage.spill_load_bytes?,
        })
    }

    /// Whether anything spills.
    pub const fn spills(&self) -> bool {
        self.spill_store_bytes > 0 || self.spill_load_bytes > 0
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
        };
        assert_eq!(figures(&parse(LOG), "a", true), Some(right));
        let apart = Figures { spill_store_bytes: 0, spill_load_bytes: 0, ..right };
        assert_eq!(figures(&parse(LOG), "a", false), Some(apart));
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
