//! `bounds-dropped`.

use crate::arch::Limits;
use crate::check::{CheckedKernel, UnitFacts};
use crate::finding::{Headline, Level};
use crate::kernel::{Remark, RemarkKind};
use crate::lints::facts::{ask_at_most, label_on_bounds, most_blocks};
use crate::lints::frontier_words::{for_blocks, with_experiments};
use crate::lints::{Check, Draft, declare_lint};
use crate::occupancy::{MAX_BLOCK_THREADS, MAX_REGISTERS};
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when a bound of the source does not hold: ptxas ignored `.minnctapersm` because the SM cannot hold so many
    /// threads or blocks, a `-maxrregcount` option and the kernel's own limit overrode one another, `setmaxnreg` was
    /// ignored, or the bound is one that no compiler could meet, even where none says so.
    ///
    /// ## Why it matters
    /// The compiler goes on without the bound and takes other registers: a kernel tuned for 16 blocks may get 7, with
    /// not one spill to show for it. A gate that looks at spills alone stays green.
    ///
    /// ## Example
    /// ```cuda
    /// // 16 × 128 threads: sm_90 holds 2048 threads, sm_120 holds 1536
    /// __global__ void __launch_bounds__(128, 16) kernel(float* out);
    /// ```
    ///
    /// ## What to try
    /// Bounds by architecture (`#if __CUDA_ARCH__ >= 1200`), with what each costs in registers and spills. Measure each.
    ///
    /// ## Configuration
    /// The level: `lints.bounds-dropped`.
    BOUNDS_DROPPED: "bounds-dropped", Deny,
    "the compiler ignored a bound, or no compiler could meet it", Check::Both(check, check_unit), rank: 2
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let remarks = &kernel.kernel.remarks;
    let ignored = remarks.iter().find_map(|remark| match remark.kind {
        RemarkKind::MinBlocksIgnored { with_threads } => Some(with_threads),
        _ => None,
    });
    let impossible = kernel.limits.and_then(|limits| impossible(kernel, limits));
    if ignored.is_some() || impossible.is_some() {
        drafts.push(dropped(kernel, ignored, impossible));
    }
    if let Some(threads) =
        kernel.kernel.bounds.block().map(|block| block.threads).filter(|&n| n > MAX_BLOCK_THREADS)
    {
        let words = format!(
            " declares {threads} threads per block, more than the {MAX_BLOCK_THREADS} that any block may have on "
        );
        drafts.push(Draft {
            labels: label_on_bounds(kernel, ""),
            weight: 2,
            ..Draft::new(Headline::new().kernel().text(words).arch())
        });
    }
    drafts.extend(remarks.iter().filter_map(override_words).map(|(words, default)| {
        let headline = Headline::new().kernel().text(format!(": {words} on ")).arch();
        Draft { labels: label_on_bounds(kernel, ""), default, weight: 1, ..Draft::new(headline) }
    }));
}

/// What a bound that cannot hold asks for, and what the SM has.
fn impossible(kernel: &CheckedKernel, limits: &Limits) -> Option<String> {
    let min_blocks = kernel.kernel.bounds.min_blocks?;
    let threads = kernel.kernel.bounds.block()?.threads;
    let arch = kernel.kernel.arch?;
    if threads > MAX_BLOCK_THREADS || min_blocks <= most_blocks(limits, threads) {
        return None;
    }
    let (held_blocks, held_threads) = (limits.max_blocks, limits.max_threads);
    Some(if u64::from(min_blocks) * u64::from(threads) > u64::from(held_threads) {
        format!("{min_blocks} × {threads} threads is more than the {held_threads} that {arch} holds")
    } else if min_blocks > held_blocks {
        format!("{min_blocks} blocks are more than the {held_blocks} that {arch} holds")
    } else {
        let (warps, held) = (count(threads.div_ceil(32), "warp"), held_threads / 32);
        format!("{min_blocks} × {warps} is more than the {held} that {arch} holds")
    })
}

fn dropped(kernel: &CheckedKernel, ignored: Option<bool>, impossible: Option<String>) -> Draft {
    let asked = kernel
        .kernel
        .bounds
        .min_blocks
        .map_or("its min blocks".to_owned(), |n| format!("its {}", count(n, "min block")));
    let headline = Headline::new().kernel();
    let headline = match ignored {
        Some(true) => {
            headline.text(format!(" loses {asked} and its max threads: ptxas ignored both on ")).arch()
        }
        Some(false) => headline.text(format!(" loses {asked}: ptxas ignored the bound on ")).arch(),
        None => headline.text(format!(" cannot have {asked} on ")).arch(),
    };
    let text = match (&impossible, ignored) {
        (Some(why), Some(_)) => format!("{why}; ptxas ignored it"),
        (Some(why), None) => why.clone(),
        (None, _) => "ptxas ignored it".to_owned(),
    };
    let notes = if kernel.kernel.place.is_none() { impossible.into_iter().collect() } else { Vec::new() };
    let labels = label_on_bounds(kernel, text);
    let draft = Draft { labels, weight: 3, notes, help: help(kernel), ..Draft::new(headline) };
    with_experiments(draft, kernel, for_blocks)
}

fn help(kernel: &CheckedKernel) -> Option<String> {
    let (limits, arch) = (kernel.limits?, kernel.kernel.arch?);
    let threads = kernel.kernel.bounds.block()?.threads;
    let most = most_blocks(limits, threads);
    ask_at_most(kernel, most, threads, arch)
}

/// How the compiler calls the option.
const OPTION: &str = "maxrregcount option";

/// Words for an override, and its level where that is not the lint's own.
fn override_words(remark: &Remark) -> Option<(String, Option<Level>)> {
    match &remark.kind {
        // The compiler's own maximum is no limit that anyone wrote.
        RemarkKind::CapOverridden { from, by, .. } if *from >= MAX_REGISTERS && by.contains(OPTION) => None,
        // A tighter cap than the kernel's own still meets it.
        RemarkKind::CapOverridden { from, to, by } if by.contains(OPTION) => {
            let words = format!("its register limit of {from} gave way to {to} ({by})");
            Some((words, (to < from).then_some(Level::Warn)))
        }
        RemarkKind::CapOverridden { from, to, by } => {
            let words = format!("its `-maxrregcount` of {from} gave way to {to} registers ({by})");
            Some((words, Some(Level::Warn)))
        }
        RemarkKind::CapRaised { from, to } => {
            Some((format!("its register limit of {from} was raised to {to}"), Some(Level::Warn)))
        }
        RemarkKind::CapTooBig(cap) => {
            Some((format!("the register limit of {cap} is too big and was ignored"), None))
        }
        RemarkKind::SetmaxnregIgnored { code } => {
            let code = code.map(|code| format!(" (C{code})")).unwrap_or_default();
            Some((format!("`setmaxnreg` was ignored{code}"), None))
        }
        _ => None,
    }
}

/// The same for remarks that name no kernel.
fn check_unit(unit: &UnitFacts, drafts: &mut Vec<Draft>) {
    for (words, default) in unit.remarks.iter().filter_map(override_words) {
        let words = words.replacen("its", "the", 1);
        let headline = Headline::new().text("in ").kernel().text(format!(": {words} on ")).arch();
        drafts.push(Draft { default, weight: 1, ..Draft::new(headline) });
    }
    for remark in
        unit.remarks.iter().filter(|remark| matches!(remark.kind, RemarkKind::MinBlocksIgnored { .. }))
    {
        let headline = Headline::new().text("in ").kernel().text(format!(": {} on ", remark.text)).arch();
        drafts.push(Draft { weight: 3, ..Draft::new(headline) });
    }
}
