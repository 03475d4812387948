//! `diff BEFORE.json AFTER.json`: two reports or baselines.

use std::path::Path;

use occlint::baseline::{CompareRules, differences};
use occlint::check;
use occlint::expect::Levels;
use occlint::report;
use occlint::sys::env::Env;

use crate::commands::diff::{ComparedArgs, told};
use crate::error::RunError;
use crate::levels;
use crate::reports::{Sources, state};
use crate::terminal::Terminal;

/// Compares two files.
pub(super) fn run(
    args: &ComparedArgs,
    (before, after): (&Path, &Path),
    (env, terminal): (&Env, &Terminal),
) -> Result<u8, RunError> {
    if let Some(file) = args.output.output.iter().find(|file| file.path == before || file.path == after) {
        let message = format!("`--output {}` would replace what is compared", file.path.display());
        return Err(RunError::Usage { message, help: Some("name another file".to_owned()) });
    }
    let sources = Sources::here();
    let states = (state(before, &sources)?, state(after, &sources)?);
    let differences = differences(&states.0.baseline, &states.1.baseline);
    if differences.in_common() == 0 {
        let message = format!(
            "nothing was compared: `{}` and `{}` have no kernel on an architecture in common",
            report::sanitize(&before.to_string_lossy()),
            report::sanitize(&after.to_string_lossy())
        );
        let help = "are they of the same package, for the same architectures?";
        return Err(RunError::cannot(message, help));
    }
    let (before, after) = states;
    let mut levels = Levels::default();
    levels::apply(&args.levels, &mut levels)?;
    let judged = check::compare(after.kernels, &before.baseline, &levels, CompareRules::default());
    told(args.format, &args.check(), (&differences, &judged), (env, terminal))
}
