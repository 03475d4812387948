//! The last line: what was checked and what was found.

use crate::arch::Arch;
use crate::check::{CheckedKernel, Open, Report};
use crate::finding::Level;
use crate::order::Set;
use crate::report::group::{group, is_foreign, kernel_key};
use crate::text;

/// Counts for the last line and for JSON.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Summary {
    /// Distinct kernels (by key).
    pub kernels: usize,
    /// Architectures, ascending, as names.
    pub archs: Vec<String>,
    /// Denied findings, one per kernel and architecture.
    pub denied: usize,
    /// Warnings, one per kernel and architecture.
    pub warnings: usize,
    /// Groups of one cause that the findings make: what a reader is shown.
    pub groups: usize,
    /// Distinct kernels whose residency is unknown, because nothing says their block.
    pub unjudged: usize,
    /// Findings that a waiver took away.
    pub waived: usize,
    /// Findings that the baseline has already.
    pub known: usize,
    /// Kernels that got better than the baseline.
    pub improved: usize,
    /// Kernels that the baseline has under another name.
    pub renamed: usize,
    /// Increases over the baseline that their limits allow.
    pub within_limits: usize,
    /// Distinct kernels whose place lies outside the package.
    pub foreign_kernels: usize,
    /// Findings about them.
    pub foreign_findings: usize,
    /// What could not be checked: units that did not compile, comments that cannot be used, and their like.
    pub failures: usize,
    /// Which part of a run this is, `2/4`; `None` for all of it.
    pub partition: Option<String>,
    /// What the parts of one run have in common; `None` for all of it.
    pub run: Option<String>,
    /// Where this is a part of a run, what `merge` needs of each package, in the order of the report.
    pub parts: Vec<Part>,
}

/// What a part of a run says about one package.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Part {
    /// The package's name.
    pub package: String,
    /// Its units in this part.
    pub units: usize,
    /// Its kernels in the report: they follow those of the package before.
    pub kernels: usize,
    /// Its findings in the report.
    pub findings: usize,
    /// The architectures that must have a kernel in some part.
    pub archs: Vec<String>,
    /// It is compared with a baseline.
    pub baseline: bool,
    /// What the lints about the configuration leave to all parts; `None` where they are not judged.
    pub open: Option<Open>,
}

/// Counts a report. What libraries outside the package do is counted apart: it fails no run.
pub fn summary(report: &Report) -> Summary {
    let own = |level| report.findings.iter().filter(|f| !is_foreign(f) && f.level == level).count();
    let archs: Set<Arch> = report.kernels.iter().filter_map(|checked| checked.kernel.arch).collect();
    let (foreign, kernels): (Vec<&CheckedKernel>, Vec<&CheckedKernel>) =
        report.kernels.iter().partition(|checked| checked.is_foreign());
    let keys = |kernels: &[&CheckedKernel]| -> Set<String> {
        kernels.iter().map(|checked| checked.kernel.name.key.clone()).collect()
    };
    let mut foreign_keys = keys(&foreign);
    let foreign_findings: Vec<_> = report.findings.iter().filter(|finding| is_foreign(finding)).collect();
    foreign_keys.extend(foreign_findings.iter().filter_map(|finding| kernel_key(finding)).map(str::to_owned));
    let unjudged: Vec<_> = kernels.iter().copied().filter(|checked| checked.residency.is_none()).collect();
    Summary {
        groups: group(&report.findings).iter().filter(|group| !is_foreign(group.worst)).count(),
        unjudged: keys(&unjudged).len(),
        kernels: keys(&kernels).len(),
        archs: archs.iter().map(ToString::to_string).collect(),
        denied: own(Level::Deny),
        warnings: own(Level::Warn),
        waived: report.waived,
        known: report.known,
        improved: report.improved,
        renamed: report.renamed,
        within_limits: report.within_limits,
        foreign_kernels: foreign_keys.len(),
        failures: report.errors.len(),
        partition: None,
        run: None,
        parts: Vec::new(),
        foreign_findings: foreign_findings.iter().filter(|finding| finding.level > Level::Allow).count(),
    }
}

/// The closing line: `12 kernels on sm_80, sm_90: 2 errors, 3 warnings, 1 waived`.
pub fn closing_line(summary: &Summary) -> String {
    let archs = match summary.archs.as_slice() {
        [] => "an unknown architecture".to_owned(),
        archs => archs.join(", "),
    };
    let libraries = match summary.foreign_kernels {
        0 => String::new(),
        n => format!(" (and {} of libraries)", count(n, "kernel")),
    };
    let (errors, warnings) = (count(summary.denied, "error"), count(summary.warnings, "warning"));
    if summary.kernels == 0 {
        let found = summary.denied + summary.warnings > 0;
        let found = if found { format!("; {errors}, {warnings}") } else { String::new() };
        return format!("no kernels: nothing was checked{libraries}{found}");
    }
    let waived = if summary.waived > 0 { format!(", {} waived", summary.waived) } else { String::new() };
    let waived = match summary.known {
        0 => waived,
        known => format!("{waived}, {known} known from the baseline"),
    };
    let groups = match summary.groups {
        groups if groups < summary.denied + summary.warnings => format!(" in {}", count(groups, "group")),
        _ => String::new(),
    };
    let unjudged = match summary.unjudged {
        0 => String::new(),
        n => format!("; residency of {n} unknown"),
    };
    let kernels = count(summary.kernels, "kernel");
    format!("{kernels}{libraries} on {archs}: {errors}, {warnings}{groups}{waived}{unjudged}")
}

fn count(n: usize, what: &str) -> String {
    if n == 0 { format!("no {what}s") } else { text::count(n, what) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closing_line_says_what_was_checked() {
        let archs = vec!["sm_80".to_owned(), "sm_90".to_owned()];
        let mut summary = Summary {
            kernels: 12,
            archs,
            denied: 2,
            warnings: 3,
            groups: 5,
            waived: 1,
            ..Summary::default()
        };
        assert_eq!(closing_line(&summary), "12 kernels on sm_80, sm_90: 2 errors, 3 warnings, 1 waived");
        (summary.groups, summary.unjudged) = (4, 2);
        assert_eq!(
            closing_line(&summary),
            "12 kernels on sm_80, sm_90: 2 errors, 3 warnings in 4 groups, 1 waived; residency of 2 unknown"
        );
        (summary.groups, summary.unjudged) = (1, 0);
        summary.foreign_kernels = 1;
        summary.denied = 0;
        summary.waived = 0;
        summary.warnings = 1;
        assert_eq!(
            closing_line(&summary),
            "12 kernels (and 1 kernel of libraries) on sm_80, sm_90: no errors, 1 warning"
        );
    }

    #[test]
    fn no_kernels_read_as_nothing_checked() {
        assert_eq!(closing_line(&summary(&Report::default())), "no kernels: nothing was checked");
        let of_configuration = Summary { warnings: 2, groups: 2, ..Summary::default() };
        assert_eq!(closing_line(&of_configuration), "no kernels: nothing was checked; no errors, 2 warnings");
    }
}
