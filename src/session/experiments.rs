//! Which kernels of a package are experimented on, and with what.

use std::borrow::Cow;

use crate::arch::Arch;
use crate::check::{self, CheckedKernel, Input, Report};
use crate::compile::{self, PtxasFlags, Settings, Text};
use crate::experiment::{self, Case, Experiments, Lab, Mode, Results, Specimen};
use crate::finding::Subject;
use crate::kernel::{Kernel, NoFrontier, Usage};
use crate::order::{Map, Set};
use crate::parallel::Workers;
use crate::report::group;
use crate::session::run::{Modules, Package};
use crate::sys::process::Cancel;
use crate::text::count;

/// Findings that other bounds could change.
const FLAGS: [&str; 5] =
    ["unlaunchable", "bounds-dropped", "residency-below-bounds", "residency-below-target", "spill"];

/// The figures of each kernel as each unit has it: unit, architecture, mangled name.
#[derive(Debug)]
pub(super) struct Origins(Map<(String, Arch, String), Usage>);

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
    mut input: Input,
    (origins, modules): (&Origins, &Modules),
    settings: &Settings,
    cancel: &Cancel,
    notes: &mut Vec<String>,
) -> Report {
    if package.experiments.mode == Mode::Off {
        return check::check(input);
    }
    let kernels = std::mem::take(&mut input.kernels);
    let again = input.clone();
    let report = check::check(Input { kernels, ..input });
    let (indices, results) = experiments(&report, (origins, modules), package, settings, cancel);
    notes.extend(results.problems);
    if results.left_out > 0 {
        let (kernels, needed) = (count(results.left_out, "more kernel"), results.needed);
        notes.push(format!(
            "{kernels} could be assembled again: `--max-experiments {needed}` has entries for all"
        ));
    }
    if results.frontiers.is_empty() {
        return report;
    }
    let mut kernels = report.kernels;
    for (index, frontier) in indices.into_iter().zip(results.frontiers) {
        match frontier {
            Ok(frontier) => kernels[index].kernel.frontier = Some(frontier),
            Err(why) => kernels[index].kernel.no_frontier = Some(why),
        }
    }
    check::check_again(kernels, again)
}

/// Experiments on the kernels of a report; each frontier with the index of its kernel.
fn experiments(
    report: &Report,
    (origins, modules): (&Origins, &Modules),
    package: &Package<'_>,
    settings: &Settings,
    cancel: &Cancel,
) -> (Vec<usize>, Results) {
    let asked = package.experiments;
    let flags: Map<&str, PtxasFlags> = package
        .units
        .iter()
        .map(|unit| (unit.name.as_str(), compile::ptxas_flags(unit.flags(settings))))
        .collect();
    let chosen = chosen(report, asked);
    let kernels = chosen.iter().map(|&index| &report.kernels[index].kernel);
    let (texts, problems) = texts(kernels, origins, modules, &settings.workers);
    let (mut kernels, mut specimens) = (Vec::new(), Vec::new());
    let (mut unfit, mut reasons) = (Vec::new(), Vec::new());
    for index in chosen {
        match specimen(&report.kernels[index], origins, &texts, &flags) {
            Some(Ok(specimen)) => {
                kernels.push(index);
                specimens.push(specimen);
            }
            Some(Err(why)) => {
                unfit.push(index);
                reasons.push(Err(why));
            }
            None => {}
        }
    }
    let mut results = match settings.toolkit.ptxas.as_deref() {
        _ if specimens.is_empty() => Results::default(),
        None => Results {
            problems: vec!["no experiments: the toolkit has no `ptxas` that can be run".to_owned()],
            frontiers: vec![Err(NoFrontier::Failed); specimens.len()],
            ..Results::default()
        },
        Some(ptxas) => experiment::run(
            &specimens,
            &Lab {
                ptxas,
                version: &settings.toolkit.version.to_string(),
                folder: &settings.work.join("experiments"),
                timeout: settings.timeout,
                workers: &settings.workers,
                most: asked.most,
                cancel,
            },
        ),
    };
    kernels.append(&mut unfit);
    results.problems.extend(problems);
    results.frontiers.append(&mut reasons);
    (kernels, results)
}

/// PTX by unit and architecture.
type Texts<'a> = Map<(&'a str, Arch), Cow<'a, str>>;

/// The PTX of these kernels' units, and which could not be read.
fn texts<'a>(
    kernels: impl Iterator<Item = &'a Kernel>,
    origins: &Origins,
    modules: &'a Modules,
    workers: &Workers,
) -> (Texts<'a>, Vec<String>) {
    let units: Set<_> = kernels.filter_map(|kernel| Some((origins.unit(kernel)?, kernel.arch?))).collect();
    let units: Vec<(&str, Arch)> = units.into_iter().collect();
    let read = workers.run(units.len(), |index| {
        let (unit, arch) = units[index];
        modules.get(&(unit.to_owned(), arch)).map(Text::read)
    });
    let (mut texts, mut problems) = (Texts::new(), Vec::new());
    for ((unit, arch), text) in units.into_iter().zip(read) {
        match text {
            Some(Ok(text)) => drop(texts.insert((unit, arch), text)),
            Some(Err(error)) => problems.push(format!("no experiments for `{unit}` on {arch}: {error}")),
            None => {}
        }
    }
    (texts, problems)
}

/// A kernel as a specimen, or why it can be none; `None` where it has no PTX of its own: binaries.
fn specimen<'a>(
    checked: &'a CheckedKernel,
    origins: &Origins,
    texts: &'a Texts<'_>,
    flags: &'a Map<&str, PtxasFlags>,
) -> Option<Result<Specimen<'a>, NoFrontier>> {
    let kernel = &checked.kernel;
    let flags_of = |unit: &str| flags.get(unit);
    if kernel.units.iter().filter_map(|unit| flags_of(unit)).any(|flags| flags.unfit) {
        return Some(Err(NoFrontier::LinkTime));
    }
    if !is_settled(kernel) {
        return Some(Err(NoFrontier::Linked));
    }
    let (unit, arch) = (origins.unit(kernel)?, kernel.arch?);
    let flags = flags_of(unit)?;
    let mut case = Case::new(checked, flags.cap)?;
    let ptx = texts.get(&(unit, arch))?;
    let shared_spills =
        experiment::asks_for_shared_spills(ptx) || case.built.shared_spills.is_some_and(|count| count > 0);
    if !shared_spills {
        case.built.shared_spills = Some(0);
    }
    Some(Ok(Specimen {
        case,
        shared_spills,
        calls: !kernel.functions.is_empty(),
        entry: &kernel.name.mangled,
        ptx,
        flags,
        unit,
        arch,
    }))
}

/// Whether the compiler's own figures are the kernel's: what a device link changed, ptxas alone cannot show.
fn is_settled(kernel: &Kernel) -> bool {
    kernel.link.compiled_registers().is_none_or(|compiled| Some(compiled) == kernel.usage.registers)
}

/// The kernels to experiment on, in order of precedence: the worst of each group of findings, then the second, and so on;
/// then those without findings, if they are meant.
fn chosen(report: &Report, asked: Experiments) -> Vec<usize> {
    let mut by_key: Map<(&str, Option<Arch>), usize> = Map::new();
    for (index, checked) in report.kernels.iter().enumerate() {
        let foreign = checked.is_foreign();
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
    let others: Set<usize> = by_key.values().copied().collect();
    let others = others.into_iter().filter(|_| asked.mode == Mode::All);
    let mut seen = Set::new();
    flagged.chain(others).filter(|&index| seen.insert(index)).collect()
}
