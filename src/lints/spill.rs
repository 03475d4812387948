//! `spill`.

use crate::check::CheckedKernel;
use crate::finding::{Headline, Label};
use crate::kernel::{DeviceFunction, Kernel, NoFrontier, RemarkKind};
use crate::lints::facts::{label_at, label_on_bounds, label_on_name, registers_that_fit};
use crate::lints::frontier_words::{against_spills, with_experiments};
use crate::lints::{Check, Draft, declare_lint, spill_lines};
use crate::occupancy::MAX_REGISTERS;
use crate::order;
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when the compiler moved live values out of registers: spill stores or loads above the allowance, in the
    /// kernel or in a device function that it calls. Spills to shared memory count too: the compiler's report leaves them
    /// out, the compiled code shows them. The lines with the most spill instructions are shown, with the call that they were
    /// inlined through, and whether they are in a loop. Local memory that is no spill (a dynamically indexed array, `printf`,
    /// a call frame) is another lint, `local-memory`.
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
    "registers are spilled, in the kernel or in a function it calls",
    Check::Kernel(spill_lines::check), rank: 6, max: "bytes of stores and of loads, each"
}

const HELP: &str = "try fewer min blocks, a smaller block or fewer live values: fewer resident warps without spills can be faster or slower, so measure both";

const CAP_HELP: &str = "try a higher register cap or fewer live values: fewer resident warps without spills can be faster or slower, so measure both";

const FREE_HELP: &str = "nothing caps its registers but the architecture: try fewer live values, and measure";

const FULL_HELP: &str =
    "its block leaves it no more registers: try a smaller block or fewer live values, and measure";

const FREE_CALLEE_HELP: &str = "nothing caps the registers but the architecture: try fewer live values in that function, or let it be inlined, and measure";

/// Bytes per thread that spills store and load.
#[derive(Clone, Copy)]
struct Bytes {
    stores: u32,
    loads: u32,
}

impl Bytes {
    /// `None` where there are none, or none are known.
    fn new(stores: Option<u32>, loads: Option<u32>) -> Option<Self> {
        let bytes = Self { stores: stores.unwrap_or(0), loads: loads.unwrap_or(0) };
        (bytes.larger() > 0).then_some(bytes)
    }

    fn larger(self) -> u32 {
        self.stores.max(self.loads)
    }

    fn words(self) -> String {
        let (stores, loads) = (count(self.stores, "byte"), count(self.loads, "byte"));
        format!("{stores} of stores and {loads} of loads per thread")
    }
}

/// What the compiler's byte counts say.
pub(super) fn by_bytes(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let usage = &kernel.kernel.usage;
    let own = Bytes::new(usage.spill_store_bytes, usage.spill_load_bytes);
    let of = |function: &DeviceFunction| Bytes::new(function.spill_store_bytes, function.spill_load_bytes);
    let functions = kernel.kernel.functions.iter();
    let mut callees: Vec<_> = functions.filter_map(|function| Some((function, of(function)?))).collect();
    order::sort_by_key(&mut callees, |(_, bytes)| std::cmp::Reverse(bytes.larger()));

    let (mut labels, words) = match (own, callees.first()) {
        (Some(own), _) => (Vec::new(), format!(" spills {}", own.words())),
        (None, Some((function, bytes))) => {
            let words = format!(" calls `{}`, which spills {}", function.name.demangled, bytes.words());
            (label_on_function(function), words)
        }
        (None, None) => return,
    };
    labels.extend(label_of_cause(kernel));
    let note = |(function, bytes): &(&DeviceFunction, Bytes)| {
        format!("`{}`, which it calls, spills {}", function.name.demangled, bytes.words())
    };
    let all = || own.into_iter().chain(callees.iter().map(|(_, bytes)| *bytes));
    let draft = Draft {
        weight: all().map(|bytes| u64::from(bytes.stores) + u64::from(bytes.loads)).sum(),
        amount: all().map(|bytes| u64::from(bytes.larger())).max(),
        labels,
        notes: callees.iter().skip(usize::from(own.is_none())).map(note).chain(no_cause(kernel)).collect(),
        help: help(kernel, own.is_some()).map(str::to_owned),
        ..Draft::new(Headline::new().kernel().text(format!("{words} on ")).arch())
    };
    drafts.push(with_experiments(draft, kernel, against_spills));
}

/// What to try, by what can matter to these spills; nothing where a table says what that costs.
fn help(kernel: &CheckedKernel, own: bool) -> Option<&'static str> {
    let Kernel { bounds, frontier, no_frontier, .. } = &kernel.kernel;
    if frontier.as_ref().is_some_and(|frontier| frontier.rows.len() > 1) {
        return None;
    }
    let in_vain = frontier.as_ref().is_some_and(|frontier| frontier.bounds_cause_spills == Some(false));
    Some(match (own, bounds.max_registers, bounds.min_blocks, bounds.block()) {
        (false, ..) if *no_frontier == Some(NoFrontier::NothingToTry) => FREE_CALLEE_HELP,
        (false, ..) => "try fewer live values in that function, or let it be inlined, and measure",
        _ if *no_frontier == Some(NoFrontier::NothingToTry) && has_all_registers(kernel) => FREE_HELP,
        _ if *no_frontier == Some(NoFrontier::NothingToTry) => FULL_HELP,
        _ if in_vain => "try fewer live values, and measure",
        (_, Some(_), ..) => CAP_HELP,
        (_, None, None, None) if has_all_registers(kernel) => FREE_HELP,
        // the unit's cap
        (_, None, None, None) => CAP_HELP,
        _ => HELP,
    })
}

/// Whether it has about as many registers as the architecture gives a thread.
fn has_all_registers(kernel: &CheckedKernel) -> bool {
    kernel.kernel.usage.registers.is_some_and(|registers| registers.saturating_add(8) > MAX_REGISTERS)
}

fn label_on_function(function: &DeviceFunction) -> Vec<Label> {
    let place = function.place.as_ref();
    let text = "the spills are in this function".to_owned();
    place.map(|place| label_at(place, place.declarator.clone(), text)).into_iter().collect()
}

/// The bounds with what they leave, and that they are the cause where that was assembled; the name where they are not.
pub(super) fn label_of_cause(kernel: &CheckedKernel) -> Vec<Label> {
    let leaves = cap_words(kernel);
    match kernel.kernel.frontier.as_ref().and_then(|frontier| frontier.bounds_cause_spills) {
        Some(false) => label_on_name(kernel, ""),
        Some(true) if leaves.is_empty() => label_on_bounds(kernel, "without it nothing spills"),
        Some(true) => label_on_bounds(kernel, format!("{leaves}; without it nothing spills")),
        None => label_on_bounds(kernel, leaves),
    }
}

pub(super) fn no_cause(kernel: &CheckedKernel) -> Option<String> {
    let cause = kernel.kernel.frontier.as_ref()?.bounds_cause_spills?;
    let words = "its bounds are not the cause: assembled without them, it spills too";
    (!cause).then(|| words.to_owned())
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
