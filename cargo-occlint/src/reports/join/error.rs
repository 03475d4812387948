//! Why reports cannot be joined.

use std::fmt;

use occlint::report::sanitize;

use crate::reports::ReportError;

/// Reports that are not one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum JoinError {
    /// One of them cannot be used.
    Report(ReportError),
    /// Parts that nobody gave.
    Missing { parts: Vec<u32>, of: u32 },
    /// A part that two reports are.
    Doubled { part: String, first: String, second: String },
    /// Parts of different runs: other sources, settings, toolkit or number of parts.
    OtherRun { first: String, second: String },
    /// A part among whole reports.
    Mixed { part: String, whole: String },
    /// A kernel whose lines differ.
    Differs { name: String, arch: String, first: String, second: String },
    /// An architecture that was asked for and has no kernel in any part.
    NoKernel { package: String, arch: String },
}

impl JoinError {
    /// What to do next.
    pub(crate) fn help(&self) -> &'static str {
        match self {
            Self::Report(error) => error.help(),
            Self::Missing { .. } => "a part that did not run checked nothing: give the report of each part",
            Self::Doubled { .. } => "give each part once",
            Self::OtherRun { .. } => {
                "all parts must be made of the same commit with the same settings, toolkit and occlint"
            }
            Self::Mixed { .. } => "give the parts of one run, or whole reports",
            Self::Differs { .. } => "they are of different sources or settings: check them in one run",
            Self::NoKernel { .. } => "give `--allow-empty` to the parts if that is right",
        }
    }
}

impl From<ReportError> for JoinError {
    fn from(error: ReportError) -> Self {
        Self::Report(error)
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Report(error) => return error.fmt(f),
            Self::Missing { parts, of } => {
                let shown: Vec<String> = parts.iter().take(5).map(|part| format!("{part}/{of}")).collect();
                let more =
                    if parts.len() > 5 { format!(" and {} more", parts.len() - 5) } else { String::new() };
                let are = if parts.len() == 1 { "part is" } else { "parts are" };
                format!("{are} missing: {}{more}", shown.join(", "))
            }
            Self::Doubled { part, first, second } => {
                format!("part {part} is there twice: `{first}` and `{second}`")
            }
            Self::OtherRun { first, second } => {
                format!("`{first}` and `{second}` are parts of different runs")
            }
            Self::Mixed { part, whole } => format!("`{part}` is a part of a run, and `{whole}` a whole one"),
            Self::Differs { name, arch, first, second } => {
                format!("`{name}` on {arch} is not the same in `{first}` and in `{second}`")
            }
            Self::NoKernel { package, arch } => {
                format!("no kernel of the package `{package}` is compiled for {arch}, which was asked for")
            }
        };
        f.write_str(&sanitize(&text))
    }
}

impl std::error::Error for JoinError {}
