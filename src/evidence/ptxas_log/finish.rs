//! What only the whole log can tell: to which report a remark belongs, and the architectures of nvlink's figures.

use crate::arch::Arch;
use crate::kernel::Usage;
use crate::order::{Map, Set};

use super::reader::Reader;
use super::{Log, LogFunction, LogRemark};

/// What nvlink adds to static shared memory on compute capability 9.x alone (measured with 13.0 and 13.5, sm_75 to
/// sm_120), bytes. The cubin has it from 9.0 on.
const LINKED_RESERVE_BYTES: u32 = 1024;

/// Places remarks, corrects nvlink's figures and adds the functions that only a warning names.
pub(super) fn finish(reader: Reader) -> Log {
    let Reader { mut functions, mut remarks, .. } = reader;
    correct_linked(&mut functions);
    place_remarks(&functions, &mut remarks);
    add_warned(&mut functions, &remarks);
    Log { functions, remarks: remarks.into_iter().map(|(remark, _)| remark).collect() }
}

/// nvlink names no target where it links for one; its shared memory then is that of the log's own architecture. It
/// prints `used 1 barriers` for kernels without any, so a 1 says nothing.
fn correct_linked(functions: &mut [LogFunction]) {
    if !functions.iter().any(|function| function.linked) {
        return;
    }
    let mut archs = functions.iter().filter_map(|function| function.arch);
    let first = archs.next();
    let only = first.filter(|first| archs.all(|arch| arch == *first));
    for function in functions.iter_mut().filter(|function| function.linked) {
        function.arch = function.arch.or(only);
        let usage = &mut function.usage;
        usage.static_shared_bytes =
            usage.static_shared_bytes.and_then(|bytes| without_reserve(bytes, function.arch));
        usage.barriers = usage.barriers.filter(|&barriers| barriers != 1);
        usage.stack_frame_bytes = usage.cumulative_stack_bytes.filter(|&bytes| bytes == 0);
    }
}

fn without_reserve(bytes: u32, arch: Option<Arch>) -> Option<u32> {
    match arch {
        _ if bytes == 0 => Some(0),
        Some(arch) if arch.cc_tenths() / 10 != 9 => Some(bytes),
        Some(_) => Some(bytes.checked_sub(LINKED_RESERVE_BYTES).unwrap_or(bytes)),
        None => None,
    }
}

/// ptxas prints remarks before the report: each belongs to the next report of the function it names, else to the next
/// of any function, else to the last one before it.
fn place_remarks(functions: &[LogFunction], remarks: &mut [(LogRemark, Usage)]) {
    let mut by_name: Map<&str, Vec<usize>> = Map::new();
    for (index, function) in functions.iter().enumerate() {
        if let Some(name) = &function.name {
            by_name.get_or_default(name).push(index);
        }
    }
    for (remark, _) in remarks {
        let line = remark.line;
        let own =
            remark.function.as_deref().and_then(|name| by_name.get(name)).map_or(&[][..], Vec::as_slice);
        let own_next = own.partition_point(|&index| functions[index].line <= line);
        let next = functions.partition_point(|function| function.line <= line);
        let block = own
            .get(own_next)
            .copied()
            .or_else(|| own_next.checked_sub(1).map(|before| own[before]))
            .or((next < functions.len()).then_some(next))
            .or_else(|| next.checked_sub(1));
        if let Some(function) = block.map(|index| &functions[index]) {
            remark.arch = function.arch;
            remark.run = function.run;
        }
    }
}

/// A function that a warning names but no report covers: taken for a kernel, with what the warning says.
fn add_warned(functions: &mut Vec<LogFunction>, remarks: &[(LogRemark, Usage)]) {
    let known: Set<&str> = functions.iter().filter_map(|f| f.name.as_deref()).collect();
    let mut warned: Vec<LogFunction> = Vec::new();
    let mut index: Map<(&str, Option<Arch>), usize> = Map::new();
    for (remark, usage) in remarks {
        let Some(name) = remark.function.as_deref().filter(|name| !known.contains(name)) else { continue };
        let at = *index.get_or_insert_with((name, remark.arch), || {
            warned.push(LogFunction {
                name: Some(name.to_owned()),
                arch: remark.arch,
                entry: true,
                run: remark.run,
                from_warning: true,
                line: remark.line,
                ..LogFunction::default()
            });
            warned.len() - 1
        });
        let known = &mut warned[at].usage;
        known.stack_frame_bytes = known.stack_frame_bytes.max(usage.stack_frame_bytes);
        known.spill_store_bytes = known.spill_store_bytes.max(usage.spill_store_bytes);
        known.spill_load_bytes = known.spill_load_bytes.max(usage.spill_load_bytes);
    }
    functions.extend(warned);
}
