//! Units that come from the crate's own build.

use std::collections::BTreeMap;
use std::path::Path;

use occlint::arch::Arch;
use occlint::capture::parse;
use occlint::compile::{Unit, native_archs};
use occlint::expect::Config;
use occlint::session::Roots;
use occlint::sys::env::Env;
use occlint::sys::process::Cancel;
use occlint::text::{count, sanitize};
use occlint::toolkit::{self, Toolkit};

use crate::capture::{self, Capture, Mode, Record, Wanted};
use crate::cli::{CaptureChoice, CheckArgs, Via};
use crate::error::RunError;
use crate::plan::{self, Archs};
use crate::terminal::Terminal;
use crate::workspace::{Member, Workspace};

/// Whether the crate's build is asked first.
pub(crate) fn is_meant(args: &CheckArgs, member: &Member, config: &Config) -> bool {
    match args.build.via {
        Some(Via::Build) => true,
        Some(Via::Sources) => false,
        None => config.sources.is_none() && member.has_build_script,
    }
}

/// Where the build is captured, and with what.
pub(crate) struct Build<'a> {
    pub(crate) args: &'a CheckArgs,
    pub(crate) env: &'a Env,
    pub(crate) terminal: &'a Terminal,
    pub(crate) cancel: &'a Cancel,
    pub(crate) workspace: &'a Workspace,
    pub(crate) member: &'a Member,
    pub(crate) config: &'a Config,
    pub(crate) toolkit: &'a Toolkit,
}

/// What a build compiles.
pub(crate) struct Found {
    /// The package's own units; `None` where its build compiles no CUDA, or where they are not meant.
    pub(crate) own: Option<(Vec<Unit>, Archs)>,
    /// Those of its dependencies, sorted by name.
    pub(crate) dependencies: Vec<Dependency>,
}

/// A dependency whose build script compiles CUDA.
pub(crate) struct Dependency {
    pub(crate) member: Member,
    pub(crate) toolkit: Toolkit,
    pub(crate) roots: Roots,
    pub(crate) units: Vec<Unit>,
    pub(crate) archs: Archs,
}

impl Build<'_> {
    /// Runs the build.
    ///
    /// # Errors
    /// The build fails, it compiles for what the toolkit cannot do, or `--via build` finds nothing.
    pub(crate) fn run(&self, roots: &Roots, work: &Path) -> Result<Found, RunError> {
        let asked = self.asked(work)?;
        let mut captured = self.capture(asked.as_ref())?;
        let others = std::mem::take(&mut captured.others);
        let can = toolkit::supported_archs(self.toolkit, self.env, self.cancel).map_err(RunError::Toolkit)?;
        let native = native_archs(self.env, work, self.cancel);
        let wanted = Wanted {
            asked: asked.as_ref().map(|archs| archs.list.as_slice()),
            default: nvcc_default(self.toolkit),
            can: &can,
            native: &native,
        };
        let complete = asked.as_ref().is_none_or(|archs| archs.complete);
        let dependencies = self.dependencies(others, &wanted, complete)?;
        let mut own = None;
        if is_meant(self.args, self.member, self.config) {
            self.warn_of_unseen(&captured);
            self.say_what_was_told(&captured, asked.is_some());
            let found = capture::units(&captured.records, roots, &wanted, &self.member.name)?;
            if found.units.is_empty() {
                self.nothing(captured.records.len())?;
            } else {
                self.announce(&self.member.name, how(&captured), &found);
                own = Some((found.units, Archs { list: found.archs, default: false, complete }));
            }
        }
        Ok(Found { own, dependencies })
    }

    /// The units of the dependencies with `--deps`, else a word that there are some.
    fn dependencies(
        &self,
        others: BTreeMap<String, Vec<Record>>,
        wanted: &Wanted<'_>,
        complete: bool,
    ) -> Result<Vec<Dependency>, RunError> {
        let mut all = Vec::new();
        let mut unchecked = Vec::new();
        for (id, records) in others {
            let Some(member) = dependency(id, &records) else { continue };
            if self.workspace.selected.iter().any(|selected| selected.id == member.id) {
                continue; // checked by itself
            }
            if !self.args.build.deps {
                let compiles = records.iter().any(|record| parse(&record.args).phase.compiles());
                unchecked.extend(compiles.then_some(member.name));
                continue;
            }
            let roots = self.workspace.roots(&member.folder);
            let found = capture::units(&records, &roots, wanted, &member.name)?;
            if !found.units.is_empty() {
                self.announce(&format!("{} (a dependency)", member.name), "", &found);
                let archs = Archs { list: found.archs, default: false, complete };
                all.push(Dependency {
                    member,
                    toolkit: self.toolkit.clone(),
                    roots,
                    units: found.units,
                    archs,
                });
            }
        }
        if !unchecked.is_empty() {
            unchecked.sort();
            let names = unchecked.join(", ");
            self.terminal
                .status("Note", &format!("dependencies compile CUDA too: {names}; `--deps` checks them"));
        }
        all.sort_by(|a, b| a.member.name.cmp(&b.member.name));
        Ok(all)
    }

    /// The architectures that configuration or command line name.
    fn asked(&self, work: &Path) -> Result<Option<Archs>, RunError> {
        if self.config.archs.is_none() && self.args.compile.arch.is_empty() {
            return Ok(None);
        }
        plan::archs(self.args, self.config, self.toolkit, self.env, (work, self.cancel)).map(Some)
    }

    fn capture(&self, asked: Option<&Archs>) -> Result<capture::Captured, RunError> {
        let first = asked.and_then(|archs| archs.list.first().copied());
        let capture = Capture {
            member: self.member,
            workspace: &self.workspace.root,
            target: &self.workspace.target,
            toolkit: self.toolkit,
            build: &self.args.build,
            selection: &self.args.selection,
            arch: first.or(Some(Arch::from_cc_tenths(plan::GPU_OF_NONE))),
            env: self.env,
            cancel: self.cancel,
            progress: (self.terminal.pace(), &|text| self.terminal.waiting("Capturing", text)),
        };
        let mode = self.args.build.capture.map(|choice| match choice {
            CaptureChoice::Record => Mode::Record,
            CaptureChoice::Build => Mode::Build,
        });
        self.terminal
            .status("Capturing", &format!("{}: the calls of nvcc that its build makes", self.member.name));
        let captured = capture::capture(&capture, mode, &|text| self.terminal.status("Note", text));
        self.terminal.clear_progress();
        captured
    }

    /// A call of nvcc by its absolute path is not seen: what it made is.
    fn warn_of_unseen(&self, captured: &capture::Captured) {
        let Some(first) = captured.unseen.first() else { return };
        let more = captured.unseen.len() - 1;
        let (others, hold) = match more {
            0 => (String::new(), "holds"),
            _ => (format!(" and {}", count(more, "other file")), "hold"),
        };
        let text = format!(
            "`{}`{others} {hold} device code that no call of nvcc which was seen made: it is not checked (a build \
             script that calls nvcc, or a cache in front of it, by an absolute path is not seen)",
            first.strip_prefix(&self.workspace.root).unwrap_or(first).display()
        );
        self.terminal.status("Note", &sanitize(&text));
    }

    /// What decided the build without anybody saying so, and what is not known of it.
    fn say_what_was_told(&self, captured: &capture::Captured, asked: bool) {
        let say = |text: String| self.terminal.status("Note", &text);
        if captured.asked_gpu && !asked {
            let cc = plan::GPU_OF_NONE;
            say(format!(
                "the build asked which GPU is here; there is none, and it was told compute capability {}.{}: `--arch` \
                 and `archs` say another",
                cc / 10,
                cc % 10
            ));
        }
        if let Some(call) = captured.unread.first() {
            let call = sanitize(call);
            say(format!(
                "a call of nvcc has arguments that are no UTF-8, so it is not checked: `nvcc {call}`"
            ));
        }
        let failed: Vec<&str> = captured
            .failed_scripts
            .iter()
            .map(String::as_str)
            .filter(|name| *name != self.member.name)
            .collect();
        if !failed.is_empty() {
            let names = failed.join(", ");
            say(format!(
                "build scripts of dependencies failed ({names}): what CUDA they compile is not known"
            ));
        }
    }

    /// The package's own build compiles nothing: an error only where it alone was meant.
    fn nothing(&self, records: usize) -> Result<(), RunError> {
        if self.args.build.via != Some(Via::Build) || self.args.build.deps {
            return Ok(());
        }
        let name = &self.member.name;
        let message = match (self.member.has_build_script, records) {
            (false, _) => format!("nothing to check: the package `{name}` has no build script"),
            (true, 0) => format!("nothing to check: the build of `{name}` did not call nvcc"),
            (true, _) => format!("nothing to check: the build of `{name}` compiled no CUDA source"),
        };
        let help = "features may turn it on (`--features`), a build script that calls nvcc by an absolute path is not \
                    seen, and `--via sources` checks the `.cu` files alone";
        Err(RunError::cannot(message, help))
    }

    /// One line: where the units come from, and why.
    fn announce(&self, name: &str, how: &str, found: &capture::CapturedUnits) {
        let calls = count(found.calls, "call");
        let sources = count(found.units.len(), "unit");
        let archs: Vec<String> = found.archs.iter().map(ToString::to_string).collect();
        let text = format!("{name}: {sources} of {calls} of nvcc{how} for {}", archs.join(", "));
        self.terminal.status("Compiling", &text);
    }
}

fn how(captured: &capture::Captured) -> &'static str {
    match (captured.kept, captured.mode) {
        (true, _) => " (as recorded before: its build script is fresh)",
        (false, Mode::Record) => " (recorded)",
        (false, Mode::Build) => " (from the real build)",
    }
}

/// The package whose build script made these calls; `None` where a script hid which it is.
fn dependency(id: String, records: &[Record]) -> Option<Member> {
    let folder = records.iter().find_map(|record| record.package.clone())?;
    let named = records.iter().find_map(|record| record.package_name.clone());
    let name = named.or_else(|| Some(folder.file_name()?.to_string_lossy().into_owned()))?;
    let manifest = folder.join("Cargo.toml");
    Some(Member { name, id, has_build_script: true, manifest, folder, builds_with: Vec::new() })
}

/// What nvcc compiles for where nothing is named.
fn nvcc_default(toolkit: &Toolkit) -> Arch {
    let tenths = match toolkit.version.major {
        ..=10 => 30,
        11 | 12 => 52,
        _ => 75,
    };
    Arch::from_cc_tenths(tenths)
}
