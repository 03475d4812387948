//! `unlaunchable`.

use crate::check::{CheckedKernel, UnitFacts};
use crate::evidence::names;
use crate::finding::Headline;
use crate::kernel::{Kernel, Remark, RemarkKind};
use crate::lints::facts::{label_on_bounds, label_on_name, label_on_target, link_note, resources};
use crate::lints::frontier_words::{for_blocks, with_experiments};
use crate::lints::{Check, Draft, declare_lint};
use crate::occupancy::{MAX_BLOCK_THREADS, MAX_REGISTERS, residency};
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when the block that a kernel declares, or that the target says is launched, cannot launch: too many threads,
    /// more registers than one block may have, more shared memory than the architecture gives, or a target's block
    /// that the declared bounds rule out.
    ///
    /// ## Why it matters
    /// The launch fails at run time (`too many resources requested for launch`, `invalid configuration argument`), and
    /// only on the architecture where it does not fit.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void __launch_bounds__(256) kernel(float* out); // and `block = 512` in Cargo.toml
    /// ```
    ///
    /// ## What to try
    /// A smaller block, or bounds that say the block which is launched: then the compiler fits its registers to it,
    /// which may spill. Measure.
    ///
    /// ## Configuration
    /// `block` and `dynamic-smem` of a kernel; the level: `lints.unlaunchable`.
    UNLAUNCHABLE: "unlaunchable", Deny,
    "the declared or target block cannot launch on an architecture", Check::Both(check, check_unit), rank: 1
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    if let Some((why, from_target)) = contradiction(kernel) {
        let labels =
            if from_target { label_on_target(kernel, "block", "launched like this") } else { Vec::new() };
        let headline = Headline::new().kernel().text(" cannot launch on ").arch().text(format!(": {why}"));
        drafts.push(Draft { labels, weight: 1, help: Some(HELP.to_owned()), ..Draft::new(headline) });
    }
    if let Some(draft) = resources_of_block(kernel) {
        drafts.push(draft);
    }
    let mut said: Vec<String> = Vec::new();
    for remark in &kernel.kernel.remarks {
        let Some(why) = given_up(remark).filter(|why| !said.contains(why)) else { continue };
        let headline = Headline::new().kernel().text(" cannot be built for ").arch().text(format!(": {why}"));
        let (labels, help) = match &remark.kind {
            RemarkKind::CalleeNeedsRegisters { cap, .. } => {
                (label_on_bounds(kernel, cap_words(*cap)), CAP_HELP)
            }
            _ => (Vec::new(), SHARED_HELP),
        };
        drafts.push(Draft { labels, weight: 1, help: Some(help.to_owned()), ..Draft::new(headline) });
        said.push(why);
    }
}

fn cap_words(cap: u32) -> String {
    format!("leaves {} per thread, to the functions it calls too", count(cap, "register"))
}

/// The same for a kernel that the log names without a report.
fn check_unit(unit: &UnitFacts, drafts: &mut Vec<Draft>) {
    for remark in &unit.remarks {
        let Some(why) = given_up(remark) else { continue };
        let headline = Headline::new().text("in ").kernel().text(": a kernel cannot be built for ").arch();
        let headline = headline.text(format!(": {why}"));
        drafts.push(Draft { weight: 1, notes: vec![remark.text.clone()], ..Draft::new(headline) });
    }
}

/// Why the compiler gave up.
fn given_up(remark: &Remark) -> Option<String> {
    match &remark.kind {
        RemarkKind::TooMuchShared { used_bytes, max_bytes } => Some(format!(
            "{used_bytes} bytes of static shared memory are more than the {max_bytes} that ptxas allows"
        )),
        RemarkKind::CalleeNeedsRegisters { cap, callee, needs } => {
            let callee = names::name(callee).demangled;
            Some(format!("its cap is {cap} registers, and `{callee}`, which it calls, needs {needs}"))
        }
        _ => None,
    }
}

const CAP_HELP: &str = "relocatable code is compiled function by function: ask for fewer min blocks, put the function into the \
                        kernel's unit and let it be inlined, or cap the function's unit with `-maxrregcount` (it may then spill); \
                        measure each";
const SHARED_HELP: &str =
    "use dynamic shared memory, which the launch may raise to the architecture's opt-in limit";
const HELP: &str =
    "launch a block that the bounds allow, or declare the block that is launched; then measure";

/// A block that no part can launch, or that the target and the bounds disagree about; and whether the target says it.
fn contradiction(kernel: &CheckedKernel) -> Option<(String, bool)> {
    let block = kernel.block?;
    let target = kernel.expectation.target.block;
    if block.threads > MAX_BLOCK_THREADS || block.threads == 0 {
        let why = format!(
            "a block of {} threads is more than the {MAX_BLOCK_THREADS} that any block may have",
            block.threads
        );
        return Some((why, target.is_some()));
    }
    let (target, Kernel { bounds, .. }) = (target?, &kernel.kernel);
    let product = |d: [u32; 3]| d.iter().fold(1_u32, |n, &d| n.saturating_mul(d));
    match (bounds.required_threads.map(product), bounds.max_threads.map(product)) {
        (Some(required), _) if required != target => {
            Some((format!("the target launches {target} threads, and it requires exactly {required}"), true))
        }
        (None, Some(max)) if target > max => {
            Some((format!("the target launches {target} threads, and its bounds allow {max}"), true))
        }
        _ => None,
    }
}

fn resources_of_block(kernel: &CheckedKernel) -> Option<Draft> {
    let (block, limits) = (kernel.block?, kernel.limits?);
    if !(1..=MAX_BLOCK_THREADS).contains(&block.threads) {
        return None;
    }
    let resources = resources(kernel, block.threads)?;
    let found = residency(limits, &resources);
    let shared = u64::from(resources.static_shared_bytes) + u64::from(resources.dynamic_shared_bytes);
    let why = if found.registers == Some(0) && resources.registers > MAX_REGISTERS {
        format!(
            "{} registers per thread are more than the {MAX_REGISTERS} that any thread may have",
            resources.registers
        )
    } else if found.registers == Some(0) {
        format!(
            "{} registers × {} threads are more than the {} that one block may have",
            resources.registers, block.threads, limits.registers_per_block
        )
    } else if found.shared_memory == Some(0) {
        format!(
            "{shared} bytes of shared memory are more than the {} that one block may have",
            limits.opt_in_shared_bytes
        )
    } else if found.barriers == Some(0) {
        format!("{} named barriers are more than the {} of an SM", resources.barriers, limits.barrier_pool?)
    } else {
        return None;
    };
    let headline = Headline::new().kernel().text(" cannot launch on ").arch().text(format!(": {why}"));
    let draft = Draft {
        labels: label_on_name(kernel, ""),
        weight: 1,
        notes: link_note(kernel).into_iter().collect(),
        help: Some(HELP.to_owned()),
        ..Draft::new(headline)
    };
    Some(with_experiments(draft, kernel, for_blocks))
}
