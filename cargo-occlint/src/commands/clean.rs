//! `cargo occlint clean`: removes compilations that are kept.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use occlint::compile;
use occlint::sys::env::Env;
use occlint::sys::process::Cancel;
use occlint::text::count;

use crate::cli::SelectionArgs;
use crate::error::{CLEAN, RunError};
use crate::terminal::Terminal;
use crate::workspace;

#[derive(Args, Debug)]
pub(crate) struct CleanArgs {
    /// Only what was not used for so many days
    #[arg(long, value_name = "DAYS")]
    pub(crate) older_than: Option<u32>,
    /// The folder of `--cache-dir` instead of that in the target folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cache_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
}

/// Removes them, and says how much that was.
pub(crate) fn run(
    args: &CleanArgs,
    env: &Env,
    (terminal, cancel): (&Terminal, &Cancel),
) -> Result<u8, RunError> {
    let folder = match &args.cache_dir {
        Some(folder) => folder.clone(),
        None => workspace::load(&args.selection, env, cancel)?.target.join("occlint/cache"),
    };
    let unused_for = args.older_than.map(|days| Duration::from_secs(u64::from(days) * 24 * 60 * 60));
    let cleaned = compile::clean(&folder, unused_for)?;
    let (removed, kept) = (count(cleaned.removed, "compilation"), cleaned.kept);
    let megabytes = cleaned.bytes as f64 / 1e6;
    terminal.status("Removed", &format!("{removed}, {megabytes:.1} MB; {kept} kept"));
    Ok(CLEAN)
}
