//! What a lint is.

use crate::check::{CheckedKernel, ConfigFacts, UnitFacts};
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
    /// What a waiver's `max` counts, as words after the number; `None` where the lint has no amount.
    pub amount: Option<&'static str>,
    /// Where its findings stand among those of one level: lower first, since weights of different lints do not compare.
    pub rank: u8,
    /// The documentation that `--explain` prints: Markdown with fixed headings.
    pub docs: &'static str,
    /// What it looks at.
    pub check: Check,
}

/// What a lint looks at. A check drafts; severity is applied by [`crate::check`].
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// One kernel on one architecture.
    Kernel(fn(&CheckedKernel, &mut Vec<Draft>)),
    /// One kernel on one architecture, and the remarks of its unit that name no kernel.
    Both(fn(&CheckedKernel, &mut Vec<Draft>), fn(&UnitFacts, &mut Vec<Draft>)),
    /// One unit on one architecture.
    Unit(fn(&UnitFacts, &mut Vec<Draft>)),
    /// The configuration, after everything was checked.
    Config(fn(&ConfigFacts<'_>, &mut Vec<Draft>)),
    /// What was compared, in a check of a part too.
    Compared(fn(&ConfigFacts<'_>, &mut Vec<Draft>)),
}

/// A finding before levels and waivers are applied.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Draft {
    /// The message.
    pub headline: Headline,
    /// Larger is worse, within one lint.
    pub weight: u64,
    /// The amount that a waiver's `max` is compared with, in the lint's own unit; `None`: only a waiver without `max`
    /// applies.
    pub amount: Option<u64>,
    /// What grew, each as it was and as it is, in the lint's own unit: what limits of the configuration are compared with.
    pub increases: Vec<(u64, u64)>,
    /// The level where it differs from the lint's own default (`local-memory` by kind); configuration still wins.
    pub default: Option<Level>,
    /// Places, the primary first; empty: the kernel's own place.
    pub labels: Vec<Label>,
    /// Facts.
    pub notes: Vec<String>,
    /// What to do next.
    pub help: Option<String>,
    /// What other bounds cost this kernel, as lines of a table.
    pub table: Option<String>,
}

impl Draft {
    /// A draft with this message.
    pub fn new(headline: Headline) -> Self {
        Self { headline, ..Self::default() }
    }
}

/// Declares a lint: its docs, name, default level and summary in one place.
macro_rules! declare_lint {
    (
        $(#[doc = $doc:literal])*
        $constant:ident: $name:literal, $default:ident, $summary:literal, $check:expr
        $(, rank: $rank:literal)? $(, max: $amount:literal)?
    ) => {
        $(#[doc = $doc])*
        pub(crate) static $constant: $crate::lints::Lint = $crate::lints::Lint {
            name: $name,
            default: $crate::finding::Level::$default,
            summary: $summary,
            amount: $crate::lints::declare_lint!(@amount $($amount)?),
            rank: $crate::lints::declare_lint!(@rank $($rank)?),
            docs: concat!($($doc, "\n"),*),
            check: $check,
        };
    };
    (@rank) => { u8::MAX };
    (@rank $rank:literal) => { $rank };
    (@amount) => { None };
    (@amount $amount:literal) => { Some($amount) };
}
pub(crate) use declare_lint;
