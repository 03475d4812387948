//! Two states of the same kernels, judged by the lints about regressions alone.

use std::collections::BTreeSet;

use crate::baseline::{Baseline, changes};
use crate::check::run::{kernel_order, sort};
use crate::check::verdicts::Judge;
use crate::check::{CheckedKernel, Report};
use crate::expect::{Levels, Rules};
use crate::lints::{Check, LINTS};
use crate::order;

/// Judges `kernels` against what was `before`: `residency-regression`, `spill-regression`, `limiter-regression` and
/// `register-regression`, and nothing else. Waivers do not apply; a kernel that was not there before has no finding.
pub fn compare(mut kernels: Vec<CheckedKernel>, before: &Baseline, levels: &Levels) -> Report {
    order::sort_by(&mut kernels, |a, b| kernel_order(a).cmp(&kernel_order(b)));
    let rules = Rules::default();
    let mut judge =
        Judge { rules: &rules, levels, default_archs: false, used: BTreeSet::new(), waived: 0, known: 0 };
    let mut findings = Vec::new();
    for checked in &mut kernels {
        let was = |arch| before.entries.get(&(checked.kernel.name.key.clone(), arch));
        checked.before = checked.kernel.arch.and_then(was).cloned();
        if let Some(before) = &mut checked.before {
            // what was found then is not known here
            before.findings.clear();
        }
        let mut drafts = Vec::new();
        for lint in LINTS.iter().filter(|lint| lint.name.ends_with("-regression")) {
            if let Check::Kernel(check) = lint.check {
                let mut found = Vec::new();
                check(checked, &mut found);
                drafts.extend(found.into_iter().map(|draft| (*lint, draft)));
            }
        }
        findings.extend(judge.kernel(checked, drafts));
    }
    sort(&mut findings);
    let (_, improved) = changes(before, &kernels);
    Report { kernels, findings, improved, ..Report::default() }
}
