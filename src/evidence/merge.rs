//! The witnesses of one compilation, merged into kernel records.

use std::sync::Arc;

use crate::arch::Arch;
use crate::check::UnitFacts;
use crate::kernel::Kernel;
use crate::source::SourceText;

/// What one compilation of one unit for one architecture left behind.
#[derive(Clone, Copy, Debug)]
pub struct Artefacts<'a> {
    /// The source, relative to the workspace root.
    pub unit: &'a str,
    /// The architecture it was compiled for.
    pub arch: Arch,
    /// ptxas' log.
    pub log: &'a str,
    /// The PTX.
    pub ptx: &'a str,
    /// Compiled with `-G`.
    pub debug: bool,
}

/// What the evidence says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evidence {
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// What is known about units beyond kernels.
    pub units: Vec<UnitFacts>,
}

/// Looks a file of a `.file` directive up: the name to show (relative to the workspace root, absolute outside), whether
/// it lies outside the package, and its text.
pub type SourceLookup<'a> = &'a dyn Fn(&str) -> (String, bool, Option<Arc<SourceText>>);

/// Merges one compilation's witnesses. Kernels are those of the log; the PTX adds bounds, places and calls.
pub fn from_artefacts(artefacts: &Artefacts<'_>, lookup: SourceLookup<'_>) -> Evidence {
    let _ = (artefacts, lookup);
    Evidence::default()
}

/// Reads an existing build log: kernels without bounds and places. `name` is the log's.
pub fn from_log(name: &str, text: &str) -> Evidence {
    let _ = (name, text);
    Evidence::default()
}
