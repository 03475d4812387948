//! Running the calls, in parallel, and taking what they leave.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::arch::Arch;
use crate::compile::command::output_extension;
use crate::compile::ptx::needs_link;
use crate::compile::{CompileError, DeviceCode, Settings, SourceKind, Unit, command, included_files};
use crate::parallel::in_parallel;
use crate::sys::files::{self, FileError};
use crate::sys::process::{self, Cancel, Output, ProcessError};

/// What the compilation of one unit for one architecture left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Artefact {
    /// What nvcc and ptxas printed.
    pub log: String,
    /// The PTX.
    pub ptx: String,
    /// Where the cubin lies; with link-time optimisation the fat binary, which has no machine code yet.
    pub cubin: PathBuf,
    /// The device link finishes its code.
    pub relocatable: bool,
    /// Every file that went in: the source and its headers, as the preprocessor names them; sorted.
    pub files: Vec<String>,
    /// Those of them that an `#include` entered; what only a `#line` names is not among them.
    pub entered: Vec<String>,
}

/// The outcome for one unit and one architecture.
#[derive(Debug)]
pub struct Compiled {
    /// Index of the unit in the list that was given.
    pub unit: usize,
    /// The architecture.
    pub arch: Arch,
    /// What it left, or why not.
    pub result: Result<Artefact, CompileError>,
}

/// Told after each call: how many of how many are done.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Compiles every unit that is no binary for every architecture, or for those of its own. The outcomes are in the order units × architectures, whatever
/// finished first.
pub fn compile(
    units: &[Unit],
    archs: &[Arch],
    settings: &Settings,
    cancel: &Cancel,
    progress: Progress<'_>,
) -> Vec<Compiled> {
    let jobs: Vec<(usize, Arch)> = sources(units)
        .flat_map(|unit| units[unit].archs(archs).into_iter().map(move |arch| (unit, arch)))
        .collect();
    let done = AtomicUsize::new(0);
    in_parallel(settings.jobs, jobs.len(), |job| {
        let (unit, arch) = jobs[job];
        let result = compile_one(&units[unit], arch, settings, cancel);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        Compiled { unit, arch, result }
    })
}

/// The units that are compiled.
fn sources(units: &[Unit]) -> impl Iterator<Item = usize> {
    (0..units.len()).filter(|&unit| !units[unit].kind.is_binary())
}

fn compile_one(
    unit: &Unit,
    arch: Arch,
    settings: &Settings,
    cancel: &Cancel,
) -> Result<Artefact, CompileError> {
    let readable = |cause| FileError { doing: "read", path: unit.source.clone(), cause };
    std::fs::File::open(&unit.source).map_err(readable).map_err(CompileError::Source)?;
    let keep = unit.folder(&settings.work).join(arch.to_string());
    let relocatable = is_relocatable(unit, settings)?;
    let call = command(unit, (arch, relocatable), &keep, settings)?;
    #[cfg(feature = "cache")]
    let cache = settings.cache.as_ref().map(|cache| (cache, cache.place(&call, &keep, settings)));
    #[cfg(feature = "cache")]
    if let Some(known) = cache.as_ref().and_then(|(cache, place)| cache.get(place)) {
        return Ok(known);
    }
    files::create_empty_folder(&keep).map_err(CompileError::File)?;
    let output = process::run(&call, &keep, cancel).map_err(CompileError::Process)?;
    let artefact = collect(unit, &keep, (output_extension(unit, settings), relocatable), output)?;
    #[cfg(feature = "cache")]
    if let Some((cache, place)) = cache {
        return Ok(cache.put(&place, unit, artefact));
    }
    Ok(artefact)
}

/// Whether the device link finishes a unit's code: what nvcc compiles where the flags say so, and PTX that needs it then.
fn is_relocatable(unit: &Unit, settings: &Settings) -> Result<bool, CompileError> {
    let code = DeviceCode::of_flags(unit.flags(settings));
    Ok(match unit.kind {
        SourceKind::Cuda => code.is_linked(),
        SourceKind::Ptx if code == DeviceCode::Relocatable => {
            needs_link(&files::read_text(&unit.source).map_err(CompileError::Source)?)
        }
        SourceKind::Ptx | SourceKind::Cubin | SourceKind::Container => false,
    })
}

fn collect(
    unit: &Unit,
    keep: &Path,
    (extension, relocatable): (&str, bool),
    output: Output,
) -> Result<Artefact, CompileError> {
    let intermediate = |extension: &str| keep.join(format!("{}.{extension}", unit.stem()));
    let preprocessed = intermediate("cpp1.ii");
    let included = files::read_bytes(&preprocessed).map(|text| included_files(&text)).unwrap_or_default();
    // Preprocessed text is the bulk of what nvcc keeps, and nothing reads it again.
    files::remove_if_there(&preprocessed).map_err(CompileError::File)?;
    let ptx_file = match unit.kind {
        SourceKind::Ptx => unit.source.clone(),
        _ => intermediate("ptx"),
    };
    let log = join(output.stdout, output.stderr);
    if !output.status.success() {
        let ptx = files::read_text(&ptx_file).ok();
        let (code, signal) = (output.status.code(), process::signal(output.status));
        return Err(CompileError::Failed { code, signal, output: log, ptx });
    }
    let cubin = intermediate(extension);
    if !cubin.is_file() {
        return Err(CompileError::NoArtefact { missing: extension.to_owned(), output: log });
    }
    let Ok(ptx) = files::read_text(&ptx_file) else {
        return Err(CompileError::NoArtefact { missing: "PTX".to_owned(), output: log });
    };
    Ok(Artefact { log, ptx, cubin, relocatable, files: included.named, entered: included.entered })
}

fn join(mut stdout: String, stderr: String) -> String {
    if !stdout.is_empty() && !stdout.ends_with('\n') {
        stdout.push('\n');
    }
    stdout.push_str(&stderr);
    stdout
}

impl Compiled {
    /// Whether the user interrupted it.
    pub fn interrupted(&self) -> bool {
        matches!(self.result, Err(CompileError::Process(ProcessError::Interrupted)))
    }
}
