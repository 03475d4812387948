//! What two states are compared by: a report, or a baseline.

use std::path::Path;

use occlint::arch::Arch;
use occlint::baseline::Baseline;
use occlint::check::{CheckedKernel, Report};
use occlint::finding::Finding;

use crate::baseline;
use crate::error::RunError;
use crate::reports::error::{Problem, ReportError};
use crate::reports::fields::Fields;
use crate::reports::{Line, Lines, Sources, findings, kernels, lines};

/// Kernels at one time.
pub(crate) struct State {
    pub(crate) baseline: Baseline,
    /// The same as records; those of libraries left out.
    pub(crate) kernels: Vec<CheckedKernel>,
}

/// Reads a report or a baseline, told apart by what is in it.
///
/// # Errors
/// It is neither, it is not whole, or its run could not do all its work.
pub(crate) fn state(path: &Path, sources: &Sources) -> Result<State, RunError> {
    let text = lines::text(path)?;
    if !is_baseline(&text) {
        let lines = lines::parse(path, &text, sources)?;
        lines.refuse_half()?;
        let kernels = lines.kernels.into_iter().map(|line| line.checked).collect();
        let report = Report { kernels, ..Report::default() };
        let baseline = Baseline::of(&report);
        let kernels =
            report.kernels.into_iter().filter(|checked: &CheckedKernel| !checked.is_foreign()).collect();
        return Ok(State { baseline, kernels });
    }
    let file = baseline::read(path)?;
    let baseline = file.map(|file| file.baseline).unwrap_or_default();
    let of_entry = |((key, arch), entry): (&(String, Arch), _)| kernels::of_entry(key, *arch, entry);
    let kernels = baseline.entries.iter().map(of_entry).collect();
    Ok(State { baseline, kernels })
}

/// A report's first line has a `reason`; a baseline, a broken one too, names its kernels.
fn is_baseline(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let is_line =
        serde_json::from_str::<serde_json::Value>(first).is_ok_and(|line| !line["reason"].is_null());
    !is_line && (text.contains("\"kernels\":") || text.contains("<<<<<<< ")) && !text.contains("\"reason\":")
}

impl Lines {
    /// The findings; kernels' names are those of their lines.
    pub(crate) fn findings(&self, sources: &Sources) -> Result<Vec<Finding>, ReportError> {
        let names = self.kernels.iter().map(|line| &line.checked.kernel.name);
        let names = names.map(|name| (name.key.as_str(), name.qualified.as_str())).collect();
        let finding = |line: &Line| {
            findings::finding(Fields(&line.value), &names, sources).map_err(|why| self.wrong(line, why))
        };
        self.findings.iter().map(finding).collect()
    }

    fn wrong(&self, line: &Line, why: String) -> ReportError {
        self.error(Some(line.number), Problem::Field(why))
    }
}
