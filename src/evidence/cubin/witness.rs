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

/// Whether a function accesses local memory that is no spill; `log` as in [`spills`]. `None` where its spills do not add
/// up to the log's bytes: what is a spill is not known then.
pub fn beside_spills(function: &CubinFunction, log: Option<(u32, u32)>) -> Option<bool> {
    if function.local.is_empty() {
        return Some(false);
    }
    let found = spills(function, log);
    // Both ascend.
    let mut spills = found.operations.iter().map(|one| one.offset).peekable();
    let spill = |op: &MemoryOp| {
        while spills.next_if(|&offset| offset < op.offset).is_some() {}
        spills.peek() == Some(&op.offset)
    };
    found.exact.then(|| !function.local.iter().all(spill))
}

/// Bytes per thread that instructions store to and load from local memory.
fn moved(operations: &[MemoryOp]) -> (u32, u32) {
    let (mut stores, mut loads) = (0_u32, 0_u32);
    for op in operations {
        let sum = match op.access {
            Access::LocalStore => &mut stores,
            Access::LocalLoad => &mut loads,
            _ => continue,
        };
        *sum = sum.saturating_add(u32::from(op.bytes));
    }
    (stores, loads)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ops(count: u32, access: Access, bytes: u8) -> Vec<MemoryOp> {
        let op = |index: u32| MemoryOp { offset: index * 16, access, bytes, hot: false, site: None };
        (0..count).map(op).collect()
    }

    fn function(annotated: u32, local: u32) -> CubinFunction {
        let (annotated, local) = (ops(annotated, Access::LocalStore, 4), ops(local, Access::LocalStore, 4));
        CubinFunction { annotated, local, ..CubinFunction::default() }
    }

    fn picked(annotated: u32, local: u32, log: Option<(u32, u32)>) -> (SpillWitness, usize, bool) {
        let function = function(annotated, local);
        let witnessed = spills(&function, log);
        (witnessed.witness, witnessed.operations.len(), witnessed.exact)
    }

    #[test]
    fn annotations_that_add_up_come_first() {
        assert_eq!(picked(3, 5, Some((12, 0))), (SpillWitness::Annotations, 3, true));
        // The log's 0 bytes: what is local is no spill.
        assert_eq!(picked(0, 5, Some((0, 0))), (SpillWitness::Annotations, 0, true));
    }

    #[test]
    fn local_memory_beside_spills_is_known_where_spills_add_up() {
        let beside = |annotated, local, log| beside_spills(&function(annotated, local), log);
        assert_eq!(beside(3, 5, Some((12, 0))), Some(true));
        assert_eq!(beside(5, 5, Some((20, 0))), Some(false));
        assert_eq!(beside(0, 5, Some((20, 0))), Some(false), "disassembled");
        assert_eq!(beside(3, 5, Some((16, 0))), None, "one of the two is a spill");
        assert_eq!(beside(3, 5, None), None);
        assert_eq!(beside(0, 0, None), Some(false));
    }

    #[test]
    fn without_a_log_only_annotations_count() {
        assert_eq!(picked(3, 5, None), (SpillWitness::Annotations, 3, false));
        assert_eq!(picked(0, 5, None), (SpillWitness::Annotations, 0, false));
    }

    #[test]
    fn local_memory_that_adds_up_beats_annotations_that_do_not() {
        assert_eq!(picked(3, 5, Some((20, 0))), (SpillWitness::Disassembly, 5, true));
        assert_eq!(picked(0, 5, Some((20, 0))), (SpillWitness::Disassembly, 5, true));
    }

    #[test]
    fn where_nothing_adds_up_annotations_do_unless_lost() {
        assert_eq!(picked(3, 9, Some((20, 0))), (SpillWitness::Annotations, 3, false));
        assert_eq!(picked(0, 9, Some((20, 0))), (SpillWitness::Disassembly, 9, false));
        // 8,192 were lost, and two local accesses are no spills.
        assert_eq!(picked(10, 8204, Some((8202 * 4, 0))), (SpillWitness::Disassembly, 8204, false));
    }
}
