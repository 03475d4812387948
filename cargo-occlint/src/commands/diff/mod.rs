//! `cargo occlint diff`: what changed between two states of kernels.

mod args;
mod reports;
mod revision;
mod told;

use std::path::Path;

use occlint::sys::env::Env;
use occlint::sys::process::Cancel;

use crate::error::RunError;
use crate::terminal::Terminal;

pub(crate) use args::{ComparedArgs, DiffArgs, DiffFormat};
pub(crate) use told::{format_alone, told};

/// Compares what the operands name.
pub(crate) fn run(
    args: &DiffArgs,
    env: &Env,
    (terminal, cancel): (&Terminal, &Cancel),
) -> Result<u8, RunError> {
    format_alone(&args.compared.output)?;
    match args.operands.as_slice() {
        [before, after] => {
            reports::run(&args.compared, (Path::new(before), Path::new(after)), (env, terminal))
        }
        [name] => {
            let name = name.to_str().ok_or_else(|| RunError::Usage {
                message: "the revision's name is not UTF-8".to_owned(),
                help: None,
            })?;
            revision::run(&args.compared, name, env, (terminal, cancel))
        }
        _ => revision::run(&args.compared, "HEAD", env, (terminal, cancel)),
    }
}
