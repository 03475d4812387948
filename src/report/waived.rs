//! What waivers took away: a line for each.

use crate::check::{Report, WaiverUse};
use crate::text::{count, sanitize};

/// `2 findings of `spill` in 3 kernels that Cargo.toml:14 matches, until 2027-03-01: cold path`, for each waiver that took
/// something away, in the order of the rules.
pub fn waived(report: &Report) -> Vec<String> {
    report.waivers.iter().filter(|one| one.waived > 0).map(line).collect()
}

fn line(one: &WaiverUse) -> String {
    let waiver = &one.waiver;
    let place = format!("{}:{}", waiver.span.source.name(), waiver.span.line());
    let until = waiver.until.map(|until| format!(", until {until}")).unwrap_or_default();
    let max = waiver.max.map(|max| format!(", at most {max}")).unwrap_or_default();
    let reason = waiver.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let (findings, kernels) = (count(one.waived, "finding"), count(one.matched, "kernel"));
    sanitize(&format!(
        "{findings} of `{}` in {kernels} that {place} matches{max}{until}{reason}",
        waiver.lint
    ))
}
