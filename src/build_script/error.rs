//! Why a build script's helper could not do its work.

use std::fmt;
use std::path::PathBuf;

use crate::build_script::judge;
use crate::check::Report;
use crate::compile::CompileError;
use crate::expect::{CommentError, ConfigError};
use crate::report::{HumanStyle, complaints, human, plain, problem};
use crate::session::Failure;
use crate::sys::files::FileError;
use crate::text::{cut, sanitize};
use crate::toolkit::ToolkitError;

/// Columns of a compiler's own line in a line for cargo.
const COMPILERS_LINE: usize = 300;

/// Why a build script's helper could not do its work, or what it denies.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The build script asks for something that cannot be: an unknown lint, no `OUT_DIR`.
    Usage {
        /// What is wrong: lower case, no full stop.
        message: String,
        /// What to do.
        help: String,
    },
    /// A path that cannot be used: nothing is there, or cargo and the compiler cannot be told it.
    Path {
        /// The path, as it was given.
        path: PathBuf,
        /// What is wrong: lower case, no full stop.
        message: String,
        /// What to do.
        help: String,
    },
    /// Mistakes in the configuration.
    Config(Vec<ConfigError>),
    /// `// occlint:` comments that cannot be used.
    Comments(Vec<CommentError>),
    /// No usable nvcc.
    Toolkit(ToolkitError),
    /// A file of ours could not be written or read.
    File(FileError),
    /// The `cc` crate failed: its words, then what the programs said that it ran.
    Cc(String),
    /// Units that could not be compiled or read.
    Failed(Vec<Failure>),
    /// Denied findings.
    Denied(Box<Report>),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().trim_end())
    }
}

impl std::error::Error for BuildError {}

impl From<ToolkitError> for BuildError {
    fn from(error: ToolkitError) -> Self {
        Self::Toolkit(error)
    }
}

impl From<FileError> for BuildError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<cc::Error> for BuildError {
    fn from(error: cc::Error) -> Self {
        Self::Cc(error.to_string())
    }
}

impl BuildError {
    pub(super) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), help: help.into() }
    }

    /// One line for each thing that is wrong.
    pub(super) fn headlines(&self) -> Vec<String> {
        let lines: Vec<String> = match self {
            Self::Config(mistakes) => mistakes.iter().map(|one| at(&one.message, &one.span)).collect(),
            Self::Comments(mistakes) => mistakes.iter().map(|one| at(&one.message, &one.span)).collect(),
            Self::Failed(failures) => failures.iter().map(failure_headline).collect(),
            Self::Denied(report) => judge::denied(report),
            Self::Toolkit(error) => vec![with_help(&toolkit_message(error), help_of(error).as_deref())],
            Self::Usage { message, help } | Self::Path { message, help, .. } => {
                vec![with_help(message, Some(help))]
            }
            Self::File(error) => vec![error.to_string()],
            Self::Cc(words) => {
                let (first, said) = words.split_once('\n').unwrap_or((words, ""));
                vec![first_error(said).map_or_else(
                    || first.to_owned(),
                    |line| format!("cannot link the device code or make the archive: {line}"),
                )]
            }
        };
        lines.iter().map(|line| sanitize(line)).collect()
    }

    /// All that there is to say, for standard error.
    pub(super) fn text(&self) -> String {
        let style = HumanStyle { width: 100, color: false, unicode: true, verbose: false, foreign: false };
        match self {
            Self::Usage { message, help } | Self::Path { message, help, .. } => {
                plain(message, &[], Some(help))
            }
            Self::Config(all) => {
                all.iter().map(|one| problem(&one.message, &one.span, one.help.as_deref(), style)).collect()
            }
            Self::Comments(all) => {
                all.iter().map(|one| problem(&one.message, &one.span, one.help.as_deref(), style)).collect()
            }
            Self::Toolkit(error) => plain(&toolkit_message(error), &[], help_of(error).as_deref()),
            Self::File(error) => plain(&error.to_string(), &[], None),
            Self::Cc(words) => plain(words, &[], None),
            Self::Failed(failures) => failures.iter().map(paragraph).collect(),
            Self::Denied(report) => human(report, style),
        }
    }
}

/// What is wrong with a toolkit; a build script never fetches one, so nobody forbade it.
fn toolkit_message(error: &ToolkitError) -> String {
    match error {
        ToolkitError::Offline { release, folder } => {
            format!("CUDA {release} is pinned but not in `{}`", folder.display())
        }
        ToolkitError::Damaged { release, folder } => {
            format!("the CUDA {release} in `{}` is not whole", folder.display())
        }
        other => other.to_string(),
    }
}

/// A message's first line, and what to do.
fn with_help(message: &str, help: Option<&str>) -> String {
    let first = message.lines().next().unwrap_or_default();
    let first = first.trim_end_matches("; looked at:").trim_end_matches("; tried:");
    help.map_or_else(|| first.to_owned(), |help| format!("{first}: {}", help.replace('\n', " ")))
}

/// What to do about a toolkit, in the words of a build script, which has no command line.
fn help_of(error: &ToolkitError) -> Option<String> {
    match error {
        ToolkitError::NotFound { .. } => Some(
            "pin one with `cuda = \"13.0\"` in `[package.metadata.occlint]` and run `cargo occlint` once, which fetches it \
             (about 110 MB); or install the CUDA toolkit and set `NVCC=/path/to/bin/nvcc` or `CUDA_HOME`"
                .to_owned(),
        ),
        ToolkitError::Offline { release, .. } => Some(format!(
            "run `cargo occlint --cuda {release}` once, since a build script fetches nothing; or set `OCCLINT_HOME` to the \
             folder that has it, or `NVCC` to an installed one"
        )),
        ToolkitError::Damaged { release, .. } => Some(format!(
            "run `cargo occlint --cuda {release}` once, since a build script fetches nothing: it is then fetched again"
        )),
        ToolkitError::Named { .. } => Some("correct it, or leave it out to search for nvcc".to_owned()),
        other => other.help(),
    }
}

fn at(message: &str, span: &crate::source::Span) -> String {
    let (line, column) = span.source.line_column(span.range.start.min(span.source.text().len()));
    format!("{}:{line}:{column}: {message}", span.source.name())
}

fn failure_line(failure: &Failure) -> String {
    let arch = failure.arch.map(|arch| format!(" for {arch}")).unwrap_or_default();
    format!("cannot compile `{}`{arch}: {}", failure.unit, failure.error)
}

/// The failure with the compiler's own first error, which says more than its exit status.
fn failure_headline(failure: &Failure) -> String {
    let error = match &failure.error {
        CompileError::Failed { output, .. } | CompileError::Link { output, .. } => first_error(output),
        _ => None,
    };
    let arch = failure.arch.map(|arch| format!(" for {arch}")).unwrap_or_default();
    error.map_or_else(
        || failure_line(failure),
        |line| format!("cannot compile `{}`{arch}: {line}", failure.unit),
    )
}

/// The first line that is an error of a compiler, an assembler or a linker, of at most [`COMPILERS_LINE`] columns.
fn first_error(output: &str) -> Option<String> {
    let lines = complaints(output);
    lines.iter().find(|line| is_error(line)).map(|line| cut(line.trim_end(), COMPILERS_LINE))
}

/// `k.cu(3): error: …`, `k.cu:1:10: fatal error: …`, `ptxas error   : …`, `ptxas k.ptx, line 4; error   : …`; no line of a
/// source that is shown, which is indented.
fn is_error(line: &str) -> bool {
    let at = |word: &'static str| line.match_indices(word).map(move |(at, _)| (at, at + word.len()));
    !line.starts_with(' ')
        && at("error").chain(at("fatal")).any(|(from, to)| {
            let rest = line[to..].trim_start();
            let number = rest
                .strip_prefix('#')
                .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-'));
            !line[..from].ends_with(char::is_alphanumeric) && number.unwrap_or(rest).starts_with(':')
        })
}

fn paragraph(failure: &Failure) -> String {
    let said = complaints(failure.error.output().unwrap_or_default());
    plain(&failure_line(failure), &said, failure.error.help(failure.arch).as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headline(error: BuildError) -> String {
        let lines = error.headlines();
        assert_eq!(lines.len(), 1, "{lines:?}");
        lines[0].clone()
    }

    #[test]
    fn without_a_toolkit_the_one_line_says_how_to_get_one() {
        let looked = vec!["`PATH`".to_owned()];
        insta::assert_snapshot!(headline(ToolkitError::NotFound { looked }.into()), @r#"no CUDA compiler (nvcc) was found: pin one with `cuda = "13.0"` in `[package.metadata.occlint]` and run `cargo occlint` once, which fetches it (about 110 MB); or install the CUDA toolkit and set `NVCC=/path/to/bin/nvcc` or `CUDA_HOME`"#);
        let pinned = || ToolkitError::Offline { release: "13.0".into(), folder: "/h".into() };
        insta::assert_snapshot!(headline(pinned().into()), @"CUDA 13.0 is pinned but not in `/h`: run `cargo occlint --cuda 13.0` once, since a build script fetches nothing; or set `OCCLINT_HOME` to the folder that has it, or `NVCC` to an installed one");
        assert!(!BuildError::from(pinned()).text().contains("network"));
        let named = ToolkitError::Named { by: "`NVCC`".into(), path: "/n".into() };
        insta::assert_snapshot!(headline(named.into()), @"`/n`, which `NVCC` names, is no program that can be run: correct it, or leave it out to search for nvcc");
    }

    #[test]
    fn a_failed_compile_says_the_compilers_first_error_in_one_line() {
        let failed = |output: &str| {
            let error =
                CompileError::Failed { code: Some(1), signal: None, output: output.into(), ptx: None };
            headline(BuildError::Failed(vec![Failure { unit: "k.cu".into(), arch: None, error }]))
        };
        for line in [
            "k.cu(3): error: identifier \"x\" is undefined",
            "k.cu(3): error #20: identifier \"x\" is undefined",
            "k.cu:1:10: fatal error: x.h: No such file or directory",
            "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x13880 bytes, 0xc000 max)",
            "ptxas k.ptx, line 4; error   : Not a name of any known instruction: 'foo'",
            "nvlink error   : Undefined reference to 'f' in 'k.o'",
            "nvcc fatal   : Unsupported gpu architecture 'sm_30'",
            "k.cu(1): catastrophic error: cannot open source file \"x.h\"",
        ] {
            let output = format!(
                "k.cu(2): warning #177-D: variable \"error\" was declared but never referenced\n    f(\"error: no\");\n\
                 ptxas info    : 0 bytes gmem\n{line}\n1 error detected in the compilation of \"k.cu\".\nk.cu(9): error: later\n"
            );
            assert_eq!(failed(&output), format!("cannot compile `k.cu`: {line}"));
        }
        let long = failed(&format!("k.cu(3): error: \x1b{}", "x".repeat(1000)));
        assert!(long.contains('\u{fffd}') && long.ends_with('…') && long.chars().count() < 330, "{long}");
        assert_eq!(failed("Killed\n"), "cannot compile `k.cu`: the compiler failed with exit status 1");
    }

    #[test]
    fn a_failed_device_link_says_the_linkers_error_in_one_line() {
        let words = "command did not execute successfully (status code exit status: 255)\nnvlink error   : Undefined reference to 'f' in 'k.o'";
        assert_eq!(
            headline(BuildError::Cc(words.into())),
            "cannot link the device code or make the archive: nvlink error   : Undefined reference to 'f' in 'k.o'"
        );
    }
}
