//! The run: its packages one after the other.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use occlint::baseline::Baseline;
use occlint::check::Report;
use occlint::compile::Cache;
use occlint::expect::Config;
use occlint::report::HumanStyle;
use occlint::report::Part;
use occlint::session::{self, Outcome};
use occlint::sys::env::Env;
use occlint::sys::files::{self, FolderLock, SourceMap};
use occlint::sys::process::Cancel;
use occlint::text::count;

use super::config::{config, config_of_dependency};
use super::package::Chosen;
use crate::ahead;
use crate::captured::Dependency;
use crate::cli::CheckArgs;
use crate::commands::verdict;
use crate::error::RunError;
use crate::gate::Gate;
use crate::partition::{self, Digest};
use crate::plan;
use crate::render_error;
use crate::terminal::Terminal;
use crate::workspace::{Member, Workspace};

/// What every package's check needs.
pub(super) struct Run<'a> {
    pub(super) args: &'a CheckArgs,
    pub(super) env: &'a Env,
    pub(super) terminal: &'a Terminal,
    pub(super) cancel: &'a Cancel,
    pub(super) workspace: Workspace,
    pub(super) sources: SourceMap,
    /// Compilations of earlier runs.
    pub(super) cache: Option<Cache>,
    /// What could not be checked of whole packages, a line each.
    pub(super) unchecked: RefCell<Vec<String>>,
    /// What all parts of this run have in common.
    pub(super) digest: RefCell<Digest>,
}

/// Checks the selected packages.
pub(crate) fn run(args: &CheckArgs, env: &Env, terminal: &Terminal, cancel: &Cancel) -> Result<u8, RunError> {
    verdict::clear(&args.output)?;
    let mut run = Run::new(args, env, terminal, cancel)?;
    let _lock = run.lock()?;
    let packages = run.workspace.selected.len();
    let mut configs = run.configs()?;
    plan::environment_flags(&mut configs, env, terminal)?;
    let gate = Gate::load(&args.baseline, &run.workspace.selected, &mut configs)?;
    let (outcomes, broken) = run.outcomes(&configs, packages)?;
    run.conclude(outcomes, broken, &gate)
}

/// What a report is compared with.
pub(crate) struct Known {
    pub(crate) baseline: Arc<Baseline>,
    /// Kernels that were compiled with other settings are compared as well.
    pub(crate) other_settings: bool,
}

/// The report of the selected packages as a value, compared with `known`; nothing of it is printed. What a `diff` and an `upgrade`
/// are made of.
///
/// # Errors
/// Something could not be checked, which was said, or there is nothing to check.
pub(crate) fn report(
    args: &CheckArgs,
    env: &Env,
    (terminal, cancel): (&Terminal, &Cancel),
    known: Option<&Known>,
) -> Result<Report, RunError> {
    let mut run = Run::new(args, env, terminal, cancel)?;
    let _lock = run.lock()?;
    let packages = run.workspace.selected.len();
    let mut configs = run.configs()?;
    plan::environment_flags(&mut configs, env, terminal)?;
    for config in &mut configs {
        config.known = known.map(|known| Arc::clone(&known.baseline));
        config.compare.other_settings |= known.is_some_and(|known| known.other_settings);
    }
    let (outcomes, broken) = run.outcomes(&configs, packages)?;
    run.whole(outcomes, broken)
}

/// What came out of a package.
pub(super) struct Checked {
    pub(super) package: String,
    pub(super) outcome: Outcome,
    /// What `merge` needs of it, where this is a part of a run.
    pub(super) part: Option<Part>,
}

pub(super) type Outcomes = Vec<Checked>;

impl<'a> Run<'a> {
    fn new(
        args: &'a CheckArgs,
        env: &'a Env,
        terminal: &'a Terminal,
        cancel: &'a Cancel,
    ) -> Result<Self, RunError> {
        let (workspace, cache) = ahead::workspace(args, env, cancel)?;
        let digest = RefCell::new(partition::of_arguments(args));
        let unchecked = RefCell::default();
        Ok(Self {
            unchecked,
            args,
            env,
            terminal,
            cancel,
            workspace,
            sources: cache.as_ref().map(Cache::take_sources).unwrap_or_default(),
            cache,
            digest,
        })
    }

    /// Checks all packages that have a configuration; whether some of all could not be checked, which was said.
    fn outcomes(&self, configs: &[Config], packages: usize) -> Result<(Outcomes, bool), RunError> {
        let mut outcomes = Vec::new();
        let mut seen = BTreeSet::new();
        let mut broken = configs.len() < packages;
        for (member, config) in self.workspace.selected.iter().zip(configs) {
            match self.member(member, config, (&mut seen, &mut outcomes)) {
                // What the other packages have is still worth knowing.
                Err(error) if packages > 1 && self.goes_on_after(&error) => {
                    self.tell(&error);
                    broken = true;
                }
                ended => ended?,
            }
        }
        if let Some(cache) = &self.cache {
            cache.close();
            let (reused, all) = cache.counts();
            if reused > 0 {
                self.terminal
                    .status("Reused", &format!("{reused} of {}, unchanged", count(all, "compilation")));
            }
        }
        if broken && outcomes.is_empty() { Err(RunError::Reported) } else { Ok((outcomes, broken)) }
    }

    /// A member without kernels whose baseline has some: what is gone is said.
    fn gone(&self, member: &Member, config: &Config) -> Option<Checked> {
        let complete =
            self.args.compile.arch.is_empty() && self.args.partition.is_none() && config.only.is_none();
        let has = |known: &Arc<Baseline>| known.has_package(&member.name);
        if !complete || !config.known.as_ref().is_some_and(has) {
            return None;
        }
        let report = session::check_nothing(&member.name, config);
        let outcome = Outcome { report, ..Outcome::default() };
        Some(Checked { package: member.name.clone(), outcome, part: None })
    }

    /// Forgets what was read of files: others may have written them since.
    pub(super) fn look_again(&self) {
        self.cache.iter().for_each(Cache::look_again);
        self.sources.forget();
    }

    /// Two runs on one target folder would take each other's intermediates.
    fn lock(&self) -> Result<FolderLock, RunError> {
        let folder = self.workspace.target.join("occlint");
        let mut waited = false;
        let waiting = || {
            waited = true;
            self.terminal.status("Blocking", "waiting for another occlint on this target folder");
        };
        let lock = FolderLock::take(&folder, waiting).map_err(RunError::File)?;
        if waited {
            // Files may have changed since they were read ahead.
            self.look_again();
        }
        Ok(lock)
    }

    /// All packages' configurations; the mistakes of all of them at once. With `--no-fail-fast` the packages that have some are
    /// left out.
    fn configs(&mut self) -> Result<Vec<Config>, RunError> {
        let (mut configs, mut mistakes, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for member in &self.workspace.selected {
            match config(member, &self.workspace, (self.args, self.env)) {
                Ok(config) => {
                    configs.push(config);
                    whole.push(member.clone());
                }
                Err(RunError::Config(more)) => mistakes.extend(more),
                Err(other) => return Err(other),
            }
        }
        let mut seen = Vec::new();
        mistakes.retain(|mistake| {
            let new = !seen.contains(mistake);
            seen.push(mistake.clone());
            new
        });
        if mistakes.is_empty() {
            return Ok(configs);
        }
        if !self.args.compile.no_fail_fast || configs.is_empty() {
            return Err(RunError::Config(mistakes));
        }
        self.tell(&RunError::Config(mistakes));
        self.workspace.selected = whole;
        Ok(configs)
    }

    /// Whether other packages are checked after this error about one.
    fn goes_on_after(&self, error: &RunError) -> bool {
        let ends = matches!(error, RunError::Interrupted | RunError::Output(_) | RunError::Usage { .. });
        matches!(error, RunError::Build { .. }) || (self.args.compile.no_fail_fast && !ends)
    }

    /// Prints an error after which the run goes on.
    fn tell(&self, error: &RunError) {
        self.terminal.clear_progress();
        self.terminal.err(&render_error::render(error, self.terminal.error_style()));
        let plain = HumanStyle { width: 200, color: false, unicode: true, verbose: false, foreign: false };
        let text = render_error::render(error, plain);
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("a package cannot be checked");
        self.unchecked.borrow_mut().push(line.trim().trim_start_matches("error: ").to_owned());
    }

    /// Checks one member, and what its dependencies compile.
    fn member(
        &self,
        member: &Member,
        config: &Config,
        (seen, outcomes): (&mut BTreeSet<String>, &mut Outcomes),
    ) -> Result<(), RunError> {
        let roots = self.workspace.roots(&member.folder);
        let work = self.workspace.target.join("occlint").join(&member.name);
        let (chosen, dependencies) = self.choose(member, config, &roots, &work)?;
        match chosen {
            Some(chosen) => {
                outcomes.push(self.package((member, config), chosen, roots, work)?);
            }
            None if dependencies.is_empty() => {
                self.nothing(member)?;
                outcomes.extend(self.gone(member, config));
            }
            None => {}
        }
        for Dependency { member, toolkit, roots, units, archs } in dependencies {
            if seen.insert(member.id.clone()) {
                let config = config_of_dependency(&member, &self.workspace, (self.args, self.env))?;
                let folder = member.folder.file_name().unwrap_or_default();
                let work = self.workspace.target.join("occlint/dependencies").join(folder);
                files::create_folder(&work)?;
                let chosen = Chosen { units, archs, toolkit, asked: false };
                outcomes.push(self.package((&member, &config), chosen, roots, work)?);
            }
        }
        Ok(())
    }
}
