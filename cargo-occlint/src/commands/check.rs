//! `cargo occlint`: the check of a workspace's packages.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use occlint::arch::Arch;
use occlint::baseline::Baseline;
use occlint::check::Report;
use occlint::compile::{Settings, SourceKind, Unit};
use occlint::expect::{self, CommentError, Config, Date, NameGlob};
use occlint::experiment::{Experiments, Mode};
use occlint::report::{self, Part, Summary};
use occlint::session::{self, Outcome, Package, Roots};
use occlint::source::SourceText;
use occlint::sys::clock;
use occlint::sys::env::Env;
use occlint::sys::files::{self, FolderLock, SourceMap};
use occlint::sys::process::Cancel;
use occlint::text::count;
use occlint::toolkit::{self, HostSearch, Toolkit};

use crate::captured::{self, Build, Dependency};
use crate::cli::{CheckArgs, ExperimentsChoice};
use crate::commands::verdict::{self, Verdict};
use crate::error::{CLEAN, RunError};
use crate::gate::Gate;
use crate::partition::{self, Digest};
use crate::plan::{self, Archs};
use crate::terminal::Terminal;
use crate::workspace::{self, Member, Workspace};
use crate::{discover, failures, levels, render_error};

/// What every package's check needs.
struct Run<'a> {
    args: &'a CheckArgs,
    env: &'a Env,
    terminal: &'a Terminal,
    cancel: &'a Cancel,
    workspace: Workspace,
    sources: SourceMap,
    /// What all parts of this run have in common.
    digest: RefCell<Digest>,
}

/// Checks the selected packages.
pub(crate) fn run(args: &CheckArgs, env: &Env, terminal: &Terminal, cancel: &Cancel) -> Result<u8, RunError> {
    verdict::clear(&args.output)?;
    let workspace = workspace::load(&args.selection, env, cancel)?;
    let digest = RefCell::new(partition::of_arguments(args));
    let mut run = Run { args, env, terminal, cancel, workspace, sources: SourceMap::default(), digest };
    let _lock = run.lock()?;
    let packages = run.workspace.selected.len();
    let mut configs = run.configs()?;
    plan::environment_flags(&mut configs, env, terminal)?;
    let gate = Gate::load(&args.baseline, &run.workspace.selected, &mut configs)?;
    let (outcomes, broken) = run.outcomes(&configs, packages)?;
    run.conclude(outcomes, broken, &gate)
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
    known: Option<&Arc<Baseline>>,
) -> Result<Report, RunError> {
    let workspace = workspace::load(&args.selection, env, cancel)?;
    let digest = RefCell::new(partition::of_arguments(args));
    let mut run = Run { args, env, terminal, cancel, workspace, sources: SourceMap::default(), digest };
    let _lock = run.lock()?;
    let packages = run.workspace.selected.len();
    let mut configs = run.configs()?;
    plan::environment_flags(&mut configs, env, terminal)?;
    configs.iter_mut().for_each(|config| config.known = known.cloned());
    let (outcomes, broken) = run.outcomes(&configs, packages)?;
    run.whole(outcomes, broken)
}

/// The configuration of one package with the command line's levels on top.
pub(crate) fn config(
    member: &Member,
    workspace: &Workspace,
    (args, env): (&CheckArgs, &Env),
) -> Result<Config, RunError> {
    let text = |path: PathBuf| -> Result<Arc<SourceText>, RunError> {
        let name = path.strip_prefix(&workspace.root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        Ok(SourceText::new(name, files::read_text(&path).map_err(RunError::File)?))
    };
    let root = text(workspace.root.join("Cargo.toml"))?;
    let own =
        if member.folder == workspace.root { Arc::clone(&root) } else { text(member.manifest.clone())? };
    parsed(&root, &own, (args, env))
}

fn parsed(
    root: &Arc<SourceText>,
    own: &Arc<SourceText>,
    (args, env): (&CheckArgs, &Env),
) -> Result<Config, RunError> {
    let mut config = expect::parse(root, own).map_err(RunError::Config)?;
    asked(&mut config, args, env)?;
    Ok(config)
}

/// Puts what the command line says, and the day, into a configuration.
pub(crate) fn asked(config: &mut Config, args: &CheckArgs, env: &Env) -> Result<(), RunError> {
    config.today = clock::unix_seconds(env).and_then(Date::of_unix_seconds);
    config.only = args.compile.kernel.as_ref().map(NameGlob::new);
    config.compare.same_compiler = args.baseline.same_compiler;
    levels::apply(&args.levels, &mut config.levels)
}

/// A dependency's own configuration: its levels, targets and waivers. What compiles it is the build's.
fn config_of_dependency(
    member: &Member,
    workspace: &Workspace,
    (args, env): (&CheckArgs, &Env),
) -> Result<Config, RunError> {
    if workspace.members.contains(&member.folder) {
        return config(member, workspace, (args, env));
    }
    let text = files::read_text(&member.manifest).map_err(RunError::File)?;
    let own = SourceText::new(member.manifest.to_string_lossy(), text);
    parsed(&own, &own, (args, env))
}

/// What is checked of a package.
struct Chosen {
    units: Vec<Unit>,
    archs: Archs,
    toolkit: Toolkit,
    /// It was asked for these architectures, so that each must have a kernel.
    asked: bool,
}

/// What came out of a package.
struct Checked {
    package: String,
    outcome: Outcome,
    /// What `merge` needs of it, where this is a part of a run.
    part: Option<Part>,
}

type Outcomes = Vec<Checked>;

impl Run<'_> {
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
        if broken && outcomes.is_empty() { Err(RunError::Reported) } else { Ok((outcomes, broken)) }
    }

    /// All packages' reports as one, if everything could be checked.
    fn whole(&self, outcomes: Outcomes, broken: bool) -> Result<Report, RunError> {
        let (mut report, mut failed, mut comments) = (Report::default(), Vec::new(), Vec::new());
        for Checked { outcome, .. } in outcomes {
            report.append(outcome.report);
            failed.extend(outcome.failures);
            comments.extend(outcome.comment_errors);
        }
        failures::print(&failed, &report, self.terminal);
        if !comments.is_empty() {
            return Err(RunError::Comments(comments));
        }
        if broken || !failed.is_empty() {
            return Err(RunError::Reported);
        }
        let summary = report::summary(&report);
        if !self.args.compile.allow_empty {
            self.is_something(&summary, summary.kernels == 0, &[])?;
        }
        Ok(report)
    }

    /// Two runs on one target folder would take each other's intermediates.
    fn lock(&self) -> Result<FolderLock, RunError> {
        let folder = self.workspace.target.join("occlint");
        let waiting =
            || self.terminal.status("Blocking", "waiting for another occlint on this target folder");
        FolderLock::take(&folder, waiting).map_err(RunError::File)
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
            None if dependencies.is_empty() => self.nothing(member)?,
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

    /// Compiles and checks one package.
    fn package(
        &self,
        (member, config): (&Member, &Config),
        Chosen { units, archs, toolkit, asked }: Chosen,
        mut roots: Roots,
        work: PathBuf,
    ) -> Result<Checked, RunError> {
        roots.named = units.iter().map(|unit| roots.absolute(&unit.source.to_string_lossy())).collect();
        let (units, part) = self.part_of((member, config), units, &archs, &toolkit, asked)?;
        roots.foreign.extend(Some(toolkit.root.clone()).filter(|_| !toolkit.is_none()));
        let includes = discover::includes(member, &self.workspace, config)?;
        let mut settings = self.settings(member, config, (includes, toolkit, work));
        let compiles = units.iter().any(|unit| !unit.kind.is_binary());
        if compiles {
            settings.flags.extend(self.ccbin(&settings)?);
        }
        let build = self.args.build.in_words();
        let package = Package {
            name: &member.name,
            roots: &roots,
            config,
            units: &units,
            archs: &archs.list,
            default_archs: archs.default,
            complete: archs.complete && config.only.is_none() && self.args.partition.is_none(),
            all_units: config.only.is_none() && self.args.partition.is_none(),
            build: if units.iter().any(|unit| unit.call.is_some()) { &build } else { "" },
            experiments: self.experiments(),
        };
        let mut outcome = self.terminal.progressing(|progress| {
            session::check_package(&package, &settings, &self.sources, self.cancel, progress)
        });
        if compiles && !outcome.failures.is_empty() {
            self.blame_host(&settings);
        }
        for note in &outcome.notes {
            self.terminal.status("Note", note);
        }
        if !asked || self.args.partition.is_some() {
            outcome.empty_archs.clear();
        }
        if outcome.interrupted {
            return Err(RunError::Interrupted);
        }
        let part = part.map(|part| Part {
            kernels: outcome.report.kernels.len(),
            findings: outcome.report.findings.len(),
            baseline: config.known.is_some(),
            open: (archs.complete && outcome.failures.is_empty()).then(|| outcome.report.open.clone()),
            ..part
        });
        Ok(Checked { package: member.name.clone(), outcome, part })
    }

    /// The units of this part of the run, and what the part says of them; all units are in the digest.
    fn part_of(
        &self,
        (member, config): (&Member, &Config),
        units: Vec<Unit>,
        archs: &Archs,
        toolkit: &Toolkit,
        asked: bool,
    ) -> Result<(Vec<Unit>, Option<Part>), RunError> {
        let Some(partition) = self.args.partition else { return Ok((units, None)) };
        let list: Vec<String> = archs.list.iter().map(ToString::to_string).collect();
        let files = discover::texts(member, &self.workspace)?;
        let package = partition::Package {
            name: &member.name,
            root: &self.workspace.root,
            config,
            units: &units,
            archs: &list,
            toolkit,
            files: &files,
        };
        package.add_to(&mut self.digest.borrow_mut())?;
        let all = units.len();
        let units = partition.own(&member.name, config, units);
        let text = format!("{}: part {partition} has {} of {all}", member.name, count(units.len(), "unit"));
        self.terminal.status("Taking", &text);
        let archs = if asked && !self.args.compile.allow_empty { list } else { Vec::new() };
        let part = Part { package: member.name.clone(), units: units.len(), archs, ..Part::default() };
        Ok((units, Some(part)))
    }

    /// The units of a package, what compiles them and for which architectures, `None` where it has none; and what its
    /// dependencies compile.
    fn choose(
        &self,
        member: &Member,
        config: &Config,
        roots: &Roots,
        work: &Path,
    ) -> Result<(Option<Chosen>, Vec<Dependency>), RunError> {
        let find_toolkit = || plan::toolkit(self.args, config, self.env, self.terminal, self.cancel);
        let mut dependencies = Vec::new();
        if self.args.build.deps || captured::is_meant(self.args, member, config) {
            let toolkit = find_toolkit()?;
            files::create_folder(work)?;
            let build = Build {
                args: self.args,
                env: self.env,
                terminal: self.terminal,
                cancel: self.cancel,
                workspace: &self.workspace,
                member,
                config,
                toolkit: &toolkit,
            };
            let found = build.run(roots, work)?;
            dependencies = found.dependencies;
            if let Some((units, archs)) = found.own {
                let asked = config.archs.is_some() || !self.args.compile.arch.is_empty();
                return Ok((Some(Chosen { units, archs, toolkit, asked }), dependencies));
            }
        }
        let units = discover::units(member, &self.workspace, config, roots)?;
        if units.is_empty() {
            return Ok((None, dependencies));
        }
        let only_cubins = units.iter().all(|unit| unit.kind == SourceKind::Cubin);
        let toolkit = if only_cubins { Toolkit::none() } else { find_toolkit()? };
        files::create_folder(work)?;
        let archs = plan::archs(self.args, config, &toolkit, self.env, (work, self.cancel))?;
        self.announce(member, config, &archs, &units);
        Ok((Some(Chosen { units, archs, toolkit, asked: true }), dependencies))
    }

    /// The host compiler that `CXX` names, as a flag.
    fn ccbin(&self, settings: &Settings) -> Result<Option<String>, RunError> {
        let search = HostSearch { flags: &settings.flags, env: self.env, cancel: self.cancel };
        let ccbin = toolkit::ccbin_of_env(search).map_err(RunError::Toolkit)?;
        Ok(ccbin.map(|path| format!("-ccbin={}", path.display())))
    }

    fn experiments(&self) -> Experiments {
        let mode = match self.args.compile.experiments {
            ExperimentsChoice::Off => Mode::Off,
            ExperimentsChoice::Flagged => Mode::Flagged,
            ExperimentsChoice::All => Mode::All,
        };
        Experiments { mode, most: self.args.compile.max_experiments, foreign: self.args.output.foreign }
    }

    /// Where a compile failed, a host compiler that is missing or too new is often why.
    fn blame_host(&self, settings: &Settings) {
        let search = HostSearch { flags: &settings.flags, env: self.env, cancel: self.cancel };
        if let Err(error) = toolkit::check_host_compiler(&settings.toolkit, search) {
            let text = render_error::render(&RunError::Toolkit(error), self.terminal.error_style());
            self.terminal.err(&text);
        }
    }

    fn nothing(&self, member: &Member) -> Result<(), RunError> {
        if self.workspace.whole || self.args.compile.allow_empty {
            return Ok(());
        }
        let message = format!("nothing to check: the package `{}` has no `.cu` file of its own", member.name);
        let help = match member.builds_with.as_slice() {
            [] => {
                "name the sources with `sources = [\"kernels/**/*.cu\"]`, or give `--allow-empty`".to_owned()
            }
            [first, ..] => format!(
                "it depends on {}, which may compile CUDA: `-p {first}` checks that, and `--deps` all of them",
                member.builds_with.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        Err(RunError::cannot(message, help))
    }

    fn settings(
        &self,
        member: &Member,
        config: &Config,
        (includes, toolkit, work): (Vec<PathBuf>, Toolkit, PathBuf),
    ) -> Settings {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Settings {
            toolkit,
            flags: config.flags.iter().map(|flag| flag.value.clone()).collect(),
            includes,
            defines: config.defines.iter().map(|define| define.value.clone()).collect(),
            work,
            folder: member.folder.clone(),
            timeout: self.args.compile.timeout,
            jobs: self.args.compile.jobs.map_or(cores, usize::from),
        }
    }

    /// One line: what is compiled, and which choices were ours.
    fn announce(&self, member: &Member, config: &Config, archs: &Archs, units: &[Unit]) {
        let all = count(units.len(), "source");
        let binaries = units.iter().all(|unit| unit.kind.is_binary());
        if binaries && archs.default {
            let text = format!("{}: {all} for what they were built for", member.name);
            return self.terminal.status("Reading", &text);
        }
        let list: Vec<String> = archs.list.iter().map(ToString::to_string).collect();
        let sources = if config.sources.is_some() { "" } else { " (every `.cu` of the package)" };
        let chosen = if archs.default { " (occlint's default; set `archs`)" } else { "" };
        let text = format!("{}: {all}{sources} for {}{chosen}", member.name, list.join(", "));
        self.terminal.status(if binaries { "Reading" } else { "Compiling" }, &text);
    }

    /// `broken`: some packages could not be checked at all, which was said.
    fn conclude(&self, outcomes: Outcomes, broken: bool, gate: &Gate) -> Result<u8, RunError> {
        let (mut report, mut failed, mut comments) =
            (Report::default(), Vec::new(), Vec::<CommentError>::new());
        let (mut empty, mut blessed, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for Checked { package, outcome, part } in outcomes {
            let kernels = outcome.report.kernels.len();
            if !(kernels == 0 && self.workspace.whole) {
                empty.extend(outcome.empty_archs.into_iter().map(|arch| (package.clone(), arch)));
            }
            if self.args.baseline.bless {
                blessed.push((package, outcome.report.clone()));
            }
            parts.extend(part);
            report.append(outcome.report);
            failed.extend(outcome.failures);
            comments.extend(outcome.comment_errors);
        }
        let mut told = failures::lines(&failed, &report);
        told.extend(broken.then(|| "a package cannot be checked".to_owned()));
        let empty = if self.args.compile.allow_empty { Vec::new() } else { empty };
        let not_checked = told.len() + comments.len() + empty.len();
        let summary = self.summary(&report, not_checked, parts);
        let verdict = Verdict { report: &report, summary: &summary, failures: &told, json: None };
        verdict::print(&self.args.output, &verdict, (self.env, self.terminal))?;
        let nothing = summary.kernels == 0 && failed.is_empty();
        let no_match = self.args.compile.kernel.as_ref().filter(|_| nothing && summary.foreign_kernels == 0);
        failures::print(&failed, &report, self.terminal);
        gate.say(&report, self.terminal);
        if !comments.is_empty() {
            return Err(RunError::Comments(comments));
        }
        if broken || !failed.is_empty() {
            return Err(RunError::Reported);
        }
        if self.args.partition.is_some() && nothing {
            self.terminal
                .status("Note", "this part has no kernel: `cargo occlint merge` judges all parts together");
        } else if !self.args.compile.allow_empty {
            if let Some(glob) = no_match {
                let message = format!("nothing was checked: no kernel is called `{glob}`");
                return Err(RunError::cannot(
                    message,
                    "`--kernels` lists all; a glob must match the whole qualified name",
                ));
            }
            self.is_something(&summary, nothing, &empty)?;
        }
        if self.args.baseline.bless {
            gate.bless(&blessed, self.args.compile.kernel.as_deref(), self.terminal)?;
            return Ok(CLEAN);
        }
        Ok(verdict::status(&summary, self.args.levels.exit_zero))
    }

    /// The counts, with what a part of a run says of itself.
    fn summary(&self, report: &Report, failures: usize, parts: Vec<Part>) -> Summary {
        let partition = self.args.partition;
        Summary {
            failures,
            partition: partition.map(|partition| partition.to_string()),
            run: partition.map(|_| self.digest.borrow().text()),
            parts,
            ..occlint::report::summary(report)
        }
    }

    /// Nothing checked is no pass.
    fn is_something(
        &self,
        summary: &Summary,
        nothing: bool,
        empty: &[(String, Arch)],
    ) -> Result<(), RunError> {
        let help = "give `--allow-empty` if that is right";
        if nothing && summary.foreign_kernels > 0 {
            let message = "nothing was checked: every kernel stands outside the package";
            let help = "name the file in `sources`, or the kernel in `[[package.metadata.occlint.kernel]]`, to check it";
            return Err(RunError::cannot(message, help));
        }
        if nothing {
            return Err(RunError::cannot("nothing was checked: no kernel in any source", help));
        }
        if let Some((name, arch)) = empty.first() {
            let message =
                format!("no kernel of the package `{name}` is compiled for {arch}, which was asked for");
            return Err(RunError::cannot(message, help));
        }
        Ok(())
    }
}
