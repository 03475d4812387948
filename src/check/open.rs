//! What a run of a part of the units cannot judge: lints about the configuration, which hold for all parts together.

use crate::arch::Arch;
use crate::baseline::Removed;
use crate::check::CheckedKernel;
use crate::check::verdicts::Judge;
use crate::check::{ConfigFacts, run};
use crate::finding::Finding;
use crate::order::{self, Set};

/// What a run leaves open for lints about the configuration where it did not see everything.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Open {
    /// What this run alone would have found. It holds where no other part [met](Self::met) it.
    pub candidates: Vec<Candidate>,
    /// The ids of what could have been found and was not: targets with a kernel, waivers that something needed. Sorted.
    pub met: Vec<String>,
    /// Kernels of the baseline that are not here: keys and architectures. They are gone where no part has them.
    pub gone: Vec<(String, Arch)>,
}

/// A finding about the configuration that another part may refute.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// Lint, place and message: the same in every part.
    pub id: String,
    /// The pattern of a target's `name`, from which its help is found.
    pub pattern: Option<String>,
    /// The finding.
    pub finding: Finding,
}

/// Asks the lints about the configuration what they say now, and what they would say had nothing been met.
pub(super) fn open(kernels: &[CheckedKernel], removed: Removed, judge: &Judge<'_>) -> Open {
    let matches = run::matches(kernels, judge);
    let names = run::names(kernels);
    let ask = |matches: &[usize], used: &Set<(usize, usize)>| {
        let (names, removed) = (names.clone(), &removed);
        let facts = ConfigFacts { rules: judge.rules, matches, used, names, removed, kernels: &[] };
        run::config_findings(&facts, judge, true)
    };
    let none = Set::new();
    let (no_match, all_match) = (vec![0; matches.len()], vec![1; matches.len()]);
    let ids = |findings: Vec<Finding>, what: fn(&str) -> bool| -> Vec<String> {
        findings.iter().filter(|finding| what(finding.lint)).map(id).collect()
    };
    let target: fn(&str) -> bool = |lint| lint == "unmatched-target";
    let waiver: fn(&str) -> bool = |lint| matches!(lint, "unused-allow" | "unfulfilled-expect");
    let unmatched = ids(ask(&matches, &judge.tally.used), target);
    let unused = ids(ask(&all_match, &judge.tally.used), waiver);
    let mut met = ids(ask(&no_match, &none), target);
    met.retain(|id| !unmatched.contains(id));
    let mut waivers = ids(ask(&all_match, &none), waiver);
    waivers.retain(|id| !unused.contains(id));
    met.append(&mut waivers);
    order::sort(&mut met);
    let candidates =
        ask(&matches, &judge.tally.used).into_iter().map(|finding| candidate(finding, &matches, judge));
    Open { candidates: candidates.collect(), met, gone: removed }
}

fn candidate(finding: Finding, matches: &[usize], judge: &Judge<'_>) -> Candidate {
    let rules = judge.rules.rules().iter().zip(matches).filter(|(_, matches)| **matches == 0);
    let of_rule = |span: &crate::source::Span| {
        let label = finding.labels.first().and_then(|label| label.span.as_ref());
        label.is_some_and(|(source, range)| source.name() == span.source.name() && *range == span.range)
    };
    let rule = rules.map(|(rule, _)| rule).find(|rule| of_rule(&rule.span));
    let rule = rule.filter(|_| finding.lint == "unmatched-target");
    let pattern = rule.and_then(|rule| rule.selector.name.as_ref()).map(|glob| glob.pattern().to_owned());
    Candidate { id: id(&finding), pattern, finding }
}

fn id(finding: &Finding) -> String {
    let place = finding.labels.first().map(|label| {
        let start = label.span.as_ref().map_or(0, |(_, range)| range.start);
        format!("{}:{}:{start}", label.file, label.line)
    });
    format!("{} {}: {}", finding.lint, place.unwrap_or_default(), finding.message())
}
