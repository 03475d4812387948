//! What the reader says of a section, for a comparison with nvdisasm.

use std::collections::BTreeMap;

use occlint::evidence::cubin::{Cubin, CubinFunction, MemoryOp};

use crate::disassembler::{Code, Line};

/// The functions whose code is in the section of this name.
pub(crate) fn in_section(cubin: &Cubin, section: &str, code: &Code) -> Vec<usize> {
    let own = cubin.functions.iter().position(|function| function.name == section).unwrap();
    let apart = |&index: &usize| index == own || !code.contains_key(&cubin.functions[index].name);
    cubin.reached(own).into_iter().filter(apart).collect()
}

/// Instructions of these functions, by offset.
pub(crate) fn collected<'a>(
    cubin: &'a Cubin,
    functions: &[usize],
    get: impl Fn(&'a CubinFunction) -> &'a [MemoryOp],
) -> BTreeMap<u32, &'a MemoryOp> {
    functions.iter().flat_map(|&index| get(&cubin.functions[index])).map(|op| (op.offset, op)).collect()
}

/// The innermost line of an instruction, and those that it was inlined through.
pub(crate) fn chain(cubin: &Cubin, op: &MemoryOp) -> Vec<Line> {
    let sites = op.site.into_iter().flat_map(|site| cubin.chain(site));
    sites.map(|site| (cubin.file(site).to_owned(), site.line)).collect()
}
