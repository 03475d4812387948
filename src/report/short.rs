//! One line a group: `file:line: error[occlint::lint]: message`.

use crate::check::Report;

/// Renders one line per group of findings.
pub fn short(report: &Report, foreign: bool) -> String {
    let _ = (report, foreign);
    String::new()
}
