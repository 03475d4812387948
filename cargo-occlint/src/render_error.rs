//! Errors in words: what was being done, on what, and what to do next.

use occlint::expect::{CommentError, ConfigError};
use occlint::report::{self, HumanStyle, problem, sanitize};

use crate::error::{CLEAN, RunError};

/// The text for standard error.
pub(crate) fn render(error: &RunError, style: HumanStyle) -> String {
    match error {
        RunError::Usage { message, help } | RunError::Cannot { message, help } => {
            plain(message, help.as_deref())
        }
        RunError::Build { package, said, help } => {
            let said: String = said.lines().map(|line| sanitize(line) + "\n").collect();
            said + &plain(&format!("the build of `{package}` fails"), Some(help))
        }
        RunError::Metadata(error) => plain(&metadata(error), None),
        RunError::Config(mistakes) => mistakes.iter().map(|mistake| config(mistake, style)).collect(),
        RunError::Comments(mistakes) => mistakes.iter().map(|mistake| comment(mistake, style)).collect(),
        RunError::Toolkit(error) => plain(&error.to_string(), error.help().as_deref()),
        RunError::File(error) => plain(&error.to_string(), None),
        RunError::Join(error) => plain(&error.to_string(), Some(error.help())),
        RunError::Report(error) => plain(&error.to_string(), Some(error.help())),
        // Whoever read the answers went away: a quiet end.
        RunError::Occupancy(error) if error.status() == CLEAN => String::new(),
        RunError::Occupancy(error) => plain(&error.to_string(), None),
        RunError::Output(error) => plain(&format!("cannot write the output: {error}"), None),
        RunError::Interrupted => plain("interrupted: running compilers were stopped", None),
        RunError::Reported => String::new(),
    }
}

fn plain(message: &str, help: Option<&str>) -> String {
    report::plain(message, &[], help)
}

fn config(mistake: &ConfigError, style: HumanStyle) -> String {
    problem(&mistake.message, &mistake.span, mistake.help.as_deref(), style)
}

fn comment(mistake: &CommentError, style: HumanStyle) -> String {
    problem(&mistake.message, &mistake.span, mistake.help.as_deref(), style)
}

/// cargo's own words, without its prefix.
fn metadata(error: &cargo_metadata::Error) -> String {
    match error {
        cargo_metadata::Error::CargoMetadata { stderr } => {
            let words = stderr.trim();
            format!("cargo metadata failed: {}", words.strip_prefix("error: ").unwrap_or(words))
        }
        other => format!("cargo metadata failed: {other}"),
    }
}
