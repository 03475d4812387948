//! `stale-baseline`.

use crate::arch::Arch;
use crate::check::ConfigFacts;
use crate::finding::Headline;
use crate::lints::facts::and;
use crate::lints::{Check, Draft, declare_lint};
use crate::text::count;

/// Kernels that are named.
const NAMED: usize = 3;

declare_lint! {
    /// ## What it does
    /// Fires when the baseline has kernels that the packages and architectures which were checked have not.
    ///
    /// ## Why it matters
    /// A kernel that was renamed is compared with nothing, and the gate is silent about it. It is judged as a new one: by its
    /// bounds and targets, and by every lint.
    ///
    /// ## Example
    /// ```text
    /// the baseline has 2 kernels that are not here any more
    /// ```
    ///
    /// ## What to try
    /// `cargo occlint --bless`, after a look at what the new name's figures are.
    ///
    /// ## Configuration
    /// `baseline`; the level: `lints.stale-baseline`.
    STALE_BASELINE: "stale-baseline", Warn,
    "the baseline has kernels that are not here any more", Check::Config(check)
}

fn check(facts: &ConfigFacts<'_>, drafts: &mut Vec<Draft>) {
    let Some((headline, note, help)) = words(facts.removed) else { return };
    drafts.push(Draft { notes: vec![note], help: Some(help), ..Draft::new(headline) });
}

/// What is said of kernels that are gone: the message, which they are, and what to do; `None` where none is.
pub fn words(removed: &[(String, Arch)]) -> Option<(Headline, String, String)> {
    let [first, ..] = removed else { return None };
    let mut names: Vec<String> =
        removed.iter().take(NAMED).map(|(key, arch)| format!("`{key}` on {arch}")).collect();
    if removed.len() > NAMED {
        names.push(format!("{} more", removed.len() - NAMED));
    }
    let number = count(u32::try_from(removed.len()).unwrap_or(u32::MAX), "kernel");
    let are = if removed.len() == 1 { "is" } else { "are" };
    let help = format!(
        "`--bless` forgets what is gone; was `{}` renamed, its new name is judged as a new kernel",
        first.0
    );
    let headline = format!("the baseline has {number} that {are} not here any more");
    Some((Headline::new().text(headline), and(&names), help))
}
