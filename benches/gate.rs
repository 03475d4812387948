//! A gate of 10,000 kernels: compared with a baseline in which those of every third that spill did not, and told in each format.
//!
//!     cargo bench -p occlint --all-features --bench gate

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench that cannot do its work must fail")]

mod support;

use std::sync::Arc;

use occlint::baseline::{Baseline, differences};
use occlint::check::{self, Input, Report};
use occlint::evidence;
use occlint::report::{self, HumanStyle, Review, Summary};
use support::{evidence_of, line, mean, units};

const STYLE: HumanStyle =
    HumanStyle { width: 100, color: false, unicode: true, verbose: false, foreign: false };
const PLAIN: HumanStyle = HumanStyle { verbose: true, ..STYLE };

/// A format's name and its renderer.
type Format = (&'static str, fn(&Report, &Summary) -> String);

const FORMATS: [Format; 9] = [
    ("human", |report, _| report::human(report, STYLE)),
    ("human, every kernel (`-v`)", |report, _| report::human(report, PLAIN)),
    ("short", |report, _| report::short(report, false)),
    ("json", report::json),
    ("github", |report, _| report::github(report, Review::default())),
    ("gitlab", |report, _| report::gitlab(report, Review::default())),
    ("junit", |report, _| report::junit(report, &[])),
    ("markdown", |report, summary| report::markdown(report, summary, &[])),
    ("sarif", |report, _| report::sarif(report, Review::default())),
];

fn main() {
    let evidence = evidence_of(&units(100));
    let kernels = evidence::combine(evidence.kernels);
    assert_eq!(kernels.len(), 10_000);
    let input = || Input { kernels: kernels.clone(), units: evidence.units.clone(), ..Input::default() };
    let before = Arc::new(earlier(&check::check(input())));
    let compared = || Input { baseline: Some(Arc::clone(&before)), ..input() };
    let report = check::check(compared());
    let worse = report.findings.iter().filter(|finding| finding.lint == "spill-regression").count();
    assert!(worse > 1_000 && report.known > 0, "{worse} got worse, {} are known", report.known);
    println!("10,000 kernels, {worse} of them worse than in the baseline");
    line("  compared", mean(compared, check::check));
    for (name, render) in FORMATS {
        let told = |input| {
            let report = check::check(input);
            render(&report, &report::summary(&report)).len()
        };
        line(&format!("  compared, told: {name}"), mean(compared, told));
    }
    let now = Baseline::of(&report);
    line(
        "  differences of two baselines, as a table",
        mean(|| (), |()| report::changes(&differences(&before, &now), 100).len()),
    );
}

/// What the baseline had when of every third kernel none spilled.
fn earlier(report: &Report) -> Baseline {
    let mut baseline = Baseline::of(report);
    for entry in baseline.entries.values_mut().step_by(3) {
        (entry.spill_stores, entry.spill_loads) = (Some(0), Some(0));
    }
    baseline
}
