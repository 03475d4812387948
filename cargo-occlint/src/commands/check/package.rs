//! One package: what is compiled, with what, and what comes of it.

use std::path::{Path, PathBuf};

use occlint::compile::{Settings, SourceKind, Unit};
use occlint::expect::Config;
use occlint::experiment::{Experiments, Mode};
use occlint::parallel::Workers;
use occlint::report::Part;
use occlint::session::{self, Package, Roots};
use occlint::sys::files;
use occlint::sys::jobserver::JobServer;
use occlint::text::count;
use occlint::toolkit::{self, HostSearch, Toolkit};

use super::run::{Checked, Run};
use crate::captured::{self, Build, Dependency};
use crate::cli::ExperimentsChoice;
use crate::error::RunError;
use crate::plan::{self, Archs};
use crate::workspace::Member;
use crate::{discover, partition, render_error};

/// What is checked of a package.
pub(super) struct Chosen {
    pub(super) units: Vec<Unit>,
    pub(super) archs: Archs,
    pub(super) toolkit: Toolkit,
    /// It was asked for these architectures, so that each must have a kernel.
    pub(super) asked: bool,
}

impl Run<'_> {
    /// Compiles and checks one package.
    pub(super) fn package(
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
        let mut settings = self.settings((member, &roots), config, (includes, toolkit, work));
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
            all_units: self.args.partition.is_none(),
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
    pub(super) fn choose(
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
            self.look_again();
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

    pub(super) fn nothing(&self, member: &Member) -> Result<(), RunError> {
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
        (member, roots): (&Member, &Roots),
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
            cache: self.cache.as_ref().map(|cache| cache.read_as(&roots.in_words())),
            workers: match self.args.compile.jobs {
                Some(jobs) => Workers::new(usize::from(jobs), None),
                None => Workers::new(cores, JobServer::from_env(self.env)),
            },
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
}
