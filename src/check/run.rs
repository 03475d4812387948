//! The check.

use std::cmp::Reverse;

use crate::arch::Arch;
#[cfg(feature = "experiment")]
use crate::baseline::{Comparison, entry_of};
use crate::baseline::{changes, compare_all, with_levels};
use crate::check::evaluate::evaluate;
use crate::check::verdicts::{Judge, Tally};
use crate::check::{CheckedKernel, ConfigFacts, Input, Open, Report, UnitFacts, open};
use crate::finding::{Finding, Level, Subject};
use crate::kernel::{Remark, RemarkKind, Severity};
use crate::lints::{Check, Draft, LINTS, Lint, maxrregcount_in};
use crate::order::{self, Map, Set};

/// Checks kernels against what is expected of them.
pub fn check(mut input: Input) -> Report {
    let kernels = std::mem::take(&mut input.kernels).into_iter();
    let (rules, baseline) = (&input.rules, input.baseline.as_deref());
    let kernels = kernels.map(|kernel| evaluate(kernel, rules, baseline)).collect();
    judged(kernels, input)
}

/// Checks kernels again of which more is known now, but nothing that their residency depends on; the input has none of its own.
#[cfg(feature = "experiment")]
pub(crate) fn check_again(kernels: Vec<CheckedKernel>, input: Input) -> Report {
    let baseline = input.baseline.clone();
    let unjudged = |checked: CheckedKernel| CheckedKernel {
        before: baseline.as_deref().and_then(|baseline| entry_of(baseline, &checked.kernel)),
        comparison: Comparison::New,
        renamed_from: None,
        fired: Vec::new(),
        ..checked
    };
    judged(kernels.into_iter().map(unjudged).collect(), input)
}

fn judged(mut kernels: Vec<CheckedKernel>, input: Input) -> Report {
    let Input {
        units,
        rules,
        levels,
        complete,
        default_archs,
        baseline,
        compare,
        package,
        all_units,
        today,
        ..
    } = input;
    order::sort_by(&mut kernels, |a, b| kernel_order(a).cmp(&kernel_order(b)));
    if let Some(baseline) = &baseline {
        compare_all(baseline, &mut kernels, all_units, with_levels(compare, &levels));
    }
    let mut judge = Judge { rules: &rules, levels: &levels, default_archs, today, tally: Tally::default() };
    let units = with_caps(units, &kernels);
    let mut findings = Vec::new();
    for kernel in &mut kernels {
        if kernel.kernel.debug {
            judge.unjudged(kernel);
        } else {
            let drafts = kernel_drafts(kernel);
            findings.extend(judge.kernel(kernel, drafts));
        }
    }
    let whole = complete.then_some(package.as_str()).filter(|package| !package.is_empty());
    let (removed, improved) =
        baseline.map(|baseline| changes(&baseline, &kernels, whole)).unwrap_or_default();
    for unit in &units {
        findings
            .extend(unit_drafts(unit).into_iter().filter_map(|(lint, draft)| judge.unit(unit, lint, draft)));
    }
    let (matches, names) = (matches(&kernels, &judge), names(&kernels));
    let facts = ConfigFacts {
        rules: &rules,
        matches: &matches,
        used: &judge.tally.used,
        names,
        removed: &removed,
        kernels: &kernels,
    };
    findings.extend(config_findings(&facts, &judge, complete));
    let open = if complete { Open::default() } else { open::open(&kernels, removed, &judge) };
    sort(&mut findings);
    let denied = findings.iter().any(|finding| finding.level == Level::Deny);
    let errors = errors(&kernels, &units, denied);
    let renamed = kernels.iter().filter(|checked| checked.renamed_from.is_some()).count();
    let waivers = judge.waiver_uses(&kernels);
    let Tally { waived, known, within_limits, .. } = judge.tally;
    Report { kernels, findings, waived, known, improved, renamed, within_limits, waivers, errors, open }
}

/// File, line, name, architecture, and only then the compiler's own name, which may hold the number of its process. A kernel
/// without a place stands at the beginning of its unit.
pub(super) fn kernel_order(checked: &CheckedKernel) -> (&str, u32, &str, Option<Arch>, &str) {
    let kernel = &checked.kernel;
    let unit = || (kernel.units.first().map_or("", String::as_str), 0);
    let (file, line) = kernel.place.as_ref().map_or_else(unit, |place| (place.file.as_str(), place.line));
    (file, line, &kernel.name.demangled, kernel.arch, &kernel.name.mangled)
}

/// A log says no flags, but the compiler's remarks betray `-maxrregcount`.
fn with_caps(mut units: Vec<UnitFacts>, kernels: &[CheckedKernel]) -> Vec<UnitFacts> {
    let cap_in = |remarks: &[Remark]| remarks.iter().find_map(|remark| maxrregcount_in(&remark.kind));
    let mut caps: Map<(&str, Option<Arch>), u32> = Map::new();
    for kernel in kernels.iter().map(|checked| &checked.kernel) {
        if let (Some(cap), Some(unit)) = (cap_in(&kernel.remarks), kernel.units.first()) {
            caps.get_or_insert((unit, kernel.arch), cap);
        }
    }
    for facts in units.iter_mut().filter(|facts| facts.maxrregcount.is_none()) {
        let said = || caps.get(&(facts.unit.as_str(), facts.arch)).copied();
        facts.maxrregcount = cap_in(&facts.remarks).or_else(said).map(|cap| (cap, None));
    }
    units
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
            // remarks that name no kernel say the same again for each kernel
            let mut said: Vec<Draft> = Vec::new();
            for draft in drafts.drain(..) {
                if !said.contains(&draft) {
                    said.push(draft);
                }
            }
            all.extend(said.into_iter().map(|draft| (*lint, draft)));
        }
    }
    all
}

/// How many kernels each rule matched.
pub(super) fn matches(kernels: &[CheckedKernel], judge: &Judge<'_>) -> Vec<usize> {
    let mut matches = vec![0; judge.rules.rules().len()];
    for &rule in kernels.iter().flat_map(|kernel| &kernel.expectation.matched) {
        matches[rule] += 1;
    }
    matches
}

/// The kernels' qualified names, each once, sorted.
pub(super) fn names(kernels: &[CheckedKernel]) -> Vec<&str> {
    let mut names: Vec<&str> = kernels.iter().map(|kernel| kernel.kernel.name.qualified.as_str()).collect();
    order::sort(&mut names);
    names.dedup();
    names
}

/// What the lints about the configuration find; `complete`: every configured unit and architecture was checked. Without, only
/// what holds of a part is judged.
pub(super) fn config_findings(facts: &ConfigFacts<'_>, judge: &Judge<'_>, complete: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for lint in LINTS {
        let check = match lint.check {
            Check::Config(check) if complete => Some(check),
            Check::Compared(check) => Some(check),
            _ => None,
        };
        if let Some(check) = check {
            let mut drafts = Vec::new();
            check(facts, &mut drafts);
            findings.extend(drafts.into_iter().filter_map(|draft| judge.config(lint, draft)));
        }
    }
    findings
}

/// Denied first, then by lint, weight, place, name and architecture.
pub(super) fn sort(findings: &mut [Finding]) {
    fn key(finding: &Finding) -> impl Ord + '_ {
        let place = finding.labels.first().map(|label| (label.file.as_str(), label.line));
        let (name, arch) = match &finding.subject {
            Subject::Kernel { key, arch, .. } => (key.as_str(), *arch),
            Subject::Unit { unit, arch } => (unit.as_str(), *arch),
            Subject::Config => ("", None),
        };
        (Reverse(finding.level), finding.lint, Reverse(finding.weight), place, name, arch)
    }
    order::sort_by(findings, |a, b| key(a).cmp(&key(b)));
}

/// What the compiler graded an error: a log with one must not pass for a clean one. What a denied finding puts into
/// words is left out.
fn errors(kernels: &[CheckedKernel], units: &[UnitFacts], denied: bool) -> Vec<(String, Remark)> {
    let is_error = |remark: &&Remark| {
        let in_words =
            matches!(remark.kind, RemarkKind::TooMuchShared { .. } | RemarkKind::CalleeNeedsRegisters { .. });
        remark.severity == Severity::Error && !(denied && in_words)
    };
    let of_kernels = kernels.iter().flat_map(|kernel| {
        let unit = kernel.kernel.units.first().cloned().unwrap_or_default();
        kernel.kernel.remarks.iter().filter(is_error).map(move |remark| (unit.clone(), remark.clone()))
    });
    let of_units = units
        .iter()
        .flat_map(|unit| unit.remarks.iter().filter(is_error).map(|r| (unit.unit.clone(), r.clone())));
    let mut errors: Vec<(String, Remark)> = Vec::new();
    let mut seen = Set::new();
    for (unit, remark) in of_kernels.chain(of_units) {
        if seen.insert((unit.clone(), remark.text.clone())) {
            errors.push((unit, remark));
        }
    }
    errors
}
