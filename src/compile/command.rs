//! The one nvcc (or ptxas) call of a unit and an architecture.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::arch::Arch;
#[cfg(feature = "cache")]
use crate::compile::Cache;
use crate::compile::{CompileError, DeviceCode, ShellUnsafe, SourceKind, Unit, ptxas_flags};
use crate::expect::shell_unsafe;
use crate::parallel::Workers;
use crate::sys::process::Call;
use crate::toolkit::{FLAG_VARIABLES, Toolkit};

/// What all units of a package share.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The compiler.
    pub toolkit: Toolkit,
    /// The user's further arguments, those of nvcc's own variables (`NVCC_APPEND_FLAGS`) among them: nvcc does not see
    /// the variables.
    pub flags: Vec<String>,
    /// Include folders, absolute.
    pub includes: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Where units get their folders: `target/occlint/…`.
    pub work: PathBuf,
    /// The folder that the compiler runs in: the package's.
    pub folder: PathBuf,
    /// The limit of one call.
    pub timeout: Option<Duration>,
    /// Calls at a time.
    pub workers: Workers,
    /// Compilations of earlier runs; `None`: every one is done.
    #[cfg(feature = "cache")]
    pub cache: Option<Cache>,
}

/// The call that compiles `unit` for `arch` and leaves its intermediates in `keep`; `relocatable`: PTX is assembled for a
/// device link (of what nvcc compiles, the flags say it).
///
/// # Errors
/// A path or flag has a character that nvcc would hand to a shell, or ptxas is missing.
pub fn command(
    unit: &Unit,
    (arch, relocatable): (Arch, bool),
    keep: &Path,
    settings: &Settings,
) -> Result<Call, CompileError> {
    refuse_unsafe(unit, keep, settings).map_err(CompileError::Unsafe)?;
    let output = keep.join(format!("{}.{}", unit.stem(), output_extension(unit, settings)));
    let mut call = match unit.kind {
        SourceKind::Cuda => nvcc(unit, arch, keep, settings),
        SourceKind::Ptx => ptxas(unit, (arch, relocatable), settings)?,
        SourceKind::Cubin | SourceKind::Container => {
            return Err(CompileError::Binary("it is compiled already".to_owned()));
        }
    };
    call = call.arg("-o").arg(output).arg(&unit.source).timeout(settings.timeout);
    call.folder = Some(unit.call.as_ref().map_or(&settings.folder, |build| &build.folder).clone());
    call.vars.extend(FLAG_VARIABLES.map(|name| (name.into(), None)));
    let own = unit.call.iter().flat_map(|build| &build.vars);
    call.vars.extend(own.map(|(name, value)| (name.into(), Some(value.into()))));
    Ok(call)
}

/// What the compiler makes of the unit: a cubin, or the fat binary that holds intermediate code for link-time optimisation.
pub(super) fn output_extension(unit: &Unit, settings: &Settings) -> &'static str {
    if unit.kind == SourceKind::Cuda && is_link_time(unit.flags(settings)) { "fatbin" } else { "cubin" }
}

/// Whether ptxas runs at the device link only.
pub(super) fn is_link_time(flags: &[String]) -> bool {
    DeviceCode::of_flags(flags) == DeviceCode::LinkTime
}

fn nvcc(unit: &Unit, arch: Arch, keep: &Path, settings: &Settings) -> Call {
    let joined = |option: &str, value: &Path| {
        let mut arg = OsString::from(option);
        arg.push(value);
        arg
    };
    let call = Call::new(&settings.toolkit.nvcc)
        .arg(if is_link_time(unit.flags(settings)) { "-fatbin" } else { "-cubin" })
        .args(["-lineinfo", "-Xptxas", "-v", "--keep", "--keep-dir"])
        .arg(keep);
    if let Some(build) = unit.call.as_ref().filter(|_| !is_link_time(unit.flags(settings))) {
        let front = build.archs.iter().find(|(own, _)| *own == arch).map(|(_, front)| front);
        let front = front.map_or_else(|| arch.front(), String::clone);
        return call.arg(format!("-gencode=arch={front},code={arch}")).args(["-x", "cu"]).args(&build.flags);
    }
    let call = call.arg(format!("-arch={arch}"));
    if let Some(build) = &unit.call {
        return call.args(["-x", "cu"]).args(&build.flags);
    }
    call.args(settings.includes.iter().map(|folder| joined("-I", from_package(folder, settings))))
        .args(settings.defines.iter().map(|define| format!("-D{define}")))
        .args(&settings.flags)
}

/// Relative to the package, where nvcc runs: what characters its own path has then does not matter.
fn from_package<'a>(folder: &'a Path, settings: &Settings) -> &'a Path {
    folder.strip_prefix(&settings.folder).ok().filter(|rest| !rest.as_os_str().is_empty()).unwrap_or(folder)
}

/// With what nvcc would hand on of the flags. Whole-program PTX stays whole, whatever they say.
fn ptxas(unit: &Unit, (arch, relocatable): (Arch, bool), settings: &Settings) -> Result<Call, CompileError> {
    let ptxas = settings.toolkit.ptxas.as_ref().ok_or(CompileError::NoPtxas)?;
    let flags = ptxas_flags(unit.flags(settings));
    let handed_on = flags.args.iter().filter(|arg| !matches!(arg.as_str(), "-c" | "--compile-only"));
    let call = Call::new(ptxas).arg("-v").arg(format!("-arch={arch}")).args(handed_on).args(&flags.debug);
    Ok(if relocatable { call.arg("-c") } else { call })
}

fn refuse_unsafe(unit: &Unit, keep: &Path, settings: &Settings) -> Result<(), ShellUnsafe> {
    refuse("the path of the source", &unit.source.to_string_lossy())?;
    refuse("the work folder", &keep.to_string_lossy())?;
    refuse("the path of nvcc", &settings.toolkit.nvcc.to_string_lossy())?;
    if unit.call.is_some() {
        // Its flags are those of the build, which gives them to nvcc itself.
        return Ok(());
    }
    for folder in &settings.includes {
        let folder = from_package(folder, settings).to_string_lossy();
        refuse("the include folder", &folder)?;
        refuse_any("the include folder", &folder, &[',', '\''])?;
    }
    for define in &settings.defines {
        refuse("the define", define)?;
        refuse_any("the define", define, &[','])?;
    }
    settings.flags.iter().try_for_each(|flag| refuse("the flag", flag))
}

pub(super) fn refuse(what: &'static str, text: &str) -> Result<(), ShellUnsafe> {
    match shell_unsafe(text) {
        Some(character) => Err(ShellUnsafe { what, text: text.to_owned(), character }),
        None => Ok(()),
    }
}

/// nvcc takes a comma in `-I` and `-D` for the end of one of several values, and puts a backslash before a `'` in `-I`
/// that nothing takes away again.
fn refuse_any(what: &'static str, text: &str, refused: &[char]) -> Result<(), ShellUnsafe> {
    match text.chars().find(|c| refused.contains(c)) {
        Some(character) => Err(ShellUnsafe { what, text: text.to_owned(), character }),
        None => Ok(()),
    }
}
