//! `maxrregcount`.

use crate::check::UnitFacts;
use crate::finding::{Headline, Label};
use crate::kernel::RemarkKind;
use crate::lints::{Check, Draft, declare_lint};

declare_lint! {
    /// ## What it does
    /// Fires when a unit is compiled with `-maxrregcount`: one cap for all its kernels.
    ///
    /// ## Why it matters
    /// The cap hits kernels that it was not meant for, and they spill; bounds per kernel override it silently.
    ///
    /// ## Example
    /// ```toml
    /// flags = ["-maxrregcount=40"]
    /// ```
    ///
    /// ## What to try
    /// `__launch_bounds__` or `__maxnreg__` on the kernel that needs it. Either cap is an experiment: measure.
    ///
    /// ## Configuration
    /// `flags`; the level: `lints.maxrregcount`.
    MAXRREGCOUNT: "maxrregcount", Warn,
    "one register cap for a whole unit", Check::Unit(check)
}

fn check(unit: &UnitFacts, drafts: &mut Vec<Draft>) {
    let Some((cap, span)) = &unit.maxrregcount else { return };
    let headline = Headline::new()
        .kernel()
        .text(format!(" is compiled with a cap of {cap} registers for all its kernels"));
    drafts.push(Draft {
        weight: 1,
        labels: span.iter().map(|span| Label::on(span, "the cap of the whole unit")).collect(),
        help: Some("bounds on the kernels that need them say it where it holds: measure each".to_owned()),
        ..Draft::new(headline)
    });
}

/// The option's value, where a remark betrays that it was given.
pub(crate) fn cap_in(remark: &RemarkKind) -> Option<u32> {
    match remark {
        RemarkKind::CapOverridden { to, by, .. } if by.contains("maxrregcount option") => Some(*to),
        RemarkKind::CapOverridden { from, .. } => Some(*from),
        RemarkKind::CapTooBig(cap) => Some(*cap),
        _ => None,
    }
}
