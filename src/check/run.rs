//! The check.

use std::collections::BTreeSet;

use crate::check::evaluate::evaluate;
use crate::check::verdicts::Judge;
use crate::check::{CheckedKernel, ConfigFacts, Input, Report, UnitFacts};
use crate::finding::{Finding, Subject};
use crate::kernel::{Remark, RemarkKind, Severity};
use crate::lints::{Check, Draft, LINTS, Lint};

/// Checks kernels against what is expected of them.
pub fn check(input: Input) -> Report {
    let Input { kernels, units, rules, levels, complete, default_archs } = input;
    let kernels: Vec<CheckedKernel> = kernels.into_iter().map(|kernel| evaluate(kernel, &rules)).collect();
    let mut judge = Judge { rules: &rules, levels: &levels, default_archs, used: BTreeSet::new(), waived: 0 };
    let mut findings = Vec::new();
    for kernel in kernels.iter().filter(|kernel| !kernel.kernel.debug) {
        findings.extend(judge.kernel(kernel, kernel_drafts(kernel)));
    }
    for unit in &units {
        findings
            .extend(unit_drafts(unit).into_iter().filter_map(|(lint, draft)| judge.unit(unit, lint, draft)));
    }
    if complete {
        findings.extend(config_findings(&kernels, &judge));
    }
    sort(&mut findings);
    let errors = errors(&kernels, &units);
    let waived = judge.waived;
    Report { kernels, findings, waived, errors }
}

fn kernel_drafts(kernel: &CheckedKernel) -> Vec<(&'static Lint, Draft)> {
    let mut all = Vec::new();
    let mut drafts = Vec::new();
    for lint in LINTS {
        if let Check::Kernel(check) | Check::Both(check, _) = lint.check {
            check(kernel, &mut drafts);
            all.extend(drafts.drain(..).map(|draft| (*lint, draft)));
        }
    }
    all
}

/// A debug build has one finding, not one for each architecture's remarks.
fn unit_drafts(unit: &UnitFacts) -> Vec<(&'static Lint, Draft)> {
    let mut all = Vec::new();
    let mut drafts = Vec::new();
    for lint in LINTS.iter().filter(|lint| unit.debug.is_none() || lint.name == "debug-build") {
        if let Check::Unit(check) | Check::Both(_, check) = lint.check {
            check(unit, &mut drafts);
            all.extend(drafts.drain(..).map(|draft| (*lint, draft)));
        }
    }
    all
}

fn config_findings(kernels: &[CheckedKernel], judge: &Judge<'_>) -> Vec<Finding> {
    let mut matches = vec![0; judge.rules.rules().len()];
    for &rule in kernels.iter().flat_map(|kernel| &kernel.expectation.matched) {
        matches[rule] += 1;
    }
    let mut names: Vec<&str> = kernels.iter().map(|kernel| kernel.kernel.name.qualified.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let facts = ConfigFacts { rules: judge.rules, matches: &matches, used: &judge.used, names };
    let mut findings = Vec::new();
    for lint in LINTS {
        if let Check::Config(check) = lint.check {
            let mut drafts = Vec::new();
            check(&facts, &mut drafts);
            findings.extend(drafts.into_iter().filter_map(|draft| judge.config(lint, draft)));
        }
    }
    findings
}

/// Denied first, then by lint, weight, place, name and architecture.
fn sort(findings: &mut [Finding]) {
    findings.sort_by_cached_key(|finding| {
        let place = finding.labels.first().map(|label| (label.file.clone(), label.line));
        let (name, arch) = match &finding.subject {
            Subject::Kernel { key, arch, .. } => (key.clone(), *arch),
            Subject::Unit { unit, arch } => (unit.clone(), *arch),
            Subject::Config => (String::new(), None),
        };
        (std::cmp::Reverse(finding.level), finding.lint, std::cmp::Reverse(finding.weight), place, name, arch)
    });
}

/// Errors that no lint puts into words. A log with one must not pass for a clean one.
fn errors(kernels: &[CheckedKernel], units: &[UnitFacts]) -> Vec<(String, Remark)> {
    let is_error = |remark: &&Remark| remark.severity == Severity::Error && remark.kind == RemarkKind::Other;
    let of_kernels = kernels.iter().flat_map(|kernel| {
        let unit = kernel.kernel.units.first().cloned().unwrap_or_default();
        kernel.kernel.remarks.iter().filter(is_error).map(move |remark| (unit.clone(), remark.clone()))
    });
    let of_units = units
        .iter()
        .flat_map(|unit| unit.remarks.iter().filter(is_error).map(|r| (unit.unit.clone(), r.clone())));
    let mut errors: Vec<_> = of_kernels.chain(of_units).collect();
    errors.dedup();
    errors
}
