//! From rules to what is expected of one kernel.

use crate::expect::{NameGlob, Rule, Selector, Target, Waiver};
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
        let mut expectation = Expectation::default();
        for (index, rule) in self.rules.iter().enumerate() {
            if !rule.selector.selects(kernel) {
                continue;
            }
            expectation.matched.push(index);
            expectation.waivers.extend((0..rule.waivers.len()).map(|waiver| (index, waiver)));
            expectation.take(rule);
        }
        expectation
    }
}

impl Expectation {
    /// Takes the values that a rule of higher precedence gives.
    fn take(&mut self, rule: &Rule) {
        let Target { block, dynamic_shared_bytes, min_blocks, max_registers } = rule.target;
        let target = &mut self.target;
        for (key, new, old) in [
            ("block", block, &mut target.block),
            ("dynamic-smem", dynamic_shared_bytes, &mut target.dynamic_shared_bytes),
            ("min-blocks", min_blocks, &mut target.min_blocks),
            ("max-registers", max_registers, &mut target.max_registers),
        ] {
            if new.is_some() {
                *old = new;
                self.target_spans.retain(|(other, _)| *other != key);
                self.target_spans.push((key, rule.span.clone()));
            }
        }
    }

    /// Where a target's value was written: the rule's head.
    pub fn span(&self, key: &str) -> Option<&Span> {
        self.target_spans.iter().find(|(other, _)| *other == key).map(|(_, span)| span)
    }
}

impl Selector {
    /// Whether a kernel meets every condition.
    pub fn selects(&self, kernel: &Kernel) -> bool {
        let Self { name, name_full, source, archs, place } = self;
        let holds = |glob: &Option<NameGlob>, text: &str| glob.as_ref().is_none_or(|glob| glob.matches(text));
        holds(name, &kernel.name.qualified)
            && holds(name_full, &kernel.name.demangled)
            && source.as_ref().is_none_or(|glob| from_source(glob, kernel))
            && (archs.is_empty() || kernel.arch.is_some_and(|arch| archs.contains(&arch)))
            && place.as_ref().is_none_or(|place| stands_at(place, kernel))
    }
}

fn from_source(glob: &NameGlob, kernel: &Kernel) -> bool {
    let place = kernel.place.iter().map(|place| &place.file);
    place.chain(&kernel.units).any(|file| glob.matches(file))
}

fn stands_at((file, line): &(String, u32), kernel: &Kernel) -> bool {
    kernel.place.as_ref().is_some_and(|place| place.file == *file && place.line == *line)
}
