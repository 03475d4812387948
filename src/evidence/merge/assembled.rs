//! What a cubin adds, and where it contradicts the log.

use std::collections::{BTreeMap, BTreeSet};

use crate::arch::Arch;
use crate::evidence::SourceLookup;
use crate::evidence::cubin::{self, Cubin, CubinFunction, beside_spills, spills_of};
use crate::evidence::merge::CubinProblem;
use crate::evidence::merge::local_memory::Beside;
use crate::evidence::names;
use crate::kernel::{Kernel, Usage};

/// Puts the cubin's figures before the log's and finds the spills of each kernel, and whether there is other local memory
/// (`beside`, by kernel). Figures of `linked` kernels stay: they are not of this cubin.
pub(super) fn apply(
    bytes: &[u8],
    arch: Arch,
    kernels: &mut [Kernel],
    linked: &BTreeSet<&str>,
    lookup: SourceLookup<'_>,
    beside: &mut BTreeMap<String, Beside>,
) -> Vec<CubinProblem> {
    let cubin = match cubin::read(bytes) {
        Ok(cubin) => cubin,
        Err(error) => return vec![CubinProblem::Unreadable(error.to_string())],
    };
    if cubin.arch.cc_tenths() != arch.cc_tenths() {
        return vec![CubinProblem::Architecture { cubin: cubin.arch, asked: arch }];
    }
    let mut problems = other_kernels(&cubin, kernels);
    for kernel in kernels {
        let name = kernel.name.mangled.as_str();
        let Some(index) = cubin.find(name) else {
            problems.push(CubinProblem::NoKernel(kernel.name.demangled.clone()));
            continue;
        };
        let log = |function: &str| logged(kernel, function);
        let spills = spills_of(&cubin, name, &log, lookup);
        beside.insert(name.to_owned(), beside_of(&cubin, index, &log));
        if !linked.contains(name) {
            let function = &cubin.functions[index];
            problems.extend(contradictions(&kernel.name.demangled, &kernel.usage, function));
            problems.extend(other_bounds(kernel, function));
            kernel.usage = cubin_over(kernel.usage, function);
        }
        kernel.spills = spills;
    }
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
fn logged(kernel: &Kernel, name: &str) -> Option<(u32, u32)> {
    if kernel.name.mangled == name {
        return kernel.usage.spill_store_bytes.zip(kernel.usage.spill_load_bytes);
    }
    let function = kernel.functions.iter().find(|function| function.name.mangled == name)?;
    function.spill_store_bytes.zip(function.spill_load_bytes)
}

/// Kernels that only the cubin has: it is of other code.
fn other_kernels(cubin: &Cubin, kernels: &[Kernel]) -> Vec<CubinProblem> {
    let known: BTreeSet<&str> = kernels.iter().map(|kernel| kernel.name.mangled.as_str()).collect();
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

fn contradictions(kernel: &str, log: &Usage, cubin: &CubinFunction) -> impl Iterator<Item = CubinProblem> {
    let registers = ("registers", log.registers, cubin.registers);
    let barriers = ("barriers", log.barriers, cubin.barriers);
    let shared = ("bytes of shared memory", log.static_shared_bytes, cubin.static_shared_bytes);
    // with callees, the cubin's frame may be theirs too
    let alone = cubin.calls.is_empty() && !cubin.indirect_calls;
    let frame = ("bytes of stack frame", log.stack_frame_bytes.filter(|_| alone), cubin.frame_bytes);
    [registers, barriers, shared, frame].into_iter().filter_map(move |(what, log, cubin)| {
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
