//! Other bounds for an entry.

/// The bounds under which an entry is assembled. `.minnctapersm` and `.maxnreg` of the source never remain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variant {
    /// The threads per block.
    pub threads: Threads,
    /// `.minnctapersm`; `None`: without.
    pub min_blocks: Option<u32>,
    /// `.maxnreg`; `None`: without.
    pub max_registers: Option<u32>,
    /// Without the unit's `-maxrregcount`. No directive says that: a large `.maxnreg` lifts it too, but changes what ptxas
    /// chooses.
    pub without_unit_cap: bool,
}

impl Variant {
    /// The threads per block that it sets; `None` where those of the entry remain.
    pub(super) const fn block_threads(&self) -> Option<u32> {
        match self.threads {
            Threads::Declared => None,
            Threads::AtMost(threads) => Some(threads),
        }
    }
}

/// The threads per block of a [`Variant`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Threads {
    /// `.maxntid` and `.reqntid` as they are.
    Declared,
    /// `.maxntid` with this many threads, instead.
    AtMost(u32),
}
