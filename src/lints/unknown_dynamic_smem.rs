//! `unknown-dynamic-smem`.

use crate::check::CheckedKernel;
use crate::finding::Headline;
use crate::lints::facts::label_on_name;
use crate::lints::{Check, Draft, declare_lint};

declare_lint! {
    /// ## What it does
    /// Fires when a kernel uses `extern __shared__` memory and no target says how much is launched with.
    ///
    /// ## Why it matters
    /// Only the launch knows the amount. The residency that is shown counts none of it: it is an upper bound.
    ///
    /// ## Example
    /// ```cuda
    /// extern __shared__ float tile[];
    /// ```
    ///
    /// ## What to try
    /// Say the amount: `dynamic-smem = "48 KiB"` in Cargo.toml, or `// occlint: dynamic-smem = 48 KiB` above the kernel.
    ///
    /// ## Configuration
    /// `dynamic-smem` of a kernel (0 is an answer too); the level: `lints.unknown-dynamic-smem`.
    UNKNOWN_DYNAMIC_SMEM: "unknown-dynamic-smem", Warn,
    "extern shared memory, and no target says how much", Check::Kernel(check)
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let unknown = kernel.kernel.dynamic_shared == Some(true);
    if !unknown || kernel.expectation.target.dynamic_shared_bytes.is_some() {
        return;
    }
    let text = " uses `extern __shared__` memory, and nothing says how much: its residency on ";
    drafts.push(Draft {
        weight: 1,
        labels: label_on_name(kernel, ""),
        help: Some("say what it is launched with: `dynamic-smem = \"48 KiB\"`".to_owned()),
        ..Draft::new(Headline::new().kernel().text(text).arch().text(" is an upper bound"))
    });
}
