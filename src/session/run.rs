//! The run itself.

use std::sync::Arc;

use crate::arch::Arch;
use crate::check::{Input, Report, UnitFacts};
#[cfg(feature = "build-script")]
use crate::compile::Program;
use crate::compile::{Artefact, CompileError, Compiled, Settings, Text, Unit};
use crate::evidence::{self, Evidence};
use crate::expect::{CommentError, Config, Rules};
#[cfg(feature = "experiment")]
use crate::experiment::Experiments;
use crate::order::{self, Map};
use crate::parallel::Workers;
use crate::session::early::Early;
#[cfg(feature = "experiment")]
use crate::session::experiments::{Origins, judge};
use crate::session::link::{Failures, Links, Read, caps_are_denied};
use crate::session::paths::Roots;
use crate::session::{binaries, flags, gather};
use crate::sys::files::SourceMap;
use crate::sys::process::Cancel;

/// The PTX of units, by unit and architecture.
pub(super) type Modules = Map<(String, Arch), Text>;

/// A package to check.
#[derive(Debug)]
pub struct Package<'a> {
    /// Its name: the first part of its kernels' keys.
    pub name: &'a str,
    /// Its folders.
    pub roots: &'a Roots,
    /// Its configuration, the command line's levels included.
    pub config: &'a Config,
    /// Its units, sorted.
    pub units: &'a [Unit],
    /// The architectures to compile for, ascending.
    pub archs: &'a [Arch],
    /// The architectures are occlint's own default.
    pub default_archs: bool,
    /// These are all units and architectures that are configured.
    pub complete: bool,
    /// These are all units, of these architectures.
    pub all_units: bool,
    /// What the caller chose of cargo's build, where that decides the units: profile and features, in words; else empty.
    pub build: &'a str,
    /// Which kernels are assembled again with other bounds.
    #[cfg(feature = "experiment")]
    pub experiments: Experiments,
}

/// A unit that could not be compiled for an architecture.
#[derive(Debug)]
pub struct Failure {
    /// The unit's name.
    pub unit: String,
    /// The architecture; `None` for a binary that cannot be read for any.
    pub arch: Option<Arch>,
    /// Why.
    pub error: CompileError,
}

/// What came of a package.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What the check found in what could be compiled.
    pub report: Report,
    /// What could not be compiled.
    pub failures: Vec<Failure>,
    /// Comments that cannot be used.
    pub comment_errors: Vec<CommentError>,
    /// Architectures for which no unit has a kernel (only where nothing failed).
    pub empty_archs: Vec<Arch>,
    /// What is to be known about experiments that were not made, or failed, and about what binaries do not tell: a line
    /// each.
    pub notes: Vec<String>,
    /// The user interrupted the run.
    pub interrupted: bool,
}

/// Checks what the package's own build compiled and linked; nothing is compiled here.
#[cfg(feature = "build-script")]
pub(crate) fn check_built(
    package: &Package<'_>,
    (compiled, programs): (Vec<Compiled>, Vec<Program>),
    settings: &Settings,
    sources: &SourceMap,
    cancel: &Cancel,
) -> Outcome {
    let links = Links::made(package, programs);
    judge_all(
        package,
        (compiled, &Early::default()),
        &links,
        Failures::default(),
        (settings, sources, cancel),
    )
}

/// From what was compiled and linked to the report.
pub(super) fn judge_all(
    package: &Package<'_>,
    (compiled, early): (Vec<Compiled>, &Early),
    links: &Links,
    mut failures: Failures,
    (settings, sources, cancel): (&Settings, &SourceMap, &Cancel),
) -> Outcome {
    let (rules, comment_errors) =
        gather::comment_rules(package.units, &compiled, (package.roots, sources), &settings.workers);
    let mut read = read((package, &settings.workers), (&compiled, early), links, sources, &mut failures);
    links.merge((package, sources), &compiled, &mut read, &mut failures);
    binaries::prefer_linked(package, &mut read);
    #[cfg_attr(not(feature = "experiment"), expect(unused_mut, reason = "experiments add theirs"))]
    let mut notes = binaries::unknown_spills(package, &read);
    let modules = taken_apart(package, compiled, &read, &mut failures);
    let compiler = (!settings.toolkit.is_none()).then(|| settings.toolkit.version.to_string().into());
    let evidence = together(package, read, compiler);
    let Failures { plain: mut failures, caps } = failures;
    let whole = failures.is_empty() && caps.is_empty();
    let empty_archs =
        if whole && !own_archs(package) { empty_archs(package.archs, &evidence) } else { Vec::new() };
    let complete = package.complete && whole;
    let mut all_rules = package.config.rules.clone();
    all_rules.extend(rules);
    #[cfg(feature = "experiment")]
    let origins = Origins::of(&evidence.kernels);
    let input = input(package, evidence, Rules::new(all_rules), complete);
    #[cfg(feature = "experiment")]
    let report = judge(package, input, (&origins, &modules), settings, cancel, &mut notes);
    #[cfg(not(feature = "experiment"))]
    let (report, _) = (crate::check::check(input), (modules, settings));
    failures.extend(
        caps.into_iter().filter(|failure| !failure.arch.is_some_and(|arch| caps_are_denied(&report, arch))),
    );
    order::sort_by(&mut failures, |a, b| (&a.unit, a.arch).cmp(&(&b.unit, b.arch)));
    let interrupted = cancel.is_cancelled();
    Outcome { report, failures, comment_errors, empty_archs, notes, interrupted }
}

/// The evidence of each compilation, and of those that ptxas refused for a register cap alone.
fn read(
    (package, workers): (&Package<'_>, &Workers),
    (compiled, early): (&[Compiled], &Early),
    links: &Links,
    sources: &SourceMap,
    failures: &mut Failures,
) -> Vec<Read> {
    let of_one = |one: &Compiled| {
        let unit = &package.units[one.unit];
        let debug = flags::debug(&flags::of(package.config, unit)).is_some();
        let whose = (package.roots, sources);
        let evidence = match &one.result {
            Ok(artefact) if unit.kind.is_binary() => gather::evidence_of_cubin(unit, one, artefact, whose),
            Ok(artefact) => early.take(one).unwrap_or_else(|| {
                let link_time = links.link_time(package, one.unit);
                gather::evidence_of(unit, one, artefact, (debug, link_time), whose)
            }),
            Err(_) => Ok(gather::refused_for_caps(unit, one, debug, whose)?),
        };
        Some(evidence.map_err(|error| Failure { unit: unit.name.clone(), arch: Some(one.arch), error }))
    };
    let is_read = |one: &Compiled| early.has(one) || one.result.as_ref().is_ok_and(Artefact::is_read);
    let workers = if compiled.iter().all(is_read) { &workers.few(compiled.len()) } else { workers };
    let evidence = workers.run(compiled.len(), |index| of_one(&compiled[index]));
    let mut read = Vec::new();
    for (one, evidence) in compiled.iter().zip(evidence) {
        match evidence {
            Some(Ok(evidence)) => read.push(Read { unit: one.unit, arch: one.arch, evidence }),
            Some(Err(failure)) => failures.plain.push(failure),
            None => {}
        }
    }
    read
}

/// The PTX of what was compiled; and what the compiler refused: for a register cap where evidence could be read all the
/// same.
fn taken_apart(
    package: &Package<'_>,
    compiled: Vec<Compiled>,
    read: &[Read],
    failures: &mut Failures,
) -> Modules {
    let mut modules = Modules::new();
    for Compiled { unit: index, arch, result } in compiled {
        let unit = package.units[index].name.clone();
        let was_read = || read.iter().any(|one| one.unit == index && one.arch == arch);
        match result {
            Ok(_) if package.units[index].kind.is_binary() => {}
            Ok(artefact) => drop(modules.insert((unit, arch), artefact.ptx)),
            Err(error) if was_read() => failures.caps.push(Failure { unit, arch: Some(arch), error }),
            Err(error) => failures.plain.push(Failure { unit, arch: Some(arch), error }),
        }
    }
    modules
}

/// All evidence as one, with what the flags say about each unit.
fn together(package: &Package<'_>, read: Vec<Read>, compiler: Option<Arc<str>>) -> Evidence {
    let mut all = Evidence::default();
    let mut settings: Vec<Option<Arc<str>>> = vec![None; package.units.len()];
    for Read { unit, evidence: Evidence { mut kernels, mut units, .. }, .. } in read {
        if !package.units[unit].kind.is_binary() {
            let said = || flags::settings(package, &package.units[unit]).into();
            let of_unit = settings[unit].get_or_insert_with(said);
            for kernel in &mut kernels {
                kernel.settings = Some(Arc::clone(of_unit));
                kernel.compiler = compiler.clone();
            }
        }
        all.kernels.append(&mut kernels);
        if package.units[unit].kind.is_binary() {
            // The configuration's flags are not those that it was compiled with.
            all.units.append(&mut units);
        }
        let own = flags::of(package.config, &package.units[unit]);
        let (debug, maxrregcount) = (flags::debug(&own), flags::maxrregcount(&own));
        all.units.extend(units.into_iter().map(|facts| UnitFacts {
            debug: debug.clone(),
            maxrregcount: maxrregcount.clone(),
            ..facts
        }));
    }
    all
}

/// The architectures are the binaries' own: neither asked for nor occlint's default.
fn own_archs(package: &Package<'_>) -> bool {
    package.default_archs && package.units.iter().all(|unit| unit.kind.is_binary())
}

fn empty_archs(archs: &[Arch], evidence: &Evidence) -> Vec<Arch> {
    let has_kernel = |arch: &&Arch| evidence.kernels.iter().any(|kernel| kernel.arch == Some(**arch));
    archs.iter().filter(|arch| !has_kernel(arch)).copied().collect()
}

fn input(package: &Package<'_>, mut evidence: Evidence, rules: Rules, complete: bool) -> Input {
    if let Some(only) = &package.config.only {
        evidence.kernels.retain(|kernel| only.matches(&kernel.name.qualified));
    }
    for kernel in &mut evidence.kernels {
        kernel.name.key = format!("{}/{}", package.name, kernel.name.key);
    }
    Input {
        kernels: evidence::combine(evidence.kernels),
        units: evidence.units,
        rules,
        levels: package.config.levels.clone(),
        complete,
        default_archs: package.default_archs && !own_archs(package),
        baseline: package.config.known.clone(),
        compare: package.config.compare,
        package: package.name.to_owned(),
        all_units: package.all_units,
        today: package.config.today,
    }
}
