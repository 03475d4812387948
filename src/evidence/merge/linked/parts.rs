//! Where there is no linked cubin: the units' own, joined by the names of the functions that a kernel can call.

use crate::arch::Arch;
use crate::evidence::SourceLookup;
#[cfg(feature = "cubin")]
use crate::evidence::cubin::{Cubin, spills_of_function};
#[cfg(feature = "cubin")]
use crate::evidence::merge::assembled;
#[cfg(feature = "cubin")]
use crate::evidence::names;
use crate::evidence::ptx::PtxFunction;
use crate::kernel::Kernel;
#[cfg(feature = "cubin")]
use crate::kernel::Unread;
#[cfg(feature = "cubin")]
use crate::order::Map;

use super::Program;

/// The units' cubins, each read once, and only where something needs it.
#[cfg(feature = "cubin")]
pub(super) struct Parts<'a> {
    cubins: Vec<Option<&'a [u8]>>,
    read: Map<usize, Option<Cubin>>,
    arch: Arch,
    program: &'a Program,
    lookup: SourceLookup<'a>,
}

#[cfg(feature = "cubin")]
impl<'a> Parts<'a> {
    /// `cubins`: one for each unit.
    pub(super) fn new(
        cubins: Vec<Option<&'a [u8]>>,
        arch: Arch,
        program: &'a Program,
        lookup: SourceLookup<'a>,
    ) -> Self {
        Self { cubins, read: Map::new(), arch, program, lookup }
    }

    /// Adds the spills of functions of other units to those of a kernel of `unit`; `below` is what it can call. What no
    /// unit defines stays unread.
    pub(super) fn join(&mut self, kernel: &mut Kernel, unit: usize, below: &[&PtxFunction]) {
        let Some(mut spills) = kernel.spills.take() else { return };
        let mut unread = Unread::default();
        for function in below.iter().filter(|f| !self.program.units_of(&f.name).contains(&unit)) {
            let log = |name: &str| assembled::logged(kernel, name);
            if log(&function.name) == Some((0, 0)) {
                continue;
            }
            match self.spills(&function.name, &log) {
                Some(more) => {
                    spills.witness = spills.witness.max(more.witness);
                    spills = spills.with(more.lines);
                }
                None => unread.functions.push(names::name(&function.name).demangled),
            }
        }
        let called = below.iter().flat_map(|function| &function.calls);
        let undefined =
            called.filter(|name| self.program.units_of(name).is_empty() && !names::is_drivers(name));
        unread.functions.extend(undefined.map(|name| names::name(name).demangled));
        unread.through_pointer = below.iter().any(|function| function.indirect_call);
        spills.unread = Unread::default();
        spills.unread.add(unread);
        kernel.spills = Some(spills);
    }

    fn spills(
        &mut self,
        function: &str,
        log: &dyn Fn(&str) -> Option<(u32, u32)>,
    ) -> Option<crate::kernel::Spills> {
        let (program, arch, lookup) = (self.program, self.arch, self.lookup);
        program.units_of(function).iter().find_map(|&unit| {
            let bytes = self.cubins.get(unit).copied().flatten();
            let read = || bytes.and_then(|bytes| assembled::read(bytes, arch).ok());
            let cubin = self.read.get_or_insert_with(unit, read).as_ref()?;
            let inner = |name: &str| program.units_of(name).is_empty();
            spills_of_function(cubin, function, &inner, log, lookup)
        })
    }
}

/// Without the feature `cubin` there are no spill lines.
#[cfg(not(feature = "cubin"))]
pub(super) struct Parts<'a>(std::marker::PhantomData<&'a Program>);

#[cfg(not(feature = "cubin"))]
impl<'a> Parts<'a> {
    pub(super) fn new(_: Vec<Option<&'a [u8]>>, _: Arch, _: &'a Program, _: SourceLookup<'a>) -> Self {
        Self(std::marker::PhantomData)
    }

    pub(super) fn join(&mut self, _: &mut Kernel, _: usize, _: &[&PtxFunction]) {}
}
