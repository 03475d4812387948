//! Units that come from the crate's own build.

use std::path::Path;

use occlint::arch::Arch;
use occlint::compile::{Unit, native_archs};
use occlint::expect::Config;
use occlint::session::Roots;
use occlint::sys::env::Env;
use occlint::sys::process::Cancel;
use occlint::text::count;
use occlint::toolkit::{self, Toolkit};

use crate::capture::{self, Capture, Mode, Wanted};
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

impl Build<'_> {
    /// Runs the build; `None` where it compiles no CUDA.
    ///
    /// # Errors
    /// The build fails, it compiles for what the toolkit cannot do, or `--via build` finds nothing.
    pub(crate) fn units(&self, roots: &Roots, work: &Path) -> Result<Option<(Vec<Unit>, Archs)>, RunError> {
        let asked = self.asked(work)?;
        let captured = self.capture(asked.as_ref())?;
        self.warn_of_unseen(&captured);
        let can = toolkit::supported_archs(self.toolkit, self.env, self.cancel).map_err(RunError::Toolkit)?;
        let native = native_archs(self.env, work, self.cancel);
        let wanted = Wanted {
            asked: asked.as_ref().map(|archs| archs.list.as_slice()),
            default: nvcc_default(self.toolkit),
            can: &can,
            native: &native,
        };
        let found = capture::units(&captured.records, roots, &wanted)?;
        if found.units.is_empty() {
            return self.nothing(captured.records.len());
        }
        self.announce(&captured, &found);
        let complete = asked.as_ref().is_none_or(|archs| archs.complete);
        Ok(Some((found.units, Archs { list: found.archs, default: false, complete })))
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
        };
        let mode = self.args.build.capture.map(|choice| match choice {
            CaptureChoice::Record => Mode::Record,
            CaptureChoice::Build => Mode::Build,
        });
        self.terminal
            .status("Capturing", &format!("{}: the calls of nvcc that its build makes", self.member.name));
        capture::capture(&capture, mode, &|text| self.terminal.status("Note", text))
    }

    /// A call of nvcc by its absolute path is not seen: what it made is.
    fn warn_of_unseen(&self, captured: &capture::Captured) {
        let Some(first) = captured.unseen.first() else { return };
        let more = captured.unseen.len() - 1;
        let others = if more == 0 { String::new() } else { format!(" and {} more", count(more, "file")) };
        let text = format!(
            "`{}`{others} holds device code that no call of nvcc which was seen made: it is not checked (a build \
             script that calls nvcc by an absolute path is not seen)",
            first.strip_prefix(&self.workspace.root).unwrap_or(first).display()
        );
        self.terminal.status("Note", &text);
    }

    fn nothing(&self, records: usize) -> Result<Option<(Vec<Unit>, Archs)>, RunError> {
        if self.args.build.via != Some(Via::Build) {
            return Ok(None);
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
    fn announce(&self, captured: &capture::Captured, found: &capture::CapturedUnits) {
        let how = match (captured.kept, captured.mode) {
            (true, _) => "as recorded before: its build script is fresh",
            (false, Mode::Record) => "recorded",
            (false, Mode::Build) => "from the real build",
        };
        let calls = count(found.calls, "call");
        let sources = count(found.units.len(), "unit");
        let archs: Vec<String> = found.archs.iter().map(ToString::to_string).collect();
        let text =
            format!("{}: {sources} of {calls} of nvcc ({how}) for {}", self.member.name, archs.join(", "));
        self.terminal.status("Compiling", &text);
    }
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
