//! Names of lints as configuration, source comments and the command line use them.

use crate::expect::suggest::{nearest, shown};
use crate::lints::{self, LINTS};

/// A name that is no lint's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownLint {
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// The table's own copy of a lint's name.
fn known_lint(name: &str) -> Option<&'static str> {
    lints::find(name).map(|lint| lint.name)
}

/// Looks a lint's name up.
///
/// # Errors
/// A name that this version does not have, with the nearest that it has.
pub fn lint_name(name: &str) -> Result<&'static str, UnknownLint> {
    if let Some(known) = known_lint(name) {
        return Ok(known);
    }
    let help = match nearest(name, LINTS.iter().map(|lint| lint.name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`cargo occlint --list` names them all".to_owned(),
    };
    Err(UnknownLint { message: format!("unknown lint `{}`", shown(name)), help })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_table_are_found() {
        assert_eq!(lint_name("spill"), Ok("spill"));
        assert_eq!(lint_name("unused-allow"), Ok("unused-allow"));
    }

    #[test]
    fn a_misspelt_name_gets_a_suggestion() {
        let error = lint_name("residency_below_bound").expect_err("it is misspelt");
        assert_eq!(error.message, "unknown lint `residency_below_bound`");
        assert_eq!(error.help, "did you mean `residency-below-bounds`?");
    }

    #[test]
    fn a_strange_name_gets_the_list() {
        let error = lint_name("occupancy").expect_err("there is no such lint");
        assert_eq!(error.help, "`cargo occlint --list` names them all");
    }
}
