//! `unbounded-stack`.

use crate::check::{CheckedKernel, UnitFacts};
use crate::finding::Headline;
use crate::kernel::{RemarkKind, UnboundedStack};
use crate::lints::facts::label_on_name;
use crate::lints::{Check, Draft, declare_lint};

declare_lint! {
    /// ## What it does
    /// Fires when the depth of a kernel's stack cannot be determined: recursion, a call through a pointer, `alloca`. Some
    /// ptxas releases (12.6 to 13.4) say nothing; the call graph of the PTX shows recursion all the same.
    ///
    /// ## Why it matters
    /// The driver reserves a default for each thread (`cudaLimitStackSize`); past it the kernel corrupts memory or is
    /// ended.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    /// ```
    ///
    /// ## What to try
    /// A loop with its own stack, templates that unroll the recursion, or `cudaDeviceSetLimit` with a measured depth.
    ///
    /// ## Configuration
    /// `allow = ["unbounded-stack"]` of a kernel; the level: `lints.unbounded-stack`.
    UNBOUNDED_STACK: "unbounded-stack", Warn,
    "recursion, an indirect call, `alloca`: the stack has no bound", Check::Both(check, check_unit)
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let Some(why) = &kernel.kernel.unbounded_stack else { return };
    let why = match why {
        UnboundedStack::Reported => "the compiler cannot determine its depth".to_owned(),
        UnboundedStack::Recursion(cycle) => format!("recursion through `{}`", cycle.join("` → `")),
        UnboundedStack::IndirectCall => "it calls through a pointer".to_owned(),
        UnboundedStack::Alloca => "`alloca` takes a size that is known at run time only".to_owned(),
    };
    drafts.push(Draft {
        weight: 1,
        labels: label_on_name(kernel, ""),
        help: Some("set `cudaLimitStackSize` from a measured depth, or take the recursion out".to_owned()),
        ..Draft::new(
            Headline::new()
                .text("the stack of ")
                .kernel()
                .text(" on ")
                .arch()
                .text(format!(" has no bound: {why}")),
        )
    });
}

/// The same for a kernel that the log names without a report.
fn check_unit(unit: &UnitFacts, drafts: &mut Vec<Draft>) {
    for remark in unit.remarks.iter().filter(|remark| remark.kind == RemarkKind::StackUnknown) {
        let headline = Headline::new().text("in ").kernel().text(" on ").arch();
        let headline = headline.text(": the compiler cannot determine the depth of a stack");
        drafts.push(Draft { weight: 1, notes: vec![remark.text.clone()], ..Draft::new(headline) });
    }
}
