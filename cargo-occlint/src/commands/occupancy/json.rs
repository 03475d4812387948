//! The answer as JSON.

use occlint::occupancy::{Limiter, Residency, Steps};
use serde_json::{Map, Value, json};

use super::args::Question;

/// One answer as an object.
pub(super) fn answer(question: &Question, residency: &Residency, steps: &Steps) -> Value {
    let limits: Map<String, Value> = Limiter::ALL
        .iter()
        .map(|&limiter| (limiter.key().to_owned(), json!(residency.limit(limiter))))
        .collect();
    let limiters: Vec<&str> = residency.limiters().into_iter().map(Limiter::key).collect();
    json!({
        "arch": question.arch.to_string(),
        "block": question.resources.block_threads,
        "blocks": residency.blocks,
        "limiters": limiters,
        "limits": limits,
        "occupancy": residency.occupancy(),
        "registers_allocated": residency.registers_allocated,
        "shared_memory_allocated": residency.shared_allocated_bytes,
        "steps": {
            "fewer_registers": steps.fewer_registers.map(|step| json!({"registers": step.amount, "blocks": step.blocks})),
            "free_registers": steps.free_registers,
            "fewer_shared_memory": steps.fewer_shared_bytes.map(|step| json!({"bytes": step.amount, "blocks": step.blocks})),
            "free_shared_memory": steps.free_shared_bytes,
        },
    })
}
