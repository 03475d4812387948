//! From rules to what is expected of one kernel.

use crate::expect::{Rule, Target, Waiver};
use crate::kernel::Kernel;
use crate::source::Span;

/// A value and where it was written; `None` where it came from the command line.
#[derive(Clone, PartialEq, Debug)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub span: Option<Span>,
}

/// All rules of a package, in rising precedence.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Rules {
    rules: Vec<Rule>,
}

/// What is expected of one kernel on one architecture.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Expectation {
    /// The target: of each value the one of highest precedence.
    pub target: Target,
    /// Where the target's values were written, for drawing: `block`, `dynamic-smem`, `min-blocks`, `max-registers`.
    pub target_spans: Vec<(&'static str, Span)>,
    /// The waivers that apply: index of the rule, index of the waiver in it.
    pub waivers: Vec<(usize, usize)>,
    /// The rules that matched (indices).
    pub matched: Vec<usize>,
}

impl Rules {
    /// Sorts rules by origin (stable), so that later ones win.
    pub fn new(mut rules: Vec<Rule>) -> Self {
        rules.sort_by_key(|rule| rule.origin);
        Self { rules }
    }

    /// The rules in rising precedence.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// A waiver by its indices, as in [`Expectation::waivers`].
    pub fn waiver(&self, index: (usize, usize)) -> &Waiver {
        &self.rules[index.0].waivers[index.1]
    }

    /// What is expected of a kernel.
    pub fn expectation(&self, kernel: &Kernel) -> Expectation {
        let _ = kernel;
        Expectation::default()
    }
}
