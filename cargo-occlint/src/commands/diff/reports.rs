//! `diff BEFORE.json AFTER.json`: two reports or baselines.

use std::path::Path;

use occlint::baseline::{CompareRules, Differences, differences};
use occlint::check;
use occlint::expect::Levels;
use occlint::finding::Level;
use occlint::report;

use crate::commands::diff::{DiffArgs, DiffFormat};
use crate::error::{CLEAN, FINDINGS, RunError};
use crate::levels;
use crate::reports::{Sources, State, state};
use crate::terminal::Terminal;

/// Compares two files.
pub(super) fn run(
    args: &DiffArgs,
    (before, after): (&Path, &Path),
    terminal: &Terminal,
) -> Result<u8, RunError> {
    let sources = Sources::here();
    let states = (state(before, &sources)?, state(after, &sources)?);
    let differences = differences(&states.0.baseline, &states.1.baseline);
    if differences.in_common() == 0 {
        let message = format!(
            "nothing was compared: `{}` and `{}` have no kernel on an architecture in common",
            report::sanitize(&before.to_string_lossy()),
            report::sanitize(&after.to_string_lossy())
        );
        let help = "are they of the same package, for the same architectures?";
        return Err(RunError::cannot(message, help));
    }
    tell(args, &differences, states, terminal)
}

/// Prints what changed; the exit status is the regression lints'.
fn tell(
    args: &DiffArgs,
    differences: &Differences,
    (before, after): (State, State),
    terminal: &Terminal,
) -> Result<u8, RunError> {
    let mut levels = Levels::default();
    levels::apply(&args.levels, &mut levels)?;
    let judged = check::compare(after.kernels, &before.baseline, &levels, CompareRules::default());
    let text = match args.format {
        DiffFormat::Human => {
            let table = report::changes(differences, terminal.style().width);
            let findings = report::short(&judged, false);
            if findings.is_empty() { table } else { format!("{table}\n{findings}") }
        }
        DiffFormat::Json => report::changes_json(differences, &judged),
        DiffFormat::Markdown => report::changes_markdown(differences),
    };
    terminal.out(&text)?;
    let denied = judged.findings.iter().any(|finding| finding.level == Level::Deny);
    Ok(if denied && !args.exit_zero { FINDINGS } else { CLEAN })
}
