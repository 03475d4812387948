//! `local-memory`.

use crate::check::CheckedKernel;
use crate::finding::{Headline, Level};
use crate::lints::facts::{count, label_on_name};
use crate::lints::{Check, Draft, declare_lint};

declare_lint! {
    /// ## What it does
    /// Fires when a kernel has a frame in local memory and not one spill: an array with a dynamic index, a value whose
    /// address is taken, a call frame, the slow path of a trigonometric function, `printf`. From a log or a frame's size alone the
    /// kind is `unknown`, and then the default level is allow.
    ///
    /// ## Why it matters
    /// Local memory is slower than registers, but it is no spill: neither a register cap nor its removal changes it.
    ///
    /// ## Example
    /// ```cuda
    /// float s[16];            // indexed with a value known at run time only
    /// out[i] = s[k & 15];
    /// ```
    ///
    /// ## What to try
    /// Constant indices after unrolling, shared memory, a select. Measure: a table in local memory can be the fastest.
    ///
    /// ## Configuration
    /// `allow = ["local-memory"]` of a kernel, with `max` in bytes of the frame; the level: `lints.local-memory`.
    LOCAL_MEMORY: "local-memory", Warn,
    "a frame in local memory that is no spill",
    Check::Kernel(check), max: "bytes of local memory per thread"
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let usage = &kernel.kernel.usage;
    let frame = usage.stack_frame_bytes.filter(|&bytes| bytes > 0).or(usage.local_bytes).unwrap_or(0);
    // unknown spills could explain it
    let no_spills = usage.spill_store_bytes == Some(0) && usage.spill_load_bytes == Some(0);
    if frame == 0 || !no_spills {
        return;
    }
    let words =
        format!(" has {} of local memory per thread that no spill explains on ", count(frame, "byte"));
    drafts.push(Draft {
        default: Some(Level::Allow),
        weight: u64::from(frame),
        amount: Some(u64::from(frame)),
        labels: label_on_name(kernel, ""),
        notes: vec![
            "kind unknown: an array, a taken address, a call frame, a slow path or `printf`".to_owned(),
        ],
        help: Some("a register cap does not change it; measure before changing anything".to_owned()),
        ..Draft::new(Headline::new().kernel().text(words).arch())
    });
}
