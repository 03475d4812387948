//! The one table of lints.

use crate::lints::Lint;

/// All lints, sorted by name.
pub static LINTS: &[&Lint] = &[];

/// The lint of this name.
pub fn find(name: &str) -> Option<&'static Lint> {
    LINTS.iter().copied().find(|lint| lint.name == name)
}
