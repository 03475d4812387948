//! One builder's work, from the environment to the directives.

use std::path::{Path, PathBuf};

use crate::arch::Arch;
use crate::build_script::archive::{archive, programs};
use crate::build_script::build::{Build, Built};
use crate::build_script::compile::{Goal, Made, Work, compiled};
use crate::build_script::compiler::Compiler;
use crate::build_script::ptx::Instead;
use crate::build_script::scene::{Mode, Scene, VARIABLES};
use crate::build_script::{BuildError, directives, judge, paths, ptx, reports};
use crate::check::Report;
use crate::compile::{self, CompileError, Compiled, DeviceCode, Settings, SourceKind, Unit};
use crate::expect::Config;
use crate::order::Set;
use crate::parallel::Workers;
use crate::session::{Failure, Roots};
use crate::sys::env::Env;
use crate::sys::files;
use crate::sys::process::Cancel;

/// One builder at work.
pub(super) struct Run<'a> {
    build: &'a Build,
    scene: Scene,
    config: Config,
}

impl<'a> Run<'a> {
    /// Reads the environment and the configuration.
    ///
    /// # Errors
    /// What stands there cannot be.
    pub(super) fn new(build: &'a Build) -> Result<Self, BuildError> {
        Self::of(build, Env::from_process())
    }

    fn of(build: &'a Build, env: Env) -> Result<Self, BuildError> {
        let scene = Scene::new(env, build.out.as_deref())?;
        paths::printable("the package's folder", &scene.roots.package)?;
        paths::printable("the workspace's folder", &scene.roots.workspace)?;
        paths::printable("the output folder", &scene.out)?;
        build.cc.get_files().try_for_each(paths::source)?;
        let config = judge::config(build, &scene)?;
        reports::begin(&scene.out)?;
        Ok(Self { build, scene, config })
    }

    /// Whether this is a build for docs.rs, which has no CUDA.
    pub(super) fn is_docs(&self) -> bool {
        self.scene.env.var("DOCS_RS").is_some()
    }

    /// Tells cargo something, unless it is to be told nothing.
    pub(super) fn say(&self, lines: Vec<String>) {
        if self.build.metadata {
            directives::print(&lines);
        }
    }

    /// Tells cargo when to run the script again, as far as that is known before anything is compiled.
    pub(super) fn say_inputs(&self) {
        self.say(directives::changed_variables(&VARIABLES));
        let files = self.build.cc.get_files().map(|file| self.scene.roots.absolute(&file.to_string_lossy()));
        self.say_files(files.chain(self.scene.manifests.iter().cloned()));
    }

    /// Leaves PTX without kernels in the place of what would be compiled. Where a build goes on without a toolkit (`why`), so
    /// it does over what an earlier one made, maybe of other sources; for documentation that stays.
    pub(super) fn leave_empty_ptx(&self, why: Option<&str>) -> Result<Instead, BuildError> {
        let outputs = self.ptx_outputs()?;
        files::create_folder(&self.scene.out)?;
        let docs = "`DOCS_RS` is set and nothing is compiled for documentation";
        let replaced = ptx::leave_empty(&outputs, why.unwrap_or(docs), why.is_some())?;
        Ok(Instead { outputs, replaced })
    }

    /// Has cargo run the build script again each time, until there is a toolkit.
    pub(super) fn say_waiting(&self) {
        self.say(vec![directives::each_time(&self.scene.out)]);
    }

    /// Where the PTX of each source goes.
    fn ptx_outputs(&self) -> Result<Vec<PathBuf>, BuildError> {
        let mut outputs = Vec::new();
        for file in self.build.cc.get_files() {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let output = self.scene.out.join(format!("{stem}.ptx"));
            if outputs.contains(&output) {
                let message = format!("two files would both become `{}`", output.display());
                return Err(BuildError::usage(
                    message,
                    "rename one, or give them to two builders with an `out_dir` each",
                ));
            }
            outputs.push(output);
        }
        Ok(outputs)
    }

    fn say_files(&self, files: impl Iterator<Item = PathBuf>) {
        let files: Set<PathBuf> = files.collect();
        self.say(directives::changed_files(&files, &self.scene.out));
    }

    fn compiler(&self) -> Result<Compiler, BuildError> {
        Compiler::new(&self.build.cc, self.build.nvcc.as_deref(), self.build.device_debug, &self.scene)
    }

    /// The builder's files for this goal, with intermediates in a folder that no other builder has.
    fn work<'w>(
        &'w self,
        compiler: &'w Compiler,
        (name, goal): (&str, Goal),
    ) -> Result<Work<'w>, BuildError> {
        let files = self.build.cc.get_files().map(Path::to_owned).collect();
        self.work_on(files, compiler, (name, goal))
    }

    fn work_on<'w>(
        &'w self,
        files: Vec<PathBuf>,
        compiler: &'w Compiler,
        (name, goal): (&str, Goal),
    ) -> Result<Work<'w>, BuildError> {
        let roots = &self.scene.roots;
        for file in &files {
            paths::is_there(file, &roots.absolute(&file.to_string_lossy()), &roots.package)?;
        }
        let name = reports::claim(&self.scene.out, name);
        let folder = reports::folder(&self.scene.out).join(&name);
        let checked = self.scene.mode != Mode::Off && !compiler.debug;
        Ok(Work { scene: &self.scene, compiler, files, name, folder, goal, checked })
    }

    /// Refuses a builder that has nothing to do: nothing checked is not a pass.
    fn has_files(&self) -> Result<(), BuildError> {
        if self.build.cc.get_files().next().is_some() {
            return Ok(());
        }
        let help = "name one with `.file(\"kernels/saxpy.cu\")`; objects that others made are archived by `cc::Build` itself";
        Err(BuildError::usage("no source file was given to compile", help))
    }

    /// Objects, the check, the archive, the link.
    pub(super) fn compile(&self, output: &str) -> Result<Built, BuildError> {
        self.has_files()?;
        let compiler = self.compiler()?;
        let is_cuda = |file: &&Path| file.extension().is_some_and(|extension| extension == "cu");
        let relocatable = self.build.cc.get_files().filter(is_cuda).count() > 1;
        let work = self.work(&compiler, (output, Goal::Object { relocatable }))?;
        let made = work.run()?;
        self.say_made(&made)?;
        let objects: Vec<PathBuf> = made.iter().map(|one| one.output.clone()).collect();
        let keep = work.folder.join("device-link");
        let linked = work.checked && work.is_relocatable();
        let archive =
            archive(&compiler, (&self.scene.out, output), &objects, linked.then_some(keep.as_path()))?;
        self.say_others(&archive.others);
        cc::try_emit_link_directives(&compiler.cc, &archive.library)?;
        self.say_runtime(&compiler);
        let units: Vec<Unit> = made.iter().enumerate().map(|(index, one)| work.unit_of(index, one)).collect();
        let settings = self.settings(&compiler, &work.folder);
        let mut compiled = compiled(&made);
        let cancel = Cancel::in_shared_group();
        let programs = if linked { programs(&archive, &compiled, &settings, &cancel) } else { Vec::new() };
        compiled.extend(self.assembled(&units, &made, &settings)?);
        let report = self.judge(&work, &units, (compiled, programs), &settings)?;
        self.finish(&work, vec![archive.library], report)
    }

    /// PTX files and the check.
    pub(super) fn compile_ptx(&self) -> Result<Built, BuildError> {
        self.has_files()?;
        let compiler = self.compiler()?;
        let outputs = self.ptx_outputs()?;
        let work = self.work(&compiler, ("ptx", Goal::Ptx))?;
        let made = work.run()?;
        self.say_made(&made)?;
        for (one, output) in made.iter().zip(&outputs) {
            let text = files::read_text(&one.output)?;
            let has_lines =
                compiler.args.iter().any(|arg| arg == "-lineinfo" || arg == "--generate-line-info");
            let text = if work.checked && !has_lines { ptx::without_lines(&text) } else { text };
            files::write_atomically(output, text.as_bytes())?;
        }
        let units: Vec<Unit> = made.iter().enumerate().map(|(index, one)| work.unit_of(index, one)).collect();
        let settings = self.settings(&compiler, &work.folder);
        let compiled = self.assembled(&units, &made, &settings)?;
        let report = self.judge(&work, &units, (compiled, Vec::new()), &settings)?;
        self.finish(&work, outputs, report)
    }

    /// Device code alone.
    pub(super) fn check(&self) -> Result<Built, BuildError> {
        if self.scene.mode == Mode::Off {
            return Ok(Built { made: true, ..Built::default() });
        }
        self.has_files()?;
        let compiler = self.compiler()?;
        let work = self.work(&compiler, ("check", Goal::Device))?;
        let made = work.run()?;
        self.say_made(&made)?;
        let units: Vec<Unit> = made.iter().enumerate().map(|(index, one)| work.unit_of(index, one)).collect();
        let settings = self.settings(&compiler, &work.folder);
        let compiled = compiled(&made);
        let programs = if work.is_relocatable() {
            compile::device_link(&compiled, &settings, &Cancel::in_shared_group())
        } else {
            Vec::new()
        };
        let report = self.judge(&work, &units, (compiled, programs), &settings)?;
        self.finish(&work, Vec::new(), report)
    }

    /// PTX files as they are.
    pub(super) fn check_ptx(&self, paths: &[PathBuf]) -> Result<Built, BuildError> {
        paths.iter().try_for_each(|path| paths::source(path))?;
        if paths.is_empty() {
            return Err(BuildError::usage(
                "no PTX file was given to check",
                "name one: `check_ptx([\"k.ptx\"])`",
            ));
        }
        self.say_files(paths.iter().map(|path| self.scene.roots.absolute(&path.to_string_lossy())));
        if self.scene.mode == Mode::Off {
            return Ok(Built { made: true, ..Built::default() });
        }
        let compiler = self.compiler()?;
        let work = self.work_on(paths.to_vec(), &compiler, ("ptx", Goal::Ptx))?;
        let settings = self.settings(&compiler, &work.folder);
        let units: Vec<Unit> =
            (0..paths.len()).map(|index| Unit { kind: SourceKind::Ptx, ..work.unit(index) }).collect();
        let mut compiled = Vec::new();
        for (index, unit) in units.iter().enumerate() {
            let text = files::read_text(&unit.source)?;
            compiled.extend(self.assemble(index, unit, &text, &settings)?);
        }
        let report = self.judge(&work, &units, (compiled, Vec::new()), &settings)?;
        self.finish(&work, Vec::new(), report)
    }

    fn settings(&self, compiler: &Compiler, folder: &Path) -> Settings {
        Settings {
            toolkit: compiler.toolkit.clone(),
            flags: compiler.call.flags.clone(),
            includes: Vec::new(),
            defines: Vec::new(),
            work: folder.join("ptxas"),
            folder: self.scene.roots.package.clone(),
            timeout: None,
            #[cfg(feature = "cache")]
            cache: None,
            workers: Workers::new(1, None),
        }
    }

    /// Has ptxas assemble what is only PTX yet.
    fn assembled(
        &self,
        units: &[Unit],
        made: &[Made],
        settings: &Settings,
    ) -> Result<Vec<Compiled>, BuildError> {
        let mut all = Vec::new();
        for (index, (unit, one)) in units.iter().zip(made).enumerate() {
            let is_for_link_time = DeviceCode::of_flags(&settings.flags) == DeviceCode::LinkTime;
            if one.for_link_time || is_for_link_time && one.ptx.is_some() {
                let note = format!(
                    "`{}` was not checked: with link-time optimisation nothing is known before the program is linked; `cargo occlint` checks it",
                    unit.name
                );
                self.say(directives::warnings(&[note]));
                continue;
            }
            let Some(bare) = &one.ptx else { continue };
            let source =
                Unit { source: bare.cubin.clone(), kind: SourceKind::Ptx, call: None, ..unit.clone() };
            let mut assembled =
                self.assemble(index, &source, bare.ptx.here().unwrap_or_default(), settings)?;
            for artefact in assembled.iter_mut().filter_map(|one| one.result.as_mut().ok()) {
                artefact.files.clone_from(&bare.files);
            }
            all.extend(assembled);
        }
        Ok(all)
    }

    /// Has ptxas assemble PTX: for the configured architectures, else for its own.
    fn assemble(
        &self,
        index: usize,
        unit: &Unit,
        text: &str,
        settings: &Settings,
    ) -> Result<Vec<Compiled>, BuildError> {
        let mut archs: Vec<Arch> = Vec::new();
        for name in self.config.archs.iter().flatten() {
            archs.push(name.value.parse().map_err(|_| {
                let help = "write it like `sm_90` where PTX is checked in a build script";
                BuildError::usage(format!("`{}` in `archs` is no architecture", name.value), help)
            })?);
        }
        if archs.is_empty() {
            archs.extend(ptx::target(text));
        }
        if archs.is_empty() {
            let error = CompileError::NoArtefact {
                missing: "`.target` in its PTX".to_owned(),
                output: String::new(),
            };
            return Err(BuildError::Failed(vec![Failure { unit: unit.name.clone(), arch: None, error }]));
        }
        // flags are nvcc's: whoever loads PTX has the driver assemble it without them
        let settings = Settings { flags: Vec::new(), ..settings.clone() };
        let cancel = Cancel::in_shared_group();
        let units = std::slice::from_ref(unit);
        let mut compiled = compile::compile(units, &archs, &settings, &cancel, (&|_, _| {}, &|_| {})).all;
        compiled.iter_mut().for_each(|one| one.unit = index);
        Ok(compiled)
    }

    fn judge(
        &self,
        work: &Work<'_>,
        units: &[Unit],
        (compiled, programs): (Vec<Compiled>, Vec<crate::compile::Program>),
        settings: &Settings,
    ) -> Result<Report, BuildError> {
        if !work.checked {
            return Ok(Report::default());
        }
        let mut roots: Roots = self.scene.roots.clone();
        roots.foreign.push(settings.toolkit.root.clone());
        roots.named.extend(units.iter().map(|unit| unit.source.clone()));
        let case = judge::Case {
            scene: &self.scene,
            config: &self.config,
            units,
            roots: &roots,
            settings,
            complete: !self.build.partial,
        };
        case.check(compiled, programs)
    }

    /// Reports, and leaves the whole report in `OUT_DIR`.
    fn finish(&self, work: &Work<'_>, outputs: Vec<PathBuf>, report: Report) -> Result<Built, BuildError> {
        let mut lines = judge::warnings(&report);
        if work.compiler.debug && self.scene.mode != Mode::Off {
            lines.push("device code is compiled for a debugger (`-G`), so no kernel was checked".to_owned());
        } else if self.scene.mode != Mode::Off && report.kernels.is_empty() {
            lines.push("no kernels: nothing was checked".to_owned());
        }
        // Findings are shown whatever cargo is told otherwise.
        directives::print(&directives::warnings(&lines));
        reports::leave(&self.scene.out, &work.name, &report)?;
        if judge::is_denied(&report) {
            return Err(BuildError::Denied(Box::new(report)));
        }
        Ok(Built { made: true, outputs, report })
    }

    /// Says which files went in, and what front end and host compiler remarked.
    fn say_made(&self, made: &[Made]) -> Result<(), BuildError> {
        let printed = made.iter().flat_map(|one| &one.files);
        let files: Vec<PathBuf> = printed.map(|printed| self.scene.roots.absolute(&printed.name)).collect();
        for file in files.iter().filter(|file| file.is_file()) {
            paths::printable("the header", file)?;
        }
        self.say_files(files.into_iter());
        for one in made {
            self.say_others(&one.others);
        }
        Ok(())
    }

    fn say_others(&self, lines: &[String]) {
        if self.build.warnings {
            directives::print(
                &lines
                    .iter()
                    .map(|line| format!("cargo:warning={}", crate::text::sanitize(line)))
                    .collect::<Vec<_>>(),
            );
        }
    }

    /// Toolkits that are no installation have the CUDA runtime where cc does not look.
    fn say_runtime(&self, compiler: &Compiler) {
        let lib = compiler.toolkit.root.join("lib");
        if lib.join("libcudart_static.a").is_file() {
            self.say(vec![format!("cargo:rustc-link-search=native={}", lib.display())]);
        }
    }
}
