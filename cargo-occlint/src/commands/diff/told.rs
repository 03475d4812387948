//! What a comparison of two checks prints, leaves in files, and ends with.

use occlint::baseline::Differences;
use occlint::check::Report;
use occlint::report;
use occlint::sys::env::Env;
use occlint::sys::process::Cancel;

use crate::cli::{CheckArgs, MessageFormat, OutputArgs};
use crate::commands::diff::DiffFormat;
use crate::commands::verdict::{self, Verdict};
use crate::error::RunError;
use crate::review::below;
use crate::terminal::Terminal;
use crate::workspace;

/// Tables have a format of their own.
///
/// # Errors
/// Another one is asked for.
pub(crate) fn format_alone(output: &OutputArgs) -> Result<(), RunError> {
    if output.message_format == MessageFormat::Human {
        return Ok(());
    }
    Err(RunError::Usage {
        message: "a comparison has no `--message-format`".to_owned(),
        help: Some(
            "`--format human|json|markdown` is for the table; `--output FORMAT=PATH` for findings".to_owned(),
        ),
    })
}

/// Prints the table and the findings; the exit status is the findings'.
pub(crate) fn told(
    format: DiffFormat,
    args: &CheckArgs,
    (differences, judged): (&Differences, &Report),
    (env, terminal): (&Env, &Terminal),
) -> Result<u8, RunError> {
    match format {
        DiffFormat::Human => {
            terminal.out(&format!("{}\n", report::changes(differences, terminal.style().width)))?;
            terminal.out(&report::human(judged, terminal.style()))?;
        }
        DiffFormat::Json => terminal.out(&report::changes_json(differences, judged))?,
        DiffFormat::Markdown => {
            terminal.out(&report::changes_markdown(differences))?;
            if !judged.findings.is_empty() {
                terminal.out(&format!("\n{}", report::markdown(judged, &report::summary(judged), &[])))?;
            }
        }
    }
    let summary = report::summary(judged);
    // Only files have places of the repository.
    let below = if args.output.output.is_empty() { String::new() } else { below_of(args, env)? };
    let verdict = Verdict { report: judged, summary: &summary, failures: &[], below, json: None };
    verdict::leave(&args.output, &verdict, env)?;
    terminal.status("Checked", &report::closing_line(&summary));
    Ok(verdict::status(&summary, args.levels.exit_zero))
}

fn below_of(args: &CheckArgs, env: &Env) -> Result<String, RunError> {
    let workspace = workspace::load(&args.selection, env, &Cancel::new())?;
    Ok(below(&workspace.root, env))
}
