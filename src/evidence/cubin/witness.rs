//! Which instructions are spills.

use crate::kernel::SpillWitness;

use super::{Access, CubinFunction, MemoryOp};

/// A function's spill instructions, and what says so.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Witnessed<'a> {
    /// What tells them from others.
    pub witness: SpillWitness,
    /// The instructions, by offset.
    pub operations: &'a [MemoryOp],
    /// They store and load exactly the bytes that the log says.
    pub exact: bool,
}

/// Annotations get lost in lots of this many: the length field of the list has 16 bits, an annotation 8 bytes.
const LOST_AT_ONCE: u32 = 8192;

/// Picks the witness for a function's spills; `log` has the bytes of spill stores and loads in the compiler's log.
///
/// The annotations, where they move the bytes of the log, or where the log is missing. Annotations leave out saved
/// registers of callers, and in very large functions wrap around; all local loads and stores are the spills where they
/// move the log's bytes, and the nearest thing where there are no annotations, or not all of them.
pub fn spills(function: &CubinFunction, log: Option<(u32, u32)>) -> Witnessed<'_> {
    let annotated = Witnessed {
        witness: SpillWitness::Annotations,
        operations: &function.annotated,
        exact: log == Some(moved(&function.annotated)),
    };
    let Some((stores, loads)) = log.filter(|_| !annotated.exact) else { return annotated };
    let disassembled = Witnessed {
        witness: SpillWitness::Disassembly,
        operations: &function.local,
        exact: log == Some(moved(&function.local)),
    };
    let (annotated_stores, annotated_loads) = moved(&function.annotated);
    let missing =
        stores.saturating_sub(annotated_stores).saturating_add(loads.saturating_sub(annotated_loads));
    let lost = missing / 4 >= LOST_AT_ONCE;
    let none = function.annotated.is_empty() && missing > 0;
    if disassembled.exact || lost || none { disassembled } else { annotated }
}

/// Bytes per thread that instructions store to and load from local memory.
fn moved(operations: &[MemoryOp]) -> (u32, u32) {
    let sum = |access: Access| {
        let ours = operations.iter().filter(|op| op.access == access);
        ours.fold(0_u32, |sum, op| sum.saturating_add(u32::from(op.bytes)))
    };
    (sum(Access::LocalStore), sum(Access::LocalLoad))
}
