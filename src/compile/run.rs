//! Running the calls, in parallel, and taking what they leave.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::arch::Arch;
use crate::compile::command::output_extension;
use crate::compile::ptx::needs_link;
#[cfg(feature = "cache")]
use crate::compile::schedule::Cost;
use crate::compile::schedule::{Expected, Memory, longest_first};
use crate::compile::{
    Artefact, CompileError, DeviceCode, Settings, SourceKind, Unit, command, included_files,
};
use crate::order;
use crate::sys::files::{self, FileError};
use crate::sys::memory;
use crate::sys::process::{self, Call, Cancel, Output, ProcessError};

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

/// What came of a package's compilations.
#[derive(Debug)]
pub struct Compilations {
    /// The outcomes, in the order units × architectures, whatever finished first.
    pub all: Vec<Compiled>,
    /// How many had to wait until there was memory for them.
    pub waited: usize,
}

/// Compiles every unit that is no binary for every architecture, or for those of its own; the longest first, as far as earlier
/// runs tell, and no more at a time than memory is there for.
pub fn compile(
    units: &[Unit],
    archs: &[Arch],
    settings: &Settings,
    cancel: &Cancel,
    progress: Progress<'_>,
) -> Compilations {
    let jobs: Vec<(usize, Arch)> = sources(units)
        .flat_map(|unit| units[unit].archs(archs).into_iter().map(move |arch| (unit, arch)))
        .collect();
    let expected: Vec<Expected> =
        jobs.iter().map(|(unit, arch)| expected(&units[*unit], *arch, settings)).collect();
    let order = longest_first(&expected);
    let memory = Memory::new(&memory::available);
    let done = AtomicUsize::new(0);
    let mut all = settings.workers.run(jobs.len(), |turn| {
        let job = order[turn];
        let (unit, arch) = jobs[job];
        let one = One { unit: &units[unit], arch, settings, cancel };
        let result = one.compile((&memory, expected[job].last.map(|last| last.bytes)));
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        (job, Compiled { unit, arch, result })
    });
    order::sort_by_key(&mut all, |(job, _)| *job);
    Compilations { all: all.into_iter().map(|(_, one)| one).collect(), waited: memory.waited() }
}

fn expected(unit: &Unit, arch: Arch, settings: &Settings) -> Expected {
    let source_bytes = files::stamp(&unit.source).map_or(0, |(bytes, _)| bytes);
    #[cfg(feature = "cache")]
    let last = settings.cache.as_ref().and_then(|cache| cache.past().of(&unit.name, arch));
    #[cfg(not(feature = "cache"))]
    let (last, _) = (None, (arch, settings));
    Expected { last, source_bytes }
}

/// The units that are compiled.
fn sources(units: &[Unit]) -> impl Iterator<Item = usize> {
    (0..units.len()).filter(|&unit| !units[unit].kind.is_binary())
}

/// A unit and an architecture, to be compiled.
struct One<'a> {
    unit: &'a Unit,
    arch: Arch,
    settings: &'a Settings,
    cancel: &'a Cancel,
}

impl One<'_> {
    fn compile(&self, need: (&Memory<'_>, Option<u64>)) -> Result<Artefact, CompileError> {
        let Self { unit, arch, settings, .. } = *self;
        let readable = |cause| FileError { doing: "read", path: unit.source.clone(), cause };
        std::fs::File::open(&unit.source).map_err(readable).map_err(CompileError::Source)?;
        let keep = unit.folder(&settings.work).join(arch.to_string());
        let relocatable = is_relocatable(unit, settings)?;
        let call = command(unit, (arch, relocatable), &keep, settings)?;
        #[cfg(feature = "cache")]
        if let Some(cache) = &settings.cache {
            let place = cache.place((&call, &keep), unit, settings);
            return match cache.get(&place, unit) {
                Some(known) => Ok(known),
                None => {
                    let made = self.run(&call, (&keep, relocatable), need)?;
                    let tied = made.preprocessed.is_some_and(|text| cache.is_tied(&text));
                    Ok(cache.put(&place, unit, (made.artefact, tied)))
                }
            };
        }
        Ok(self.run(&call, (&keep, relocatable), need)?.artefact)
    }

    fn run(
        &self,
        call: &Call,
        (keep, relocatable): (&Path, bool),
        (memory, bytes): (&Memory<'_>, Option<u64>),
    ) -> Result<Made, CompileError> {
        let Self { unit, settings, cancel, .. } = *self;
        files::create_empty_folder(keep).map_err(CompileError::File)?;
        let leave = memory.take(bytes, &|| cancel.is_cancelled());
        let output = process::run(call, keep, cancel).map_err(CompileError::Process)?;
        drop(leave);
        #[cfg(feature = "cache")]
        if let (Some(cache), Some(bytes)) = (&settings.cache, output.peak_bytes) {
            cache.past().note(&unit.name, self.arch, Cost { time: output.took, bytes });
        }
        collect(unit, keep, (output_extension(unit, settings), relocatable), output)
    }
}

/// What a compiler left.
struct Made {
    artefact: Artefact,
    /// What the preprocessor made of the source; `None` where it did not run, or left nothing.
    #[cfg_attr(not(feature = "cache"), expect(dead_code, reason = "it decides what may be kept"))]
    preprocessed: Option<String>,
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
) -> Result<Made, CompileError> {
    let intermediate = |extension: &str| keep.join(format!("{}.{extension}", unit.stem()));
    let preprocessed = intermediate("cpp1.ii");
    let text = files::read_text(&preprocessed).ok();
    // Preprocessed text is the bulk of what nvcc keeps, and nothing reads it again.
    files::remove_if_there(&preprocessed).map_err(CompileError::File)?;
    let included = text.as_deref().map(included_files).unwrap_or_default();
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
    let (log, ptx, files) = (log.into(), ptx.into(), included.into());
    let artefact = Artefact { log, ptx, cubin, relocatable, files, ..Artefact::default() };
    Ok(Made { artefact, preprocessed: text })
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
