//! `unused-allow`.

use crate::check::ConfigFacts;
use crate::expect::WaiverKind;
use crate::finding::{Headline, Label};
use crate::lints::{Check, Draft, declare_lint, find};

declare_lint! {
    /// ## What it does
    /// Fires when an `allow` of a kernel has nothing to allow, on any architecture.
    ///
    /// ## Why it matters
    /// An allowance that is no longer needed hides the next finding of its kind.
    ///
    /// ## Example
    /// ```toml
    /// allow = [{ lint = "spill", max = 24, reason = "cold path; measured neutral" }]
    /// ```
    ///
    /// ## What to try
    /// Take it out.
    ///
    /// ## Configuration
    /// `allow` of a kernel; the level: `lints.unused-allow`.
    UNUSED_ALLOW: "unused-allow", Warn,
    "an allowance that allows nothing", Check::Config(check)
}

fn check(facts: &ConfigFacts<'_>, drafts: &mut Vec<Draft>) {
    unused(facts, WaiverKind::Allow, "is allowed here, and fires nowhere", drafts);
}

/// Drafts for waivers of a kind that nothing met. A rule that matches no kernel is `unmatched-target`'s.
pub(crate) fn unused(facts: &ConfigFacts<'_>, kind: WaiverKind, words: &str, drafts: &mut Vec<Draft>) {
    for (rule_at, rule) in facts.rules.rules().iter().enumerate().filter(|(at, _)| facts.matches[*at] > 0) {
        for (at, waiver) in rule.waivers.iter().enumerate() {
            if waiver.kind == kind && !facts.used.contains(&(rule_at, at)) {
                let headline = Headline::new().text(format!("`{}` {words}", waiver.lint));
                let labels = vec![Label::on(&waiver.span, "")];
                let help = Some(help(waiver.lint));
                drafts.push(Draft { weight: 1, labels, help, ..Draft::new(headline) });
            }
        }
    }
}

/// A kernel's waiver cannot be met by a lint that judges no kernel.
fn help(lint: &str) -> String {
    match find(lint).map(|lint| lint.check) {
        Some(Check::Unit(_) | Check::Config(_) | Check::Compared(_)) => {
            format!("`{lint}` judges no kernel: set its level under `lints` of the configuration")
        }
        _ => "take it out, so that it cannot hide the next one".to_owned(),
    }
}
