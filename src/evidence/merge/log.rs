//! A log alone.

use crate::arch::Arch;
use crate::check::UnitFacts;
use crate::evidence::ptxas_log::{self, Log, LogFunction, LogRemark};
use crate::kernel::{Kernel, Link, Remark};
use crate::order::{self, Map, Set};

use super::{Evidence, LooseFunction, blank, device_function, linked_over};

/// Reads an existing build log: kernels without bounds and places. `name` is the log's, it stands for the unit.
///
/// A kernel that is reported for several architectures, or several times for one, is several records. Device functions
/// belong to the kernel whose report they follow.
pub fn from_log(name: &str, text: &str) -> Evidence {
    let log = ptxas_log::parse(text);
    let mut table = Table::default();
    let mut functions = Vec::new();
    for (index, function) in log.functions.iter().enumerate() {
        if function.entry {
            table.kernel(name, index, function);
        } else if let Some(&kernel) = function.after.and_then(|after| table.of_function.get(&after)) {
            table.kernels[kernel].functions.push(device_function(function));
            table.note_user(function, kernel);
        } else {
            let arch = function.arch;
            functions.push(LooseFunction {
                unit: name.to_owned(),
                arch,
                function: device_function(function),
            });
        }
    }
    let units = table.remarks(name, &log);
    let mut kernels = table.kernels;
    for kernel in &mut kernels {
        order::sort_by(&mut kernel.functions, |a, b| a.name.mangled.cmp(&b.name.mangled));
    }
    super::report_unbounded(&mut kernels);
    Evidence { kernels, units, functions, problems: Vec::new() }
}

#[derive(Default)]
struct Table<'a> {
    kernels: Vec<Kernel>,
    /// Each kernel's compiler run.
    runs: Vec<u32>,
    /// Kernels by index in the log.
    of_function: Map<usize, usize>,
    /// Kernels by the names of themselves and of their device functions.
    named: Map<&'a str, Vec<usize>>,
}

impl<'a> Table<'a> {
    fn kernel(&mut self, log_name: &str, index: usize, function: &'a LogFunction) {
        let same: Vec<usize> = match (function.linked, function.name.as_deref()) {
            (true, Some(name)) => self.same(name, function.arch),
            _ => Vec::new(),
        };
        for &kernel in &same {
            let Kernel { usage, link, .. } = &mut self.kernels[kernel];
            *link = Link::Linked { compiled: *usage };
            *usage = linked_over(*usage, function.usage);
        }
        if let Some(&first) = same.first() {
            self.of_function.insert(index, first);
            return;
        }
        let unnamed = format!("<unnamed kernel at line {}>", function.line);
        let name = function.name.as_deref().unwrap_or(&unnamed);
        let kernel = Kernel { usage: function.usage, ..blank(name, function.arch, log_name) };
        self.of_function.insert(index, self.kernels.len());
        self.note_user(function, self.kernels.len());
        self.kernels.push(kernel);
        self.runs.push(function.run);
    }

    fn note_user(&mut self, function: &'a LogFunction, kernel: usize) {
        if let Some(name) = function.name.as_deref() {
            self.named.get_or_default(name).push(kernel);
        }
    }

    /// Kernels that have this name, or have a device function of it, on an architecture.
    fn same(&self, name: &str, arch: Option<Arch>) -> Vec<usize> {
        let named = self.named.get(name).into_iter().flatten().copied();
        named
            .filter(|&kernel| arch.is_none() || self.kernels[kernel].arch.is_none_or(|its| Some(its) == arch))
            .collect()
    }

    /// Gives each remark to the kernels it names, in its own compiler run if they are there; the rest is the log's, for
    /// each architecture apart.
    fn remarks(&mut self, name: &str, log: &'a Log) -> Vec<UnitFacts> {
        let mut rest: Map<Option<Arch>, Vec<Remark>> = Map::new();
        for arch in self.kernels.iter().map(|kernel| kernel.arch).collect::<Set<_>>() {
            rest.get_or_default(arch);
        }
        for said in &log.remarks {
            let about = self.about(said);
            for &kernel in &about {
                self.kernels[kernel].remarks.push(said.remark.clone());
            }
            if about.is_empty() {
                rest.get_or_default(said.arch).push(said.remark.clone());
            }
        }
        let unit = |(arch, remarks)| UnitFacts {
            unit: name.to_owned(),
            arch,
            debug: None,
            maxrregcount: None,
            remarks,
            unlinked: None,
        };
        rest.into_iter().map(unit).collect()
    }

    fn about(&self, said: &LogRemark) -> Vec<usize> {
        let Some(name) = said.function.as_deref() else { return Vec::new() };
        let all = self.same(name, said.arch);
        let in_run: Vec<usize> =
            all.iter().copied().filter(|&kernel| self.runs[kernel] == said.run).collect();
        let mut about = if in_run.is_empty() { all } else { in_run };
        about.dedup();
        about
    }
}
