//! Several reports as one: the parts of a run, or runs of several packages or architectures.

mod block;
mod config;
mod error;
mod part;
mod told;

use std::collections::BTreeSet;

use occlint::check::Report;
use occlint::report::{self, Summary};

use crate::reports::{Lines, Sources};

use block::Block;
pub(crate) use error::JoinError;
use part::Parts;
use told::{Told, ToldFinding};

/// One report out of several.
pub(crate) struct Joined {
    pub(crate) report: Report,
    pub(crate) summary: Summary,
    /// As JSON lines.
    pub(crate) json: String,
}

/// Joins reports.
///
/// # Errors
/// Parts that are not one whole run, a run that could not do all its work, a kernel that two reports have otherwise.
pub(crate) fn join(reports: Vec<Lines>, sources: &Sources) -> Result<Joined, JoinError> {
    let parts = Parts::of(&reports)?;
    let counts = Counts::of(&reports)?;
    let json = match reports.as_slice() {
        // what one run wrote is written again
        [only] if parts.is_none() => Some(only.lines().map(told::written).collect::<String>()),
        _ => None,
    };
    let mut told =
        reports.into_iter().map(|lines| Told::of(lines, sources)).collect::<Result<Vec<_>, _>>()?;
    let blocks = match parts {
        Some(parts) => parts.packages(&mut told, sources)?,
        None if told.len() == 1 => vec![Block::alone(told.remove(0))],
        None => vec![Block::of_reports(told)?],
    };
    let (mut kernels, mut findings) = (Vec::new(), Vec::new());
    for block in blocks {
        kernels.extend(block.kernels);
        findings.extend(block.findings);
    }
    let groups = groups(&findings);
    let mut text: String = kernels.iter().map(|kernel| told::written(&kernel.text)).collect();
    text.extend(findings.iter().map(|finding| told::written(&finding.text)));
    let report = Report {
        kernels: kernels.into_iter().map(|kernel| kernel.checked).collect(),
        findings: findings.into_iter().map(|finding| finding.finding).collect(),
        waived: counts.waived,
        known: counts.known,
        improved: counts.improved,
        ..Report::default()
    };
    let summary = Summary { groups, ..report::summary(&report) };
    text.push_str(&report::summary_json(&summary));
    Ok(Joined { json: json.unwrap_or(text), report, summary })
}

/// Groups of one cause by the names that the reports give them: without sources a macro's kernels would not be one.
fn groups(findings: &[ToldFinding]) -> usize {
    let own = findings.iter().filter(|finding| finding.value["foreign"] != true);
    own.filter_map(|finding| finding.value["group"].as_str()).collect::<BTreeSet<_>>().len()
}

/// What only the summaries know.
struct Counts {
    waived: usize,
    known: usize,
    improved: usize,
}

impl Counts {
    fn of(reports: &[Lines]) -> Result<Self, JoinError> {
        let sum = |field: &str| {
            let totals = reports.iter().map(|lines| lines.total(field)).collect::<Result<Vec<_>, _>>()?;
            let sum = totals.into_iter().fold(0, u64::saturating_add);
            Ok::<_, JoinError>(usize::try_from(sum).unwrap_or(usize::MAX))
        };
        Ok(Self { waived: sum("waived")?, known: sum("known")?, improved: sum("improved")? })
    }
}
