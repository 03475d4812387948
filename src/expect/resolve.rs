//! From rules to what is expected of one kernel.

use crate::expect::ask::ASKS;
use crate::expect::{NameGlob, Rule, Selector, Target, Waiver};
use crate::kernel::Kernel;
use crate::order;
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

impl Expectation {
    /// Where a target's value was written.
    pub fn span(&self, key: &str) -> Option<&Span> {
        self.target_spans.iter().find(|(other, _)| *other == key).map(|(_, span)| span)
    }
}

impl Rules {
    /// Sorts rules by origin (stable), so that later ones win.
    pub fn new(mut rules: Vec<Rule>) -> Self {
        order::sort_by_key(&mut rules, |rule| rule.origin);
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

    /// What is expected of a kernel: of each value what the last matching rule says, and every matching rule's waivers.
    pub fn expectation(&self, kernel: &Kernel) -> Expectation {
        let mut found = Expectation::default();
        for (index, rule) in self.rules.iter().enumerate() {
            if matches(rule, kernel) {
                found.matched.push(index);
                found.waivers.extend((0..rule.waivers.len()).map(|waiver| (index, waiver)));
                overlay(&mut found, rule);
            }
        }
        found
    }

    /// How many kernels each rule matched, in the order of [`Rules::rules`]: 0 is a rule that says nothing.
    pub fn matched_counts<'a>(&self, expectations: impl IntoIterator<Item = &'a Expectation>) -> Vec<usize> {
        let mut counts = vec![0; self.rules.len()];
        let matched = expectations.into_iter().flat_map(|expectation| &expectation.matched);
        for &index in matched {
            if let Some(count) = counts.get_mut(index) {
                *count += 1;
            }
        }
        counts
    }
}

/// Puts a rule's values over those of the rules before it, and their places with them.
fn overlay(found: &mut Expectation, rule: &Rule) {
    for ask in ASKS {
        let Some(value) = ask.get(&rule.target) else { continue };
        ask.set(&mut found.target, value);
        found.target_spans.retain(|(key, _)| *key != ask.key());
        let spans = rule.target_spans.iter().filter(|(key, _)| *key == ask.key()).cloned();
        found.target_spans.extend(spans);
    }
}

/// Whether all of a rule's conditions hold, the cheap ones first.
fn matches(rule: &Rule, kernel: &Kernel) -> bool {
    let Selector { name, name_full, source, archs, place } = &rule.selector;
    let at_place = |(file, line): &(String, u32)| {
        kernel.place.as_ref().is_some_and(|place| place.line == *line && place.file == *file)
    };
    place.as_ref().is_none_or(at_place)
        && (archs.is_empty() || kernel.arch.is_some_and(|arch| archs.contains(&arch)))
        && name.as_ref().is_none_or(|glob| names(glob, &kernel.name.qualified))
        && name_full.as_ref().is_none_or(|glob| glob.matches(&kernel.name.demangled))
        && source.as_ref().is_none_or(|glob| comes_from(kernel, glob, folder_of(rule.span.source.name())))
}

/// Whether the glob is about this qualified name: nobody writes `(anonymous namespace)::`, but may.
fn names(glob: &NameGlob, qualified: &str) -> bool {
    const ANONYMOUS: &str = "(anonymous namespace)::";
    glob.matches(qualified)
        || qualified.contains(ANONYMOUS) && glob.matches(&qualified.replace(ANONYMOUS, ""))
}

/// Whether the kernel stands in a file that matches, or was compiled from one; `folder` is what the glob is relative to.
fn comes_from(kernel: &Kernel, glob: &NameGlob, folder: &str) -> bool {
    let place = kernel.place.iter().map(|place| &place.file);
    place.chain(&kernel.units).any(|file| glob.matches(below(file, folder)))
}

/// The folder of a file, without the slash; empty for none.
fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path as seen from a folder; unchanged where it lies elsewhere.
fn below<'a>(file: &'a str, folder: &str) -> &'a str {
    file.strip_prefix(folder)
        .and_then(|rest| rest.strip_prefix('/'))
        .filter(|_| !folder.is_empty())
        .unwrap_or(file)
}
