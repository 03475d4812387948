//! `register-budget`.

use crate::check::CheckedKernel;
use crate::finding::Headline;
use crate::lints::facts::{label_on_target, link_note};
use crate::lints::{Check, Draft, declare_lint};
use crate::text::count;

declare_lint! {
    /// ## What it does
    /// Fires when a kernel uses more registers per thread than its target's `max-registers`.
    ///
    /// ## Why it matters
    /// A budget is the author's own: it keeps a kernel away from an allocation step, or leaves room for another one.
    ///
    /// ## Example
    /// ```toml
    /// [[package.metadata.occlint.kernel]]
    /// name = "reduce"
    /// max-registers = 64
    /// ```
    ///
    /// ## What to try
    /// Fewer live values. A cap (`__launch_bounds__`, `__maxnreg__`) is an experiment: it can turn registers into spills.
    /// Measure.
    ///
    /// ## Configuration
    /// `max-registers` of a kernel; the level: `lints.register-budget`.
    REGISTER_BUDGET: "register-budget", Deny,
    "more registers per thread than the target's maximum",
    Check::Kernel(check), rank: 5, max: "registers per thread"
}

fn check(kernel: &CheckedKernel, drafts: &mut Vec<Draft>) {
    let Some(budget) = kernel.expectation.target.max_registers else { return };
    let labels =
        label_on_target(kernel, "max-registers", format!("{} allowed here", count(budget, "register")));
    let Some(used) = kernel.kernel.usage.registers else {
        let headline = Headline::new().text("the registers of ").kernel().text(" on ").arch();
        let headline = headline.text(format!(" are unknown, its budget of {budget} cannot be judged"));
        let help = Some("give the compiler's whole report: `-Xptxas -v`".to_owned());
        drafts.push(Draft { labels, help, weight: 1, ..Draft::new(headline) });
        return;
    };
    if used <= budget {
        return;
    }
    let headline = Headline::new().kernel().text(format!(" uses {used} registers per thread on ")).arch();
    drafts.push(Draft {
        labels,
        weight: u64::from(used - budget),
        amount: Some(u64::from(used)),
        notes: link_note(kernel).into_iter().collect(),
        help: Some("a cap on registers can turn them into spills: look at both, and measure".to_owned()),
        ..Draft::new(headline.text(format!(", its budget is {budget}")))
    });
}
