//! `partial-warp`.

use crate::check::CheckedKernel;
use crate::finding::Headline;
use crate::lints::facts::label_on_bounds;
use crate::lints::{Check, Draft, declare_lint};

declare_lint! {
    /// ## What it does
    /// Fires when the declared or target block is no multiple of 32 threads.
    ///
    /// ## Why it matters
    /// The last warp runs with idle lanes, and its registers are allocated in full.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void __launch_bounds__(100) kernel(float* out); // 3 warps and 4 threads of a fourth
    /// ```
    ///
    /// ## What to try
    /// A block of 96 or 128 threads. Measure: a shape that follows the data can be worth idle lanes.
    ///
    /// ## Configuration
    /// `block` of a kernel, `allow = ["partial-warp"]`; the level: `lints.partial-warp`.
    PARTIAL_WARP: "partial-warp", Warn,
    "the declared block is no multiple of 32 threads",
    Check::Kernel(check), max: "idle lanes per block"
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let Some(block) = kernel.block.filter(|block| block.threads % 32 != 0) else { return };
    let (whole, rest) = (block.threads / 32, block.threads % 32);
    let words = format!(" has a block of {} threads on ", block.threads);
    drafts.push(Draft {
        weight: u64::from(32 - rest),
        amount: Some(u64::from(32 - rest)),
        labels: label_on_bounds(kernel, format!("{whole} whole warps and {rest} of 32 threads")),
        help: Some(format!(
            "{} or {} threads fill their warps: measure",
            (whole.max(1)) * 32,
            (whole + 1) * 32
        )),
        ..Draft::new(Headline::new().kernel().text(words).arch().text(", no multiple of 32"))
    });
}
