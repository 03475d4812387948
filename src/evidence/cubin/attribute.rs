//! Spills by source line.

use crate::evidence::{SourceLookup, names};
use crate::kernel::{CodeLine, SpillLine, SpillWitness, Spills, Unread};
use crate::order::{Map, Set};

use super::{Access, Cubin, MemoryOp, Site, spills};

/// Bytes of spill stores and loads that the log has for a function, by mangled name; `None` where it says nothing.
pub type Loaded<'a> = &'a dyn Fn(&str) -> Option<(u32, u32)>;

/// The spills of a kernel and of the device functions that it can call, by source line; `None` if the cubin does not
/// have the kernel, or is for an architecture whose instructions are not decoded.
pub fn spills_of(cubin: &Cubin, kernel: &str, log: Loaded<'_>, lookup: SourceLookup<'_>) -> Option<Spills> {
    let kernel = cubin.find(kernel).filter(|_| cubin.decoded)?;
    let functions = cubin.reached(kernel).into_iter();
    let named = functions.map(|index| (index, index != kernel)).collect::<Vec<_>>();
    Some(Spills { unread: unread(cubin, kernel), ..collected(cubin, &named, log, lookup) })
}

/// The same of one device function, with what it calls of `inner`: functions that are not counted otherwise. Nothing of it
/// is [unread](Spills::unread).
pub fn spills_of_function(
    cubin: &Cubin,
    function: &str,
    inner: &dyn Fn(&str) -> bool,
    log: Loaded<'_>,
    lookup: SourceLookup<'_>,
) -> Option<Spills> {
    let own = cubin.find(function).filter(|_| cubin.decoded)?;
    let wanted = |index: &usize| *index == own || inner(&cubin.functions[*index].name);
    let functions = cubin.reached(own).into_iter().filter(wanted);
    let named = functions.map(|index| (index, true)).collect::<Vec<_>>();
    Some(collected(cubin, &named, log, lookup))
}

/// The spills of functions, those that are no kernels by name.
fn collected(
    cubin: &Cubin,
    functions: &[(usize, bool)],
    log: Loaded<'_>,
    lookup: SourceLookup<'_>,
) -> Spills {
    let (mut witness, mut adds_up) = (SpillWitness::Annotations, None);
    let mut lines: Map<(Option<&str>, Option<u32>), SpillLine> = Map::new();
    let mut sources = Sources { cubin, lookup, known: Map::new() };
    for &(index, named) in functions {
        let function = &cubin.functions[index];
        let name = named.then_some(function.name.as_str());
        let bytes = log(&function.name);
        let found = spills(function, bytes);
        if bytes.is_some() {
            adds_up = Some(found.exact && adds_up != Some(false));
        }
        if !found.operations.is_empty() {
            witness = witness.max(found.witness);
        }
        // Spills stand together: each run of one line is looked up once.
        for run in found.operations.chunk_by(|a, b| a.site == b.site) {
            let site = run[0].site;
            let line = lines.get_or_insert_with((name, site), || sources.line(name, site));
            run.iter().for_each(|op| count(line, op));
        }
    }
    let none = Spills { instructions: 0, witness, adds_up, lines: Vec::new(), unread: Unread::default() };
    none.with(lines.into_values().collect())
}

/// What a kernel can call beyond the cubin. What a linked one does not define is the driver's.
fn unread(cubin: &Cubin, kernel: usize) -> Unread {
    let reached = || cubin.reached(kernel).into_iter().map(|index| &cubin.functions[index]);
    let outside = reached().flat_map(|function| &function.outside).filter(|_| !cubin.linked);
    let outside = outside.filter_map(|&index| cubin.outside.get(index).map(String::as_str));
    let functions: Set<String> =
        outside.filter(|name| !names::is_drivers(name)).map(|name| names::name(name).demangled).collect();
    let through_pointer = reached().any(|function| function.indirect_calls);
    Unread { functions: functions.into_iter().collect(), through_pointer }
}

/// What is neither a store nor a load (a spill by another way) is counted as a load.
fn count(line: &mut SpillLine, op: &MemoryOp) {
    let counter = match op.access {
        Access::LocalStore => &mut line.stores,
        Access::SharedStore => &mut line.shared_stores,
        Access::SharedLoad => &mut line.shared_loads,
        Access::LocalLoad | Access::Other => &mut line.loads,
    };
    *counter = counter.saturating_add(1);
    line.hot |= op.hot;
}

/// Files of the line table, each looked up once.
struct Sources<'a> {
    cubin: &'a Cubin,
    lookup: SourceLookup<'a>,
    known: Map<u32, CodeLine>,
}

impl Sources<'_> {
    fn line(&mut self, function: Option<&str>, site: Option<u32>) -> SpillLine {
        let chain: Vec<Site> = site.into_iter().flat_map(|site| self.cubin.chain(site)).collect();
        let mut chain = chain.into_iter().map(|site| self.code_line(site));
        SpillLine {
            function: function.map(str::to_owned),
            at: chain.next().filter(|at| at.line > 0),
            inlined_from: chain.collect(),
            stores: 0,
            loads: 0,
            shared_stores: 0,
            shared_loads: 0,
            hot: false,
        }
    }

    fn code_line(&mut self, site: Site) -> CodeLine {
        let known = self.known.get_or_insert_with(site.file, || {
            let (file, foreign, text) = (self.lookup)(self.cubin.file(site));
            CodeLine { file, line: 0, foreign, text }
        });
        CodeLine { line: site.line, ..known.clone() }
    }
}
