//! The lints that compare with a baseline, where there is none (without the feature `baseline`): they never fire, but
//! configuration and comments may name them all the same.

use crate::check::CheckedKernel;
use crate::finding::Level;
use crate::lints::{Check, Draft, Lint};

pub(super) static INCOMPARABLE_BASELINE: Lint = named("incomparable-baseline", Level::Deny);
pub(super) static LIMITER_REGRESSION: Lint = named("limiter-regression", Level::Deny);
pub(super) static REGISTER_REGRESSION: Lint = named("register-regression", Level::Warn);
pub(super) static RESIDENCY_REGRESSION: Lint = named("residency-regression", Level::Deny);
pub(super) static SPILL_REGRESSION: Lint = named("spill-regression", Level::Deny);
pub(super) static STALE_BASELINE: Lint = named("stale-baseline", Level::Warn);

const fn named(name: &'static str, default: Level) -> Lint {
    let check = Check::Kernel(nothing);
    Lint { name, default, summary: "worse than a baseline", amount: None, rank: u8::MAX, docs: "", check }
}

fn nothing(_: &CheckedKernel, _: &mut Vec<Draft>) {}

#[cfg(all(test, feature = "baseline"))]
mod tests {
    use super::*;
    use crate::lints::LINTS;

    #[test]
    fn they_are_the_names_and_levels_of_the_lints_about_baselines() {
        let here = [
            &INCOMPARABLE_BASELINE,
            &LIMITER_REGRESSION,
            &REGISTER_REGRESSION,
            &RESIDENCY_REGRESSION,
            &SPILL_REGRESSION,
            &STALE_BASELINE,
        ];
        let names = here.map(|lint| (lint.name, lint.default));
        let there = LINTS.iter().filter(|lint| lint.docs.contains("--bless`"));
        assert_eq!(there.map(|lint| (lint.name, lint.default)).collect::<Vec<_>>(), names);
    }
}
