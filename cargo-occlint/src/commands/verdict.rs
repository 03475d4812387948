//! From reports to what is printed and the exit status.

use std::path::Path;

use occlint::check::Report;
use occlint::report::{self, HumanStyle, Summary};
use occlint::sys::env::Env;
use occlint::sys::files;

use crate::cli::{MessageFormat, OutputArgs};
use crate::error::{CLEAN, FINDINGS, RunError};
use crate::terminal::Terminal;

/// Takes away what earlier runs wrote: a run that ends before its report leaves none that could pass for its own.
pub(crate) fn clear(args: &OutputArgs) -> Result<(), RunError> {
    args.output.iter().try_for_each(|file| Ok(files::remove_if_there(&file.path)?))
}

/// What is printed.
pub(crate) struct Verdict<'a> {
    pub(crate) report: &'a Report,
    pub(crate) summary: &'a Summary,
    /// What could not be checked, a line each.
    pub(crate) failures: &'a [String],
    /// The report as JSON lines, where those were there before it.
    pub(crate) json: Option<String>,
}

/// Prints a report in the format that was asked for, and writes it to the files that were.
pub(crate) fn print(
    args: &OutputArgs,
    verdict: &Verdict<'_>,
    (env, terminal): (&Env, &Terminal),
) -> Result<(), RunError> {
    let Verdict { report, summary, failures, json } = verdict;
    let (style, foreign) = (terminal.style(), args.foreign);
    let plain = HumanStyle { width: 100, color: false, unicode: true, verbose: true, foreign };
    let rendered = |format: MessageFormat, style: HumanStyle| match format {
        MessageFormat::Human => report::human(report, style),
        MessageFormat::Short => report::short(report, foreign),
        MessageFormat::Json => json.clone().unwrap_or_else(|| report::json(report, summary)),
        MessageFormat::Github => report::github(report, failures),
        MessageFormat::Gitlab => report::gitlab(report, failures),
        MessageFormat::Junit => report::junit(report, failures),
        MessageFormat::Markdown => report::markdown(report, summary, failures),
        MessageFormat::Sarif => report::sarif(report, failures),
    };
    let mut text = rendered(args.message_format, style);
    let for_people = matches!(args.message_format, MessageFormat::Human | MessageFormat::Short);
    if args.kernels && for_people {
        let table = report::kernels(report, style.width, foreign);
        text = if text.is_empty() { table } else { format!("{table}\n{text}") };
    }
    terminal.out(&text)?;
    for file in &args.output {
        files::write_atomically(&file.path, rendered(file.format, plain).as_bytes())?;
    }
    let annotates = |format: MessageFormat| format == MessageFormat::Github;
    if annotates(args.message_format) || args.output.iter().any(|file| annotates(file.format)) {
        // What GitHub shows on the page of the job.
        if let Some(page) = env.var("GITHUB_STEP_SUMMARY") {
            files::append(Path::new(page), rendered(MessageFormat::Markdown, plain).as_bytes())?;
        }
    }
    terminal.status("Checked", &report::closing_line(summary));
    Ok(())
}

/// The exit status of a run whose work was done.
pub(crate) fn status(summary: &Summary, exit_zero: bool) -> u8 {
    if summary.denied > 0 && !exit_zero { FINDINGS } else { CLEAN }
}
