//! `spill`.

use crate::check::CheckedKernel;
use crate::finding::{Headline, Label};
use crate::kernel::{DeviceFunction, RemarkKind};
use crate::lints::facts::{count, label_at, label_on_bounds, registers_that_fit};
use crate::lints::{Check, Draft, declare_lint};
use crate::occupancy::MAX_REGISTERS;

declare_lint! {
    /// ## What it does
    /// Fires when the compiler moved live values out of registers: spill stores or loads above the allowance, in the
    /// kernel or in a device function that it calls. Local memory that is no spill (a dynamically indexed array, `printf`, a
    /// call frame) is another lint, `local-memory`.
    ///
    /// ## Why it matters
    /// Each spilled byte is a store and later a load through the caches, for every thread. In a hot loop that can cost
    /// more than the residency it bought; on a cold path it may cost nothing.
    ///
    /// ## Example
    /// ```cuda
    /// // 16 blocks of 128 threads leave 32 registers per thread on sm_90
    /// __global__ void __launch_bounds__(128, 16) kernel(float* out, const float* in);
    /// ```
    ///
    /// ## What to try
    /// A smaller min blocks, a smaller block, fewer live values, less unrolling. Fewer resident warps without spills
    /// can be faster or slower: measure both.
    ///
    /// ## Configuration
    /// `allow = [{ lint = "spill", max = 24, reason = "…" }]` of a kernel (bytes of stores and of loads, each), or
    /// `// occlint: allow(spill, max = 24, reason = "…")` above it; the level: `lints.spill`.
    SPILL: "spill", Warn,
    "registers are spilled, in the kernel or in a function it calls", Check::Kernel(check)
}

const HELP: &str = "try fewer min blocks, a smaller block or fewer live values: fewer resident warps without spills can be faster or slower, so measure both";

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let usage = &kernel.kernel.usage;
    let (stores, loads) = (usage.spill_store_bytes.unwrap_or(0), usage.spill_load_bytes.unwrap_or(0));
    if stores > 0 || loads > 0 {
        let words = format!(
            " spills {} of stores and {} of loads per thread on ",
            count(stores, "byte"),
            count(loads, "byte")
        );
        let headline = Headline::new().kernel().text(words).arch();
        drafts.push(draft(headline, (stores, loads), label_on_bounds(kernel, cap_words(kernel))));
    }
    drafts.extend(kernel.kernel.functions.iter().filter_map(|function| callee(kernel, function)));
}

fn callee(kernel: &CheckedKernel, function: &DeviceFunction) -> Option<Draft> {
    let (stores, loads) = (function.spill_store_bytes.unwrap_or(0), function.spill_load_bytes.unwrap_or(0));
    if stores == 0 && loads == 0 {
        return None;
    }
    let words = format!(
        " calls `{}`, which spills {} of stores and {} of loads per thread on ",
        function.name.demangled,
        count(stores, "byte"),
        count(loads, "byte")
    );
    let mut labels: Vec<Label> = Vec::new();
    if let Some(place) = &function.place {
        labels.push(label_at(place, place.declarator.clone(), "the spills are in this function".to_owned()));
    }
    labels.extend(label_on_bounds(kernel, cap_words(kernel)));
    Some(draft(Headline::new().kernel().text(words).arch(), (stores, loads), labels))
}

fn draft(headline: Headline, (stores, loads): (u32, u32), labels: Vec<Label>) -> Draft {
    Draft {
        weight: u64::from(stores) + u64::from(loads),
        amount: Some(u64::from(stores.max(loads))),
        labels,
        help: Some(HELP.to_owned()),
        ..Draft::new(headline)
    }
}

/// What the bounds leave per thread: arithmetic. Whether they are the cause only an experiment can say. Nothing where
/// the compiler dropped the bound.
fn cap_words(kernel: &CheckedKernel) -> String {
    let bounds = &kernel.kernel.bounds;
    let dropped =
        kernel.kernel.remarks.iter().any(|remark| matches!(remark.kind, RemarkKind::MinBlocksIgnored { .. }));
    let blocks = if dropped { 1 } else { bounds.min_blocks.unwrap_or(1) };
    let fits = kernel.limits.zip(bounds.block());
    let fits = fits.and_then(|(limits, block)| registers_that_fit(limits, block.threads, blocks));
    let cap = [fits, bounds.max_registers].into_iter().flatten().min();
    match cap {
        Some(cap) if cap < MAX_REGISTERS => format!("leaves {} per thread", count(cap, "register")),
        _ => String::new(),
    }
}
