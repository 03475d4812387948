//! From drafts to findings: levels, waivers, and one finding for one cause.

use std::sync::Arc;

use crate::baseline::baseline_notes;
use crate::check::{CheckedKernel, UnitFacts, WaiverUse};
use crate::expect::{Date, Levels, Rules, Waiver, WaiverKind, Within};
use crate::finding::{Finding, Label, Level, Subject};
use crate::lints::{Draft, Lint};
use crate::order::{self, Map, Set};

/// Lints that have one cause: a kernel on an architecture reports the first that holds.
const ONE_CAUSE: [&str; 5] = [
    "unlaunchable",
    "bounds-dropped",
    "residency-below-bounds",
    "residency-below-target",
    "residency-regression",
];
/// Lints that say more than others about the same: the first of each pair takes the second away.
const SUPERSEDED: [(&str, &str); 2] =
    [("spill-regression", "spill"), ("limiter-regression", "register-regression")];
/// Lints about bounds: they warn at most where occlint chose the architectures.
const ABOUT_BOUNDS: [&str; 3] = ["unlaunchable", "bounds-dropped", "residency-below-bounds"];

/// Applies levels and waivers, and remembers which waivers were met.
pub(super) struct Judge<'a> {
    pub(super) rules: &'a Rules,
    pub(super) levels: &'a Levels,
    pub(super) default_archs: bool,
    pub(super) today: Option<Date>,
    pub(super) tally: Tally,
}

/// What a judge counts.
#[derive(Default)]
pub(super) struct Tally {
    /// The waivers that something met.
    pub(super) used: Set<(usize, usize)>,
    /// How many findings each waiver took away.
    by_waiver: Map<(usize, usize), usize>,
    pub(super) waived: usize,
    pub(super) known: usize,
    pub(super) within_limits: usize,
}

impl Judge<'_> {
    /// The level of a draft.
    pub(super) fn level(&self, lint: &Lint, draft: &Draft) -> Level {
        let cap = self.default_archs && ABOUT_BOUNDS.contains(&lint.name);
        self.levels.effective(lint.name, draft.default.unwrap_or(lint.default), cap)
    }

    /// Turns one kernel's drafts into findings.
    pub(super) fn kernel(
        &mut self,
        kernel: &mut CheckedKernel,
        drafts: Vec<(&'static Lint, Draft)>,
    ) -> Vec<Finding> {
        self.unknown_local_memory(kernel);
        let mut findings: Vec<Finding> = Vec::new();
        let mut causes: Vec<Finding> = Vec::new();
        for (lint, mut draft) in drafts {
            let level = self.level(lint, &draft);
            let waiver = self.waive(kernel, lint, &mut draft);
            if level == Level::Allow {
                continue;
            }
            if let Some(waiver) = waiver {
                self.tally.waived += 1;
                *self.tally.by_waiver.get_or_default(waiver) += 1;
                continue;
            }
            kernel.fired.push((lint.name, draft.amount));
            match kernel.compared().and_then(|before| before.finding(lint.name)) {
                // More of it than there was is told.
                Some(Some(most)) if draft.amount.is_some_and(|amount| amount > most) => {
                    draft.notes.push(format!("{most} in the baseline"));
                }
                Some(_) => {
                    self.tally.known += 1;
                    continue;
                }
                None => {}
            }
            let Some(level) = self.within_limits(lint, level, &draft) else { continue };
            if lint.name.ends_with("-regression") {
                draft.notes.extend(baseline_notes(kernel));
            }
            let finding = finding(kernel, lint, level, draft);
            if ONE_CAUSE.contains(&lint.name) { causes.push(finding) } else { findings.push(finding) }
        }
        findings.extend(first_cause(causes));
        without_superseded(findings)
    }

    /// The level of something that grew; `None` where the lint's limits let it pass.
    fn within_limits(&mut self, lint: &Lint, level: Level, draft: &Draft) -> Option<Level> {
        if draft.increases.is_empty() {
            return Some(level);
        }
        match self.levels.limits(lint.name).judge(&draft.increases) {
            Within::Neither => Some(level),
            Within::Hard => Some(level.min(Level::Warn)),
            Within::Soft => {
                self.tally.within_limits += 1;
                None
            }
        }
    }

    /// A kernel that no lint looks at: whether its waivers are needed is unknown.
    pub(super) fn unjudged(&mut self, kernel: &CheckedKernel) {
        self.tally.used.extend(&kernel.expectation.waivers);
    }

    /// Where spills may fill a frame alone, nobody knows whether there is other local memory: waivers of it are not unused.
    fn unknown_local_memory(&mut self, kernel: &CheckedKernel) {
        let record = &kernel.kernel;
        let frame = record.usage.stack_frame_bytes.is_some_and(|bytes| bytes > 0);
        if frame && record.local_memory.is_none() {
            let waivers = kernel.expectation.waivers.iter().copied();
            self.tally.used.extend(waivers.filter(|&index| self.rules.waiver(index).lint == "local-memory"));
        }
    }

    /// The waiver that takes the draft away: of several the one of highest precedence decides. All of them are met, and one
    /// whose ceiling is exceeded, or whose last day is over, says so.
    fn waive(&mut self, kernel: &CheckedKernel, lint: &Lint, draft: &mut Draft) -> Option<(usize, usize)> {
        let of_lint = |index: &&(usize, usize)| self.rules.waiver(**index).lint == lint.name;
        let waivers: Vec<(usize, usize)> =
            kernel.expectation.waivers.iter().filter(of_lint).copied().collect();
        self.tally.used.extend(&waivers);
        let &last = waivers.last()?;
        let waiver = self.rules.waiver(last);
        if let Some(until) = self.ended(waiver) {
            let place = format!("{}:{}", waiver.span.source.name(), waiver.span.line());
            draft.notes.push(format!("{} until {until} by {place}{}", verb(waiver), reason(waiver)));
            return None;
        }
        match waiver.max {
            Some(max) if draft.amount.is_none_or(|amount| amount > max) => {
                draft.notes.push(exceeded(waiver, max, lint));
                None
            }
            _ => Some(last),
        }
    }

    /// The last day of a waiver, where it is over.
    fn ended(&self, waiver: &Waiver) -> Option<Date> {
        waiver.until.zip(self.today).filter(|(until, today)| today > until).map(|(until, _)| until)
    }

    /// What waivers took away, and those that have ended, in the order of the rules.
    pub(super) fn waiver_uses(&self, kernels: &[CheckedKernel]) -> Vec<WaiverUse> {
        let mut uses = Vec::new();
        for (rule, waivers) in self.rules.rules().iter().map(|rule| &rule.waivers).enumerate() {
            let mut matched = None;
            for (index, waiver) in waivers.iter().enumerate() {
                let waived = self.tally.by_waiver.get(&(rule, index)).copied().unwrap_or(0);
                let ended = self.ended(waiver).is_some();
                if waived > 0 || ended {
                    let matched = *matched.get_or_insert_with(|| matched_kernels(kernels, rule));
                    uses.push(WaiverUse { waiver: waiver.clone(), matched, waived, ended });
                }
            }
        }
        uses
    }

    /// Turns a unit's draft into a finding.
    pub(super) fn unit(&self, unit: &UnitFacts, lint: &'static Lint, draft: Draft) -> Option<Finding> {
        let level = self.level(lint, &draft);
        let subject = Subject::Unit { unit: unit.unit.clone(), arch: unit.arch };
        (level != Level::Allow).then(|| from_draft(lint, level, subject, draft))
    }

    /// Turns a draft about the configuration into a finding.
    pub(super) fn config(&self, lint: &'static Lint, draft: Draft) -> Option<Finding> {
        let level = self.level(lint, &draft);
        (level != Level::Allow).then(|| from_draft(lint, level, Subject::Config, draft))
    }
}

/// How many kernels a rule is about.
fn matched_kernels(kernels: &[CheckedKernel], rule: usize) -> usize {
    let of_rule = kernels.iter().filter(|checked| checked.expectation.matched.contains(&rule));
    of_rule.map(|checked| checked.kernel.name.key.as_str()).collect::<Set<_>>().iter().count()
}

fn verb(waiver: &Waiver) -> &'static str {
    match waiver.kind {
        WaiverKind::Allow => "allowed",
        WaiverKind::Expect => "expected",
    }
}

fn reason(waiver: &Waiver) -> String {
    waiver.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default()
}

fn exceeded(waiver: &Waiver, max: u64, lint: &Lint) -> String {
    let (verb, reason) = (verb(waiver), reason(waiver));
    match lint.amount {
        Some(unit) => format!("{verb} up to {max} {unit}{reason}"),
        None => format!("{verb} up to {max}, but `{}` has no amount{reason}", lint.name),
    }
}

fn finding(kernel: &CheckedKernel, lint: &'static Lint, level: Level, mut draft: Draft) -> Finding {
    let record = &kernel.kernel;
    let place = record.place.as_ref();
    if draft.labels.is_empty() {
        draft.labels.extend(place.map(|place| {
            let span =
                place.text.as_ref().and_then(|text| Some((Arc::clone(text), place.declarator.clone()?)));
            Label { file: place.file.clone(), line: place.line, span, text: String::new() }
        }));
    }
    let subject = Subject::Kernel {
        name: record.name.demangled.clone(),
        key: record.name.key.clone(),
        qualified: record.name.qualified.clone(),
        arch: record.arch,
        foreign: place.is_some_and(|place| place.foreign),
    };
    from_draft(lint, level, subject, draft)
}

fn from_draft(lint: &'static Lint, level: Level, subject: Subject, draft: Draft) -> Finding {
    let Draft { headline, weight, labels, notes, help, table, .. } = draft;
    Finding { lint: lint.name, level, subject, headline, weight, labels, notes, help, table }
}

/// What another finding of the kernel says better, at the same level or a higher one, goes.
fn without_superseded(mut findings: Vec<Finding>) -> Vec<Finding> {
    let there: Vec<(&str, Level)> = findings.iter().map(|finding| (finding.lint, finding.level)).collect();
    findings.retain(|finding| {
        let by = SUPERSEDED.iter().filter(|(_, what)| *what == finding.lint);
        !by.into_iter().any(|(by, _)| there.iter().any(|(lint, level)| lint == by && *level >= finding.level))
    });
    findings
}

/// The first cause that holds, with the others as its notes. One that is denied is never folded into one that is not:
/// the run must fail, and under the lint that was denied.
fn first_cause(mut causes: Vec<Finding>) -> Option<Finding> {
    let rank = |finding: &Finding| ONE_CAUSE.iter().position(|lint| *lint == finding.lint);
    order::sort_by_key(&mut causes, |finding| (std::cmp::Reverse(finding.level), rank(finding)));
    let mut causes = causes.into_iter();
    let mut first = causes.next()?;
    let mut others: Vec<Finding> = causes.collect();
    order::sort_by_key(&mut others, rank);
    for other in others {
        if other.headline != first.headline {
            first.notes.push(other.message());
        }
        for note in other.notes {
            if !first.notes.contains(&note) {
                first.notes.push(note);
            }
        }
        first.help = first.help.or(other.help);
        first.table = first.table.or(other.table);
    }
    Some(first)
}
