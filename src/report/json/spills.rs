//! A kernel's spills.

use super::value::{Value, json};

use crate::kernel::{CodeLine, Kernel, SpillLine};

/// The fields of a kernel's line that say which instructions spill; `null` where no cubin was read. Where spills of a
/// function that it can call are not known, sums over functions are `null` too, and the function is named.
pub(super) fn of(kernel: &Kernel) -> Value {
    let spills = kernel.spills.as_ref();
    let whole = spills.filter(|spills| spills.unread.is_empty());
    let sum = |count: fn(&SpillLine) -> u32| {
        whole.map(|spills| spills.lines.iter().fold(0_u32, |sum, line| sum.saturating_add(count(line))))
    };
    json!({
        "spill_instructions": whole.map(|spills| spills.instructions),
        "spill_instructions_add_up": spills.and_then(|spills| spills.adds_up),
        "callee_spills": sum(|line| if line.function.is_some() { line.instructions() } else { 0 }),
        "shared_spills": sum(|line| line.shared_stores + line.shared_loads),
        "spill_lines": spills.map(|spills| spills.lines.iter().map(line).collect::<Vec<_>>()),
        "spills_unknown_in": spills.map(|spills| &spills.unread.functions),
        "spills_unknown_through_pointer": spills.map(|spills| spills.unread.through_pointer),
    })
}

fn line(line: &SpillLine) -> Value {
    json!({
        "file": line.at.as_ref().map(|at| &at.file),
        "line": line.at.as_ref().map(|at| at.line),
        "stores": line.stores,
        "loads": line.loads,
        "shared_stores": line.shared_stores,
        "shared_loads": line.shared_loads,
        "inlined_from": line.inlined_from.iter().map(place).collect::<Vec<_>>(),
        "hot": line.hot,
        "function": line.function,
    })
}

fn place(at: &CodeLine) -> Value {
    json!({"file": at.file, "line": at.line})
}
