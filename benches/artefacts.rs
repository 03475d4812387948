//! From artefacts to a report: what occlint itself costs beside the compiler.
//!
//!     cargo bench -p occlint --all-features --bench artefacts

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench that cannot do its work must fail")]

mod support;

use occlint::check::{self, Input, Report};
use occlint::evidence::{self, Evidence, cubin};
use occlint::expect::{self, Rule, Rules};
use occlint::report::{self, HumanStyle};
use support::{Unit, evidence_of, large_cubin, line, mean, once, peak_memory, rules, sampled, units};

const STYLE: HumanStyle =
    HumanStyle { width: 100, color: false, unicode: true, verbose: false, foreign: false };

fn main() {
    memory();
    with_cubins();
    a_large_cubin();
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

/// 10,000 kernels, before anything else: the system tells the most that the process has ever had.
fn memory() {
    let units = units(100);
    let bytes: usize = units.iter().map(|unit| unit.ptx.len() + unit.log.len()).sum();
    let before = peak_memory();
    let told = whole(&units).len();
    assert!(told > 0, "there is something to show");
    let (Some(before), Some(peak)) = (before, peak_memory()) else {
        println!("peak memory: this system does not tell it\n");
        return;
    };
    println!("10000 kernels, artefacts to the report for people: peak memory {peak:.0} MB,");
    println!("  {before:.0} MB before it, of them {:.0} MB of PTX and log\n", bytes as f64 / 1e6);
}

/// 100 kernels with all three witnesses.
fn with_cubins() {
    let units = sampled();
    let evidence = evidence_of(&units);
    assert_eq!((evidence.kernels.len(), &evidence.problems[..]), (100, &[][..]));
    assert!(evidence.kernels.iter().filter_map(|kernel| kernel.spills.as_ref()).any(|s| s.instructions > 0));
    let bytes: usize = units.iter().map(|u| u.ptx.len() + u.log.len() + u.cubin.map_or(0, <[u8]>::len)).sum();
    println!("100 kernels, {:.1} MB of PTX, log and cubin", bytes as f64 / 1e6);
    line("  evidence: cubin, PTX and log read", mean(|| (), |()| evidence_of(&units)));
}

/// A cubin of 40 MB. What it is read from is held once; the reader keeps what it found.
fn a_large_cubin() {
    let bytes = large_cubin(400);
    let read = || cubin::read(&bytes).unwrap();
    let found = read();
    let spills: usize = found.functions.iter().map(|function| function.annotated.len()).sum();
    let lines = found.functions.iter().flat_map(|f| &f.annotated).filter(|op| op.site.is_some()).count();
    assert!(found.functions.len() == 400 && spills > 10_000 && lines == spills, "{spills} {lines}");
    println!("a cubin of {:.1} MB: 400 kernels, {spills} spill instructions", bytes.len() as f64 / 1e6);
    line("  read", once(read));
    println!();
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
