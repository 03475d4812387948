//! From reports to what is printed and the exit status.

use occlint::check::Report;
use occlint::report::{self, Summary};

use crate::cli::{CheckArgs, MessageFormat};
use crate::error::{CLEAN, FINDINGS, RunError};
use crate::terminal::Terminal;

/// Prints a report in the format that was asked for.
pub(crate) fn print(args: &CheckArgs, report: &Report, terminal: &Terminal) -> Result<Summary, RunError> {
    let (style, foreign) = (terminal.style(), args.output.foreign);
    let summary = report::summary(report);
    let mut text = match args.output.message_format {
        MessageFormat::Human => report::human(report, style),
        MessageFormat::Short => report::short(report, foreign),
        MessageFormat::Json => report::json(report, &summary),
    };
    if args.output.kernels && args.output.message_format != MessageFormat::Json {
        let table = report::kernels(report, style.width, foreign);
        text = if text.is_empty() { table } else { format!("{table}\n{text}") };
    }
    terminal.out(&text)?;
    terminal.status("Checked", &report::closing_line(&summary));
    Ok(summary)
}

/// The exit status of a run whose work was done.
pub(crate) fn status(summary: &Summary) -> u8 {
    if summary.denied > 0 { FINDINGS } else { CLEAN }
}
