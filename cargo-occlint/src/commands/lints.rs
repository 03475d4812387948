//! `--list` and `--explain`.

use occlint::expect::nearest;
use occlint::lints::{self, LINTS, Lint};

use crate::error::RunError;

/// All lints, a line each.
pub(crate) fn list() -> String {
    lints::list()
}

/// One lint's documentation.
pub(crate) fn explain(name: &str) -> Result<String, RunError> {
    lint(name).map(lints::explain)
}

/// The lint of this name, with or without its `occlint::`.
pub(crate) fn lint(name: &str) -> Result<&'static Lint, RunError> {
    let plain = name.strip_prefix("occlint::").unwrap_or(name);
    lints::find(plain).ok_or_else(|| {
        let names: Vec<&str> = LINTS.iter().map(|lint| lint.name).collect();
        let help = nearest(plain, names.iter().copied()).map_or_else(
            || "`cargo occlint --list` shows all".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        RunError::Usage { message: format!("there is no lint `{plain}`"), help: Some(help) }
    })
}
