//! What programs said of themselves in earlier runs: asking costs ten milliseconds each time.

use std::path::Path;

use crate::sys::env::Env;
use crate::toolkit::ToolkitError;

/// What a program says when it is asked with one argument, on one line: from an earlier run, else by `ask`, which gives the answer
/// on one line.
///
/// # Errors
/// Those of `ask`.
pub(super) fn recall(
    (program, argument): (&Path, &str),
    env: &Env,
    ask: &dyn Fn(&str) -> Result<String, ToolkitError>,
) -> Result<String, ToolkitError> {
    #[cfg(feature = "cache")]
    if let Some(question) = kept::Question::new(program, argument, env) {
        return match question.known() {
            Some(known) => Ok(known),
            None => ask(argument).inspect(|answer| question.note(answer)),
        };
    }
    let _ = (program, env);
    ask(argument)
}

#[cfg(feature = "cache")]
mod kept;
