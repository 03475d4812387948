//! The baselines of a run: which there are, and what `--bless` writes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use occlint::arch::Arch;
use occlint::baseline::{Baseline, Part};
use occlint::check::Report;
use occlint::expect::{Config, NameGlob};
use occlint::sys::files::FolderLock;
use occlint::text::count;

use crate::baseline::{self, File};
use crate::cli::BaselineArgs;
use crate::error::RunError;
use crate::terminal::Terminal;
use crate::workspace::Member;

/// The baselines of a run's packages.
#[derive(Default)]
pub(crate) struct Gate {
    /// For each package's name its file.
    of_package: BTreeMap<String, PathBuf>,
    files: BTreeMap<PathBuf, File>,
}

impl Gate {
    /// Reads the baselines of these packages, and gives each configuration what is known.
    ///
    /// # Errors
    /// One that is named is missing, or one that is there cannot be used.
    pub(crate) fn load(
        args: &BaselineArgs,
        members: &[Member],
        configs: &mut [Config],
    ) -> Result<Self, RunError> {
        let mut gate = Self::default();
        for (member, config) in members.iter().zip(configs) {
            let configured = config.baseline.as_ref().map(|path| member.folder.join(&path.value));
            let named = args.baseline.clone().or(configured);
            let path = named.clone().unwrap_or_else(|| member.folder.join(baseline::DEFAULT));
            gate.add(args, &member.name, path, named.is_some(), config)?;
        }
        Ok(gate)
    }

    /// The same for a log, which belongs to no package: the baseline that the command line names.
    pub(crate) fn of_log(args: &BaselineArgs, config: &mut Config) -> Result<Self, RunError> {
        let mut gate = Self::default();
        if args.bless && args.baseline.is_none() {
            return Err(RunError::cannot(
                "`--bless` of a log needs a place",
                "name the file with `--baseline PATH`",
            ));
        }
        if let Some(path) = &args.baseline {
            gate.add(args, "", path.clone(), true, config)?;
        }
        Ok(gate)
    }

    fn add(
        &mut self,
        args: &BaselineArgs,
        package: &str,
        path: PathBuf,
        named: bool,
        config: &mut Config,
    ) -> Result<(), RunError> {
        if !self.files.contains_key(&path) {
            // What is blessed may be made where a link leads.
            let read = if args.bless {
                baseline::read(&baseline::behind_links(&path))?
            } else {
                baseline::read(&path)?
            };
            match read.map(|file| File { path: path.clone(), ..file }) {
                Some(file) => drop(self.files.insert(path.clone(), file)),
                None if named && !args.bless => {
                    let message =
                        format!("there is no baseline `{}`: nothing can be compared with it", path.display());
                    return Err(RunError::cannot(
                        message,
                        "write it with `cargo occlint --bless`, and commit it",
                    ));
                }
                None => {}
            }
        }
        config.known = self.files.get(&path).map(|file| Arc::new(file.baseline.clone()));
        self.of_package.insert(package.to_owned(), path);
        Ok(())
    }

    /// Says what the baseline has to do with the run, beyond findings.
    pub(crate) fn say(&self, report: &Report, terminal: &Terminal) {
        if report.improved > 0 {
            let kernels = count(report.improved, "kernel");
            terminal.status("Note", &format!("{kernels} got better than the baseline: `--bless` keeps that"));
        }
        if report.renamed > 0 {
            let kernels = count(report.renamed, "kernel");
            terminal.status(
                "Note",
                &format!("{kernels} with another name in the baseline: `--bless` takes the new one"),
            );
        }
        let new = self.new_kernels(report);
        if new > 0 {
            let kernels = count(new, "kernel");
            terminal.status("Note", &format!("{kernels} not in the baseline: `--bless` takes what is new"));
        }
        if report.within_limits > 0 {
            let increases = count(report.within_limits, "increase");
            terminal.status(
                "Note",
                &format!("{increases} over the baseline within `max-increase` or `warn-increase`"),
            );
        }
    }

    /// Kernels that a baseline could have and has not.
    fn new_kernels(&self, report: &Report) -> usize {
        let has_file = |key: &str| {
            let package = key.split('/').next().unwrap_or_default();
            let path = self.of_package.get(package).or_else(|| self.of_package.get(""));
            path.is_some_and(|path| self.files.contains_key(path))
        };
        let own = report.kernels.iter().filter(|checked| !checked.is_foreign());
        let keys =
            own.filter(|checked| checked.before.is_none()).map(|checked| checked.kernel.name.key.as_str());
        keys.filter(|key| has_file(key)).collect::<BTreeSet<_>>().len()
    }

    /// Writes what was found of each package into its baseline; `only`: of kernels of these names;
    /// `all_archs`: on all architectures that the package has, so that others are gone.
    pub(crate) fn bless(
        &self,
        packages: &[(String, Report)],
        (only, all_archs): (Option<&str>, bool),
        terminal: &Terminal,
    ) -> Result<(), RunError> {
        let paths: BTreeSet<&PathBuf> = self.of_package.values().collect();
        for path in paths {
            // Whoever writes at the same time waits, and then reads what was written.
            let _lock = FolderLock::of_file(&baseline::behind_links(path))?;
            let mut file = baseline::read(&baseline::behind_links(path))?.unwrap_or_default();
            file.path.clone_from(path);
            let before = file.baseline.clone();
            for (name, report) in packages.iter().filter(|(name, _)| self.of_package.get(name) == Some(path))
            {
                let found = Baseline::of(report);
                let archs: BTreeSet<Arch> = found.entries.keys().map(|(_, arch)| *arch).collect();
                let archs = (!all_archs).then(|| archs.into_iter().collect());
                let names = only.map(NameGlob::new);
                let part = Part { package: name.clone(), archs, names };
                file.baseline =
                    file.baseline.updated(found, Some(&part).filter(|part| !part.package.is_empty()));
            }
            file.write()?;
            let changed = changed(&before, &file.baseline);
            let kernels = count(file.baseline.entries.len(), "line");
            terminal.status("Blessed", &format!("{}: {kernels}, {changed} changed", path.display()));
        }
        Ok(())
    }
}

/// How many kernels are new, gone or other.
fn changed(before: &Baseline, after: &Baseline) -> usize {
    let other =
        after.entries.iter().filter(|(kernel, entry)| before.entries.get(*kernel) != Some(entry)).count();
    other + before.entries.keys().filter(|kernel| !after.entries.contains_key(*kernel)).count()
}
