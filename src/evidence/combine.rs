//! One kernel in several units: the worst figures, the units listed.

use std::path::Path;

use crate::arch::Arch;
use crate::compile::SourceKind;
use crate::kernel::{DeviceFunction, Kernel, LocalMemory, Spills, Usage};
use crate::order::{self, Map, Set};

/// Joins records of the same kernel (key and architecture) from several units, and makes keys unique where two
/// different kernels would collide. Sorted by file, line, key, architecture.
///
/// Kernels of one key are different if they stand in different files; their keys then get ` [file]`. A kernel without a
/// place is the same as any other of its key, except that of a `.ptx` source: that is a program of its own, and so is a
/// binary wherever its kernels stand. A fragment without a name is the same only within its log.
pub fn combine(kernels: Vec<Kernel>) -> Vec<Kernel> {
    let mut by_key: Map<(String, Option<Arch>), Vec<Kernel>> = Map::new();
    for kernel in kernels {
        by_key.get_or_default((kernel.name.key.clone(), kernel.arch)).push(kernel);
    }
    let mut out: Vec<Kernel> = by_key.into_values().flat_map(apart).collect();
    order::sort_by(&mut out, |a, b| order(a).cmp(&order(b)));
    out
}

fn order(kernel: &Kernel) -> (&str, u32, &str, Option<Arch>) {
    let place = kernel.place.as_ref();
    let unit = kernel.units.first().map_or("", String::as_str);
    (
        place.map_or(unit, |place| &place.file),
        place.map_or(0, |place| place.line),
        &kernel.name.key,
        kernel.arch,
    )
}

/// Kernels of one key and architecture: one for each file they stand in.
fn apart(kernels: Vec<Kernel>) -> Vec<Kernel> {
    let home = |kernel: &Kernel| match &kernel.place {
        _ if source_kind(kernel).is_some_and(SourceKind::is_binary) => kernel.units.first().cloned(),
        Some(place) => Some(place.file.clone()),
        None if kernel.name.key.starts_with('<') || is_assembly(kernel) => kernel.units.first().cloned(),
        None => None,
    };
    let mut by_home: Map<String, Kernel> = Map::new();
    let (placed, unplaced): (Vec<_>, Vec<_>) = kernels.into_iter().partition(|kernel| home(kernel).is_some());
    for kernel in placed {
        let file = home(&kernel).unwrap_or_default();
        join(&mut by_home, file, kernel);
    }
    for kernel in unplaced {
        let file = by_home.keys().next().cloned().unwrap_or_default();
        join(&mut by_home, file, kernel);
    }
    let collide = by_home.len() > 1;
    let named = |(file, mut kernel): (String, Kernel)| {
        if collide {
            kernel.name.key = format!("{} [{file}]", kernel.name.key);
        }
        kernel
    };
    by_home.into_iter().map(named).collect()
}

/// Compiled from a `.ptx` source that does not say where it comes from.
fn is_assembly(kernel: &Kernel) -> bool {
    source_kind(kernel) == Some(SourceKind::Ptx)
}

fn source_kind(kernel: &Kernel) -> Option<SourceKind> {
    kernel.units.first().map(|unit| SourceKind::of(Path::new(unit)))
}

fn join(by_home: &mut Map<String, Kernel>, file: String, kernel: Kernel) {
    match by_home.get_mut(&file) {
        Some(known) => absorb(known, kernel),
        None => {
            by_home.insert(file, kernel);
        }
    }
}

/// Takes the worst of both into `known`.
fn absorb(known: &mut Kernel, other: Kernel) {
    let units: Set<String> = known.units.drain(..).chain(other.units).collect();
    known.units = units.into_iter().collect();
    known.usage = worst(known.usage, other.usage);
    if known.place.is_none() {
        known.place = other.place;
        known.bounds = other.bounds;
    }
    known.declared_shared_bytes = known.declared_shared_bytes.max(other.declared_shared_bytes);
    known.dynamic_shared = known.dynamic_shared.max(other.dynamic_shared);
    known.local_depot_bytes = known.local_depot_bytes.max(other.local_depot_bytes);
    if local_bytes(&known.local_memory) < local_bytes(&other.local_memory) {
        known.local_memory = other.local_memory;
    }
    known.spills = most_spills(known.spills.take(), other.spills);
    known.unbounded_stack = known.unbounded_stack.take().or(other.unbounded_stack);
    known.debug |= other.debug;
    known.compiler = known.compiler.take().or(other.compiler);
    // Of different code there is no one digest; of different settings one of them all.
    known.code = known.code.filter(|code| other.code == Some(*code));
    known.settings = match (known.settings.take(), other.settings) {
        (Some(a), Some(b)) if a != b => {
            let (first, second) = if a < b { (a, b) } else { (b, a) };
            Some(format!("{first} and {second}").into())
        }
        (a, b) => a.or(b),
    };
    known.link = std::mem::take(&mut known.link).worse(other.link);
    for remark in other.remarks {
        if !known.remarks.contains(&remark) {
            known.remarks.push(remark);
        }
    }
    for function in other.functions {
        absorb_function(&mut known.functions, function);
    }
}

/// How much local memory is no spill; `None` where that is unknown.
fn local_bytes(memory: &Option<Vec<LocalMemory>>) -> Option<u64> {
    memory.as_ref().map(|all| all.iter().map(|one| u64::from(one.bytes.unwrap_or(0))).sum())
}

/// Those with more instructions; known ones before unknown ones.
fn most_spills(a: Option<Spills>, b: Option<Spills>) -> Option<Spills> {
    match (a, b) {
        (Some(a), Some(b)) => {
            let (mut most, other) = if b.instructions > a.instructions { (b, a) } else { (a, b) };
            most.unread.add(other.unread);
            Some(most)
        }
        (a, b) => a.or(b),
    }
}

fn absorb_function(known: &mut Vec<DeviceFunction>, other: DeviceFunction) {
    match known.binary_search_by(|function| function.name.mangled.cmp(&other.name.mangled)) {
        Ok(at) => {
            let function = &mut known[at];
            function.stack_frame_bytes = function.stack_frame_bytes.max(other.stack_frame_bytes);
            function.spill_store_bytes = function.spill_store_bytes.max(other.spill_store_bytes);
            function.spill_load_bytes = function.spill_load_bytes.max(other.spill_load_bytes);
            function.place = function.place.take().or(other.place);
        }
        Err(at) => known.insert(at, other),
    }
}

/// The larger of each figure; one that is known beats one that is not.
fn worst(a: Usage, b: Usage) -> Usage {
    Usage {
        registers: a.registers.max(b.registers),
        barriers: a.barriers.max(b.barriers),
        static_shared_bytes: a.static_shared_bytes.max(b.static_shared_bytes),
        stack_frame_bytes: a.stack_frame_bytes.max(b.stack_frame_bytes),
        cumulative_stack_bytes: a.cumulative_stack_bytes.max(b.cumulative_stack_bytes),
        local_bytes: a.local_bytes.max(b.local_bytes),
        spill_store_bytes: a.spill_store_bytes.max(b.spill_store_bytes),
        spill_load_bytes: a.spill_load_bytes.max(b.spill_load_bytes),
    }
}

#[cfg(test)]
#[cfg(feature = "package")]
mod tests;
