//! `residency-below-target`.

use crate::check::CheckedKernel;
use crate::finding::Headline;
use crate::lints::facts::{label_on_target, limits_note, shortfall_help, shortfall_weight};
use crate::lints::frontier_words::{for_blocks, is_met, with_experiments};
use crate::lints::{Check, Draft, declare_lint};
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when fewer blocks fit on an SM than the configuration asks for with `min-blocks`, or when that cannot be
    /// judged because nothing says the block size.
    ///
    /// ## Why it matters
    /// A target is what the author measured and wants kept. Nothing else notices when a change takes a block away.
    ///
    /// ## Example
    /// ```toml
    /// [[package.metadata.occlint.kernel]]
    /// name = "softmax*"
    /// block = 256
    /// min-blocks = 4
    /// ```
    ///
    /// ## What to try
    /// Use less of the resource that limits; the note says how far the next step is. Then measure: more blocks are a
    /// higher ceiling and not a faster kernel.
    ///
    /// ## Configuration
    /// `min-blocks`, `block`, `dynamic-smem` of a kernel; the level: `lints.residency-below-target`.
    RESIDENCY_BELOW_TARGET: "residency-below-target", Deny,
    "fewer blocks fit on an SM than the target's min blocks",
    Check::Kernel(check), rank: 4, max: "missing blocks per SM"
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let Some(asked) = kernel.expectation.target.min_blocks else { return };
    let labels = label_on_target(kernel, "min-blocks", format!("{} asked for here", count(asked, "block")));
    let Some((found, block)) = kernel.residency.as_ref().zip(kernel.block) else {
        let why = unknown(kernel);
        let headline = Headline::new()
            .text("the residency of ")
            .kernel()
            .text(" on ")
            .arch()
            .text(format!(" cannot be judged: {why}"));
        let help = (kernel.block.is_none()).then(|| "give `block`, or `__launch_bounds__`".to_owned());
        drafts.push(Draft { labels, help, weight: u64::from(asked), ..Draft::new(headline) });
        return;
    };
    if found.blocks >= asked {
        return;
    }
    let fits = format!(" fits {} per SM on ", count(found.blocks, "block"));
    let headline = Headline::new().kernel().text(fits).arch().text(format!(", its target is {asked}"));
    let mut notes = vec![limits_note(kernel, block.threads, found)];
    notes.extend(step_note(kernel));
    let help = if is_met(kernel) { None } else { shortfall_help(kernel, block.threads, asked, found) };
    let draft = Draft {
        labels,
        weight: shortfall_weight(kernel, block.threads, asked - found.blocks),
        amount: Some(u64::from(asked - found.blocks)),
        notes,
        help,
        ..Draft::new(headline)
    };
    drafts.push(with_experiments(draft, kernel, for_blocks));
}

fn unknown(kernel: &CheckedKernel) -> &'static str {
    match () {
        () if kernel.block.is_none() => "nothing says its block size",
        () if kernel.limits.is_none() => "the limits of the architecture are unknown",
        () => "its registers are unknown",
    }
}

fn step_note(kernel: &CheckedKernel) -> Option<String> {
    let steps = kernel.steps?;
    let registers = steps.fewer_registers.map(|step| format!("{} fewer", count(step.amount, "register")));
    let shared =
        steps.fewer_shared_bytes.map(|step| format!("{} of shared memory fewer", count(step.amount, "byte")));
    let ways: Vec<String> = registers.into_iter().chain(shared).collect();
    (!ways.is_empty()).then(|| format!("the next step: {}", ways.join(", or ")))
}
