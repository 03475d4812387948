//! `unfulfilled-expect`.

use crate::check::ConfigFacts;
use crate::expect::WaiverKind;
use crate::lints::unused_allow::unused;
use crate::lints::{Check, Draft, declare_lint};

declare_lint! {
    /// ## What it does
    /// Fires when a lint that is `expect`ed of a kernel fires on none of its architectures.
    ///
    /// ## Why it matters
    /// What was expected has gone: perhaps it was mended, and the expectation now hides its return.
    ///
    /// ## Example
    /// ```cuda
    /// // occlint: expect(spill, reason = "until the rewrite")
    /// ```
    ///
    /// ## What to try
    /// Take the expectation out.
    ///
    /// ## Configuration
    /// `expect` of a kernel; the level: `lints.unfulfilled-expect`.
    UNFULFILLED_EXPECT: "unfulfilled-expect", Warn,
    "an expected lint fires on no architecture", Check::Config(check)
}

fn check(facts: &ConfigFacts<'_>, drafts: &mut Vec<Draft>) {
    unused(facts, WaiverKind::Expect, "is expected here, and fires nowhere", drafts);
}
