//! The answer as JSON.

use occlint::occupancy::{Limiter, Residency, Step, Steps};
use serde_json::{Map, Value, json};

use super::args::Question;

/// One answer as an object: the question, then figures under the names that kernel lines of the check have.
pub(super) fn answer(question: &Question, residency: &Residency, steps: &Steps) -> Value {
    let limits: Map<String, Value> = Limiter::ALL
        .iter()
        .map(|&limiter| (limiter.key().to_owned(), json!(residency.limit(limiter))))
        .collect();
    let limiters: Vec<&str> = residency.limiters().into_iter().map(Limiter::key).collect();
    let resources = &question.resources;
    json!({
        "arch": question.arch.to_string(),
        "block": resources.block_threads,
        "regs": resources.registers,
        "static_smem": resources.static_shared_bytes,
        "dynamic_smem": resources.dynamic_shared_bytes,
        "barriers": resources.barriers,
        "carveout_pct": resources.carveout_percent.map_or(-1, i16::from),
        "blocks": residency.blocks,
        "limiters": limiters,
        "limits": limits,
        "occupancy": residency.occupancy(),
        "registers_allocated": residency.registers_allocated,
        "shared_memory_allocated": residency.shared_allocated_bytes,
        "steps": {
            "fewer_registers": steps.fewer_registers.map(step),
            "free_registers": steps.free_registers,
            "blocks_past_free_registers": steps.blocks_past_free_registers,
            "fewer_smem": steps.fewer_shared_bytes.map(step),
            "free_smem": steps.free_shared_bytes,
            "blocks_past_free_smem": steps.blocks_past_free_shared,
        },
    })
}

fn step(step: Step) -> Value {
    json!({"amount": step.amount, "blocks": step.blocks})
}
