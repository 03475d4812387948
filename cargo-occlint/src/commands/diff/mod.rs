//! `cargo occlint diff`: what changed between two states of kernels.

mod args;
mod reports;

use std::path::Path;

use occlint::sys::env::Env;

use crate::error::RunError;
use crate::terminal::Terminal;

pub(crate) use args::{DiffArgs, DiffFormat};

/// Compares what the operands name.
pub(crate) fn run(args: &DiffArgs, _env: &Env, terminal: &Terminal) -> Result<u8, RunError> {
    match args.operands.as_slice() {
        [before, after] => reports::run(args, (Path::new(before), Path::new(after)), terminal),
        _ => Err(RunError::Usage {
            message: "`diff` compares two reports or baselines".to_owned(),
            help: Some("`cargo occlint diff BEFORE.json AFTER.json`".to_owned()),
        }),
    }
}
