//! What a device link adds to the units that went into it: final figures, and calls from unit to unit.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::Unlinked;
use crate::evidence::names;
use crate::evidence::ptx::{self, Ptx};
use crate::evidence::ptxas_log::{self, Log, LogFunction};
use crate::kernel::{DeviceFunction, Kernel, Link, Remark, RemarkKind, Severity, UnboundedStack, Usage};
use crate::order;

use super::calls::Calls;
use super::{Evidence, linked_over};

/// One unit of a device link, on the link's architecture.
#[derive(Debug)]
pub struct LinkUnit<'a> {
    /// What its own compilation says.
    pub evidence: &'a mut Evidence,
    /// Its PTX.
    pub ptx: &'a str,
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

/// What a refused link leaves to say beyond the kernels' records.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Refusal {
    /// A kernel's register cap is smaller than its callee needs: a remark of the kernel says it.
    pub caps: bool,
    /// nvlink's other complaints, beyond symbols that nothing defines.
    pub other: Vec<String>,
}

/// Merges the device link of one architecture into the records of its units.
///
/// Linked figures win; what the compiler said before is kept in [`Kernel::link`]. Where the link was refused, nvlink's
/// figures still hold for kernels that need nothing undefined: those of all others are marked as preliminary, and the
/// units' facts say which. Device functions of other units, with their spills, are given to every kernel that can call
/// them.
pub fn merge_link(units: &mut [LinkUnit<'_>], end: LinkEnd<'_>) -> Refusal {
    let program = Program::new(units);
    let link = ReadLink::new(end);
    let reports = reports(units);
    for unit in units.iter_mut().filter(|unit| unit.own) {
        let mut open = Unlinked::default();
        for kernel in &mut unit.evidence.kernels {
            let reached = program.reached(&kernel.name.mangled);
            add_callees(kernel, &program, &reached, &reports);
            link.settle(kernel, &program, &reached, &mut open);
        }
        super::report_unbounded(&mut unit.evidence.kernels);
        order::sort(&mut open.kernels);
        order::sort(&mut open.undefined);
        open.undefined.dedup();
        if !open.kernels.is_empty() {
            unit.evidence.units.iter_mut().for_each(|facts| facts.unlinked = Some(open.clone()));
        }
    }
    link.refusal()
}

/// All units' PTX as one program.
struct Program {
    all: Ptx,
    by_name: BTreeMap<String, usize>,
    calls: Calls,
}

impl Program {
    fn new(units: &[LinkUnit<'_>]) -> Self {
        let (mut all, mut by_name) = (Ptx::default(), BTreeMap::new());
        for function in units.iter().flat_map(|unit| ptx::parse(unit.ptx).functions) {
            // a template's instance may stand in several units; the link keeps one
            by_name.entry(function.name.clone()).or_insert_with(|| {
                all.functions.push(function);
                all.functions.len() - 1
            });
        }
        let calls = Calls::new(&all);
        Self { all, by_name, calls }
    }

    /// What a kernel can call, itself included; empty where its PTX is not known.
    fn reached(&self, name: &str) -> BTreeSet<usize> {
        self.by_name.get(name).map(|&index| self.calls.reached(index)).unwrap_or_default()
    }
}

/// The reports of all units' device functions, with their places where one is known.
fn reports(units: &[LinkUnit<'_>]) -> BTreeMap<String, DeviceFunction> {
    let mut reports: BTreeMap<String, DeviceFunction> = BTreeMap::new();
    for unit in units {
        let loose = unit.evidence.functions.iter().map(|loose| &loose.function);
        let attached = unit.evidence.kernels.iter().flat_map(|kernel| &kernel.functions);
        for function in loose.chain(attached) {
            let known = reports.entry(function.name.mangled.clone()).or_insert_with(|| function.clone());
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
    reached: &BTreeSet<usize>,
    reports: &BTreeMap<String, DeviceFunction>,
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
        }
    }
    let below = || reached.iter().map(|&index| &program.all.functions[index]);
    if below().any(|function| function.dynamic_shared) {
        kernel.dynamic_shared = Some(true);
    }
    if kernel.unbounded_stack.is_none() {
        let in_cycle = reached.iter().filter(|&&index| program.calls.in_cycle(index));
        let cycle: BTreeSet<String> =
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
fn drop_neighbours(kernel: &mut Kernel, program: &Program, reached: &BTreeSet<usize>) {
    if reached.is_empty() || reached.iter().any(|&index| program.all.functions[index].indirect_call) {
        return;
    }
    let is_reached = |index: &usize| reached.contains(index);
    kernel.functions.retain(|function| program.by_name.get(&function.name.mangled).is_none_or(is_reached));
}

/// A device link's log, read.
struct ReadLink<'a> {
    end: LinkEnd<'a>,
    log: Log,
    /// What nothing defines, mangled.
    undefined: BTreeSet<String>,
    /// Other complaints.
    other: Vec<String>,
}

impl<'a> ReadLink<'a> {
    fn new(end: LinkEnd<'a>) -> Self {
        let log = match end {
            LinkEnd::Refused(text) | LinkEnd::Linked(text) => ptxas_log::parse(text),
            LinkEnd::Not(_) | LinkEnd::LinkTime => Log::default(),
        };
        let (mut undefined, mut other) = (BTreeSet::new(), Vec::new());
        let errors = || log.remarks.iter().map(|said| &said.remark).filter(|r| r.severity == Severity::Error);
        for remark in errors() {
            match undefined_symbol(remark) {
                Some(symbol) => drop(undefined.insert(symbol.to_owned())),
                None if is_cap(remark) => {}
                None => other.push(remark.text.clone()),
            }
        }
        if matches!(end, LinkEnd::Refused(_)) && errors().next().is_none() {
            other.push("nvlink failed without saying why".to_owned());
        }
        Self { end, log, undefined, other }
    }

    /// Decides whose figures a kernel has.
    fn settle(&self, kernel: &mut Kernel, program: &Program, reached: &BTreeSet<usize>, open: &mut Unlinked) {
        if self.end == LinkEnd::LinkTime {
            kernel.link = Link::Linked { compiled: Usage::default() };
            return;
        }
        let mangled = kernel.name.mangled.as_str();
        let about = self.log.remarks.iter().filter(|said| said.function.as_deref() == Some(mangled));
        kernel.remarks.extend(about.map(|said| said.remark.clone()));
        if kernel.remarks.iter().any(is_cap) {
            let why = "its register cap is smaller than a function it calls needs".to_owned();
            kernel.link = Link::Preliminary { why };
            return;
        }
        match self.final_report(&kernel.name.mangled, program, reached, open) {
            Ok(report) => {
                let compiled = kernel.usage;
                kernel.usage = linked_over(compiled, report.usage);
                kernel.link = Link::Linked { compiled };
            }
            Err(why) => {
                open.kernels.push(kernel.name.demangled.clone());
                if !open.why.contains(&why) {
                    open.why.push(why.clone());
                }
                kernel.link = Link::Preliminary { why };
            }
        }
    }

    /// nvlink's report of a kernel, where it is final; else why there is none.
    fn final_report(
        &self,
        mangled: &str,
        program: &Program,
        reached: &BTreeSet<usize>,
        open: &mut Unlinked,
    ) -> Result<&LogFunction, String> {
        if let LinkEnd::Not(why) = self.end {
            return Err(why.to_owned());
        }
        if let Some(complaint) = self.other.first() {
            return Err(format!("the device link failed: {complaint}"));
        }
        let below = || reached.iter().map(|&index| &program.all.functions[index]);
        let called = below().flat_map(|function| &function.calls);
        let missing: BTreeSet<&String> = called.filter(|name| self.undefined.contains(*name)).collect();
        let missing: Vec<String> = missing.into_iter().map(|name| names::name(name).demangled).collect();
        if let Some(first) = missing.first() {
            let why = format!("nothing that was linked defines `{first}`");
            open.undefined.extend(missing);
            return Err(why);
        }
        let indirect = reached.is_empty() || below().any(|function| function.indirect_call);
        if let Some(any) = self.undefined.first().filter(|_| indirect) {
            let any = names::name(any).demangled;
            open.undefined.push(any.clone());
            return Err(format!("it calls through a pointer, and nothing that was linked defines `{any}`"));
        }
        let named = |function: &&LogFunction| function.name.as_deref() == Some(mangled);
        let report = self.log.functions.iter().filter(|function| function.linked).find(named);
        let report = report.ok_or("nvlink does not report it")?;
        let whole = report.usage.registers.is_some();
        if whole { Ok(report) } else { Err("nvlink's report of it has no register count".to_owned()) }
    }

    fn refusal(self) -> Refusal {
        let caps = self.log.remarks.iter().any(|said| is_cap(&said.remark));
        Refusal { caps, other: self.other }
    }
}

fn is_cap(remark: &Remark) -> bool {
    matches!(remark.kind, RemarkKind::CalleeNeedsRegisters { .. })
}

/// `Undefined reference to 'F' in 'FILE'`.
fn undefined_symbol(remark: &Remark) -> Option<&str> {
    let rest = remark.text.strip_prefix("Undefined reference to '")?;
    rest.split_once('\'').map(|(symbol, _)| symbol)
}

#[cfg(test)]
mod tests;
