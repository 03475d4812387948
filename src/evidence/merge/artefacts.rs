//! A log and the PTX it was assembled from.

use std::sync::Arc;

use crate::check::UnitFacts;
use crate::evidence::locate::{Located, locate};
use crate::evidence::names;
use crate::evidence::ptx::{self, Ptx, PtxFunction};
use crate::evidence::ptxas_log::{self, Log, LogFunction, LogRemark};
use crate::kernel::{DeviceFunction, Kernel, Place, Remark, RemarkKind, UnboundedStack};
use crate::order::{Map, Set};
use crate::source::SourceText;

use super::calls::Calls;
use super::local_memory::{Beside, local_memory};
use super::local_names::LocalNames;
use super::{
    Artefacts, CubinProblem, Evidence, LooseFunction, SourceLookup, blank, device_function, linked_over,
};

/// Merges one compilation's witnesses.
///
/// Kernels are those of the log, then those of the PTX that the log does not report (their usage is unknown). The PTX
/// adds bounds, places and calls. Device functions are attached to every kernel that the log or the call graph puts
/// them under.
pub fn from_artefacts(artefacts: &Artefacts<'_>, lookup: SourceLookup<'_>) -> Evidence {
    let log = ptxas_log::parse(artefacts.log);
    let ptx = ptx::parse(artefacts.ptx);
    let mut merge = Merge::new(artefacts, &log, &ptx, lookup);
    merge.reported();
    merge.declared();
    merge.attach_functions();
    let problems = merge.assembled();
    merge.call_graph();
    merge.local_memory();
    merge.unsized_memory();
    let unit_remarks = merge.remarks();
    let functions = merge.loose();
    let mut kernels = merge.kernels;
    super::report_unbounded(&mut kernels);
    let unit = UnitFacts {
        unit: artefacts.unit.to_owned(),
        arch: Some(artefacts.arch),
        debug: artefacts.debug.then_some(None),
        maxrregcount: None,
        remarks: unit_remarks,
        unlinked: None,
    };
    Evidence { kernels, units: vec![unit], functions, problems }
}

struct Merge<'a> {
    artefacts: &'a Artefacts<'a>,
    log: &'a Log,
    ptx: &'a Ptx,
    calls: Calls,
    sources: Sources<'a>,
    kernels: Vec<Kernel>,
    /// Kernels by mangled name.
    by_name: Map<&'a str, usize>,
    /// PTX functions by name.
    in_ptx: Map<&'a str, usize>,
    /// For each kernel, the device functions it reaches in the PTX.
    reached: Vec<Set<usize>>,
    /// Kernels by the device functions that they have or reach.
    users: Map<&'a str, Set<usize>>,
    /// Indices of device functions in the log that a kernel has.
    attached: Set<usize>,
    /// What the cubin says of local memory beside spills, by kernel.
    beside: Map<String, Beside>,
}

impl<'a> Merge<'a> {
    fn new(artefacts: &'a Artefacts<'a>, log: &'a Log, ptx: &'a Ptx, lookup: SourceLookup<'a>) -> Self {
        let in_ptx = ptx.functions.iter().enumerate().map(|(index, f)| (f.name.as_str(), index)).collect();
        Self {
            artefacts,
            log,
            ptx,
            calls: Calls::new(ptx),
            sources: Sources { lookup, ptx, known: Map::new(), located: Map::new() },
            kernels: Vec::new(),
            by_name: Map::new(),
            in_ptx,
            reached: Vec::new(),
            users: Map::new(),
            attached: Set::new(),
            beside: Map::new(),
        }
    }

    fn index(&mut self, name: &'a str) -> usize {
        *self.by_name.get_or_insert_with(name, || {
            let kernel = blank(name, Some(self.artefacts.arch), self.artefacts.unit);
            self.kernels.push(Kernel { debug: self.artefacts.debug, ..kernel });
            self.kernels.len() - 1
        })
    }

    fn kernel(&mut self, name: &'a str) -> &mut Kernel {
        let index = self.index(name);
        &mut self.kernels[index]
    }

    /// The log's functions for this architecture.
    fn functions(&self) -> impl Iterator<Item = (usize, &'a LogFunction)> + use<'a> {
        let arch = self.artefacts.arch;
        let ours = move |f: &LogFunction| f.arch.is_none_or(|its| its == arch) && !f.from_warning;
        self.log.functions.iter().enumerate().filter(move |(_, function)| ours(function))
    }

    /// Kernels of the log; nvlink's figures are final.
    fn reported(&mut self) {
        for (_, function) in self.functions().filter(|(_, function)| function.entry) {
            let Some(name) = function.name.as_deref() else { continue };
            let kernel = self.kernel(name);
            kernel.usage = if function.linked {
                linked_over(kernel.usage, function.usage)
            } else {
                linked_over(function.usage, kernel.usage)
            };
        }
    }

    /// What the PTX declares.
    fn declared(&mut self) {
        for function in self.ptx.functions.iter().filter(|function| function.entry) {
            let index = self.index(&function.name);
            let place = self.sources.place(function, &self.kernels[index].name.qualified);
            let kernel = &mut self.kernels[index];
            kernel.bounds = function.bounds;
            kernel.place = place;
            kernel.local_depot_bytes = Some(function.local_depot_bytes);
        }
    }

    /// Device functions of the log: those listed after a kernel, and those it reaches in the PTX.
    fn attach_functions(&mut self) {
        let reports: Vec<(usize, &'a LogFunction)> = self.functions().filter(|(_, f)| !f.entry).collect();
        let mut by_kernel: Vec<Map<&'a str, usize>> = vec![Map::new(); self.kernels.len()];
        for &(index, function) in &reports {
            let owner = function.after.and_then(|after| self.log.functions[after].name.as_deref());
            let owner = owner.and_then(|name| self.by_name.get(name));
            if let (Some(&kernel), Some(name)) = (owner, function.name.as_deref()) {
                by_kernel[kernel].insert(name, index);
            }
        }
        let by_name: Map<&str, usize> = reports
            .iter()
            .filter_map(|&(index, function)| Some((function.name.as_deref()?, index)))
            .collect();
        for (kernel, own) in by_kernel.iter_mut().enumerate() {
            let start = self.in_ptx.get(self.kernels[kernel].name.mangled.as_str());
            let reached = start.map(|&start| self.calls.reached(start)).unwrap_or_default();
            for name in reached.iter().map(|&index| self.ptx.functions[index].name.as_str()) {
                self.users.get_or_default(name).insert(kernel);
                if let Some(&report) = by_name.get(name) {
                    own.get_or_insert(name, report);
                }
            }
            self.reached.push(reached);
        }
        for (kernel, own) in by_kernel.into_iter().enumerate() {
            for (name, report) in own {
                self.users.get_or_default(name).insert(kernel);
                self.attached.insert(report);
                let function = self.placed(&self.log.functions[report]);
                self.kernels[kernel].functions.push(function);
            }
        }
    }

    fn placed(&mut self, report: &LogFunction) -> DeviceFunction {
        let declared = report.name.as_deref().and_then(|name| self.in_ptx.get(name));
        let function = device_function(report);
        let in_ptx = declared.map(|&index| &self.ptx.functions[index]);
        let place = in_ptx.and_then(|declared| self.sources.place(declared, &function.name.qualified));
        DeviceFunction { place, ..function }
    }

    /// Without the feature `cubin` log and PTX say all.
    #[cfg(not(feature = "cubin"))]
    fn assembled(&mut self) -> Vec<CubinProblem> {
        Vec::new()
    }

    /// What the cubin says: figures of kernels that are not linked, and spills.
    #[cfg(feature = "cubin")]
    fn assembled(&mut self) -> Vec<CubinProblem> {
        let Some(bytes) = self.artefacts.cubin else { return Vec::new() };
        let linked = self.functions().filter(|(_, function)| function.linked);
        let linked: Set<&str> = linked.filter_map(|(_, function)| function.name.as_deref()).collect();
        let lookup = self.sources.lookup;
        let beside = &mut self.beside;
        super::assembled::apply(bytes, self.artefacts.arch, &mut self.kernels, &linked, lookup, beside)
    }

    /// How much `alloca` takes, and so what local memory there is, nobody knows before the run.
    fn unsized_memory(&mut self) {
        for kernel in &mut self.kernels {
            if kernel.unbounded_stack == Some(UnboundedStack::Alloca) {
                kernel.local_memory = None;
            }
        }
    }

    /// Recursion, indirect calls and dynamic shared memory, in the kernel or below it.
    fn call_graph(&mut self) {
        for (kernel, reached) in self.kernels.iter_mut().zip(&self.reached) {
            if reached.is_empty() {
                continue;
            }
            let below = || reached.iter().map(|&index| &self.ptx.functions[index]);
            kernel.declared_shared_bytes = Some(self.ptx.shared_bytes(reached));
            kernel.dynamic_shared = Some(below().any(|function| function.dynamic_shared));
            if let Some(spills) = &mut kernel.spills {
                spills.unread.through_pointer |= below().any(|function| function.indirect_call);
            }
            let cycle: Set<String> = reached
                .iter()
                .filter(|&&index| self.calls.in_cycle(index))
                .map(|&index| names::name(&self.ptx.functions[index].name).demangled)
                .collect();
            kernel.unbounded_stack = if !cycle.is_empty() {
                Some(UnboundedStack::Recursion(cycle.into_iter().collect()))
            } else {
                super::open_stack(below())
            };
        }
    }

    /// Local memory that is no spill.
    fn local_memory(&mut self) {
        let mut names = LocalNames::new(&mut self.sources);
        for kernel in &mut self.kernels {
            let none = Beside::new();
            let beside = self.beside.get(&kernel.name.mangled).unwrap_or(&none);
            kernel.local_memory =
                local_memory(kernel, self.ptx, &self.calls, &self.in_ptx, beside, &mut names);
        }
    }

    /// Gives each remark to the kernels it is about; the rest is the unit's.
    fn remarks(&mut self) -> Vec<Remark> {
        let mut rest = Vec::new();
        for said in &self.log.remarks {
            let about = self.about(said);
            for &kernel in &about {
                self.kernels[kernel].remarks.push(said.remark.clone());
            }
            if about.is_empty() {
                rest.push(said.remark.clone());
            }
        }
        rest
    }

    fn about(&self, said: &LogRemark) -> Vec<usize> {
        if let Some(name) = said.function.as_deref() {
            let kernel = self.by_name.get(name).map(|&kernel| vec![kernel]);
            return kernel.unwrap_or_else(|| self.users.get(name).into_iter().flatten().copied().collect());
        }
        match said.remark.kind {
            RemarkKind::SetmaxnregIgnored { code } => {
                self.only_setmaxnreg(code == Some(7508)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The only kernel with a `setmaxnreg`; `undetermined`: of those whose registers at entry nothing determines.
    fn only_setmaxnreg(&self, undetermined: bool) -> Option<usize> {
        let mut fits = (0..self.kernels.len()).filter(|&kernel| {
            let bounds = &self.kernels[kernel].bounds;
            let open = bounds.block().is_none() && bounds.max_registers.is_none();
            let has = self.reached[kernel].iter().any(|&index| self.ptx.functions[index].setmaxnreg);
            has && (open || !undetermined)
        });
        fits.next().filter(|_| fits.next().is_none())
    }

    /// Device functions of the log that no kernel has.
    fn loose(&mut self) -> Vec<LooseFunction> {
        let reports: Vec<_> =
            self.functions().filter(|(index, f)| !f.entry && !self.attached.contains(index)).collect();
        let loose = reports.into_iter().map(|(_, report)| LooseFunction {
            unit: self.artefacts.unit.to_owned(),
            arch: Some(self.artefacts.arch),
            function: self.placed(report),
        });
        loose.collect()
    }
}

/// A `.file` as the caller knows it: the name to show, whether it is foreign, its text.
pub(super) type Known = (String, bool, Option<Arc<SourceText>>);

/// Files of the PTX, each looked up once.
pub(super) struct Sources<'a> {
    lookup: SourceLookup<'a>,
    ptx: &'a Ptx,
    known: Map<u32, Option<Known>>,
    /// What was looked for last on a line, and what was found: the instantiations of a template stand on one.
    located: Map<(u32, u32), (String, Located)>,
}

impl Sources<'_> {
    pub(super) fn known(&mut self, file: u32) -> Option<Known> {
        self.known.get_or_insert_with(file, || self.ptx.file(file).map(self.lookup)).clone()
    }

    fn place(&mut self, function: &PtxFunction, qualified: &str) -> Option<Place> {
        let (file, line) = function.location?;
        let (shown, foreign, text) = self.known(file)?;
        let Located { declarator, bounds } = match &text {
            Some(text) => self.located(text, (file, line), names::base(qualified)),
            None => Located::default(),
        };
        Some(Place { file: shown, line, foreign, text, declarator, bounds })
    }

    fn located(&mut self, text: &SourceText, at: (u32, u32), base: &str) -> Located {
        if let Some((_, known)) = self.located.get(&at).filter(|(known, _)| known == base) {
            return known.clone();
        }
        let found = locate(text, at.1, base);
        self.located.insert(at, (base.to_owned(), found.clone()));
        found
    }
}
