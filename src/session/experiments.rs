//! Which kernels of a package are experimented on, and with what.

use std::collections::{BTreeMap, BTreeSet};

use crate::arch::Arch;
use crate::check::{self, CheckedKernel, Input, Report};
use crate::compile::Settings;
use crate::experiment::{self, Case, Experiments, Lab, Mode, Results, Specimen};
use crate::finding::Subject;
use crate::kernel::{Kernel, Usage};
use crate::report::group;
use crate::session::flags;
use crate::session::run::{Modules, Package};
use crate::sys::process::Cancel;
use crate::text::count;

/// Findings that other bounds could change.
const FLAGS: [&str; 5] =
    ["unlaunchable", "bounds-dropped", "residency-below-bounds", "residency-below-target", "spill"];

/// The figures of each kernel as each unit has it: unit, architecture, mangled name.
#[derive(Debug)]
pub(super) struct Origins(BTreeMap<(String, Arch, String), Usage>);

impl Origins {
    /// Those of kernels that are not yet combined.
    pub(super) fn of(kernels: &[Kernel]) -> Self {
        let origin = |kernel: &Kernel| {
            let key = (kernel.units.first()?.clone(), kernel.arch?, kernel.name.mangled.clone());
            Some((key, kernel.usage))
        };
        Self(kernels.iter().filter_map(origin).collect())
    }

    /// The unit whose figures the kernel has.
    fn unit<'k>(&self, kernel: &'k Kernel) -> Option<&'k str> {
        let arch = kernel.arch?;
        let is = |unit: &&String| {
            let key = ((*unit).clone(), arch, kernel.name.mangled.clone());
            self.0.get(&key) == Some(&kernel.usage)
        };
        kernel.units.iter().find(is).map(String::as_str)
    }
}

/// Checks; experiments on what was found; and checks again, so that findings show what other bounds cost.
pub(super) fn judge(
    package: &Package<'_>,
    input: Input,
    (origins, modules): (&Origins, &Modules),
    settings: &Settings,
    cancel: &Cancel,
    notes: &mut Vec<String>,
) -> Report {
    if package.experiments.mode == Mode::Off {
        return check::check(input);
    }
    let (units, rules, levels) = (input.units.clone(), input.rules.clone(), input.levels.clone());
    let (complete, default_archs) = (input.complete, input.default_archs);
    let report = check::check(input);
    let asked = package.experiments;
    let unit_cap = flags::maxrregcount(package.config).map(|(cap, _)| cap);
    let (indices, results) = experiments(&report, (origins, modules), asked, unit_cap, settings, cancel);
    notes.extend(results.problems);
    if results.left_out > 0 {
        let (kernels, most) = (count(results.left_out, "more kernel"), asked.most);
        notes.push(format!("{kernels} could be assembled with other bounds: `--max-experiments` is {most}"));
    }
    if results.frontiers.iter().all(Option::is_none) {
        return report;
    }
    let mut kernels: Vec<Kernel> = report.kernels.into_iter().map(|checked| checked.kernel).collect();
    for (index, frontier) in indices.into_iter().zip(results.frontiers) {
        kernels[index].frontier = frontier;
    }
    check::check(Input { kernels, units, rules, levels, complete, default_archs })
}

/// Experiments on the kernels of a report; each frontier with the index of its kernel.
fn experiments(
    report: &Report,
    (origins, modules): (&Origins, &Modules),
    asked: Experiments,
    unit_cap: Option<u32>,
    settings: &Settings,
    cancel: &Cancel,
) -> (Vec<usize>, Results) {
    let chosen = chosen(report, asked);
    let mut kernels = Vec::new();
    let mut specimens = Vec::new();
    for index in chosen {
        let checked = &report.kernels[index];
        if let Some(specimen) = specimen(checked, origins, modules, unit_cap) {
            kernels.push(index);
            specimens.push(specimen);
        }
    }
    if specimens.is_empty() {
        return (Vec::new(), Results::default());
    }
    let Some(ptxas) = settings.toolkit.ptxas.as_deref() else {
        let problems = vec!["no experiments: the toolkit has no `ptxas` that can be run".to_owned()];
        return (Vec::new(), Results { problems, ..Results::default() });
    };
    let results = experiment::run(
        &specimens,
        &Lab {
            ptxas,
            version: &settings.toolkit.version.to_string(),
            flags: &experiment::ptxas_flags(&settings.flags),
            folder: &settings.work.join("experiments"),
            timeout: settings.timeout,
            jobs: settings.jobs,
            most: asked.most,
            cancel,
        },
    );
    (kernels, results)
}

fn specimen<'a>(
    checked: &'a CheckedKernel,
    origins: &Origins,
    modules: &'a Modules,
    unit_cap: Option<u32>,
) -> Option<Specimen<'a>> {
    let kernel = &checked.kernel;
    if !is_settled(kernel) {
        return None;
    }
    let (unit, arch) = (origins.unit(kernel)?, kernel.arch?);
    Some(Specimen {
        case: Case::new(checked, unit_cap)?,
        calls: !kernel.functions.is_empty(),
        entry: &kernel.name.mangled,
        ptx: modules.get(&(unit.to_owned(), arch))?,
        unit,
        arch,
    })
}

/// Whether the compiler's own figures are the kernel's: what a device link changed, ptxas alone cannot show.
fn is_settled(kernel: &Kernel) -> bool {
    kernel.link.compiled_registers().is_none_or(|compiled| Some(compiled) == kernel.usage.registers)
}

/// The kernels to experiment on, in order of precedence: the worst of each group of findings, then the second, and so on;
/// then those without findings, if they are meant.
fn chosen(report: &Report, asked: Experiments) -> Vec<usize> {
    let mut by_key: BTreeMap<(&str, Option<Arch>), usize> = BTreeMap::new();
    for (index, checked) in report.kernels.iter().enumerate() {
        let foreign = checked.kernel.place.as_ref().is_some_and(|place| place.foreign);
        if !checked.kernel.debug && (asked.foreign || !foreign) {
            by_key.insert((&checked.kernel.name.key, checked.kernel.arch), index);
        }
    }
    let groups = group(&report.findings);
    let groups: Vec<_> = groups.iter().filter(|group| FLAGS.contains(&group.worst.lint)).collect();
    let longest = groups.iter().map(|group| group.members.len()).max().unwrap_or(0);
    let flagged =
        (0..longest).flat_map(|rank| groups.iter().filter_map(move |group| group.members.get(rank)));
    let flagged = flagged.filter_map(|finding| match &finding.subject {
        Subject::Kernel { key, arch, .. } => by_key.get(&(key.as_str(), *arch)).copied(),
        Subject::Unit { .. } | Subject::Config => None,
    });
    let others = by_key.values().copied().collect::<BTreeSet<usize>>();
    let others = others.into_iter().filter(|_| asked.mode == Mode::All);
    let mut seen = BTreeSet::new();
    flagged.chain(others).filter(|&index| seen.insert(index)).collect()
}
