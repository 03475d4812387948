//! `limiter-regression`.

use crate::baseline::{Entry, room};
use crate::check::CheckedKernel;
use crate::finding::Headline;
use crate::lints::facts::label_on_name;
use crate::lints::residency_regression::changed;
use crate::lints::{Check, Draft, declare_lint};
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when as many blocks fit as in the baseline, but something else limits them now, and less of it is free before a
    /// block is lost.
    ///
    /// ## Why it matters
    /// The next small change takes a block away, and what to look at has changed.
    ///
    /// ## Example
    /// ```text
    /// `gemm` is limited by registers on sm_80, by warps in the baseline
    /// ```
    ///
    /// ## What to try
    /// Know it, and decide: nothing is lost yet. `cargo occlint --bless` accepts it.
    ///
    /// ## Configuration
    /// `baseline`; the level: `lints.limiter-regression`.
    LIMITER_REGRESSION: "limiter-regression", Deny,
    "another limiter than in the baseline, and less of it is free", Check::Kernel(check), rank: 7
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let Some(before) = kernel.compared() else { return };
    let now = Entry::now(kernel);
    let Some(is) = now.residency else { return };
    let less = |was: Option<u32>, is: Option<u32>| was.zip(is).filter(|(was, is)| is < was);
    let registers = less(before.free_registers, now.free_registers);
    let shared = less(before.free_smem, now.free_smem);
    let other_room = room(before, &now).is_none_or(|room| room.is != room.was || room.in_warps);
    if other_room || before.limiters == now.limiters || (registers.is_none() && shared.is_none()) {
        return;
    }
    let words = |limiters: &[String]| limiters.join(" and ").replace('_', " ");
    let headline = Headline::new()
        .kernel()
        .text(format!(" is limited by {} on ", words(&now.limiters)))
        .arch()
        .text(format!(", by {} in the baseline", words(&before.limiters)));
    let mut notes: Vec<String> = changed(before, kernel).into_iter().collect();
    notes.push(format!("still {} per SM", count(is, "block")));
    notes.extend(registers.map(|(was, is)| format!("{is} registers more are free, {was} in the baseline")));
    notes.extend(
        shared.map(|(was, is)| format!("{is} bytes of shared memory more are free, {was} in the baseline")),
    );
    drafts.push(Draft {
        weight: 1,
        labels: label_on_name(kernel, ""),
        notes,
        help: Some("no block is lost yet; `--bless` accepts what the run found".to_owned()),
        ..Draft::new(headline)
    });
}
