//! `register-regression`.

use crate::baseline::{Entry, room};
use crate::check::CheckedKernel;
use crate::finding::Headline;
use crate::lints::facts::label_on_name;
use crate::lints::{Check, Draft, declare_lint};
use crate::occupancy::registers_per_warp;
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when a warp of a kernel is given more registers than in the baseline, while as many blocks fit.
    ///
    /// ## Why it matters
    /// Registers are given to a warp in steps of 256: 41 → 43 registers per thread change nothing, 40 → 41 do. The room before
    /// the next block is lost got smaller.
    ///
    /// ## Example
    /// ```text
    /// `gemm` uses 72 registers per thread on sm_90, 64 in the baseline
    /// ```
    ///
    /// ## What to try
    /// Nothing, if it was meant; `cargo occlint --bless` accepts it.
    ///
    /// ## Configuration
    /// `baseline`; the level: `lints.register-regression`.
    REGISTER_REGRESSION: "register-regression", Warn,
    "more registers are given to a warp than in the baseline",
    Check::Kernel(check), rank: 8, max: "registers per thread more"
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let Some(before) = kernel.compared() else { return };
    let (Some(was), Some(is)) = (before.registers, kernel.kernel.usage.registers) else { return };
    let fell = room(before, &Entry::now(kernel)).is_some_and(|room| room.is < room.was);
    if fell || registers_per_warp(is) <= registers_per_warp(was) {
        return;
    }
    let uses = format!(" uses {} per thread on ", count(is, "register"));
    let headline = Headline::new().kernel().text(uses).arch().text(format!(", {was} in the baseline"));
    let allocated = format!(
        "a warp is given {} registers, {} in the baseline",
        registers_per_warp(is),
        registers_per_warp(was)
    );
    drafts.push(Draft {
        weight: u64::from(is - was),
        amount: Some(u64::from(is - was)),
        increases: vec![(u64::from(was), u64::from(is))],
        labels: label_on_name(kernel, ""),
        notes: vec![allocated],
        help: Some("if it was meant, `--bless` accepts it".to_owned()),
        ..Draft::new(headline)
    });
}
