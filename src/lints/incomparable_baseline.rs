//! `incomparable-baseline`.

use crate::baseline::Comparison;
use crate::check::ConfigFacts;
use crate::finding::{Headline, Level};
use crate::lints::facts::and;
use crate::lints::{Check, Draft, declare_lint};
use crate::order::Map;
use crate::text::count;

/// Kernels that are named.
const NAMED: usize = 3;

declare_lint! {
    /// ## What it does
    /// Fires when kernels were compiled with other flags, or with another profile or other features of cargo's, than in the
    /// baseline: they are not compared. With `--same-compiler` it also warns of kernels whose baseline another compiler made.
    ///
    /// ## Why it matters
    /// Other settings give other figures, which no change of the code explains. Whoever compares them finds regressions that
    /// are none, and whoever does not compare them silently has a gate that stands open.
    ///
    /// ## Example
    /// ```text
    /// 12 kernels were compiled with other settings in the baseline: they were not compared
    /// ```
    ///
    /// ## What to try
    /// Check with the settings of the baseline, or accept the new ones with `cargo occlint --bless`. Where the lint is allowed,
    /// kernels of other settings are compared as well.
    ///
    /// ## Configuration
    /// `baseline`; the level: `lints.incomparable-baseline`.
    INCOMPARABLE_BASELINE: "incomparable-baseline", Deny,
    "the baseline is of other settings: kernels were not compared", Check::Compared(check)
}

fn check(facts: &ConfigFacts<'_>, drafts: &mut Vec<Draft>) {
    let (mut settings, mut compilers) = (Map::new(), Map::new());
    for checked in facts.kernels {
        let (all, was, is) = match &checked.comparison {
            Comparison::OtherSettings(was, is) => (&mut settings, was, is),
            Comparison::OtherCompiler(was, is) => (&mut compilers, was, is),
            Comparison::New | Comparison::Compared => continue,
        };
        let arch = checked.kernel.arch.map(|arch| format!(" on {arch}")).unwrap_or_default();
        let name = format!("`{}`{arch}", checked.kernel.name.demangled);
        all.get_or_insert_with((&**was, &**is), Vec::new).push(name);
    }
    for ((was, is), kernels) in settings {
        drafts.push(Draft {
            weight: kernels.len() as u64,
            notes: vec![names(&kernels), said("in the baseline", was), said("now", is)],
            help: Some(
                "check with the settings of the baseline, or accept the new ones with `--bless`; `-A incomparable-baseline` \
                 compares all the same"
                    .to_owned(),
            ),
            ..Draft::new(headline(&kernels, "compiled with other settings in the baseline"))
        });
    }
    for ((was, is), kernels) in compilers {
        drafts.push(Draft {
            weight: kernels.len() as u64,
            default: Some(Level::Warn),
            notes: vec![names(&kernels), format!("the baseline is nvcc {was}'s, this run is {is}'s")],
            help: Some(
                "`cargo occlint upgrade` shows what the other compiler changes; `--bless` accepts it"
                    .to_owned(),
            ),
            ..Draft::new(headline(&kernels, "made by another compiler in the baseline"))
        });
    }
}

fn headline(kernels: &[String], what: &str) -> Headline {
    let were = if kernels.len() == 1 { "was" } else { "were" };
    let not = if kernels.len() == 1 { "it was not compared" } else { "they were not compared" };
    Headline::new().text(format!("{} {were} {what}: {not}", count(kernels.len(), "kernel")))
}

fn said(when: &str, settings: &str) -> String {
    if settings.is_empty() { format!("{when}: no flags") } else { format!("{when}: `{settings}`") }
}

fn names(kernels: &[String]) -> String {
    let mut names: Vec<String> = kernels.iter().take(NAMED).cloned().collect();
    if kernels.len() > NAMED {
        names.push(format!("{} more", kernels.len() - NAMED));
    }
    and(&names)
}
