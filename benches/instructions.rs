//! One scene, once, for counting its instructions: `tools/instructions.py` runs each under callgrind and compares the
//! counts with `benches/instructions.txt`.
//!
//!     cargo bench -p occlint --all-features --bench instructions             # names the scenes
//!     cargo bench -p occlint --all-features --bench instructions -- ptx/100  # runs one
//!
//! What is counted is what happens in [`counted_scene`]; what a scene needs is made before.

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench that cannot do its work must fail")]

mod support;

use std::hint::black_box;
use std::sync::Arc;

use occlint::arch::Arch;
use occlint::baseline::Baseline;
use occlint::check::{self, Input, Report, UnitFacts};
use occlint::evidence::{self, Evidence, cubin, names, ptx};
use occlint::expect::Rules;
use occlint::kernel::{Name, Place};
use occlint::occupancy::{Resources, residency};
use occlint::report::{self, HumanStyle, Review};
use support::{evidence_of, rules, sampled, units};

/// Runs what it is given, and says how much came out.
type Scene = Box<dyn FnMut() -> usize>;

/// A scene's name, the numbers of kernels that it is counted for, and what makes it for one of them.
type Named = (&'static str, &'static [usize], fn(usize) -> Scene);

/// The scenes by name, and for how many kernels each is counted: 10,000 where callgrind takes no more than some seconds for
/// them.
const SCENES: [Named; 13] = [
    ("baseline", &[100, 1_000], baseline),
    ("check", &[100, 1_000, 10_000], checked),
    ("combine", &[100, 1_000, 10_000], combined),
    ("cubin", &[100, 1_000], cubins),
    ("human", &[100, 1_000, 10_000], human),
    ("json", &[100, 1_000], json),
    ("log", &[100, 1_000], log),
    ("merge", &[100, 1_000], merged),
    ("names", &[100, 1_000], named),
    ("ptx", &[100, 1_000], module),
    ("residency", &[10_000], resident),
    ("rules", &[100, 1_000], ruled),
    ("sarif", &[100, 1_000], sarif),
];

fn main() {
    // cargo itself adds `--bench`
    let Some(wanted) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        for (name, sizes, _) in SCENES {
            sizes.iter().for_each(|kernels| println!("{name}/{kernels}"));
        }
        return;
    };
    let (name, kernels) = wanted.split_once('/').unwrap();
    let kernels: usize = kernels.parse().unwrap();
    let (.., scene) = SCENES.into_iter().find(|(own, ..)| *own == name).unwrap();
    let mut scene = scene(kernels);
    let out = counted_scene(&mut *scene);
    assert!(out > 0, "{wanted} has done nothing");
}

/// callgrind counts from its begin to its end.
#[inline(never)]
fn counted_scene(scene: &mut dyn FnMut() -> usize) -> usize {
    black_box(scene())
}

/// One log of all kernels.
fn log(kernels: usize) -> Scene {
    let log: String = units(kernels / 100).into_iter().map(|unit| unit.log).collect();
    Box::new(move || evidence::from_log("build.log", &log).kernels.len())
}

/// One module of all kernels.
fn module(kernels: usize) -> Scene {
    let module: String = units(kernels / 100).into_iter().map(|unit| unit.ptx).collect();
    Box::new(move || ptx::parse(&module).functions.len())
}

fn cubins(kernels: usize) -> Scene {
    let units = sampled();
    let all = move || {
        let cubins = units.iter().filter_map(|unit| unit.cubin);
        cubins.map(|bytes| cubin::read(bytes).unwrap().functions.len()).sum::<usize>()
    };
    Box::new(move || (0..kernels / 100).map(|_| all()).sum())
}

fn named(kernels: usize) -> Scene {
    let names: Vec<String> = units(1)
        .iter()
        .flat_map(|unit| ptx::parse(&unit.ptx).functions)
        .map(|function| function.name)
        .collect();
    Box::new(move || names.iter().cycle().take(kernels).map(|name| names::name(name).key.len()).sum())
}

/// Cubin, PTX and log, read and merged; names, places, spills and local memory with them.
fn merged(kernels: usize) -> Scene {
    let units = sampled();
    Box::new(move || (0..kernels / 100).map(|_| evidence_of(&units).kernels.len()).sum())
}

/// A hundred kernels that were read, as many times as asked for, each with a name and in a unit of its own.
fn evidence_for(kernels: usize) -> Evidence {
    let read = evidence_of(&units(1));
    let mut all = Evidence::default();
    for hundred in 0..kernels / 100 {
        let unit = |name: &str| name.replace(".cu", &format!("_{hundred}.cu"));
        all.kernels.extend(read.kernels.iter().cloned().map(|mut kernel| {
            let Name { mangled, demangled, qualified, key } = &mut kernel.name;
            for name in [mangled, demangled, qualified, key] {
                name.insert_str(0, &format!("n{hundred}::"));
            }
            kernel.units = kernel.units.iter().map(|name| unit(name)).collect();
            kernel.place = kernel.place.map(|place| Place { file: unit(&place.file), ..place });
            kernel
        }));
        all.units
            .extend(read.units.iter().map(|facts| UnitFacts { unit: unit(&facts.unit), ..facts.clone() }));
    }
    all
}

fn combined(kernels: usize) -> Scene {
    let mut evidence = evidence_for(kernels);
    Box::new(move || evidence::combine(std::mem::take(&mut evidence.kernels)).len())
}

fn input(kernels: usize) -> Input {
    let evidence = evidence_for(kernels);
    Input {
        kernels: evidence::combine(evidence.kernels),
        units: evidence.units,
        complete: true,
        ..Input::default()
    }
}

/// Of residency of every kernel, and all lints.
fn checked(kernels: usize) -> Scene {
    let mut input = input(kernels);
    Box::new(move || check::check(std::mem::take(&mut input)).findings.len())
}

/// As [`checked`], with 50 targets for one kernel each, of which most match none: suggestions are looked for.
fn ruled(kernels: usize) -> Scene {
    let mut input = Input { rules: Rules::new(rules("*spiller_#")), ..input(kernels) };
    Box::new(move || check::check(std::mem::take(&mut input)).findings.len())
}

/// As [`checked`], with a baseline in which every third kernel did not spill.
fn baseline(kernels: usize) -> Scene {
    let input = input(kernels);
    let mut before = Baseline::of(&check::check(input.clone()));
    for entry in before.entries.values_mut().step_by(3) {
        (entry.spill_stores, entry.spill_loads) = (Some(0), Some(0));
    }
    let mut input = Input { baseline: Some(Arc::new(before)), ..input };
    Box::new(move || {
        let report = check::check(std::mem::take(&mut input));
        report.findings.iter().filter(|finding| finding.lint == "spill-regression").count()
    })
}

fn report_of(kernels: usize) -> Report {
    check::check(input(kernels))
}

fn human(kernels: usize) -> Scene {
    const STYLE: HumanStyle =
        HumanStyle { width: 100, color: false, unicode: true, verbose: false, foreign: false };
    let report = report_of(kernels);
    Box::new(move || report::human(&report, STYLE).len())
}

fn json(kernels: usize) -> Scene {
    let report = report_of(kernels);
    Box::new(move || report::json(&report, &report::summary(&report)).len())
}

fn sarif(kernels: usize) -> Scene {
    let report = report_of(kernels);
    Box::new(move || report::sarif(&report, Review::default()).len())
}

fn resident(kernels: usize) -> Scene {
    let limits = Arch::from_cc_tenths(90).limits().unwrap();
    let resources: Vec<Resources> = (0..u32::try_from(kernels).unwrap()).map(support::resources).collect();
    Box::new(move || resources.iter().map(|one| residency(limits, one).blocks as usize).sum())
}
