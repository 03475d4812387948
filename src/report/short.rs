//! One line a group: `file:line:column: error[occlint::lint]: message`.

use std::path::Path;

use crate::check::Report;
use crate::compile::SourceKind;
use crate::finding::{Finding, Label, Subject};
use crate::kernel::Kernel;
use crate::order::Map;
use crate::report::group::is_foreign;
use crate::report::{Group, group, words};
use crate::text::sanitize;

/// Renders one line per group of findings; those of libraries only with `foreign`.
pub fn short(report: &Report, foreign: bool) -> String {
    let (groups, units) = (group(&report.findings), Units::of(report));
    let shown = groups.iter().filter(|group| foreign || !is_foreign(group.worst));
    shown.map(|group| line(group, &units) + "\n").collect()
}

/// The first unit of each kernel, by key: the place of findings without one.
pub(crate) struct Units<'a>(Map<&'a str, &'a str>);

impl<'a> Units<'a> {
    /// The units of a report's kernels.
    pub(crate) fn of(report: &'a Report) -> Self {
        let kernels = report.kernels.iter().map(|checked| &checked.kernel);
        let pair = |kernel: &'a Kernel| Some((kernel.name.key.as_str(), kernel.units.first()?.as_str()));
        Self(kernels.filter_map(pair).collect())
    }

    fn unit(&self, finding: &Finding) -> Option<&'a str> {
        match &finding.subject {
            Subject::Kernel { key, .. } => self.0.get(key.as_str()).copied(),
            Subject::Unit { .. } | Subject::Config => None,
        }
    }
}

/// The line of one group, names in full, with the file of PTX that it is about where its place is in another.
pub(crate) fn line(group: &Group<'_>, units: &Units<'_>) -> String {
    let (worst, message) = (group.worst, words::message(group, None));
    let line =
        format!("{}{}[occlint::{}]: {message}", prefix(worst, units), worst.level.heading(), worst.lint);
    match units.unit(worst) {
        Some(unit) if SourceKind::of(Path::new(unit)) == SourceKind::Ptx && !line.contains(unit) => {
            format!("{line} (in `{}`)", sanitize(unit))
        }
        _ => line,
    }
}

/// `file:line:column: ` of the finding's place; without one, the unit's name, or nothing.
pub(crate) fn prefix(finding: &Finding, units: &Units<'_>) -> String {
    match (finding.labels.first(), &finding.subject) {
        (Some(label), _) => format!("{}: ", place(label)),
        (None, Subject::Unit { unit, .. }) => format!("{}: ", sanitize(unit)),
        (None, Subject::Kernel { .. }) => {
            units.unit(finding).map(|unit| format!("{}: ", sanitize(unit))).unwrap_or_default()
        }
        (None, Subject::Config) => String::new(),
    }
}

/// `file:line:column`, without the column where the text is not known.
pub(crate) fn place(label: &Label) -> String {
    let file = sanitize(&label.file);
    match &label.span {
        Some((source, range)) => {
            let (line, column) = source.line_column(range.start.min(source.text().len()));
            format!("{file}:{line}:{column}")
        }
        None => format!("{file}:{}", label.line),
    }
}
