//! Lines with the records that they are of.

use occlint::finding::{Finding, Subject};
use occlint::text::escape_json;
use serde_json::Value;

use crate::reports::{KernelLine, Line, Lines, ReportError, Sources};

/// A finding as a report tells it.
pub(super) struct ToldFinding {
    pub(super) text: String,
    pub(super) value: Value,
    pub(super) finding: Finding,
}

/// A report.
pub(super) struct Told {
    pub(super) path: String,
    pub(super) kernels: Vec<KernelLine>,
    pub(super) findings: Vec<ToldFinding>,
    /// What it says as a part.
    pub(super) parts: Vec<Line>,
    pub(super) lines: Lines,
}

impl Told {
    pub(super) fn of(mut lines: Lines, sources: &Sources) -> Result<Self, ReportError> {
        let findings = lines.findings(sources)?;
        let parts = std::mem::take(&mut lines.parts);
        let kernels = std::mem::take(&mut lines.kernels);
        let told = std::mem::take(&mut lines.findings).into_iter().zip(findings);
        Ok(Self {
            path: lines.path.to_string_lossy().into_owned(),
            kernels,
            findings: told
                .map(|(Line { text, value, .. }, finding)| ToldFinding { text, value, finding })
                .collect(),
            parts,
            lines,
        })
    }
}

impl KernelLine {
    /// The line as JSON.
    pub(super) fn value(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// Gives it another key, and these units.
    pub(super) fn set(&mut self, key: String, units: Vec<String>) {
        let record = &self.checked.kernel;
        if record.name.key == key && record.units == units {
            return;
        }
        let mut value = self.value();
        value["key"] = key.clone().into();
        value["units"] = units.clone().into();
        self.text = value.to_string();
        self.checked.kernel.name.key = key;
        self.checked.kernel.units = units;
    }
}

impl ToldFinding {
    /// Gives the kernel that it is about another key.
    pub(super) fn set_key(&mut self, new: String) {
        if let Subject::Kernel { key, .. } = &mut self.finding.subject {
            self.value["key"] = new.clone().into();
            self.text = self.value.to_string();
            *key = new;
        }
    }
}

/// A line of the joined report. What steers a terminal is escaped, whoever wrote it.
pub(super) fn written(text: impl AsRef<str>) -> String {
    escape_json(text.as_ref().to_owned()) + "\n"
}
