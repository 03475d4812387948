//! The lines of a report, whole and in order.

use std::path::{Path, PathBuf};

use occlint::report::FORMAT_VERSION;
use occlint::sys::files;
use serde_json::Value;

use crate::error::RunError;
use crate::reports::error::{Problem, ReportError};
use crate::reports::unique::twice;

/// One line.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Line {
    /// 1-based.
    pub(crate) number: usize,
    /// As it stands in the file.
    pub(crate) text: String,
    pub(crate) value: Value,
}

/// A report's lines by what they are.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lines {
    pub(crate) path: PathBuf,
    pub(crate) kernels: Vec<Line>,
    pub(crate) findings: Vec<Line>,
    /// What a part of a run says for `merge`.
    pub(crate) parts: Vec<Line>,
    pub(crate) summary: Line,
}

/// Reads a report.
///
/// # Errors
/// It cannot be read, or is no whole report of this format: never an empty one.
pub(crate) fn read(path: &Path) -> Result<Lines, RunError> {
    Ok(parse(path, &text(path)?)?)
}

/// The file as text.
pub(super) fn text(path: &Path) -> Result<String, RunError> {
    let bytes = files::read_bytes(path)?;
    String::from_utf8(bytes).map_err(|_| {
        RunError::Report(ReportError { path: path.to_owned(), line: None, problem: Problem::Binary })
    })
}

/// Takes a report apart.
pub(super) fn parse(path: &Path, text: &str) -> Result<Lines, ReportError> {
    let error = |line, problem| ReportError { path: path.to_owned(), line, problem };
    if text.trim().is_empty() {
        return Err(error(None, Problem::Empty));
    }
    let (mut kernels, mut findings, mut parts, mut summary) = (Vec::new(), Vec::new(), Vec::new(), None);
    let count = text.lines().count();
    for (index, text) in text.lines().enumerate() {
        let number = index + 1;
        if summary.is_some() {
            return Err(error(Some(number), Problem::AfterSummary));
        }
        let line = line(number, text).map_err(|problem| match problem {
            // half a line at the end is half a report
            Problem::NoJson(_) if number == count && number > 1 => error(Some(number), Problem::CutOff),
            problem => error(Some(number), problem),
        })?;
        match line.value["reason"].as_str() {
            Some("kernel") => kernels.push(line),
            Some("finding") => findings.push(line),
            Some("part") => parts.push(line),
            Some("summary") => summary = Some(line),
            Some(_) => return Err(error(Some(number), Problem::Foreign("its `reason` is another"))),
            None => return Err(error(Some(number), Problem::Foreign("it has no `reason`"))),
        }
    }
    let summary = summary.ok_or_else(|| error(Some(count), Problem::CutOff))?;
    Ok(Lines { path: path.to_owned(), kernels, findings, parts, summary })
}

fn line(number: usize, text: &str) -> Result<Line, Problem> {
    let value: Value = serde_json::from_str(text).map_err(|error| Problem::NoJson(error.to_string()))?;
    if !value.is_object() {
        return Err(Problem::Foreign("a line is no object"));
    }
    if let Some(key) = twice(text) {
        return Err(Problem::Twice(key.to_owned()));
    }
    match value["format_version"].as_u64() {
        Some(version) if version == u64::from(FORMAT_VERSION) => {
            Ok(Line { number, text: text.to_owned(), value })
        }
        Some(version) => Err(Problem::Version(version)),
        None => Err(Problem::Foreign("it has no `format_version`")),
    }
}

impl Lines {
    /// All lines' texts, in the order in which a run writes them.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        let all = self.kernels.iter().chain(&self.findings).chain(&self.parts);
        all.chain([&self.summary]).map(|line| line.text.as_str())
    }

    /// An error at one of its lines.
    pub(crate) fn error(&self, line: Option<usize>, problem: Problem) -> ReportError {
        ReportError { path: self.path.clone(), line, problem }
    }

    /// A field of the summary that is a number.
    pub(crate) fn total(&self, field: &str) -> Result<u64, ReportError> {
        match &self.summary.value[field] {
            Value::Null => Ok(0),
            value => value.as_u64().ok_or_else(|| {
                self.error(Some(self.summary.number), Problem::Field(format!("`{field}` is no number")))
            }),
        }
    }

    /// Refuses a part of a run, and a run that could not do all its work.
    pub(crate) fn refuse_half(&self) -> Result<(), ReportError> {
        match &self.summary.value["partition"] {
            Value::Null => {}
            part => {
                let part = part.as_str().map_or_else(|| part.to_string(), str::to_owned);
                return Err(self.error(None, Problem::Part(part)));
            }
        }
        match self.total("failures")? {
            0 => Ok(()),
            failures => Err(self.error(None, Problem::Failed(failures))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = r#"{"reason":"kernel","format_version":1,"key":"p/k","arch":"sm_90"}"#;
    const SUMMARY: &str = r#"{"reason":"summary","format_version":1,"kernels":1}"#;

    fn problem(text: &str) -> (Option<usize>, Problem) {
        let error = parse(Path::new("a.json"), text).unwrap_err();
        (error.line, error.problem)
    }

    #[test]
    fn a_whole_report_is_taken_apart() {
        let lines = parse(Path::new("a.json"), &format!("{KERNEL}\n{SUMMARY}\n")).unwrap();
        assert_eq!((lines.kernels.len(), lines.findings.len(), lines.summary.number), (1, 0, 2));
        assert_eq!(lines.kernels[0].text, KERNEL);
        assert!(parse(Path::new("a.json"), &format!("{KERNEL}\r\n{SUMMARY}")).is_ok());
    }

    #[test]
    fn half_a_report_is_none() {
        assert_eq!(problem(""), (None, Problem::Empty));
        assert_eq!(problem("\n \n"), (None, Problem::Empty));
        assert_eq!(problem(KERNEL), (Some(1), Problem::CutOff));
        assert_eq!(problem(&format!("{KERNEL}\n{}", &KERNEL[..20])), (Some(2), Problem::CutOff));
        assert_eq!(problem(&format!("{SUMMARY}\n{SUMMARY}")), (Some(2), Problem::AfterSummary));
        assert_eq!(problem(&format!("{SUMMARY}\n{KERNEL}\n{SUMMARY}")), (Some(2), Problem::AfterSummary));
    }

    #[test]
    fn what_something_else_wrote_is_none() {
        assert!(matches!(problem("hello\nworld\n"), (Some(1), Problem::NoJson(_))));
        assert_eq!(problem("[]").1, Problem::Foreign("a line is no object"));
        assert_eq!(problem("{\"version\":\"2.1.0\"}").1, Problem::Foreign("it has no `format_version`"));
        assert_eq!(problem("{\"format_version\":1}").1, Problem::Foreign("it has no `reason`"));
        assert_eq!(
            problem("{\"format_version\":1,\"reason\":\"change\"}").1,
            Problem::Foreign("its `reason` is another")
        );
        assert_eq!(problem("{\"format_version\":2,\"reason\":\"kernel\"}").1, Problem::Version(2));
        let twice = "{\"format_version\":1,\"reason\":\"kernel\",\"key\":\"a\",\"key\":\"b\"}";
        assert_eq!(problem(twice).1, Problem::Twice("key".to_owned()));
    }

    #[test]
    fn hostile_json_is_refused_in_words() {
        assert!(matches!(problem(&"[".repeat(100_000)), (Some(1), Problem::NoJson(_))));
        assert!(matches!(problem("{\"format_version\":1e999}"), (Some(1), Problem::NoJson(_))));
        assert_eq!(problem("{\"format_version\":1.0}").1, Problem::Foreign("it has no `format_version`"));
        let newer = "{\"format_version\":18446744073709551615,\"reason\":\"kernel\"}";
        assert_eq!(problem(newer).1, Problem::Version(u64::MAX));
        let words = parse(Path::new("a\u{1b}[31m.json"), "\u{1b}\n").unwrap_err().to_string();
        assert!(!words.contains('\u{1b}'), "{words:?}");
    }
}
