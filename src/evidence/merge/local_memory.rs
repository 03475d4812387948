//! Local memory that is no spill: which objects of the PTX's depots a frame holds, and why they are there.
//!
//! ptxas keeps a function's depot as a whole or resolves it into registers. It charges the depots of device functions that
//! have no frame of their own to the kernel: one on top of the other along a chain of calls, side by side overlaid.
//! Measured with ptxas 13.0 and 13.5 from sm_75 to sm_120. So a frame without spills tells which depots are in it, and one
//! that is larger than all spills together tells that there are some. A frame that spills may fill alone says nothing: then
//! the cubin's accesses that are no spills tell whether there is a depot.

use crate::evidence::names;
use crate::evidence::ptx::{LocalObject, Ptx, PtxFunction};
use crate::kernel::{Kernel, LocalKind, LocalMemory};
use crate::order::{self, Map, Set};

use super::calls::Calls;
use super::local_names::LocalNames;

/// Depots that are tried one by one; with more, a frame that does not hold them all is not understood.
const MOST_DEPOTS: usize = 10;

/// No more functions are followed for the size of one frame: what they would add does not fit in it then.
const DEEPEST: usize = 5_000;

/// Frames are multiples of this, bytes.
const FRAME_UNIT: u32 = 8;

/// Spill slots are followed by at most so much padding, bytes.
const SPILL_UNIT: u32 = 16;

/// A frame, its function, and what spills write to it.
#[derive(Clone, Copy)]
struct Frame {
    function: usize,
    bytes: u32,
    spill_store_bytes: u32,
}

/// Whether functions of a kernel access local memory that is no spill, by mangled name; those of which it is not known are
/// left out.
pub(super) type Beside = Map<String, bool>;

/// What the frames of a kernel, and of the device functions that have their own, hold beside spills; `None` where the
/// figures are unknown. Where spills alone may fill a frame, the cubin's other accesses (`beside`) tell whether a depot is in it;
/// where nothing does, what may be in it is of unknown kind and size.
pub(super) fn local_memory(
    kernel: &Kernel,
    ptx: &Ptx,
    calls: &Calls,
    by_name: &Map<&str, usize>,
    beside: &Beside,
    names: &mut LocalNames<'_, '_>,
) -> Option<Vec<LocalMemory>> {
    let own = *by_name.get(kernel.name.mangled.as_str())?;
    let usage = &kernel.usage;
    let kernel_frame = Frame {
        function: own,
        bytes: usage.stack_frame_bytes.or(usage.local_bytes)?,
        spill_store_bytes: usage.spill_store_bytes?,
    };
    let mut frames = vec![kernel_frame];
    for function in &kernel.functions {
        let bytes = function.stack_frame_bytes.filter(|&bytes| bytes > 0);
        let (Some(bytes), Some(&index)) = (bytes, by_name.get(function.name.mangled.as_str())) else {
            continue;
        };
        let spill_store_bytes = function.spill_store_bytes?;
        frames.push(Frame { function: index, bytes, spill_store_bytes });
    }
    let owners: Set<usize> = frames.iter().map(|frame| frame.function).collect();
    let reached = calls.reached(own);
    let mut found = Vec::new();
    for frame in frames.iter().filter(|frame| frame.bytes > 0) {
        let layout = Layout { ptx, calls, owners: &owners, beside };
        let held = layout.held(frame);
        let slow_path_calls = || {
            let below = reached.iter().flat_map(|&index| &ptx.functions[index].locals.slow_path_calls);
            below.copied().collect()
        };
        for &function in &held.depots {
            let function = &ptx.functions[function];
            let objects = function.locals.objects.iter();
            let known = objects.map(|object| names.named(function, object, slow_path_calls));
            found.extend(known.map(|known| match held.maybe {
                true => LocalMemory { kind: LocalKind::Unknown, bytes: None, ..known },
                false => known,
            }));
        }
        found.extend(held.rest);
    }
    Some(summed(found))
}

/// Sorted; what differs in nothing but its size is one.
fn summed(mut found: Vec<LocalMemory>) -> Vec<LocalMemory> {
    let key = |memory: &LocalMemory| {
        let at = memory.at.as_ref().map(|at| (at.file.clone(), at.line));
        (memory.kind, memory.name.is_none(), memory.name.clone(), at)
    };
    order::sort_by_key(&mut found, |memory| (key(memory), memory.bytes));
    let mut out: Vec<LocalMemory> = Vec::new();
    for memory in found {
        match out.last_mut().filter(|last| last.name.is_some() && key(last) == key(&memory)) {
            Some(last) => last.bytes = last.bytes.zip(memory.bytes).map(|(a, b)| a.saturating_add(b)),
            None => out.push(memory),
        }
    }
    out
}

/// What a frame holds beside spills.
#[derive(Default)]
struct Held {
    /// The functions whose depots are in it.
    depots: Set<usize>,
    /// Nothing says whether the depots are in it, or which of them.
    maybe: bool,
    /// What is no depot's.
    rest: Option<LocalMemory>,
}

/// How depots can lie in a frame.
struct Layout<'a> {
    ptx: &'a Ptx,
    calls: &'a Calls,
    /// Functions with frames of their own.
    owners: &'a Set<usize>,
    beside: &'a Beside,
}

impl Layout<'_> {
    fn held(&self, frame: &Frame) -> Held {
        let depots = self.depots(frame.function);
        let spilled = frame.spill_store_bytes.next_multiple_of(SPILL_UNIT);
        if frame.spill_store_bytes > 0 && frame.bytes <= spilled {
            let beside = self.beside_spills(frame.function);
            if depots.is_empty() || beside == Some(false) {
                return Held::default();
            }
            let only = depots.len() == 1 && !self.calls_something(frame.function);
            return Held { maybe: !(only && beside == Some(true)), depots, rest: None };
        }
        // beside spills, a call's frame has no size of its own that could be known
        let open_end = frame.spill_store_bytes > 0 && self.calls_something(frame.function);
        let fits = |chosen: &Set<usize>| {
            let size = self.size(frame.function, chosen, &mut Map::new());
            let most = size.next_multiple_of(SPILL_UNIT).saturating_add(spilled);
            let in_it = size.next_multiple_of(FRAME_UNIT) <= frame.bytes;
            !chosen.is_empty() && in_it && (frame.bytes <= most || open_end)
        };
        if fits(&depots) && (spilled == 0 || depots.len() == 1) {
            return Held { depots, ..Held::default() };
        }
        if let Some(depots) = only_subset(&depots, fits) {
            return Held { depots, ..Held::default() };
        }
        let known = frame.bytes.checked_sub(spilled).filter(|_| spilled == 0);
        Held { rest: Some(self.rest(frame, known, depots.is_empty())), ..Held::default() }
    }

    /// Whether the code that the frame of `root` belongs to accesses local memory that is no spill.
    fn beside_spills(&self, root: usize) -> Option<bool> {
        let mut all_known = true;
        for index in self.sharing(root) {
            match self.beside.get(&self.function(index).name) {
                Some(true) => return Some(true),
                known => all_known &= known.is_some(),
            }
        }
        all_known.then_some(false)
    }

    /// A frame that depots do not explain: without any it is that of the calls, if there are some.
    fn rest(&self, frame: &Frame, bytes: Option<u32>, no_depots: bool) -> LocalMemory {
        let function = &self.ptx.functions[frame.function];
        let kind = if no_depots && self.calls_something(frame.function) {
            LocalKind::CallFrame
        } else {
            LocalKind::Unknown
        };
        let callee = match function.calls.as_slice() {
            [only] if !function.indirect_call => Some(names::name(only).demangled),
            _ => None,
        };
        let name = callee.filter(|_| kind == LocalKind::CallFrame);
        LocalMemory { kind, bytes, name, at: None }
    }

    /// The functions whose depots can be in the frame of `root`: its own, and those of functions it calls that have no
    /// frame.
    fn depots(&self, root: usize) -> Set<usize> {
        let mut sharing = self.sharing(root);
        sharing.retain(|&index| self.function(index).local_depot_bytes > 0);
        sharing
    }

    /// The functions that can be in the frame of `root`: itself, and those it calls that have no frame.
    fn sharing(&self, root: usize) -> Set<usize> {
        let (mut open, mut seen) = (vec![root], Set::new());
        while let Some(index) = open.pop() {
            if (index == root || !self.owners.contains(&index)) && seen.insert(index) {
                open.extend(self.calls.direct(index));
            }
        }
        seen
    }

    /// The size of a frame with the depots of `chosen` functions. `known`: the sizes of those that were looked at; 0 on the
    /// way there, which ends recursion.
    fn size(&self, index: usize, chosen: &Set<usize>, known: &mut Map<usize, u32>) -> u32 {
        if let Some(&size) = known.get(&index) {
            return size;
        }
        if known.len() >= DEEPEST {
            return 0;
        }
        known.insert(index, 0);
        let below = self.calls.direct(index).iter().filter(|callee| !self.owners.contains(callee));
        let below: Vec<usize> = below.copied().collect();
        let below = below.into_iter().map(|callee| self.size(callee, chosen, known)).max().unwrap_or(0);
        let own = if chosen.contains(&index) { self.function(index).local_depot_bytes } else { 0 };
        let size = if below == 0 { own } else { own.next_multiple_of(FRAME_UNIT).saturating_add(below) };
        known.insert(index, size);
        size
    }

    fn calls_something(&self, index: usize) -> bool {
        self.function(index).indirect_call || !self.function(index).calls.is_empty()
    }

    fn function(&self, index: usize) -> &PtxFunction {
        &self.ptx.functions[index]
    }
}

/// The one subset that fits, if it is one.
fn only_subset(all: &Set<usize>, fits: impl Fn(&Set<usize>) -> bool) -> Option<Set<usize>> {
    if all.len() > MOST_DEPOTS {
        return None;
    }
    let subset = |bits: u32| -> Set<usize> {
        all.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, &index)| index).collect()
    };
    let mut fitting = (1..1_u32 << all.len()).map(subset).filter(|subset| fits(subset));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// Why an object is in local memory.
pub(super) fn kind(function: &PtxFunction, object: &LocalObject) -> LocalKind {
    let reduction = function.name.starts_with("__internal_trig_reduction") || object.range_reduction;
    match object {
        _ if reduction => LocalKind::SlowPath,
        object if object.address_kept || !object.passed_to.is_empty() => LocalKind::AddressTaken,
        object if object.printf => LocalKind::Printf,
        object if object.dynamic => LocalKind::Array,
        _ => LocalKind::Unknown,
    }
}

#[cfg(test)]
mod tests;
