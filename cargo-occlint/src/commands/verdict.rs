//! From reports to what is printed and the exit status.

use std::path::Path;

use occlint::check::Report;
use occlint::report::{self, HumanStyle, Summary};
use occlint::sys::env::Env;
use occlint::sys::files;
use occlint::text::count;

use crate::cli::{CheckArgs, MessageFormat};
use crate::error::{CLEAN, FINDINGS, RunError};
use crate::terminal::Terminal;

/// Takes away what earlier runs wrote: a run that ends before its report leaves none that could pass for its own.
pub(crate) fn clear(args: &CheckArgs) -> Result<(), RunError> {
    args.output.output.iter().try_for_each(|file| Ok(files::remove_if_there(&file.path)?))
}

/// Prints a report in the format that was asked for, and writes it to the files that were; `failures`: what could not be
/// checked, a line each.
pub(crate) fn print(
    args: &CheckArgs,
    report: &Report,
    failures: &[String],
    (env, terminal): (&Env, &Terminal),
) -> Result<Summary, RunError> {
    let (style, foreign) = (terminal.style(), args.output.foreign);
    let summary = report::summary(report);
    let mut text = rendered(args.output.message_format, (report, &summary), failures, style);
    let for_people = matches!(args.output.message_format, MessageFormat::Human | MessageFormat::Short);
    if args.output.kernels && for_people {
        let table = report::kernels(report, style.width, foreign);
        text = if text.is_empty() { table } else { format!("{table}\n{text}") };
    }
    terminal.out(&text)?;
    leave(args, (report, &summary), failures, env)?;
    tell_waivers(args, report, terminal);
    terminal.status("Checked", &report::closing_line(&summary));
    Ok(summary)
}

/// A report in a format.
fn rendered(
    format: MessageFormat,
    (report, summary): (&Report, &Summary),
    failures: &[String],
    style: HumanStyle,
) -> String {
    match format {
        MessageFormat::Human => report::human(report, style),
        MessageFormat::Short => report::short(report, style.foreign),
        MessageFormat::Json => report::json(report, summary),
        MessageFormat::Github => report::github(report, failures),
        MessageFormat::Gitlab => report::gitlab(report, failures),
        MessageFormat::Junit => report::junit(report, failures),
        MessageFormat::Markdown => report::markdown(report, summary, failures),
        MessageFormat::Sarif => report::sarif(report, failures),
    }
}

/// Writes the files that were asked for, and the page of GitHub's job.
pub(crate) fn leave(
    args: &CheckArgs,
    (report, summary): (&Report, &Summary),
    failures: &[String],
    env: &Env,
) -> Result<(), RunError> {
    let foreign = args.output.foreign;
    let plain = HumanStyle { width: 100, color: false, unicode: true, verbose: true, foreign };
    let text = |format: MessageFormat| rendered(format, (report, summary), failures, plain);
    for file in &args.output.output {
        files::write_atomically(&file.path, text(file.format).as_bytes())?;
    }
    let annotates = |format: MessageFormat| format == MessageFormat::Github;
    if annotates(args.output.message_format) || args.output.output.iter().any(|file| annotates(file.format)) {
        // What GitHub shows on the page of the job.
        if let Some(page) = env.var("GITHUB_STEP_SUMMARY") {
            files::append(Path::new(page), text(MessageFormat::Markdown).as_bytes())?;
        }
    }
    Ok(())
}

/// What waivers took away, so that nobody forgets them; many of them only if all is to be told.
fn tell_waivers(args: &CheckArgs, report: &Report, terminal: &Terminal) {
    const TOLD: usize = 5;
    let lines = report::waived(report);
    let told = if args.output.verbose { lines.len() } else { TOLD };
    lines.iter().take(told).for_each(|line| terminal.status("Waived", line));
    if lines.len() > told {
        terminal.status(
            "Waived",
            &format!("what {} more match: `-v` names them", count(lines.len() - told, "waiver")),
        );
    }
}

/// The exit status of a run whose work was done.
pub(crate) fn status(summary: &Summary) -> u8 {
    if summary.denied > 0 { FINDINGS } else { CLEAN }
}
