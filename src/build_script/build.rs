//! The builder.

use std::panic::Location;
use std::path::{Path, PathBuf};

use crate::build_script::ptx::Instead;
use crate::build_script::run::Run;
use crate::build_script::target::{Asked, KernelTarget};
use crate::build_script::{BuildError, directives, paths};
use crate::check::Report;
use crate::expect::Target;
use crate::finding::Level;

/// `cc::Build` for CUDA, whose one compile is also the check.
///
/// nvcc runs once for each file. Everything of cc is there: the common methods are forwarded, [`Build::cc`] has all, and a
/// `cc::Build` (with `.cuda(true)`) becomes one of these by `From`.
///
/// ```no_run
/// occlint::Build::new()
///     .arch("sm_80")
///     .arch("sm_90")
///     .include("kernels")
///     .file("kernels/saxpy.cu")
///     .kernel("saxpy*").block(256).min_blocks(8)
///     .compile("kernels");
/// ```
///
/// Targets and levels also stand in Cargo.toml (`[package.metadata.occlint]`) and beside kernels (`// occlint: …`); those of
/// the build script win. Denied findings fail the build, as `cargo::error` lines; warnings are `cargo::warning` lines. The
/// full report is left in `OUT_DIR/occlint`, as `NAME.json` and `NAME.txt`: the library's name for [`Build::compile`], `ptx` for
/// [`Build::compile_ptx`] and [`Build::check_ptx`], `check` for [`Build::check`]; `NAME-2` and so on where the build script has
/// that already.
///
/// `OCCLINT=off` compiles only, `OCCLINT=warn` denies nothing, `OCCLINT=deny` denies warnings too. What cargo fetched (from
/// a registry or from git) denies nothing unless that is asked for. With `DOCS_RS` set nothing is compiled.
#[derive(Clone, Debug)]
pub struct Build {
    pub(super) cc: cc::Build,
    pub(super) nvcc: Option<PathBuf>,
    pub(super) out: Option<PathBuf>,
    pub(super) asked: Vec<Asked>,
    pub(super) levels: Vec<(String, Level)>,
    pub(super) device_debug: bool,
    pub(super) optional: bool,
    pub(super) partial: bool,
    pub(super) metadata: bool,
    pub(super) warnings: bool,
}

/// What came of a build.
#[derive(Debug, Default)]
pub struct Built {
    /// Something was compiled or checked: false where there is no nvcc and it is [optional](Build::optional), and on docs.rs.
    pub made: bool,
    /// What was made: the archive, or the PTX files in the order of the sources (also where they were left without kernels);
    /// empty for a mere check.
    pub outputs: Vec<PathBuf>,
    /// What the check found; empty where nothing was checked.
    pub report: Report,
}

impl Default for Build {
    fn default() -> Self {
        Self::new()
    }
}

impl From<cc::Build> for Build {
    /// Takes over what cc was told, `.cuda(true)` included.
    fn from(cc: cc::Build) -> Self {
        Self {
            cc,
            nvcc: None,
            out: None,
            asked: Vec::new(),
            levels: Vec::new(),
            device_debug: false,
            optional: false,
            partial: false,
            metadata: true,
            warnings: true,
        }
    }
}

impl Build {
    /// A builder for CUDA, linked with the static CUDA runtime, as cc has it.
    pub fn new() -> Self {
        let mut cc = cc::Build::new();
        cc.cuda(true);
        cc.into()
    }

    /// cc's builder.
    pub fn cc(&mut self) -> &mut cc::Build {
        &mut self.cc
    }

    /// Names nvcc. Else it is what `NVCC` names (in cc's spellings), the pinned one (`cuda` in Cargo.toml, fetched before), or
    /// the first that is found: `CUDA_HOME`, `CUDA_PATH`, `CUDA_ROOT`, `PATH`, the usual folders.
    pub fn nvcc(&mut self, path: impl AsRef<Path>) -> &mut Self {
        self.nvcc = Some(path.as_ref().to_owned());
        self
    }

    /// Compiles for an architecture: `sm_90` stands for `-gencode=arch=compute_90,code=sm_90`. Without any, and without a flag
    /// that says it, nvcc takes its own default.
    pub fn arch(&mut self, arch: &str) -> &mut Self {
        let front = arch.replacen("sm_", "compute_", 1);
        self.cc.flag(format!("-gencode=arch={front},code={arch}"));
        self
    }

    /// Says something about kernels: a glob on their qualified names, or with `<` or `(` in it on their whole names.
    #[track_caller]
    pub fn kernel(&mut self, name: &str) -> KernelTarget<'_> {
        let (target, caller) = (Target::default(), Location::caller());
        self.asked.push(Asked { name: name.to_owned(), target, waivers: Vec::new(), caller });
        KernelTarget::new(self)
    }

    /// A lint is not reported.
    pub fn allow(&mut self, lint: &str) -> &mut Self {
        self.level(lint, Level::Allow)
    }

    /// A lint warns.
    pub fn warn(&mut self, lint: &str) -> &mut Self {
        self.level(lint, Level::Warn)
    }

    /// A lint fails the build; `warnings`: each that warns.
    pub fn deny(&mut self, lint: &str) -> &mut Self {
        self.level(lint, Level::Deny)
    }

    fn level(&mut self, lint: &str, level: Level) -> &mut Self {
        self.levels.push((lint.to_owned(), level));
        self
    }

    /// Compiles device code for a debugger (`-G`), which cc does in the dev profile: its figures mean nothing, so nothing is
    /// checked. Without it, device code is optimised in every profile.
    pub fn device_debug(&mut self, debug: bool) -> &mut Self {
        self.device_debug = debug;
        self
    }

    /// Where there is no nvcc, one warning says so and the build goes on: [`Built::made`] is then false. cargo runs the build
    /// script again each time until there is one.
    pub fn optional(&mut self) -> &mut Self {
        self.optional = true;
        self
    }

    /// The build script has further builders, so a target of Cargo.toml may be about their kernels: that one matches no kernel
    /// here is then no finding.
    pub fn partial(&mut self) -> &mut Self {
        self.partial = true;
        self
    }

    /// Compiles the files, checks their kernels, makes the archive `lib<output>.a` and links it, as `cc::Build::compile` does.
    ///
    /// Ends the build script where something cannot be done or is denied.
    pub fn compile(&self, output: &str) -> Built {
        self.or_exit(self.try_compile(output))
    }

    /// As [`Build::compile`].
    ///
    /// # Errors
    /// What cannot be done, or the denied findings. cargo was told about what is linked, and about warnings, but not of
    /// the error.
    pub fn try_compile(&self, output: &str) -> Result<Built, BuildError> {
        paths::library(output)?;
        self.run(|run| run.compile(output))
    }

    /// Compiles each file to PTX in `OUT_DIR`, and checks the kernels as ptxas assembles them: for `archs` of Cargo.toml, else for
    /// the PTX's own architecture. For crates that load PTX at run time:
    /// `include_str!(concat!(env!("OUT_DIR"), "/saxpy.ptx"))`. With `DOCS_RS`, and without nvcc where it is
    /// [optional](Build::optional), each file is there too, as PTX without a kernel.
    ///
    /// Ends the build script where something cannot be done or is denied.
    pub fn compile_ptx(&self) -> Built {
        self.or_exit(self.try_compile_ptx())
    }

    /// As [`Build::compile_ptx`].
    ///
    /// # Errors
    /// As of [`Build::try_compile`].
    pub fn try_compile_ptx(&self) -> Result<Built, BuildError> {
        self.run_or(|run| run.compile_ptx(), |run, why| run.leave_empty_ptx(why))
    }

    /// Compiles the files' device code for the check alone, for crates whose objects are made elsewhere.
    ///
    /// Ends the build script where something cannot be done or is denied.
    pub fn check(&self) -> Built {
        self.or_exit(self.try_check())
    }

    /// As [`Build::check`].
    ///
    /// # Errors
    /// As of [`Build::try_compile`].
    pub fn try_check(&self) -> Result<Built, BuildError> {
        self.run(|run| run.check())
    }

    /// Checks PTX files that the crate ships or makes, as ptxas assembles them: for `archs` of Cargo.toml, else for each file's own
    /// architecture.
    ///
    /// Ends the build script where something cannot be done or is denied.
    pub fn check_ptx<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>) -> Built {
        self.or_exit(self.try_check_ptx(paths))
    }

    /// As [`Build::check_ptx`].
    ///
    /// # Errors
    /// As of [`Build::try_compile`].
    pub fn try_check_ptx<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Built, BuildError> {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        self.run(|run| run.check_ptx(&paths))
    }

    fn run(&self, work: impl FnOnce(&Run<'_>) -> Result<Built, BuildError>) -> Result<Built, BuildError> {
        self.run_or(work, |_, _| Ok(Instead::default()))
    }

    /// Works, or where nothing can be compiled leaves something `instead`, which is told why where it is not for documentation.
    fn run_or(
        &self,
        work: impl FnOnce(&Run<'_>) -> Result<Built, BuildError>,
        instead: impl FnOnce(&Run<'_>, Option<&str>) -> Result<Instead, BuildError>,
    ) -> Result<Built, BuildError> {
        let run = Run::new(self)?;
        run.say_inputs();
        if run.is_docs() {
            let Instead { outputs, .. } = instead(&run, None)?;
            return Ok(Built { outputs, ..Built::default() });
        }
        let error = match work(&run) {
            Err(BuildError::Toolkit(error)) if self.optional => BuildError::Toolkit(error),
            other => return other,
        };
        let why = error.headlines().join("; ");
        let instead = instead(&run, Some(&why))?;
        run.say(directives::warnings(&[without_toolkit(&why, &instead)]));
        run.say_waiting();
        Ok(Built { outputs: instead.outputs, ..Built::default() })
    }

    fn or_exit(&self, result: Result<Built, BuildError>) -> Built {
        match result {
            Ok(built) => built,
            Err(error) => {
                directives::print(&directives::errors(&error.headlines()));
                directives::print_error(&error.text());
                std::process::exit(1);
            }
        }
    }
}

/// The one warning of a build that goes on without a toolkit.
fn without_toolkit(why: &str, Instead { outputs, replaced }: &Instead) -> String {
    let names = |paths: &[PathBuf]| {
        let names = paths.iter().filter_map(|path| path.file_name());
        names.map(|name| format!("`{}`", name.to_string_lossy())).collect::<Vec<_>>().join(", ")
    };
    let mut line = "CUDA kernels are not compiled".to_owned();
    if !outputs.is_empty() {
        line.push_str(&format!(" (left without kernels: {}", names(outputs)));
        if !replaced.is_empty() {
            line.push_str(&format!("; over what an earlier build made: {}", names(replaced)));
        }
        line.push(')');
    }
    format!("{line}: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_warning_says_what_was_left_and_what_that_replaced() {
        let paths = |names: &[&str]| names.iter().map(|name| Path::new("/o").join(name)).collect();
        let line = |outputs: &[&str], replaced: &[&str]| {
            without_toolkit("no nvcc: pin", &Instead { outputs: paths(outputs), replaced: paths(replaced) })
        };
        assert_eq!(line(&[], &[]), "CUDA kernels are not compiled: no nvcc: pin");
        assert_eq!(
            line(&["a.ptx", "b.ptx"], &["b.ptx"]),
            "CUDA kernels are not compiled (left without kernels: `a.ptx`, `b.ptx`; over what an earlier build made: `b.ptx`): \
             no nvcc: pin"
        );
    }
}
