//! `residency-below-bounds`.

use crate::check::CheckedKernel;
use crate::finding::Headline;
use crate::lints::facts::{
    label_on_bounds, limits_note, residency_of_bounds, shortfall_help, shortfall_weight,
};
use crate::lints::frontier_words::{for_blocks, is_met, with_experiments};
use crate::lints::{Check, Draft, declare_lint};
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when fewer blocks fit on an SM than `__launch_bounds__` declares as its min blocks, whatever limits them:
    /// registers, static and dynamic shared memory, named barriers, threads.
    ///
    /// ## Why it matters
    /// ptxas caps registers for the declared blocks, and pays with spills, but it does not look at shared memory and
    /// barriers: the price is paid and the blocks do not come.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void __launch_bounds__(64, 12) kernel(float* out) {
    ///     __shared__ float tile[6144]; // 24 KiB: 9 blocks on sm_90
    /// ```
    ///
    /// ## What to try
    /// Less shared memory, or a smaller min blocks, which gives the compiler registers back. Either can be faster or
    /// slower: measure.
    ///
    /// ## Configuration
    /// `dynamic-smem` of a kernel counts; the level: `lints.residency-below-bounds`.
    RESIDENCY_BELOW_BOUNDS: "residency-below-bounds", Deny,
    "fewer blocks fit on an SM than the declared min blocks",
    Check::Kernel(check), rank: 3, max: "missing blocks per SM"
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let Some(asked) = kernel.kernel.bounds.min_blocks else { return };
    let Some((threads, found)) = residency_of_bounds(kernel).filter(|(_, found)| found.blocks < asked) else {
        return;
    };
    let fits = format!(" fits {} per SM on ", count(found.blocks, "block"));
    let headline = Headline::new().kernel().text(fits).arch().text(format!(", its bounds ask for {asked}"));
    let help = if is_met(kernel) { None } else { shortfall_help(kernel, threads, asked, &found) };
    let draft = Draft {
        labels: label_on_bounds(kernel, format!("{} of {threads} threads asked for", count(asked, "block"))),
        weight: shortfall_weight(kernel, threads, asked - found.blocks),
        amount: Some(u64::from(asked - found.blocks)),
        notes: vec![limits_note(kernel, threads, &found)],
        help,
        ..Draft::new(headline)
    };
    drafts.push(with_experiments(draft, kernel, for_blocks));
}
