//! From artefacts to a report: what occlint itself costs beside the compiler.
//!
//!     cargo bench -p occlint --all-features --bench artefacts

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench that cannot do its work must fail")]

mod support;

use occlint::check::{self, Input, Report};
use occlint::evidence::{self, Evidence};
use occlint::expect::{self, Rule, Rules};
use occlint::report::{self, HumanStyle};
use occlint::source::SourceText;
use support::{Unit, evidence_of, line, mean, units};

const STYLE: HumanStyle =
    HumanStyle { width: 100, color: false, unicode: true, verbose: false, foreign: false };

fn main() {
    for hundreds in [1, 10, 100] {
        let units = units(hundreds);
        let kernels = hundreds * 100;
        let bytes: usize = units.iter().map(|unit| unit.ptx.len() + unit.log.len()).sum();
        let evidence = evidence_of(&units);
        assert_eq!(evidence.kernels.len(), kernels, "each kernel has a name of its own");
        println!("{kernels} kernels, {:.1} MB of PTX and log", bytes as f64 / 1e6);
        line(
            "  evidence: PTX and log read, names demangled, places found",
            mean(|| (), |()| evidence_of(&units)),
        );
        let check = |rules: Vec<Rule>| mean(|| input(&evidence, rules.clone()), check::check);
        line("  check, no rules", check(Vec::new()));
        line("  check, 50 rules by name, a kernel each", check(rules("*spiller_#")));
        line("  check, 50 rules that match every kernel", check(rules("*")));
        line("  check, 50 rules that match none and want a suggestion", check(rules("spilller_#")));
        let report = check::check(input(&evidence, Vec::new()));
        assert!(report.findings.len() > kernels / 3, "there is something to show");
        line("  report for people", mean(|| (), |()| report::human(&report, STYLE)));
        line("  report as JSON", mean(|| (), |()| report::json(&report, &report::summary(&report))));
        line("  all of it: artefacts to the report for people", mean(|| (), |()| whole(&units).len()));
    }
}

fn input(evidence: &Evidence, rules: Vec<Rule>) -> Input {
    Input {
        kernels: evidence::combine(evidence.kernels.clone()),
        units: evidence.units.clone(),
        rules: Rules::new(rules),
        complete: true,
        ..Input::default()
    }
}

/// Every kernel through every stage; comments beside kernels are read too.
fn whole(units: &[Unit]) -> String {
    let evidence = evidence_of(units);
    let rules = units.iter().flat_map(|unit| expect::comments(&unit.source).0).collect();
    let report: Report = check::check(Input {
        kernels: evidence::combine(evidence.kernels),
        units: evidence.units,
        rules: Rules::new(rules),
        complete: true,
        ..Input::default()
    });
    report::human(&report, STYLE)
}

/// A configuration with 50 tables; `#` in the name is the table's number.
fn rules(name: &str) -> Vec<Rule> {
    let mut text = "[package]\nname = \"bench\"\n[package.metadata.occlint]\n".to_owned();
    for n in 0..50 {
        let name = name.replace('#', &format!("{n:05}"));
        text.push_str(&format!(
            "[[package.metadata.occlint.kernel]]\nname = \"{name}\"\nblock = 128\nmin-blocks = 4\nallow = [\"spill\"]\n"
        ));
    }
    let manifest = SourceText::new("Cargo.toml", text);
    expect::parse(&manifest, &manifest).unwrap().rules
}
