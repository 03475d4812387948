//! What a lint is.

use crate::check::CheckedKernel;
use crate::finding::{Headline, Label, Level};

/// A lint: declared once, in its own file.
#[derive(Debug)]
pub struct Lint {
    /// Its name: `residency-below-bounds`.
    pub name: &'static str,
    /// Its level unless something sets another.
    pub default: Level,
    /// One line: when it fires.
    pub summary: &'static str,
    /// The documentation that `--explain` prints: Markdown with fixed headings.
    pub docs: &'static str,
    /// What it looks at. Lints about units and configuration have none: they are judged by `check`.
    pub check: Option<fn(&Cx<'_>, &mut Vec<Draft>)>,
}

/// What a lint may look at.
#[derive(Debug)]
pub struct Cx<'a> {
    /// The kernel with its expectation, block, residency and steps.
    pub kernel: &'a CheckedKernel,
}

/// A finding before levels and waivers are applied. The check that makes it never decides its severity.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
    /// The message.
    pub headline: Headline,
    /// Larger is worse, within one lint.
    pub weight: u64,
    /// The amount that a waiver's `max` is compared with, in the lint's own unit; `None`: only a waiver without `max`
    /// applies.
    pub amount: Option<u64>,
    /// The level where it differs from the lint's own default (`local-memory` by kind); configuration still wins.
    pub default: Option<Level>,
    /// Places, the primary first; empty: the kernel's own place.
    pub labels: Vec<Label>,
    /// Facts.
    pub notes: Vec<String>,
    /// What to do next.
    pub help: Option<String>,
}
