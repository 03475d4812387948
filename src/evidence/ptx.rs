//! PTX: bounds as directives, the entries' locations, who calls whom.
//!
//! One pass over the lines; `reader` finds functions and what stands in their bodies, `header` reads the text
//! between a function's linkage and its body.

mod header;
mod locals;
mod reader;
use std::ops::Range;

use crate::arch::Arch;
use crate::kernel::Bounds;
use crate::order::{Map, Set};

pub use locals::{FileLine, LocalObject, Locals};

/// What a PTX module says.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Ptx {
    /// `.target`.
    pub target: Option<Arch>,
    /// `.file` numbers and paths.
    pub files: Vec<(u32, String)>,
    /// `.shared` variables of the module and their bytes; those of one function only are declared in it.
    pub shared: Map<String, u32>,
    /// Functions with a body, entries and device functions, in order.
    pub functions: Vec<PtxFunction>,
}

/// One function of a PTX module.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PtxFunction {
    /// Mangled name.
    pub name: String,
    /// A `.entry` (kernel), else a `.func`.
    pub entry: bool,
    /// Its directives.
    pub bounds: Bounds,
    /// File number and 1-based line of its name: the first `.loc` in its body that is not inlined.
    pub location: Option<(u32, u32)>,
    /// Functions it calls directly, mangled, sorted.
    pub calls: Vec<String>,
    /// It calls through a pointer.
    pub indirect_call: bool,
    /// It takes memory of a size from the stack that is known at run time only.
    pub alloca: bool,
    /// It refers to `extern .shared` memory.
    pub dynamic_shared: bool,
    /// Bytes of the `.shared` variables that it declares, without padding.
    pub shared_bytes: u32,
    /// The module's `.shared` variables that it refers to, of [`Ptx::shared`].
    pub shared_names: Set<String>,
    /// Bytes of its local depot (`__local_depotN`), 0 without.
    pub local_depot_bytes: u32,
    /// What its code does with local memory.
    pub locals: Locals,
    /// It has a `setmaxnreg` instruction.
    pub setmaxnreg: bool,
}

/// Reads a PTX module. Lines that are not understood are passed over.
pub fn parse(text: &str) -> Ptx {
    let mut reader = reader::Reader::default();
    reader.text(text);
    let reader::Reader { mut ptx, bodies, .. } = reader;
    for function in &mut ptx.functions {
        function.calls.sort_unstable();
        function.calls.dedup();
    }
    read_locals(&mut ptx, &bodies, text);
    ptx
}

/// Looks closer at the functions that have a depot or reduce a trigonometric function's argument.
fn read_locals(ptx: &mut Ptx, bodies: &[Range<usize>], text: &str) {
    let wanted = |function: &PtxFunction| {
        let reduces = function.calls.iter().any(|name| name.starts_with(locals::SLOW_PATH));
        function.local_depot_bytes > 0 || reduces
    };
    for (function, body) in ptx.functions.iter_mut().zip(bodies).filter(|(function, _)| wanted(function)) {
        let body = text.get(body.start..body.end.min(text.len())).unwrap_or_default();
        function.locals = locals::read(body, function.local_depot_bytes);
    }
}

impl Ptx {
    /// Bytes of static shared memory that these functions declare and refer to, without padding.
    pub fn shared_bytes(&self, functions: &Set<usize>) -> u32 {
        let functions = || functions.iter().filter_map(|&index| self.functions.get(index));
        let names: Set<&String> = functions().flat_map(|function| &function.shared_names).collect();
        let of_module = names.into_iter().filter_map(|name| self.shared.get(name)).copied();
        functions().map(|function| function.shared_bytes).chain(of_module).fold(0, u32::saturating_add)
    }

    /// The path of a `.file` number.
    pub fn file(&self, number: u32) -> Option<&str> {
        self.files.iter().find(|(n, _)| *n == number).map(|(_, path)| path.as_str())
    }
}

#[cfg(test)]
mod tests;
