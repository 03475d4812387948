//! What programs said of themselves in earlier runs: asking costs ten milliseconds each time.

#[cfg(feature = "cache")]
mod kept;

use std::path::Path;

use crate::sys::env::Env;
use crate::toolkit::ToolkitError;

/// What a program says when it is asked with one argument, on one line: from an earlier run if that `is_answer`, else by `ask`,
/// which gives the answer on one line.
///
/// # Errors
/// Those of `ask`.
pub(super) fn recall(
    (program, argument): (&Path, &str),
    env: &Env,
    is_answer: &dyn Fn(&str) -> bool,
    ask: &dyn Fn(&str) -> Result<String, ToolkitError>,
) -> Result<String, ToolkitError> {
    #[cfg(feature = "cache")]
    if let Some(question) = kept::Question::new(program, argument, env) {
        return match question.known().filter(|known| is_answer(known)) {
            Some(known) => Ok(known),
            None => ask(argument).inspect(|answer| question.note(answer)),
        };
    }
    let _ = (program, env, is_answer);
    ask(argument)
}
