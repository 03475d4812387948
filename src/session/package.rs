//! What the subcommand checks: packages whose units are compiled and linked here, binaries, build logs.

use crate::check::{self, Input, Report};
use crate::compile::{self, Binaries, Compilations, Compiled, Progress, Settings};
use crate::evidence;
use crate::expect::{Config, Rules};
use crate::session::early::Early;
use crate::session::link::{Failures, Links};
use crate::session::run::judge_all;
use crate::session::{Failure, Outcome, Package};
use crate::sys::files::SourceMap;
use crate::sys::process::Cancel;
use crate::text;

/// Compiles and checks a package.
pub fn check_package(
    package: &Package<'_>,
    settings: &Settings,
    sources: &SourceMap,
    cancel: &Cancel,
    progress: Progress<'_>,
) -> Outcome {
    let early = Early::default();
    // Read while others are compiled: else no compiler runs meanwhile.
    let made = |one: &Compiled| early.read((package, sources), one);
    let Compilations { all: mut compiled, waited } =
        compile::compile(package.units, package.archs, settings, cancel, (progress, &made));
    let interrupted = || Outcome { interrupted: true, ..Outcome::default() };
    if compiled.iter().any(Compiled::interrupted) {
        return interrupted();
    }
    let binaries = read_binaries(package, settings, cancel);
    if cancel.is_cancelled() {
        return interrupted();
    }
    let Binaries { compiled: cubins, failed, mut notes } = binaries;
    if waited > 0 {
        let waited = text::count(waited, "compilation");
        notes.push(format!(
            "{waited} waited until there was memory: fewer ran at a time than `--jobs` allows"
        ));
    }
    compiled.extend(cubins);
    let links = Links::run(package, &mut compiled, settings, cancel);
    if links.interrupted() {
        return interrupted();
    }
    let mut failures = Failures::default();
    failures.plain.extend(failed.into_iter().map(|(unit, error)| Failure {
        unit: package.units[unit].name.clone(),
        arch: None,
        error,
    }));
    let mut outcome = judge_all(package, (compiled, &early), &links, failures, (settings, sources, cancel));
    notes.append(&mut outcome.notes);
    Outcome { notes, ..outcome }
}

/// The cubins of a package's binaries: for the architectures that were asked for, else all of them.
fn read_binaries(package: &Package<'_>, settings: &Settings, cancel: &Cancel) -> Binaries {
    let asked = (!package.default_archs).then_some(package.archs);
    compile::read_binaries(package.units, (asked, package.complete), settings, cancel)
}

/// Checks a package that has no kernels: what its baseline has is gone.
pub fn check_nothing(package: &str, config: &Config) -> Report {
    check::check(Input {
        levels: config.levels.clone(),
        complete: true,
        baseline: config.known.clone(),
        package: package.to_owned(),
        ..Input::default()
    })
}

/// Checks a build log. Kernels have no bounds and places there: targets of the configuration still apply by name.
pub fn check_log(name: &str, text: &str, config: &Config) -> Report {
    let evidence = evidence::from_log(name, text);
    check::check(Input {
        kernels: evidence::combine(evidence.kernels),
        units: evidence.units,
        rules: Rules::new(config.rules.clone()),
        levels: config.levels.clone(),
        complete: false,
        default_archs: false,
        baseline: config.known.clone(),
        compare: config.compare,
        package: String::new(),
        all_units: false,
        today: config.today,
    })
}
