//! Which kernels are assembled again, and how often.

/// What is asked of experiments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Experiments {
    /// For which kernels.
    pub mode: Mode,
    /// The most entries that are assembled again in one package, cached ones included: which kernels are answered does
    /// not depend on what an earlier run left. A kernel counts as the most entries that it can need.
    pub most: usize,
    /// For kernels of libraries too.
    pub foreign: bool,
}

/// For which kernels experiments are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// None.
    Off,
    /// Those with a finding that other bounds could change.
    Flagged,
    /// All.
    All,
}

impl Experiments {
    /// The default of [`Self::most`]: some 25 kernels, a few seconds of a core for kernels of ordinary size.
    pub const DEFAULT_MOST: usize = 100;

    /// None at all: what build scripts do unless asked.
    pub const OFF: Self = Self { mode: Mode::Off, most: 0, foreign: false };
}
