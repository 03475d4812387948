//! `cargo occlint clean`: removes compilations that are kept.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use occlint::compile::{self, Bounds};
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
    /// Only until no more than this is kept, what was not used for longest first (500 MB, 2 GB)
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) max_size: Option<u64>,
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
    let cleaned = compile::clean(&folder, Bounds { unused_for, bytes: args.max_size })?;
    let (removed, kept) = (count(cleaned.removed, "compilation"), cleaned.kept);
    let megabytes = cleaned.bytes as f64 / 1e6;
    terminal.status("Removed", &format!("{removed}, {megabytes:.1} MB; {kept} kept"));
    Ok(CLEAN)
}

/// Reads `500 MB`, `2GB`, `1 GiB`.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim() {
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err("write a number with `MB`, `GB`, `MiB` or `GiB`: `500 MB`".to_owned()),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    bytes.ok_or_else(|| "it does not begin with a number, or is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(parse_bytes("500 MB"), Ok(500_000_000));
        assert_eq!((parse_bytes("2GB"), parse_bytes(" 1 GiB ")), (Ok(2_000_000_000), Ok(1 << 30)));
        for wrong in ["", "MB", "5", "5 kB", "-1 MB", "99999999999 GB"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }
}
