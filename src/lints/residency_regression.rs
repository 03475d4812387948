//! `residency-regression`.

use crate::baseline::{Entry, Room, room};
use crate::check::CheckedKernel;
use crate::finding::{Headline, Level};
use crate::lints::facts::{label_on_name, limits_note, shortfall_weight};
use crate::lints::{Check, Draft, declare_lint};
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when fewer blocks of a kernel fit on an SM than in the baseline, or, where its block has another size now, fewer warps, and warns when the residency that the baseline
    /// has is not known any more.
    ///
    /// ## Why it matters
    /// A register or a byte of shared memory more can take a block away, and no build fails of it. Fewer resident warps are a
    /// lower ceiling: whether the kernel got slower only a measurement says.
    ///
    /// ## Example
    /// ```text
    /// `gemm` fits 3 blocks per SM on sm_80, 4 in the baseline
    /// ```
    ///
    /// ## What to try
    /// Look at what changed, measure before and after, and keep the better one; `cargo occlint --bless` accepts it.
    ///
    /// ## Configuration
    /// `baseline`; the level: `lints.residency-regression`.
    RESIDENCY_REGRESSION: "residency-regression", Deny,
    "fewer blocks fit on an SM than in the baseline",
    Check::Kernel(check), rank: 5, max: "missing blocks per SM (warps, where the block has another size)"
}

/// What to do about something that got worse.
pub(super) const MEASURE: &str = "measure before and after; `--bless` accepts what the run found";

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let Some(before) = kernel.compared() else { return };
    let Some(blocks) = before.residency else { return };
    let Some((found, block)) = kernel.residency.as_ref().zip(kernel.block) else {
        let headline = Headline::new()
            .text("the residency of ")
            .kernel()
            .text(" on ")
            .arch()
            .text(format!(" is not known any more; it was {blocks} in the baseline"));
        drafts.push(Draft {
            default: Some(Level::Warn),
            help: Some("give `block`, or `__launch_bounds__`, so that it can be compared".to_owned()),
            ..Draft::new(headline)
        });
        return;
    };
    let room = room(before, &Entry::now(kernel)).filter(|room| room.is < room.was);
    let Some(Room { was, is, in_warps }) = room else { return };
    let (verb, unit, sizes) = if in_warps {
        let old = before.block.unwrap_or(0);
        ("keeps", "warp", format!(" (blocks of {old} threads then, of {} now)", block.threads))
    } else {
        ("fits", "block", String::new())
    };
    let fits = format!(" {verb} {} per SM on ", count(is, unit));
    let headline = Headline::new().kernel().text(fits).arch().text(format!(", {was} in the baseline{sizes}"));
    let mut notes: Vec<String> = changed(before, kernel).into_iter().collect();
    notes.push(limits_note(kernel, block.threads, found));
    let step = kernel.steps.and_then(|steps| steps.fewer_registers);
    notes.extend(step.map(|step| {
        format!(
            "{} fewer would make room for {}",
            count(step.amount, "register"),
            count(step.blocks, "block")
        )
    }));
    let missing = was - is;
    let threads = if in_warps { 32 } else { block.threads };
    drafts.push(Draft {
        weight: shortfall_weight(kernel, threads, missing),
        amount: Some(u64::from(missing)),
        increases: vec![(u64::from(was), u64::from(was) + u64::from(missing))],
        labels: label_on_name(kernel, ""),
        notes,
        help: Some(MEASURE.to_owned()),
        ..Draft::new(headline)
    });
}

/// `since the baseline: 64 → 65 registers, 0 → 1024 bytes of static shared memory`.
pub(super) fn changed(before: &Entry, kernel: &CheckedKernel) -> Option<String> {
    let now = Entry::now(kernel);
    let differs = |was: Option<u32>, is: Option<u32>, what: &str| {
        was.zip(is).filter(|(was, is)| was != is).map(|(was, is)| format!("{was} → {is} {what}"))
    };
    let parts = [
        differs(before.block, now.block, "threads per block"),
        differs(before.residency, now.residency, "blocks per SM"),
        differs(before.registers, now.registers, "registers"),
        differs(before.static_smem, now.static_smem, "bytes of static shared memory"),
        differs(before.spill_stores, now.spill_stores, "bytes of spill stores"),
        differs(before.spill_loads, now.spill_loads, "bytes of spill loads"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("since the baseline: {}", parts.join(", ")))
}
