//! From reports to what is printed and the exit status.

use std::path::Path;

use occlint::check::Report;
use occlint::report::{self, HumanStyle, Review, Summary};
use occlint::sys::env::Env;
use occlint::sys::files;
use occlint::text::count;

use crate::baseline::behind_links;
use crate::cli::{MessageFormat, OutputArgs};
use crate::error::{CLEAN, FINDINGS, RunError};
use crate::terminal::Terminal;

/// Takes away what earlier runs wrote: a run that ends before its report leaves none that could pass for its own.
pub(crate) fn clear(args: &OutputArgs) -> Result<(), RunError> {
    for (index, file) in args.output.iter().enumerate() {
        if args.output[..index].iter().any(|other| other.path == file.path) {
            let message = format!("`--output` names `{}` twice", file.path.display());
            return Err(RunError::Usage {
                message,
                help: Some("give each format a file of its own".to_owned()),
            });
        }
        if let Some(what) = no_report(&file.path) {
            let message = format!("`--output {}` would replace {what}", file.path.display());
            return Err(RunError::cannot(message, "name a file that is for the report alone"));
        }
    }
    // All of them are what they should be: only now is any removed.
    args.output.iter().try_for_each(|file| Ok(files::remove_if_there(&behind_links(&file.path))?))
}

/// What is at a path that no report has been.
fn no_report(path: &Path) -> Option<&'static str> {
    const SOURCES: [&str; 12] =
        ["c", "cpp", "cu", "cubin", "cuh", "h", "hpp", "lock", "o", "ptx", "rs", "toml"];
    let metadata = path.metadata().ok()?;
    if !metadata.is_file() {
        return Some("what is no file");
    }
    if path.extension().and_then(|extension| extension.to_str()).is_some_and(|one| SOURCES.contains(&one)) {
        return Some("a source");
    }
    let begins = files::read_text(path).unwrap_or_default();
    let is_baseline = begins.starts_with("{\"format_version\":") && begins.contains("\"kernels\":[");
    is_baseline.then_some("a baseline")
}

/// What is printed.
pub(crate) struct Verdict<'a> {
    pub(crate) report: &'a Report,
    pub(crate) summary: &'a Summary,
    /// What could not be checked, a line each.
    pub(crate) failures: &'a [String],
    /// Where the workspace lies in the repository: empty, or with `/` at its end.
    pub(crate) below: String,
    /// The report as JSON lines, where those were there before it.
    pub(crate) json: Option<String>,
}

/// Prints a report in the format that was asked for, and writes it to the files that were.
pub(crate) fn print(
    args: &OutputArgs,
    verdict: &Verdict<'_>,
    (env, terminal): (&Env, &Terminal),
) -> Result<(), RunError> {
    let (style, foreign) = (terminal.style(), args.foreign);
    let Verdict { report, summary, .. } = verdict;
    let mut text = verdict.rendered(args.message_format, style);
    let for_people = matches!(args.message_format, MessageFormat::Human | MessageFormat::Short);
    if args.kernels && for_people {
        let table = report::kernels(report, style.width, foreign);
        text = if text.is_empty() { table } else { format!("{table}\n{text}") };
    }
    terminal.out(&text)?;
    leave(args, verdict, env)?;
    tell_waivers(args, report, terminal);
    terminal.status("Checked", &report::closing_line(summary));
    Ok(())
}

impl Verdict<'_> {
    /// The report in a format.
    fn rendered(&self, format: MessageFormat, style: HumanStyle) -> String {
        let Self { report, summary, failures, below, json } = self;
        let review = Review { failures, below };
        match format {
            MessageFormat::Human => report::human(report, style),
            MessageFormat::Short => report::short(report, style.foreign),
            MessageFormat::Json => json.clone().unwrap_or_else(|| report::json(report, summary)),
            MessageFormat::Github => report::github(report, review),
            MessageFormat::Gitlab => report::gitlab(report, review),
            MessageFormat::Junit => report::junit(report, failures),
            MessageFormat::Markdown => report::markdown(report, summary, failures),
            MessageFormat::Sarif => report::sarif(report, review),
        }
    }
}

/// Writes the files that were asked for, and the page of GitHub's job.
pub(crate) fn leave(args: &OutputArgs, verdict: &Verdict<'_>, env: &Env) -> Result<(), RunError> {
    let plain = HumanStyle { width: 100, color: false, unicode: true, verbose: true, foreign: args.foreign };
    for file in &args.output {
        files::write_atomically(&behind_links(&file.path), verdict.rendered(file.format, plain).as_bytes())?;
    }
    let annotates = |format: MessageFormat| format == MessageFormat::Github;
    if annotates(args.message_format) || args.output.iter().any(|file| annotates(file.format)) {
        // What GitHub shows on the page of the job.
        if let Some(page) = env.var("GITHUB_STEP_SUMMARY") {
            files::append(Path::new(page), verdict.rendered(MessageFormat::Markdown, plain).as_bytes())?;
        }
    }
    Ok(())
}

/// What waivers took away, so that nobody forgets them; many of them only if all is to be told.
fn tell_waivers(args: &OutputArgs, report: &Report, terminal: &Terminal) {
    const TOLD: usize = 5;
    let lines = report::waived(report);
    let told = if args.verbose { lines.len() } else { TOLD };
    lines.iter().take(told).for_each(|line| terminal.status("Waived", line));
    if lines.len() > told {
        let more = count(lines.len() - told, "waiver");
        terminal.status("Waived", &format!("what {more} more match: `-v` names them"));
    }
}

/// The exit status of a run whose work was done.
pub(crate) fn status(summary: &Summary, exit_zero: bool) -> u8 {
    if summary.denied > 0 && !exit_zero { FINDINGS } else { CLEAN }
}
