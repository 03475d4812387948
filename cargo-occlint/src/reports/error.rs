//! Why a file is no report that can be used.

use std::fmt;
use std::path::PathBuf;

use occlint::report::{FORMAT_VERSION, sanitize};

/// A file that is no report, or none that can be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ReportError {
    pub(crate) path: PathBuf,
    /// The 1-based line, where it is about one.
    pub(crate) line: Option<usize>,
    pub(crate) problem: Problem,
}

/// What is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Problem {
    /// It has no line.
    Empty,
    /// It is no UTF-8 text.
    Binary,
    /// A line is no JSON.
    NoJson(String),
    /// JSON, but of something else.
    Foreign(&'static str),
    /// Of another version of the format.
    Version(u64),
    /// Its last line is no summary.
    CutOff,
    /// Something stands after its summary.
    AfterSummary,
    /// A key twice in one object.
    Twice(String),
    /// A kernel twice on one architecture.
    KernelTwice { name: String, arch: String, first: usize },
    /// A field is not what it must be.
    Field(String),
    /// A part of a run, where all of it is needed.
    Part(String),
    /// Its run could not do all its work.
    Failed(u64),
}

impl ReportError {
    /// What to do next.
    pub(crate) fn help(&self) -> &'static str {
        match &self.problem {
            Problem::Empty | Problem::CutOff => {
                "the run that wrote it did not come to its end: look at what it said, and run it again"
            }
            Problem::Binary | Problem::Foreign(_) => {
                "write one with `--output json=PATH`, or `--message-format json`"
            }
            Problem::NoJson(_) | Problem::Twice(_) | Problem::Field(_) => {
                "something else wrote it, or changed it: write it anew with `--output json=PATH`"
            }
            Problem::Version(_) => "take the occlint that wrote it, or write it anew with this one",
            Problem::AfterSummary => {
                "give each report a file of its own: `cargo occlint merge` joins several"
            }
            Problem::KernelTwice { .. } => "give each run a report of its own",
            Problem::Part(_) => "join the parts first: `cargo occlint merge --output json=PATH …`",
            Problem::Failed(_) => "what was not checked cannot be compared: mend that run first",
        }
    }
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = sanitize(&self.path.to_string_lossy());
        let line = self.line.map(|line| format!(", line {line}")).unwrap_or_default();
        write!(f, "`{path}`{line}: ")?;
        match &self.problem {
            Problem::Empty => f.write_str("it is empty: no report"),
            Problem::Binary => f.write_str("it is no text: no report"),
            Problem::NoJson(why) => write!(f, "it is no JSON: {}", sanitize(why)),
            Problem::Foreign(what) => write!(f, "it is no report of occlint: {what}"),
            Problem::Version(version) => {
                write!(f, "it is of format {version}; this occlint reads {FORMAT_VERSION}")
            }
            Problem::CutOff => f.write_str("it is cut off: it ends without a summary"),
            Problem::AfterSummary => f.write_str("something follows the summary: more than one report"),
            Problem::Twice(key) => write!(f, "it says `{}` twice", sanitize(key)),
            Problem::KernelTwice { name, arch, first } => {
                write!(f, "`{}` on {} is there already, in line {first}", sanitize(name), sanitize(arch))
            }
            Problem::Field(why) => f.write_str(&sanitize(why)),
            Problem::Part(part) => write!(f, "it is part {} of a run, and not all of it", sanitize(part)),
            Problem::Failed(failures) => {
                write!(f, "it is of a run that could not do all its work ({failures} not checked)")
            }
        }
    }
}

impl std::error::Error for ReportError {}
