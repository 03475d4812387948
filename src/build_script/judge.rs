//! From what was made to what is reported.

use crate::arch::Arch;
use crate::build_script::BuildError;
use crate::build_script::build::Build;
use crate::build_script::scene::Scene;
use crate::check::Report;
use crate::compile::{Compiled, Program, Settings, Unit};
use crate::expect::{Config, LevelOrigin, lint_name};
#[cfg(feature = "experiment")]
use crate::experiment::Experiments;
use crate::finding::Level;
use crate::order;
use crate::report::{Units, group, group_line, is_foreign, summary};
use crate::session::{self, Outcome, Package, Roots};
use crate::sys::process::Cancel;

/// The configuration with what the build script asks for.
///
/// # Errors
/// A lint that is none, a value out of range.
pub(super) fn config(build: &Build, scene: &Scene) -> Result<Config, BuildError> {
    let mut config = scene.config.clone();
    for (lint, level) in &build.levels {
        if lint == "warnings" && *level == Level::Deny {
            config.levels.deny_warnings();
            continue;
        }
        let name = lint_name(lint).map_err(|error| BuildError::usage(error.message, error.help))?;
        config.levels.set(name, *level, LevelOrigin::CommandLine);
    }
    let folders = (scene.roots.workspace.as_path(), scene.roots.package.as_path());
    for asked in &build.asked {
        let rule = asked.rule(folders, &scene.sources);
        config.rules.push(rule.map_err(|(message, help)| BuildError::usage(message, help))?);
    }
    Ok(config)
}

/// What is checked.
pub(super) struct Case<'a> {
    pub(super) scene: &'a Scene,
    pub(super) config: &'a Config,
    pub(super) units: &'a [Unit],
    pub(super) roots: &'a Roots,
    pub(super) settings: &'a Settings,
    pub(super) complete: bool,
}

impl Case<'_> {
    /// Checks what was compiled and linked.
    ///
    /// # Errors
    /// Units that cannot be read, comments that cannot be used.
    pub(super) fn check(
        &self,
        compiled: Vec<Compiled>,
        programs: Vec<Program>,
    ) -> Result<Report, BuildError> {
        let mut archs: Vec<Arch> = compiled.iter().map(|one| one.arch).collect();
        order::sort(&mut archs);
        archs.dedup();
        let package = Package {
            name: &self.scene.package,
            roots: self.roots,
            config: self.config,
            units: self.units,
            archs: &archs,
            default_archs: false,
            complete: self.complete,
            all_units: self.complete,
            build: "",
            #[cfg(feature = "experiment")]
            experiments: Experiments::OFF,
        };
        let cancel = Cancel::in_shared_group();
        let built = (compiled, programs);
        let outcome = session::check_built(&package, built, self.settings, &self.scene.sources, &cancel);
        let Outcome { mut report, failures, comment_errors, .. } = outcome;
        if !comment_errors.is_empty() {
            return Err(BuildError::Comments(comment_errors));
        }
        if !failures.is_empty() {
            return Err(BuildError::Failed(failures));
        }
        for finding in &mut report.findings {
            finding.level = self.scene.softened(finding.level);
        }
        Ok(report)
    }
}

/// The warnings of a report, a line each.
pub(super) fn warnings(report: &Report) -> Vec<String> {
    lines(report, Level::Warn)
}

/// What a report denies, a line each.
pub(super) fn denied(report: &Report) -> Vec<String> {
    lines(report, Level::Deny)
}

/// Each group of a level in a line.
fn lines(report: &Report, level: Level) -> Vec<String> {
    let (groups, units) = (group(&report.findings), Units::of(report));
    let own = groups.iter().filter(|group| group.worst.level == level && !is_foreign(group.worst));
    own.map(|group| group_line(group, &units)).collect()
}

/// Whether something is denied; what libraries bring fails no build.
pub(super) fn is_denied(report: &Report) -> bool {
    summary(report).denied > 0
}
