//! `debug-build`.

use crate::check::UnitFacts;
use crate::finding::{Headline, Label};
use crate::lints::{Check, Draft, declare_lint};

declare_lint! {
    /// ## What it does
    /// Fires when a unit is compiled with `-G`. Nothing else is then reported about its kernels.
    ///
    /// ## Why it matters
    /// Device code is not optimised then: registers, frames and spills have nothing to do with those of a release.
    /// Nothing was checked.
    ///
    /// ## Example
    /// ```toml
    /// flags = ["-G"]
    /// ```
    ///
    /// ## What to try
    /// `-lineinfo` for places in a profile; it changes no code.
    ///
    /// ## Configuration
    /// `flags`; the level: `lints.debug-build`.
    DEBUG_BUILD: "debug-build", Deny,
    "a unit is compiled with -G: its figures mean nothing", Check::Unit(check), rank: 0
}

fn check(unit: &UnitFacts, drafts: &mut Vec<Draft>) {
    let Some(span) = &unit.debug else { return };
    let headline = Headline::new()
        .kernel()
        .text(" is compiled with `-G`: its figures mean nothing, and nothing was checked");
    drafts.push(Draft {
        weight: 1,
        labels: span.iter().map(|span| Label::on(span, "device code is not optimised")).collect(),
        help: Some("check the release build; `-lineinfo` gives lines without changing code".to_owned()),
        ..Draft::new(headline)
    });
}
