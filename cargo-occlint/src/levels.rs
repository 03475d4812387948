//! `-A`, `-W` and `-D`.

use occlint::expect::{LevelOrigin, Levels};
use occlint::finding::Level;

use crate::cli::LevelArgs;
use crate::commands::lints::lint;
use crate::error::RunError;

/// Puts the command line's levels on top of the configuration's. Stricter wins where a lint is named twice.
pub(crate) fn apply(args: &LevelArgs, levels: &mut Levels) -> Result<(), RunError> {
    let LevelArgs { allow, warn, deny, exit_zero: _ } = args;
    for (names, level) in [(allow, Level::Allow), (warn, Level::Warn), (deny, Level::Deny)] {
        for name in names.iter().flat_map(|names| names.split(',')).map(str::trim) {
            if name == "warnings" && level == Level::Deny {
                levels.deny_warnings();
            } else if name == "warnings" {
                let help = "name the lints: `cargo occlint --list` shows all".to_owned();
                let message = "`warnings` goes with `-D` only".to_owned();
                return Err(RunError::Usage { message, help: Some(help) });
            } else {
                levels.set(lint(name)?.name, level, LevelOrigin::CommandLine);
            }
        }
    }
    Ok(())
}
