//! What a cubin adds, and where it contradicts the log.

use std::collections::BTreeSet;

use crate::arch::Arch;
use crate::evidence::SourceLookup;
use crate::evidence::cubin::{self, Cubin, CubinFunction, spills_of};
use crate::evidence::merge::CubinProblem;
use crate::evidence::merge::problem::contradictions;
use crate::kernel::{Kernel, Usage};

/// Puts the cubin's figures before the log's and finds the spills of each kernel. Figures of `linked` kernels stay:
/// they are not of this cubin.
pub(super) fn apply(
    bytes: &[u8],
    arch: Arch,
    kernels: &mut [Kernel],
    linked: &BTreeSet<&str>,
    lookup: SourceLookup<'_>,
) -> Vec<CubinProblem> {
    let cubin = match read(bytes, arch) {
        Ok(cubin) => cubin,
        Err(problem) => return vec![problem],
    };
    let mut problems = Vec::new();
    for kernel in kernels {
        let said = kernel.usage;
        let is_linked = linked.contains(kernel.name.mangled.as_str());
        problems.extend(give(&cubin, kernel, (!is_linked).then_some(&said), lookup));
    }
    problems
}

/// Reads a cubin that must be for this architecture.
pub(super) fn read(bytes: &[u8], arch: Arch) -> Result<Cubin, CubinProblem> {
    let cubin = cubin::read(bytes).map_err(|error| CubinProblem::Unreadable(error.to_string()))?;
    if cubin.arch.cc_tenths() == arch.cc_tenths() {
        Ok(cubin)
    } else {
        Err(CubinProblem::Architecture { cubin: cubin.arch, asked: arch })
    }
}

/// Gives a kernel its spills, and the cubin's figures where the log's, `said`, are of the same code.
pub(super) fn give(
    cubin: &Cubin,
    kernel: &mut Kernel,
    said: Option<&Usage>,
    lookup: SourceLookup<'_>,
) -> Vec<CubinProblem> {
    let name = kernel.name.mangled.as_str();
    let Some(index) = cubin.find(name) else {
        return vec![CubinProblem::NoKernel(kernel.name.demangled.clone())];
    };
    let spills = spills_of(cubin, name, &|function: &str| logged(kernel, function), lookup);
    let mut problems = Vec::new();
    if let Some(said) = said {
        let function = &cubin.functions[index];
        let own = cubin_over(Usage::default(), function);
        problems.extend(contradictions(&kernel.name.demangled, said, &own));
        kernel.usage = cubin_over(kernel.usage, function);
    }
    kernel.spills = spills;
    problems
}

/// The log's bytes of spill stores and loads for a kernel or one of its device functions.
pub(super) fn logged(kernel: &Kernel, name: &str) -> Option<(u32, u32)> {
    if kernel.name.mangled == name {
        return kernel.usage.spill_store_bytes.zip(kernel.usage.spill_load_bytes);
    }
    let function = kernel.functions.iter().find(|function| function.name.mangled == name)?;
    function.spill_store_bytes.zip(function.spill_load_bytes)
}

/// The cubin's figures, the log's where it has none. The log's frames come first: the cubin's may count callees. The
/// whole stack is the log's alone: some compilers write 0 into the cubin where a recursion makes it unknown.
pub(super) fn cubin_over(log: Usage, cubin: &CubinFunction) -> Usage {
    Usage {
        registers: cubin.registers.or(log.registers),
        barriers: cubin.barriers.or(log.barriers),
        static_shared_bytes: cubin.static_shared_bytes.or(log.static_shared_bytes),
        stack_frame_bytes: log.stack_frame_bytes.or(cubin.frame_bytes),
        ..log
    }
}
