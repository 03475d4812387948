//! What the formats of reviews share: findings grouped by cause, each with one place and one message.

use crate::check::Report;
use crate::finding::Level;
use crate::report::group::{group_id, is_foreign};
use crate::report::{Group, group, words};
use crate::text::sanitize;

/// One cause, as a reviewer is told of it. Texts are sanitised; each format escapes them for itself.
pub(super) struct Told {
    pub(super) lint: &'static str,
    pub(super) level: Level,
    /// A name that stays the same while the cause does.
    pub(super) id: String,
    pub(super) message: String,
    /// The notes and the help, a line each.
    pub(super) more: Vec<String>,
    /// The file (with `/`), the line and the column, counted from 1.
    pub(super) place: Option<(String, u32, Option<usize>)>,
}

/// What a review is told beside a report.
#[derive(Clone, Copy, Default, Debug)]
pub struct Review<'a> {
    /// What could not be checked, a line each.
    pub failures: &'a [String],
    /// Where the workspace, which the report's places are relative to, lies in the repository that is reviewed: empty, or a path with
    /// `/` at its end.
    pub below: &'a str,
}

/// The groups of a report, in its order, without those of libraries.
pub(super) fn told(report: &Report, below: &str) -> Vec<Told> {
    let own = group(&report.findings);
    own.iter().filter(|group| !is_foreign(group.worst)).map(|group| one(group, below)).collect()
}

fn one(group: &Group<'_>, below: &str) -> Told {
    let worst = group.worst;
    let place = worst.labels.first().map(|label| {
        let column = label.span.as_ref().and_then(|(source, range)| {
            let (line, column) = source.line_column(range.start.min(source.text().len()));
            (line == label.line).then_some(column)
        });
        let below = if label.file.starts_with('/') { "" } else { below };
        (
            sanitize(&format!("{below}{}", label.file)),
            label.line,
            column.and_then(|column| usize::try_from(column).ok()),
        )
    });
    let said = worst.labels.iter().filter(|label| !label.text.is_empty());
    let places = said.map(|label| format!("{below}{}:{}: {}", label.file, label.line, label.text));
    let help = worst.help.iter().flat_map(|help| help.lines()).map(|line| format!("help: {line}"));
    Told {
        lint: worst.lint,
        level: worst.level,
        id: sanitize(&group_id(worst)),
        message: words::message(group, None),
        more: places.chain(words::notes(group, None)).chain(help).map(|line| sanitize(&line)).collect(),
        place,
    }
}
