//! The command line of `diff`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use crate::cli::LevelArgs;

/// How changes are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum DiffFormat {
    /// A table, and what got worse
    Human,
    /// JSON lines: changes, findings, counts
    Json,
    /// A comment on a pull request
    Markdown,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// Two reports (`--output json=PATH`) or baselines, the earlier one first
    #[arg(value_name = "FILE", num_args = 0..=2)]
    pub(crate) operands: Vec<OsString>,
    /// How changes are printed
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: DiffFormat,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
}
