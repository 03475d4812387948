//! The texts of `--list` and `--explain`.

use crate::lints::{LINTS, Lint};

/// All lints, a line each: name, default level, when it fires.
pub fn list() -> String {
    let width = LINTS.iter().map(|lint| lint.name.len()).max().unwrap_or(0);
    LINTS
        .iter()
        .map(|lint| format!("{:width$}  {:5}  {}\n", lint.name, lint.default.word(), lint.summary))
        .collect()
}

/// One lint's documentation.
pub fn explain(lint: &Lint) -> String {
    let body: String =
        lint.docs.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect();
    let amount = lint.amount.map(|unit| format!("`max` of a waiver: {unit}\n")).unwrap_or_default();
    let (name, level, summary) = (lint.name, lint.default.word(), lint.summary);
    format!("# occlint::{name}\n\ndefault level: {level}\n{amount}{summary}\n\n{body}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_fits_a_terminal() {
        assert_eq!(list().lines().count(), LINTS.len());
        for line in list().lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }

    #[test]
    fn an_explanation_names_the_lint_and_its_level() {
        let text = explain(crate::lints::find("spill").unwrap());
        assert!(text.starts_with("# occlint::spill\n\ndefault level: warn\n"), "{text}");
    }
}
