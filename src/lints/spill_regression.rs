//! `spill-regression`.

use crate::baseline::Entry;
use crate::check::CheckedKernel;
use crate::finding::Headline;
use crate::lints::facts::label_on_name;
use crate::lints::frontier_words::{against_spills, with_experiments};
use crate::lints::residency_regression::{MEASURE, changed};
use crate::lints::{Check, Draft, declare_lint, spill_lines};

declare_lint! {
    /// ## What it does
    /// Fires when a kernel, with the functions that it can call, stores or loads more bytes of spilled registers than in the
    /// baseline, or has more spill instructions to shared memory.
    ///
    /// ## Why it matters
    /// Code that spills already hides what a change adds to it. Stores and loads are compared apart: a spill in a loop is
    /// stored once and loaded often.
    ///
    /// ## Example
    /// ```text
    /// `gemm` spills 40/56 bytes per thread on sm_90 (stores/loads), 24/24 in the baseline
    /// ```
    ///
    /// ## What to try
    /// Look at the lines and at what other bounds cost, measure before and after; `cargo occlint --bless` accepts it.
    ///
    /// ## Configuration
    /// `baseline`; the level: `lints.spill-regression`.
    SPILL_REGRESSION: "spill-regression", Deny,
    "more bytes of spills than in the baseline",
    Check::Kernel(check), rank: 6, max: "bytes per thread more (stores or loads, the larger)"
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let Some(before) = kernel.compared() else { return };
    let now = Entry::now(kernel);
    let more = |was: Option<u32>, is: Option<u32>| was.zip(is).map_or(0, |(was, is)| is.saturating_sub(was));
    let bytes = more(before.spill_stores, now.spill_stores).max(more(before.spill_loads, now.spill_loads));
    let shared = more(before.shared_spills, now.shared_spills);
    let known = |value: Option<u32>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let pair = |entry: &Entry| format!("{}/{}", known(entry.spill_stores), known(entry.spill_loads));
    let headline = if bytes > 0 {
        let was = format!(" (stores/loads), {} in the baseline", pair(before));
        Headline::new().kernel().text(format!(" spills {} bytes per thread on ", pair(&now))).arch().text(was)
    } else if shared > 0 {
        let was = format!(", {} in the baseline", known(before.shared_spills));
        let words = format!(" has {} spill instructions to shared memory on ", known(now.shared_spills));
        Headline::new().kernel().text(words).arch().text(was)
    } else {
        return;
    };
    let pairs = [
        before.spill_stores.zip(now.spill_stores),
        before.spill_loads.zip(now.spill_loads),
        before.shared_spills.zip(now.shared_spills),
    ];
    let mut draft = Draft {
        weight: u64::from(bytes.max(shared)),
        amount: Some(u64::from(bytes)),
        increases: pairs.into_iter().flatten().map(|(was, is)| (u64::from(was), u64::from(is))).collect(),
        notes: changed(before, kernel).into_iter().collect(),
        help: Some(MEASURE.to_owned()),
        ..Draft::new(headline)
    };
    label(kernel, &mut draft);
    drafts.push(with_experiments(draft, kernel, against_spills));
}

/// Labels the lines with the most spill instructions, and says where the others are.
fn label(kernel: &CheckedKernel, draft: &mut Draft) {
    let Some(spills) = kernel.kernel.spills.as_ref().filter(|spills| spills.instructions > 0) else { return };
    let (labels, others) = spill_lines::lines(kernel, spills);
    draft.labels.extend(label_on_name(kernel, ""));
    draft.labels.extend(labels);
    draft.notes.extend(others);
}
