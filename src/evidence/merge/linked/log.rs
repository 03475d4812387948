//! A device link's log: what it says of a kernel, and whether that is final.

use crate::arch::Arch;
use crate::check::Unlinked;
use crate::evidence::merge::CubinProblem;
use crate::evidence::names;
use crate::evidence::ptx::PtxFunction;
use crate::evidence::ptxas_log::{self, Log, LogFunction};
use crate::kernel::{Kernel, Link, Remark, RemarkKind, Severity, Usage};
use crate::order::{Map, Set};

use super::{LinkEnd, Linkage, Refusal};
use crate::evidence::merge::linked_over;

/// A device link's log, read.
pub(super) struct ReadLink<'a> {
    link: &'a Linkage<'a>,
    log: Log,
    /// What nothing defines, mangled.
    undefined: Set<String>,
    /// Other complaints.
    other: Vec<String>,
}

/// What nvlink says of a kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Said {
    /// These figures, those it has; nothing is known where the units' own come from the link.
    Final(Usage),
    /// Figures for another architecture.
    For(Arch),
    /// Nothing that is final.
    Open,
}

impl<'a> ReadLink<'a> {
    pub(super) fn new(link: &'a Linkage<'a>) -> Self {
        let log = match link.end {
            LinkEnd::Refused(text) | LinkEnd::Linked(text) => ptxas_log::parse(text),
            LinkEnd::Not(_) | LinkEnd::LinkTime => Log::default(),
        };
        let (mut undefined, mut other) = (Set::new(), Vec::new());
        let errors = || log.remarks.iter().map(|said| &said.remark).filter(|r| r.severity == Severity::Error);
        for remark in errors() {
            match undefined_symbol(remark) {
                Some(symbol) => drop(undefined.insert(symbol.to_owned())),
                None if is_cap(remark) => {}
                None => other.push(remark.text.clone()),
            }
        }
        if matches!(link.end, LinkEnd::Refused(_)) && errors().next().is_none() {
            other.push("nvlink failed without saying why".to_owned());
        }
        Self { link, log, undefined, other }
    }

    /// Decides whose figures a kernel has; `below` is what it can call, itself included.
    pub(super) fn settle(&self, kernel: &mut Kernel, below: &[&PtxFunction], open: &mut Unlinked) -> Said {
        if self.link.end == LinkEnd::LinkTime {
            kernel.link = Link::Linked { compiled: Usage::default() };
            return Said::Final(kernel.usage);
        }
        let mangled = kernel.name.mangled.as_str();
        let about = self.log.remarks.iter().filter(|said| said.function.as_deref() == Some(mangled));
        kernel.remarks.extend(about.map(|said| said.remark.clone()));
        if kernel.remarks.iter().any(is_cap) {
            let why = "its register cap is smaller than a function it calls needs".to_owned();
            kernel.link = Link::Preliminary { why };
            return Said::Open;
        }
        let why = match self.open(below, open) {
            Some(why) => why,
            None => match self.report(&kernel.name.mangled) {
                Report::Of(said) => {
                    let compiled = kernel.usage;
                    kernel.usage = linked_over(compiled, said);
                    kernel.link = Link::Linked { compiled };
                    return Said::Final(said);
                }
                Report::For(arch) => return Said::For(arch),
                Report::Not(why) => why.to_owned(),
            },
        };
        open.add(&kernel.name.demangled, &why);
        kernel.link = Link::Preliminary { why };
        Said::Open
    }

    /// Why nothing that nvlink says of a kernel is final.
    fn open(&self, below: &[&PtxFunction], open: &mut Unlinked) -> Option<String> {
        if let LinkEnd::Not(why) = self.link.end {
            return Some(why.to_owned());
        }
        if let Some(complaint) = self.other.first() {
            return Some(format!("the device link failed: {complaint}"));
        }
        let called = below.iter().flat_map(|function| &function.calls);
        let missing: Set<&String> = called.filter(|name| self.undefined.contains(*name)).collect();
        if let Some(&first) = missing.first() {
            open.undefined.extend(missing.iter().map(|name| names::name(name).demangled));
            open.clashes |= missing.iter().any(|name| self.link.clashes.contains_key(*name));
            return Some(self.undefined_words(first));
        }
        let indirect = below.is_empty() || below.iter().any(|function| function.indirect_call);
        let any = self.undefined.first().filter(|_| indirect)?;
        open.undefined.push(names::name(any).demangled);
        Some(format!("it calls through a pointer, and {}", self.undefined_words(any)))
    }

    fn undefined_words(&self, symbol: &str) -> String {
        match clash_words(self.link.clashes, symbol) {
            Some(words) => words,
            None => format!("nothing that was linked defines `{}`", names::name(symbol).demangled),
        }
    }

    /// nvlink's report of a kernel. The linked cubin has the figures too, where there is one.
    fn report(&self, mangled: &str) -> Report {
        let named = |function: &&LogFunction| function.linked && function.name.as_deref() == Some(mangled);
        let reports = || self.log.functions.iter().filter(named);
        let is_other = |arch: Arch| arch.cc_tenths() != self.link.arch.cc_tenths();
        let ours = reports().find(|function| !function.arch.is_some_and(is_other));
        let known = self.link.cubin.is_some();
        match (ours, reports().find_map(|function| function.arch)) {
            (Some(function), _) if known || function.usage.registers.is_some() => Report::Of(function.usage),
            (Some(_), _) => Report::Not("nvlink's report of it has no register count"),
            (None, Some(arch)) => Report::For(arch),
            (None, None) if known => Report::Of(Usage::default()),
            (None, None) => Report::Not("nvlink does not report it"),
        }
    }

    pub(super) fn refusal(self, problems: Vec<CubinProblem>) -> Refusal {
        let caps = self.log.remarks.iter().any(|said| is_cap(&said.remark));
        Refusal { caps, other: self.other, problems }
    }
}

enum Report {
    Of(Usage),
    For(Arch),
    Not(&'static str),
}

/// `` `f` is defined in `b.cu` and in `c.cu`, and no program can have both ``: for a symbol that several units define.
pub(crate) fn clash_words(clashes: &Map<String, Vec<String>>, symbol: &str) -> Option<String> {
    let units: Vec<String> = clashes.get(symbol)?.iter().map(|unit| format!("in `{unit}`")).collect();
    let (last, rest) = units.split_last()?;
    let (all, of_them) = match rest.len() {
        0 => (format!("{last} and in what is linked in"), "both"),
        1 => (format!("{} and {last}", rest[0]), "both"),
        _ => (format!("{} and {last}", rest.join(", ")), "more than one of them"),
    };
    Some(format!("`{}` is defined {all}, and no program can have {of_them}", names::name(symbol).demangled))
}

fn is_cap(remark: &Remark) -> bool {
    matches!(remark.kind, RemarkKind::CalleeNeedsRegisters { .. })
}

/// `Undefined reference to 'F' in 'FILE'`.
fn undefined_symbol(remark: &Remark) -> Option<&str> {
    let rest = remark.text.strip_prefix("Undefined reference to '")?;
    rest.split_once('\'').map(|(symbol, _)| symbol)
}
