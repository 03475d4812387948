//! The witnesses of one compilation, merged into kernel records.

#[cfg(feature = "cubin")]
mod alone;
mod artefacts;
#[cfg(feature = "cubin")]
mod assembled;
mod calls;
mod linked;
mod local_memory;
mod local_names;
#[cfg(feature = "package")]
mod log;
mod problem;
#[cfg(not(feature = "cubin"))]
mod unread;

use std::sync::Arc;

use crate::arch::Arch;
use crate::check::UnitFacts;
use crate::kernel::{DeviceFunction, Kernel, RemarkKind, UnboundedStack, Usage};
use crate::source::SourceText;

use super::names;
use super::ptx::PtxFunction;
use super::ptxas_log::LogFunction;

#[cfg(feature = "cubin")]
pub use alone::{cubin_arch, from_cubin};
pub use artefacts::from_artefacts;
#[cfg(feature = "package")]
pub(crate) use linked::clash_words;
pub use linked::{LinkEnd, LinkUnit, Linkage, Refusal, merge_link};
#[cfg(feature = "package")]
pub use log::from_log;
pub use problem::CubinProblem;
#[cfg(not(feature = "cubin"))]
pub use unread::{cubin_arch, from_cubin};

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
    /// The cubin, where it was kept.
    pub cubin: Option<&'a [u8]>,
    /// Compiled with `-G`.
    pub debug: bool,
}

/// What the evidence says.
#[derive(Clone, PartialEq, Debug, Default)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct Evidence {
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// What is known about units beyond kernels.
    pub units: Vec<UnitFacts>,
    /// Device functions that belong to no kernel, as far as the witnesses tell.
    pub functions: Vec<LooseFunction>,
    /// Where the cubin cannot be read, or contradicts the other witnesses: what uses the evidence must not be silent
    /// about them.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub problems: Vec<CubinProblem>,
}

/// A device function that belongs to no kernel: of a unit without kernels, or reported before all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct LooseFunction {
    /// The source, relative to the workspace root; a log's name.
    pub unit: String,
    /// The architecture; `None` where a log does not say it.
    pub arch: Option<Arch>,
    /// The function.
    pub function: DeviceFunction,
}

/// Looks a file of a `.file` directive up: the name to show (relative to the workspace root, absolute outside), whether
/// it lies outside the package, and its text.
pub type SourceLookup<'a> = &'a dyn Fn(&str) -> (String, bool, Option<Arc<SourceText>>);

/// A kernel of which nothing is known but its name.
fn blank(mangled: &str, arch: Option<Arch>, unit: &str) -> Kernel {
    Kernel { name: names::name(mangled), arch, units: vec![unit.to_owned()], ..Kernel::default() }
}

/// A kernel's figures, where nvlink's came later: those are final, but it does not print spills and frames.
fn linked_over(compiled: Usage, linked: Usage) -> Usage {
    Usage {
        registers: linked.registers.or(compiled.registers),
        barriers: linked.barriers.or(compiled.barriers),
        static_shared_bytes: linked.static_shared_bytes.or(compiled.static_shared_bytes),
        cumulative_stack_bytes: linked.cumulative_stack_bytes.or(compiled.cumulative_stack_bytes),
        local_bytes: linked.local_bytes.or(compiled.local_bytes),
        stack_frame_bytes: compiled.stack_frame_bytes.or(linked.stack_frame_bytes),
        ..compiled
    }
}

fn device_function(function: &LogFunction) -> DeviceFunction {
    DeviceFunction {
        name: names::name(function.name.as_deref().unwrap_or_default()),
        stack_frame_bytes: function.usage.stack_frame_bytes,
        spill_store_bytes: function.usage.spill_store_bytes,
        spill_load_bytes: function.usage.spill_load_bytes,
        place: None,
    }
}

/// Why a stack has no bound although nothing recurses.
fn open_stack<'a>(functions: impl Iterator<Item = &'a PtxFunction>) -> Option<UnboundedStack> {
    let mut found = None;
    for function in functions {
        if function.indirect_call {
            return Some(UnboundedStack::IndirectCall);
        }
        if function.alloca {
            found = Some(UnboundedStack::Alloca);
        }
    }
    found
}

/// The compiler's own word comes before what the call graph shows.
fn report_unbounded(kernels: &mut [Kernel]) {
    for kernel in kernels {
        if kernel.remarks.iter().any(|remark| remark.kind == RemarkKind::StackUnknown) {
            kernel.unbounded_stack = Some(UnboundedStack::Reported);
        }
    }
}

#[cfg(test)]
#[cfg(feature = "package")]
mod tests;
