//! The report for people: miette's graphical frame for the worst groups, a line each for the rest.

use crate::check::Report;

/// How the human report is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HumanStyle {
    /// Columns, 40–120.
    pub width: usize,
    /// ANSI colours.
    pub color: bool,
    /// Unicode frames; else ASCII.
    pub unicode: bool,
    /// Name every kernel of a group and draw every group.
    pub verbose: bool,
    /// Show findings whose place lies outside the package.
    pub foreign: bool,
}

/// Renders the findings for people. Without the feature `graphical` it is the `short` text.
pub fn human(report: &Report, style: HumanStyle) -> String {
    let _ = style;
    super::short(report, style.foreign)
}
