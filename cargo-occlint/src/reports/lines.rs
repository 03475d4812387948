//! The lines of a report, whole and in order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use occlint::arch::Arch;
use occlint::check::CheckedKernel;
use occlint::report::FORMAT_VERSION;
use occlint::sys::files;
use serde_json::Value;

use crate::error::RunError;
use crate::reports::error::{Problem, ReportError};
use crate::reports::fields::Fields;
use crate::reports::unique::twice;
use crate::reports::{Sources, kernels};

/// Lines that are not worth a thread.
const FEWEST: usize = 256;

/// One line.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Line {
    /// 1-based.
    pub(crate) number: usize,
    /// As it stands in the file.
    pub(crate) text: String,
    pub(crate) value: Value,
}

/// The line of a kernel: its JSON is let go at once, since that is most of what a report takes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct KernelLine {
    /// As it stands in the file.
    pub(crate) text: String,
    pub(crate) checked: CheckedKernel,
}

/// A report's lines by what they are.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lines {
    pub(crate) path: PathBuf,
    pub(crate) kernels: Vec<KernelLine>,
    pub(crate) findings: Vec<Line>,
    /// What a part of a run says for `merge`.
    pub(crate) parts: Vec<Line>,
    pub(crate) summary: Line,
}

/// What a line is.
enum Read {
    Kernel(Box<KernelLine>),
    Finding(Line),
    Part(Line),
    Summary(Line),
}

/// Reads a report.
///
/// # Errors
/// It cannot be read, or is no whole report of this format: never an empty one.
pub(crate) fn read(path: &Path, sources: &Sources) -> Result<Lines, RunError> {
    Ok(parse(path, &text(path)?, sources)?)
}

/// The file as text.
pub(super) fn text(path: &Path) -> Result<String, RunError> {
    let bytes = files::read_bytes(path)?;
    String::from_utf8(bytes).map_err(|_| {
        RunError::Report(ReportError { path: path.to_owned(), line: None, problem: Problem::Binary })
    })
}

/// Takes a report apart.
pub(super) fn parse(path: &Path, text: &str, sources: &Sources) -> Result<Lines, ReportError> {
    let error = |line, problem| ReportError { path: path.to_owned(), line, problem };
    if text.trim().is_empty() {
        return Err(error(None, Problem::Empty));
    }
    let all = read_all(text, sources);
    let count = all.len();
    let (mut kernels, mut findings, mut parts, mut summary) = (Vec::new(), Vec::new(), Vec::new(), None);
    let mut seen: BTreeMap<(String, Arch), usize> = BTreeMap::new();
    for (index, read) in all.into_iter().enumerate() {
        let number = index + 1;
        if summary.is_some() {
            return Err(error(Some(number), Problem::AfterSummary));
        }
        let read = read.map_err(|problem| match problem {
            // half a line at the end is half a report
            Problem::NoJson(_) if number == count && number > 1 => error(Some(number), Problem::CutOff),
            problem => error(Some(number), problem),
        })?;
        match read {
            Read::Kernel(kernel) => {
                let record = &kernel.checked.kernel;
                // a log may not say the architecture
                let known = record.arch.map(|arch| (record.name.key.clone(), arch));
                if let Some(first) = known.and_then(|known| seen.insert(known, number)) {
                    let (name, arch) = (record.name.demangled.clone(), record.arch);
                    let arch = arch.map(|arch| arch.to_string()).unwrap_or_default();
                    return Err(error(Some(number), Problem::KernelTwice { name, arch, first }));
                }
                kernels.push(*kernel);
            }
            Read::Finding(line) => findings.push(line),
            Read::Part(line) => parts.push(line),
            Read::Summary(line) => summary = Some(line),
        }
    }
    let summary = summary.ok_or_else(|| error(Some(count), Problem::CutOff))?;
    Ok(Lines { path: path.to_owned(), kernels, findings, parts, summary })
}

/// Each line by itself, on several threads.
fn read_all(text: &str, sources: &Sources) -> Vec<Result<Read, Problem>> {
    let lines: Vec<(usize, &str)> = text.lines().enumerate().map(|(at, line)| (at + 1, line)).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let share = lines.len().div_ceil(threads).max(FEWEST);
    let read = |lines: &[(usize, &str)]| -> Vec<Result<Read, Problem>> {
        lines.iter().map(|&(number, text)| read_line(number, text, sources)).collect()
    };
    if lines.len() <= FEWEST {
        return read(&lines);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = lines.chunks(share).map(|lines| scope.spawn(move || read(lines))).collect();
        let joined = workers.into_iter().flat_map(|worker| match worker.join() {
            Ok(read) => read,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

fn read_line(number: usize, text: &str, sources: &Sources) -> Result<Read, Problem> {
    let line = line(number, text)?;
    match line.value["reason"].as_str() {
        Some("kernel") => {
            let checked = kernels::kernel(Fields(&line.value), sources).map_err(Problem::Field)?;
            Ok(Read::Kernel(Box::new(KernelLine { text: line.text, checked })))
        }
        Some("finding") => Ok(Read::Finding(line)),
        Some("part") => Ok(Read::Part(line)),
        Some("summary") => Ok(Read::Summary(line)),
        Some(_) => Err(Problem::Foreign("its `reason` is another")),
        None => Err(Problem::Foreign("it has no `reason`")),
    }
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
        let rest = self.findings.iter().chain(&self.parts).chain([&self.summary]);
        self.kernels.iter().map(|line| line.text.as_str()).chain(rest.map(|line| line.text.as_str()))
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

    const KERNEL: &str = r#"{"reason":"kernel","format_version":1,"key":"p/k","name":"k","mangled":"k","qualified":"k","arch":"sm_90"}"#;
    const SUMMARY: &str = r#"{"reason":"summary","format_version":1,"kernels":1}"#;

    fn take(text: &str) -> Result<Lines, ReportError> {
        parse(Path::new("a.json"), text, &Sources::around(Path::new("/nowhere")))
    }

    fn problem(text: &str) -> (Option<usize>, Problem) {
        let error = take(text).unwrap_err();
        (error.line, error.problem)
    }

    #[test]
    fn a_whole_report_is_taken_apart() {
        let lines = take(&format!("{KERNEL}\n{SUMMARY}\n")).unwrap();
        assert_eq!((lines.kernels.len(), lines.findings.len(), lines.summary.number), (1, 0, 2));
        assert_eq!(lines.kernels[0].text, KERNEL);
        assert!(take(&format!("{KERNEL}\r\n{SUMMARY}")).is_ok());
    }

    #[test]
    fn many_lines_are_read_in_order() {
        let kernel = |n: usize| KERNEL.replace("p/k", &format!("p/k{n}")) + "\n";
        let text: String = (0..3000).map(kernel).collect();
        let lines = take(&format!("{text}{SUMMARY}\n")).unwrap();
        let keys: Vec<String> = lines.kernels.into_iter().map(|line| line.checked.kernel.name.key).collect();
        assert_eq!(keys, (0..3000).map(|n| format!("p/k{n}")).collect::<Vec<_>>());
        let twice = problem(&format!("{text}{}{SUMMARY}\n", kernel(7)));
        assert!(matches!(twice, (Some(3001), Problem::KernelTwice { first: 8, .. })), "{twice:?}");
        assert!(matches!(problem(&text.replacen("\"p/k2000\"", "7", 1)), (Some(2001), Problem::Field(_))));
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
        let words = parse(Path::new("a\u{1b}[31m.json"), "\u{1b}\n", &Sources::around(Path::new("/nowhere")))
            .unwrap_err()
            .to_string();
        assert!(!words.contains('\u{1b}'), "{words:?}");
    }
}
