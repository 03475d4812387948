//! What a device link adds to the units that went into it: final figures, and calls from unit to unit.

mod image;
mod log;
mod parts;

use crate::arch::Arch;
use crate::check::Unlinked;
use crate::evidence::ptx::{self, Ptx, PtxFunction};
use crate::evidence::{SourceLookup, names};
use crate::kernel::{DeviceFunction, Kernel, Link, UnboundedStack, Usage};
use crate::order::{self, Map, Set};

use super::calls::Calls;
use super::problem::contradictions;
use super::{CubinProblem, Evidence};

use image::Image;
use log::{ReadLink, Said};
use parts::Parts;

#[cfg(feature = "package")]
pub(crate) use log::clash_words;

/// One unit of a device link, on the link's architecture.
#[derive(Debug)]
pub struct LinkUnit<'a> {
    /// What its own compilation says.
    pub evidence: &'a mut Evidence,
    /// Its PTX.
    pub ptx: &'a str,
    /// Its own cubin, where it was kept: read where there is no linked one.
    pub cubin: Option<&'a [u8]>,
    /// Its kernels get their figures from this link; else it was linked in for others, and its record stays as it is.
    pub own: bool,
}

/// How a device link ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkEnd<'a> {
    /// There was nothing to link, in words: `no unit could be compiled`.
    Not(&'a str),
    /// nvlink refused, with this log.
    Refused(&'a str),
    /// It linked, with this log.
    Linked(&'a str),
    /// Link-time optimisation: the units' own figures come from the link already.
    LinkTime,
}

/// A device link of one architecture.
#[derive(Clone, Copy, Debug)]
pub struct Linkage<'a> {
    /// The architecture.
    pub arch: Arch,
    /// How it ended.
    pub end: LinkEnd<'a>,
    /// The linked cubin, where it linked.
    pub cubin: Option<&'a [u8]>,
    /// Symbols that several units define, mangled, with the names of these units: no program has all of them.
    pub clashes: &'a Map<String, Vec<String>>,
}

/// What a refused link leaves to say beyond the kernels' records.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Refusal {
    /// A kernel's register cap is smaller than its callee needs: a remark of the kernel says it.
    pub caps: bool,
    /// nvlink's other complaints, beyond symbols that nothing defines.
    pub other: Vec<String>,
    /// Where the linked cubin cannot be read, lacks a kernel, or contradicts the log.
    pub problems: Vec<CubinProblem>,
}

/// Merges the device link of one architecture into the records of its units.
///
/// Linked figures win, those of the linked cubin before those of nvlink's log; what the compiler said before is kept in
/// [`Kernel::link`]. Where the link was refused, nvlink's figures still hold for kernels that need nothing undefined: those
/// of all others are marked as preliminary, and the units' facts say which. Device functions of other units, with their
/// spills, are given to every kernel that can call them. `lookup` answers for the files of all units.
pub fn merge_link(units: &mut [LinkUnit<'_>], link: &Linkage<'_>, lookup: SourceLookup<'_>) -> Refusal {
    let program = Program::new(units);
    let reports = reports(units);
    let (image, unreadable) = Image::read(link);
    let parts = Parts::new(units.iter().map(|unit| unit.cubin).collect(), link.arch, &program, lookup);
    let read = ReadLink::new(link);
    let mut merge = Merge { link, read, image, parts, lookup, problems: unreadable.into_iter().collect() };
    for (index, unit) in units.iter_mut().enumerate().filter(|(_, unit)| unit.own) {
        let mut open = Unlinked::default();
        for kernel in &mut unit.evidence.kernels {
            let reached = program.reached(&kernel.name.mangled);
            add_callees(kernel, &program, &reached, &reports);
            let below: Vec<&PtxFunction> =
                reached.iter().map(|&index| &program.all.functions[index]).collect();
            merge.kernel(kernel, index, &below, &mut open);
        }
        super::report_unbounded(&mut unit.evidence.kernels);
        order::sort(&mut open.kernels);
        order::sort(&mut open.undefined);
        open.undefined.dedup();
        if !open.kernels.is_empty() {
            unit.evidence.units.iter_mut().for_each(|facts| facts.unlinked = Some(open.clone()));
        }
    }
    merge.read.refusal(merge.problems)
}

struct Merge<'a> {
    link: &'a Linkage<'a>,
    read: ReadLink<'a>,
    image: Option<Image>,
    parts: Parts<'a>,
    lookup: SourceLookup<'a>,
    problems: Vec<CubinProblem>,
}

impl Merge<'_> {
    /// Gives a kernel of `unit` what the link says of it; `below` is what it can call, itself included.
    fn kernel(&mut self, kernel: &mut Kernel, unit: usize, below: &[&PtxFunction], open: &mut Unlinked) {
        let compiled = kernel.usage;
        let said = self.read.settle(kernel, below, open);
        let found = self.held_against(kernel, said, &compiled, below);
        if let Some(problem) = found.first() {
            kernel.usage = compiled;
            kernel.link = Link::Preliminary { why: problem.to_string() };
        }
        self.problems.extend(found);
        if self.image.is_none() || kernel.link.linked() != Some(true) {
            self.parts.join(kernel, unit, below);
        }
    }

    /// Holds the log against the linked cubin; without one, against the compiler's figures where the link changes none.
    fn held_against(
        &self,
        kernel: &mut Kernel,
        said: Said,
        compiled: &Usage,
        below: &[&PtxFunction],
    ) -> Vec<CubinProblem> {
        let name = || kernel.name.demangled.clone();
        match (said, &self.image) {
            (Said::Open, _) => Vec::new(),
            (Said::For(log), _) => {
                vec![CubinProblem::Reported { kernel: name(), log, asked: self.link.arch }]
            }
            (Said::Final(said), Some(image)) => image.apply(kernel, &said, below, self.lookup),
            (Said::Final(said), None) if calls_nothing(below) => {
                // shared memory that a function of the unit uses too is laid out by the link
                let fixed = Usage { static_shared_bytes: None, ..*compiled };
                let problems = contradictions(&name(), &said, &fixed).collect();
                // nvlink 13.5 prints the barriers of another kernel for one that has none
                kernel.usage.barriers = compiled.barriers.or(kernel.usage.barriers);
                problems
            }
            (Said::Final(_), None) => Vec::new(),
        }
    }
}

/// Whether a kernel is all of its program, so that a link changes nothing.
fn calls_nothing(below: &[&PtxFunction]) -> bool {
    matches!(below, [own] if own.calls.is_empty() && !own.indirect_call)
}

/// All units' PTX as one program.
struct Program {
    all: Ptx,
    by_name: Map<String, usize>,
    /// For each function, the units that define it.
    #[cfg_attr(not(feature = "cubin"), expect(dead_code, reason = "cubins are not read"))]
    units: Vec<Vec<usize>>,
    calls: Calls,
}

impl Program {
    fn new(units: &[LinkUnit<'_>]) -> Self {
        let (mut all, mut by_name, mut defined) = (Ptx::default(), Map::new(), Vec::new());
        for (index, unit) in units.iter().enumerate() {
            for function in ptx::parse(unit.ptx).functions {
                // a template's instance may stand in several units; the link keeps one
                let known = *by_name.get_or_insert(function.name.clone(), all.functions.len());
                if known == all.functions.len() {
                    all.functions.push(function);
                    defined.push(Vec::new());
                }
                defined[known].push(index);
            }
        }
        let calls = Calls::new(&all);
        Self { all, by_name, units: defined, calls }
    }

    /// The units that define a function; none where it is not in the program.
    #[cfg(feature = "cubin")]
    fn units_of(&self, name: &str) -> &[usize] {
        self.by_name.get(name).map_or(&[], |&index| &self.units[index])
    }

    /// What a kernel can call, itself included; empty where its PTX is not known.
    fn reached(&self, name: &str) -> Set<usize> {
        self.by_name.get(name).map(|&index| self.calls.reached(index)).unwrap_or_default()
    }
}

/// The reports of all units' device functions, with their places where one is known.
fn reports(units: &[LinkUnit<'_>]) -> Map<String, DeviceFunction> {
    let mut reports: Map<String, DeviceFunction> = Map::new();
    for unit in units {
        let loose = unit.evidence.functions.iter().map(|loose| &loose.function);
        let attached = unit.evidence.kernels.iter().flat_map(|kernel| &kernel.functions);
        for function in loose.chain(attached) {
            let known = reports.get_or_insert_with(function.name.mangled.clone(), || function.clone());
            if known.place.is_none() {
                known.place.clone_from(&function.place);
            }
        }
    }
    reports
}

/// Gives a kernel the device functions of other units that it can call, and what follows from them.
fn add_callees(
    kernel: &mut Kernel,
    program: &Program,
    reached: &Set<usize>,
    reports: &Map<String, DeviceFunction>,
) {
    drop_neighbours(kernel, program, reached);
    for function in &mut kernel.functions {
        if function.place.is_none() {
            function.place = reports.get(&function.name.mangled).and_then(|known| known.place.clone());
        }
    }
    for report in reached.iter().filter_map(|&index| reports.get(&program.all.functions[index].name)) {
        let known = kernel.functions.binary_search_by(|f| f.name.mangled.cmp(&report.name.mangled));
        if let Err(at) = known {
            kernel.functions.insert(at, report.clone());
            // what another unit's frame holds was not looked at
            if kernel.local_memory.as_ref().is_some_and(Vec::is_empty) && report.stack_frame_bytes != Some(0)
            {
                kernel.local_memory = None;
            }
        }
    }
    let below = || reached.iter().map(|&index| &program.all.functions[index]);
    if below().any(|function| function.dynamic_shared) {
        kernel.dynamic_shared = Some(true);
    }
    if kernel.unbounded_stack.is_none() {
        let in_cycle = reached.iter().filter(|&&index| program.calls.in_cycle(index));
        let cycle: Set<String> =
            in_cycle.map(|&index| names::name(&program.all.functions[index].name).demangled).collect();
        kernel.unbounded_stack = if !cycle.is_empty() {
            Some(UnboundedStack::Recursion(cycle.into_iter().collect()))
        } else {
            super::open_stack(below())
        };
    }
}

/// Relocatable functions are reported one by one: that one stands after a kernel in the log does not say that the kernel
/// calls it. What the PTX knows and the kernel cannot reach is not its own.
fn drop_neighbours(kernel: &mut Kernel, program: &Program, reached: &Set<usize>) {
    if reached.is_empty() || reached.iter().any(|&index| program.all.functions[index].indirect_call) {
        return;
    }
    let is_reached = |index: &usize| reached.contains(index);
    kernel.functions.retain(|function| program.by_name.get(&function.name.mangled).is_none_or(is_reached));
}

#[cfg(test)]
mod tests;
