//! What a cubin adds, and where it contradicts the log.

use crate::arch::Arch;
use crate::evidence::SourceLookup;
use crate::evidence::cubin::{self, Cubin, CubinFunction, beside_spills, spills_of};
use crate::evidence::merge::CubinProblem;
use crate::evidence::merge::local_memory::Beside;
use crate::evidence::merge::problem::contradictions;
use crate::evidence::names;
use crate::kernel::{Kernel, Usage};
use crate::order::{Map, Set};

/// Puts the cubin's figures before the log's and finds the spills of each kernel, and whether there is other local memory
/// (`beside`, by kernel). Figures of `linked` kernels stay: they are not of this cubin.
pub(super) fn apply(
    bytes: &[u8],
    arch: Arch,
    kernels: &mut [Kernel],
    linked: &Set<&str>,
    lookup: SourceLookup<'_>,
    beside: &mut Map<String, Beside>,
) -> Vec<CubinProblem> {
    let cubin = match read(bytes, arch) {
        Ok(cubin) => cubin,
        Err(problem) => return vec![problem],
    };
    let mut problems = other_kernels(&cubin, kernels);
    for kernel in kernels {
        let said = kernel.usage;
        let is_linked = linked.contains(kernel.name.mangled.as_str());
        if let Some(index) = cubin.find(&kernel.name.mangled) {
            let others = beside_of(&cubin, index, &|function: &str| logged(kernel, function));
            beside.insert(kernel.name.mangled.clone(), others);
            if !is_linked {
                let function = &cubin.functions[index];
                problems.extend(other_figures(&kernel.name.demangled, &said, function));
                problems.extend(other_bounds(kernel, function));
            }
        }
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
    kernel.code = Some(cubin.functions[index].code);
    problems
}

/// Which of a kernel's functions access local memory that is no spill, as far as that is known.
fn beside_of(cubin: &Cubin, kernel: usize, log: cubin::Loaded<'_>) -> Beside {
    if !cubin.decoded {
        return Beside::new();
    }
    let functions = cubin.reached(kernel).into_iter().map(|index| &cubin.functions[index]);
    functions
        .filter_map(|function| Some((function.name.clone(), beside_spills(function, log(&function.name))?)))
        .collect()
}

/// The log's bytes of spill stores and loads for a kernel or one of its device functions.
pub(super) fn logged(kernel: &Kernel, name: &str) -> Option<(u32, u32)> {
    if kernel.name.mangled == name {
        return kernel.usage.spill_store_bytes.zip(kernel.usage.spill_load_bytes);
    }
    let function = kernel.functions.iter().find(|function| function.name.mangled == name)?;
    function.spill_store_bytes.zip(function.spill_load_bytes)
}

/// Kernels that only the cubin has: it is of other code.
fn other_kernels(cubin: &Cubin, kernels: &[Kernel]) -> Vec<CubinProblem> {
    let known: Set<&str> = kernels.iter().map(|kernel| kernel.name.mangled.as_str()).collect();
    let entries = cubin.functions.iter().filter(|function| function.entry);
    let others = entries.filter(|function| !known.contains(function.name.as_str()));
    others.map(|function| CubinProblem::OtherKernel(names::name(&function.name).demangled)).collect()
}

/// Bounds that are not those of the PTX, where that was read. The cubin has them even where the compiler ignored them.
fn other_bounds(kernel: &Kernel, cubin: &CubinFunction) -> impl Iterator<Item = CubinProblem> {
    let read = kernel.local_depot_bytes.is_some();
    let max = (".maxntid", kernel.bounds.max_threads, cubin.max_threads);
    let required = (".reqntid", kernel.bounds.required_threads, cubin.required_threads);
    let name = kernel.name.demangled.clone();
    [max, required].into_iter().filter(move |(_, ptx, cubin)| read && ptx != cubin).map(
        move |(directive, ptx, cubin)| CubinProblem::Bound { kernel: name.clone(), directive, ptx, cubin },
    )
}

/// Figures that ptxas says as they are, which nvlink does not.
fn other_figures(kernel: &str, log: &Usage, cubin: &CubinFunction) -> impl Iterator<Item = CubinProblem> {
    let barriers = ("barriers", log.barriers, cubin.barriers);
    // with callees, the cubin's frame may be theirs too
    let alone = cubin.calls.is_empty() && !cubin.indirect_calls;
    let frame = ("bytes of stack frame", log.stack_frame_bytes.filter(|_| alone), cubin.frame_bytes);
    [barriers, frame].into_iter().filter_map(move |(what, log, cubin)| {
        let (log, cubin) = log.zip(cubin).filter(|(log, cubin)| log != cubin)?;
        Some(CubinProblem::Figure { kernel: kernel.to_owned(), what, log, cubin })
    })
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
