//! Two states of the same kernels, judged by the lints about regressions alone.

use crate::baseline::{Baseline, CompareRules, changes, comparison, pair, with_levels};
use crate::check::run::{config_findings, kernel_order, sort};
use crate::check::verdicts::{Judge, Tally};
use crate::check::{CheckedKernel, ConfigFacts, Report};
use crate::expect::{Levels, Rules};
use crate::lints::{Check, Draft, LINTS, Lint};
use crate::order;

/// Judges `kernels` against what was `before`: `residency-regression`, `spill-regression`, `limiter-regression`,
/// `register-regression` and `incomparable-baseline`, and nothing else. Waivers do not apply; a kernel that was not there before
/// has no finding.
pub fn compare(
    mut kernels: Vec<CheckedKernel>,
    before: &Baseline,
    levels: &Levels,
    rules: CompareRules,
) -> Report {
    order::sort_by(&mut kernels, |a, b| kernel_order(a).cmp(&kernel_order(b)));
    for checked in &mut kernels {
        let was = |arch| before.entries.get(&(checked.kernel.name.key.clone(), arch));
        checked.before = checked.kernel.arch.and_then(was).cloned();
    }
    pair(before, &mut kernels, true);
    let compared = with_levels(rules, levels);
    let rules = Rules::default();
    let mut judge =
        Judge { rules: &rules, levels, default_archs: false, today: None, tally: Tally::default() };
    let mut findings = Vec::new();
    for checked in &mut kernels {
        if let Some(before) = &mut checked.before {
            // what was found then is not known here
            before.findings.clear();
        }
        checked.comparison = comparison(checked, compared);
        let drafts = regressions(checked);
        findings.extend(judge.kernel(checked, drafts));
    }
    let used = &judge.tally.used;
    let facts =
        ConfigFacts { rules: &rules, matches: &[], used, names: Vec::new(), removed: &[], kernels: &kernels };
    findings.extend(config_findings(&facts, &judge, false));
    sort(&mut findings);
    let (_, improved) = changes(before, &kernels, None);
    let renamed = kernels.iter().filter(|checked| checked.renamed_from.is_some()).count();
    let within_limits = judge.tally.within_limits;
    Report { kernels, findings, improved, renamed, within_limits, ..Report::default() }
}

fn regressions(checked: &CheckedKernel) -> Vec<(&'static Lint, Draft)> {
    let mut drafts = Vec::new();
    for lint in LINTS.iter().filter(|lint| lint.name.ends_with("-regression")) {
        if let Check::Kernel(check) = lint.check {
            let mut found = Vec::new();
            check(checked, &mut found);
            drafts.extend(found.into_iter().map(|draft| (*lint, draft)));
        }
    }
    drafts
}
