//! `diff BEFORE.json AFTER.json`: two reports or baselines.

use std::path::Path;

use occlint::baseline::{differences, in_common};
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
    if in_common(&states.0.baseline, &states.1.baseline) == 0 {
        let message = format!(
            "nothing was compared: `{}` and `{}` have no kernel on an architecture in common",
            report::sanitize(&before.to_string_lossy()),
            report::sanitize(&after.to_string_lossy())
        );
        let help = "are they of the same package, for the same architectures?";
        return Err(RunError::cannot(message, help));
    }
    tell(args, states, terminal)
}

/// Prints what changed; the exit status is the regression lints'.
fn tell(args: &DiffArgs, (before, after): (State, State), terminal: &Terminal) -> Result<u8, RunError> {
    let mut levels = Levels::default();
    levels::apply(&args.levels, &mut levels)?;
    let changes = differences(&before.baseline, &after.baseline);
    let both = changes.iter().filter(|change| change.before.is_some() && change.after.is_some()).count();
    let unchanged = in_common(&before.baseline, &after.baseline) - both;
    let judged = check::compare(after.kernels, &before.baseline, &levels);
    let text = match args.format {
        DiffFormat::Human => {
            let table = report::changes(&changes, unchanged, terminal.style().width);
            let findings = report::short(&judged, false);
            if findings.is_empty() { table } else { format!("{table}\n{findings}") }
        }
        DiffFormat::Json => report::changes_json(&changes, unchanged, &judged),
        DiffFormat::Markdown => report::changes_markdown(&changes, unchanged),
    };
    terminal.out(&text)?;
    let denied = judged.findings.iter().any(|finding| finding.level == Level::Deny);
    Ok(if denied && !args.levels.exit_zero { FINDINGS } else { CLEAN })
}
