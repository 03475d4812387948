//! `cargo occlint merge`: reports joined into one verdict.

use std::path::PathBuf;

use clap::Args;
use occlint::sys::env::Env;

use crate::cli::OutputArgs;
use crate::commands::verdict::{self, Verdict};
use crate::error::RunError;
use crate::reports::{self, Joined, Sources, join};
use crate::review::below;
use crate::terminal::Terminal;

#[derive(Args, Debug)]
pub(crate) struct MergeArgs {
    /// Reports as JSON lines (`--output json=PATH`): all parts of one run, or whole reports
    #[arg(value_name = "FILE", required = true)]
    pub(crate) reports: Vec<PathBuf>,
    /// Report findings without failing: the status is 0; what could not be checked stays an error
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Joins them, prints the one report, and judges it as a check does.
pub(crate) fn run(args: &MergeArgs, env: &Env, terminal: &Terminal) -> Result<u8, RunError> {
    refuse_own_output(args)?;
    let sources = Sources::here();
    let read: Result<Vec<_>, RunError> =
        args.reports.iter().map(|path| reports::read(path, &sources)).collect();
    let read = read.and_then(|read| Ok(join(read, &sources)?));
    verdict::clear(&args.output)?;
    let Joined { report, summary, json } = read?;
    let verdict = Verdict {
        report: &report,
        summary: &summary,
        failures: &[],
        below: below(&std::env::current_dir()?, env),
        json: Some(json),
    };
    verdict::print(&args.output, &verdict, (env, terminal))?;
    if summary.kernels == 0 {
        let message = "nothing was checked: no report has a kernel of its own";
        return Err(RunError::cannot(message, "look at what the runs that wrote them said"));
    }
    Ok(verdict::status(&summary, args.exit_zero))
}

/// An output that is a report to join would be gone after an error.
fn refuse_own_output(args: &MergeArgs) -> Result<(), RunError> {
    let real = |path: &PathBuf| path.canonicalize().ok();
    let inputs: Vec<PathBuf> = args.reports.iter().filter_map(real).collect();
    let is_input = |path: &&PathBuf| real(path).is_some_and(|path| inputs.contains(&path));
    match args.output.output.iter().map(|file| &file.path).find(is_input) {
        None => Ok(()),
        Some(path) => Err(RunError::Usage {
            message: format!("`{}` is a report to join and an output", path.display()),
            help: Some("write to another file".to_owned()),
        }),
    }
}
