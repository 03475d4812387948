//! `missing-bounds`.

use crate::check::CheckedKernel;
use crate::finding::Headline;
use crate::lints::facts::label_on_name;
use crate::lints::{Check, Draft, declare_lint};

declare_lint! {
    /// ## What it does
    /// Fires when neither `__launch_bounds__` nor a target says the block size of a kernel.
    ///
    /// ## Why it matters
    /// Without it the compiler assumes that up to 1024 threads are launched, and residency cannot be computed.
    ///
    /// ## Example
    /// ```cuda
    /// __global__ void kernel(float* out);
    /// ```
    ///
    /// ## What to try
    /// `__launch_bounds__(256)` with the block that is launched, or `block = 256` in Cargo.toml, which changes no code.
    /// The first may change registers and spills: measure.
    ///
    /// ## Configuration
    /// `block` of a kernel; the level: `lints.missing-bounds`.
    MISSING_BOUNDS: "missing-bounds", Allow,
    "neither bounds nor a target say the block size", Check::Kernel(check)
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    // A log has no bounds in it: that they are missing there says nothing.
    if kernel.block.is_some() || kernel.kernel.dynamic_shared.is_none() {
        return;
    }
    drafts.push(Draft {
        weight: 1,
        labels: label_on_name(kernel, ""),
        help: Some("declare the block that is launched, or give `block` in Cargo.toml".to_owned()),
        ..Draft::new(Headline::new().text("nothing says the block size of ").kernel().text(" on ").arch())
    });
}
