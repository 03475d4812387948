//! A cubin without log and PTX.
//!
//! It does not say: bytes of spills, min blocks, register caps, dynamic shared memory, what local memory is for.

use crate::arch::Arch;
use crate::check::{UnitFacts, Unlinked};
use crate::evidence::cubin::{self, Cubin, CubinError, CubinFunction, spills_of};
use crate::evidence::{SourceLookup, locate, names};
use crate::kernel::{Bounds, CodeLine, DeviceFunction, Kernel, Link, Place, Usage};
use crate::order::{self, Map};

use super::assembled::cubin_over;
use super::{CubinProblem, Evidence, blank};

/// Why relocatable code has no final figures.
const NOT_LINKED: &str = "the code is relocatable, and its device link is not in the file";

/// Reads a cubin of which nothing else is known.
///
/// # Errors
/// It cannot be read, or is for another architecture.
pub fn from_cubin(
    unit: &str,
    arch: Arch,
    bytes: &[u8],
    lookup: SourceLookup<'_>,
) -> Result<Evidence, CubinProblem> {
    let cubin = cubin::read(bytes).map_err(unreadable)?;
    if cubin.arch.cc_tenths() != arch.cc_tenths() {
        return Err(CubinProblem::Architecture { cubin: cubin.arch, asked: arch });
    }
    let entries = (0..cubin.functions.len()).filter(|&index| cubin.functions[index].entry);
    let alone = Alone { cubin: &cubin, lookup };
    let kernels: Vec<Kernel> = entries
        .map(|index| alone.kernel(index, blank(&cubin.functions[index].name, Some(arch), unit)))
        .collect();
    let open = (!cubin.linked && !kernels.is_empty()).then(|| unlinked(&kernels));
    let facts = UnitFacts {
        unit: unit.to_owned(),
        arch: Some(arch),
        debug: None,
        maxrregcount: None,
        remarks: Vec::new(),
        unlinked: open,
    };
    Ok(Evidence { kernels, units: vec![facts], ..Evidence::default() })
}

/// The architecture that a cubin is for.
///
/// # Errors
/// It cannot be read.
pub fn cubin_arch(bytes: &[u8]) -> Result<Arch, CubinProblem> {
    cubin::arch_of(bytes).map_err(unreadable)
}

fn unreadable(error: CubinError) -> CubinProblem {
    CubinProblem::Unreadable(error.to_string())
}

fn unlinked(kernels: &[Kernel]) -> Unlinked {
    let mut names: Vec<String> = kernels.iter().map(|kernel| kernel.name.demangled.clone()).collect();
    order::sort(&mut names);
    let mut open = Unlinked::default();
    names.iter().for_each(|name| open.add(name, NOT_LINKED));
    open
}

struct Alone<'a> {
    cubin: &'a Cubin,
    lookup: SourceLookup<'a>,
}

impl Alone<'_> {
    fn kernel(&self, index: usize, kernel: Kernel) -> Kernel {
        let function = &self.cubin.functions[index];
        let link = Link::Preliminary { why: NOT_LINKED.to_owned() };
        let spills =
            self.spills_known(index).then(|| spills_of(self.cubin, &function.name, &|_| None, self.lookup));
        let &CubinFunction { max_threads, required_threads, .. } = function;
        Kernel {
            usage: cubin_over(Usage::default(), function),
            bounds: Bounds { max_threads, required_threads, ..Bounds::default() },
            place: self.place(function, &kernel.name.qualified),
            spills: spills.flatten(),
            code: Some(function.code),
            functions: self.functions(index),
            link: if self.cubin.linked { Link::NotRelocatable } else { link },
            ..kernel
        }
    }

    /// Whether missing annotations mean that there are no spills: what does not access local memory has none.
    fn spills_known(&self, index: usize) -> bool {
        let mut reached = self.cubin.reached(index).into_iter();
        self.cubin.annotates || reached.all(|index| self.cubin.functions[index].local.is_empty())
    }

    fn functions(&self, index: usize) -> Vec<DeviceFunction> {
        let reached = self.cubin.reached(index).into_iter().filter(|&other| other != index);
        let functions = reached.map(|index| {
            let CubinFunction { name, frame_bytes, .. } = &self.cubin.functions[index];
            let function = DeviceFunction {
                name: names::name(name),
                stack_frame_bytes: *frame_bytes,
                spill_store_bytes: None,
                spill_load_bytes: None,
                place: None,
            };
            (name.as_str(), function)
        });
        functions.collect::<Map<_, _>>().into_values().collect()
    }

    /// The line of the first instruction, whatever was inlined there: that of the kernel's name, as a rule.
    fn place(&self, function: &CubinFunction, qualified: &str) -> Option<Place> {
        let site = self.cubin.chain(function.opening?).last().filter(|site| site.line > 0)?;
        let (file, foreign, text) = (self.lookup)(self.cubin.file(site));
        let at = CodeLine { file, line: site.line, foreign, text };
        let found = at.text.as_deref().map(|text| locate(text, at.line, names::base(qualified)));
        let found = found.unwrap_or_default();
        let CodeLine { file, line, foreign, text } = at;
        Some(Place { file, line, foreign, text, declarator: found.declarator, bounds: found.bounds })
    }
}
