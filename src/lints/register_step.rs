//! `register-step`.

use crate::check::CheckedKernel;
use crate::finding::Headline;
use crate::lints::facts::{label_on_name, limits_note};
use crate::lints::{Check, Draft, declare_lint};
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when at most four registers fewer per thread would make room for another block, or one more would take one
    /// away.
    ///
    /// ## Why it matters
    /// Registers are allocated in steps: 64 → 65 removes a block of 256 threads on sm_80. Near an edge a small change, or
    /// another compiler, changes the ceiling.
    ///
    /// ## Example
    /// ```text
    /// `gemm` is 2 registers away from a block more on sm_90
    /// ```
    ///
    /// ## What to try
    /// An experiment with bounds for one block more: look at its spills, and measure. It is no promise of speed.
    ///
    /// ## Configuration
    /// The level: `lints.register-step`.
    REGISTER_STEP: "register-step", Allow,
    "a few registers fewer would add a block, or one more would remove one", Check::Kernel(check)
}

/// Registers that count as "a few".
const FEW: u32 = 4;

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let (Some(steps), Some(found), Some(used), Some(block)) =
        (kernel.steps, &kernel.residency, kernel.kernel.usage.registers, kernel.block)
    else {
        return;
    };
    if let Some(step) = steps.fewer_registers.filter(|step| step.amount <= FEW) {
        let amount = count(step.amount, "register");
        let headline = Headline::new()
            .kernel()
            .text(format!(" is {amount} away from fitting {} per SM on ", count(step.blocks, "block")))
            .arch();
        drafts.push(draft(kernel, headline, limits_note(kernel, block.threads, found)));
    } else if steps.free_registers == 0 && steps.blocks_past_free_registers < found.blocks {
        let then = count(steps.blocks_past_free_registers, "block");
        let headline = Headline::new()
            .kernel()
            .text(format!(" at {} would fit {then} per SM with one more on ", count(used, "register")))
            .arch();
        drafts.push(draft(kernel, headline, limits_note(kernel, block.threads, found)));
    }
}

fn draft(kernel: &CheckedKernel, headline: Headline, note: String) -> Draft {
    Draft {
        weight: 1,
        labels: label_on_name(kernel, ""),
        notes: vec![note],
        help: Some("bounds for one block more are an experiment: look at the spills, and measure".to_owned()),
        ..Draft::new(headline)
    }
}
