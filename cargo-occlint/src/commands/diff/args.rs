//! The command line of `diff`, and what `upgrade` has in common with it.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use crate::cli::{BuildArgs, CheckArgs, CompileArgs, LevelArgs, OutputArgs, SelectionArgs};

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
    /// A revision of git, which the working tree is compared with [default: HEAD]; or two reports (`--output json=PATH`) or
    /// baselines, the earlier one first
    #[arg(value_name = "REV | BEFORE AFTER", num_args = 0..=2)]
    pub(crate) operands: Vec<OsString>,
    #[command(flatten)]
    pub(crate) compared: ComparedArgs,
}

/// How two checks are made and told.
#[derive(Args, Debug)]
pub(crate) struct ComparedArgs {
    /// How changes are printed
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: DiffFormat,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl ComparedArgs {
    /// A check with the same choices, without a baseline.
    pub(crate) fn check(&self) -> CheckArgs {
        CheckArgs::compiling(&self.selection, &self.compile, &self.build, (&self.levels, &self.output))
    }
}
