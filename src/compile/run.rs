//! Running the calls, in parallel, and taking what they leave.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::arch::Arch;
#[cfg(feature = "cache")]
use crate::compile::Place;
use crate::compile::command::output_extension;
use crate::compile::ptx::needs_link;
#[cfg(feature = "cache")]
use crate::compile::schedule::Cost;
use crate::compile::schedule::{Expected, Memory, Queue};
use crate::compile::{
    Artefact, CompileError, DeviceCode, IncludedFile, Settings, SourceKind, Unit, command, included_files,
};
use crate::order;
use crate::sys::files::{self, FileError};
use crate::sys::memory;
use crate::sys::process::{self, Call, Cancel, Output, ProcessError};
#[cfg(feature = "cache")]
use crate::sys::state::now;

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

/// Told of each outcome of a call, on the thread that keeps it, while others still run.
pub type Made<'a> = &'a (dyn Fn(&Compiled) + Sync);

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
    (progress, made): (Progress<'_>, Made<'_>),
) -> Compilations {
    let jobs: Vec<One<'_>> = sources(units)
        .flat_map(|index| {
            let unit = &units[index];
            unit.archs(archs).into_iter().map(move |arch| One { index, unit, arch, settings, cancel })
        })
        .collect();
    let (mut all, open) = begin(&jobs, settings);
    let expected: Vec<Expected> = open.iter().map(|(job, _)| jobs[*job].expected()).collect();
    let queue = Mutex::new(Queue::new(expected.clone()));
    let queue = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let memory = Memory::new(&memory::available);
    let done = AtomicUsize::new(0);
    let run = |_| {
        let turn = queue().take()?;
        let (job, call) = &open[turn];
        let start = Instant::now();
        let ran = jobs[*job].run(call, (&memory, expected[turn].last.map(|last| last.bytes)));
        queue().ended(turn, start.elapsed());
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, open.len());
        Some((turn, ran))
    };
    let finish = |ran: Option<(usize, _)>| {
        let (turn, ran) = ran?;
        let (job, call) = &open[turn];
        let one = jobs[*job].compiled(jobs[*job].finish(call, ran));
        made(&one);
        Some((*job, one))
    };
    all.extend(settings.workers.run_then(open.len(), run, finish).into_iter().flatten());
    order::sort_by_key(&mut all, |(job, _)| *job);
    Compilations { all: all.into_iter().map(|(_, one)| one).collect(), waited: memory.waited() }
}

/// Some of a list, each with its place in it.
type Listed<T> = Vec<(usize, T)>;

/// What is known of each, with its place in the list, and what is to be done: what is kept needs no turn.
fn begin(jobs: &[One<'_>], settings: &Settings) -> (Listed<Compiled>, Listed<Box<Open>>) {
    let begun = settings.workers.few(jobs.len()).run(jobs.len(), |job| jobs[job].begin());
    let (mut known, mut open) = (Vec::new(), Vec::new());
    for (job, begun) in begun.into_iter().enumerate() {
        match begun {
            Ok(Begun::Open(call)) => open.push((job, call)),
            Ok(Begun::Known(artefact)) => known.push((job, jobs[job].compiled(Ok(*artefact)))),
            Err(error) => known.push((job, jobs[job].compiled(Err(error)))),
        }
    }
    (known, open)
}

/// The units that are compiled.
fn sources(units: &[Unit]) -> impl Iterator<Item = usize> {
    (0..units.len()).filter(|&unit| !units[unit].kind.is_binary())
}

/// A unit and an architecture, to be compiled.
struct One<'a> {
    /// Of the unit.
    index: usize,
    unit: &'a Unit,
    arch: Arch,
    settings: &'a Settings,
    cancel: &'a Cancel,
}

/// What is known before a compilation.
enum Begun {
    /// It was done before.
    #[cfg_attr(not(feature = "cache"), expect(dead_code, reason = "nothing is kept"))]
    Known(Box<Artefact>),
    /// It is to be done.
    Open(Box<Open>),
}

/// A compilation that is to be done.
struct Open {
    call: Call,
    /// The folder of its intermediates.
    keep: PathBuf,
    relocatable: bool,
    /// Where it is kept then.
    #[cfg(feature = "cache")]
    place: Option<Place>,
}

impl One<'_> {
    fn compiled(&self, result: Result<Artefact, CompileError>) -> Compiled {
        Compiled { unit: self.index, arch: self.arch, result }
    }

    fn begin(&self) -> Result<Begun, CompileError> {
        let Self { unit, arch, settings, .. } = *self;
        let keep = unit.folder(&settings.work).join(arch.to_string());
        let relocatable = is_relocatable(unit, settings)?;
        let call = command(unit, (arch, relocatable), &keep, settings)?;
        #[cfg(feature = "cache")]
        let place = settings.cache.as_ref().map(|cache| cache.place((&call, &keep), unit, settings));
        #[cfg(feature = "cache")]
        if let (Some(cache), Some(place)) = (&settings.cache, &place)
            && let Some(known) = cache.get(place, unit)
        {
            return Ok(Begun::Known(Box::new(known)));
        }
        let open = Open {
            call,
            keep,
            relocatable,
            #[cfg(feature = "cache")]
            place,
        };
        Ok(Begun::Open(Box::new(open)))
    }

    fn expected(&self) -> Expected {
        let source_bytes = files::stamp(&self.unit.source).map_or(0, |(bytes, _)| bytes);
        #[cfg(feature = "cache")]
        let last = self.settings.cache.as_ref().and_then(|cache| cache.past().of(&self.unit.name, self.arch));
        #[cfg(not(feature = "cache"))]
        let last = None;
        Expected { last, source: self.index, source_bytes }
    }

    /// The compiler's call alone: what follows is done beside the next one's.
    fn run(
        &self,
        Open { call, keep, .. }: &Open,
        (memory, bytes): (&Memory<'_>, Option<u64>),
    ) -> Result<Ran, CompileError> {
        let Self { unit: Unit { source, .. }, cancel, .. } = *self;
        std::fs::File::open(source).map_err(FileError::of("read", source)).map_err(CompileError::Source)?;
        #[cfg(feature = "cache")]
        let start = now();
        files::create_empty_folder(keep).map_err(CompileError::File)?;
        let leave = memory.take(bytes, &|| cancel.is_cancelled());
        let output = process::run(call, keep, cancel).map_err(CompileError::Process)?;
        drop(leave);
        Ok(Ran {
            #[cfg(feature = "cache")]
            start,
            output,
        })
    }

    /// Takes what a call left, and keeps it.
    fn finish(&self, open: &Open, ran: Result<Ran, CompileError>) -> Result<Artefact, CompileError> {
        let Self { unit, settings, .. } = *self;
        let ran = ran?;
        #[cfg(feature = "cache")]
        if let (Some(cache), Some(bytes)) = (&settings.cache, ran.output.peak_bytes) {
            cache.past().note(&unit.name, self.arch, Cost { time: ran.output.took, bytes });
        }
        let left = collect(unit, &open.keep, (settings, open.relocatable), ran.output)?;
        #[cfg(feature = "cache")]
        if let (Some(cache), Some(place)) = (&settings.cache, &open.place) {
            return Ok(cache.put(&place.begun(ran.start), unit, (left.artefact, left.tied)));
        }
        Ok(left.artefact)
    }
}

/// A call that ended.
struct Ran {
    /// Nanoseconds since 1970.
    #[cfg(feature = "cache")]
    start: i128,
    output: Output,
}

/// What a compiler left.
struct Left {
    artefact: Artefact,
    /// The compiler may know where the workspace lies.
    #[cfg_attr(not(feature = "cache"), expect(dead_code, reason = "it decides what may be kept"))]
    tied: bool,
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
    (settings, relocatable): (&Settings, bool),
    output: Output,
) -> Result<Left, CompileError> {
    let extension = output_extension(unit, settings);
    let intermediate = |extension: &str| keep.join(format!("{}.{extension}", unit.stem()));
    let preprocessed = intermediate("cpp1.ii");
    let text = files::read_text(&preprocessed).ok();
    // Preprocessed text is the bulk of what nvcc keeps, and nothing reads it again.
    files::remove_if_there(&preprocessed).map_err(CompileError::File)?;
    let (included, tied) = text.as_deref().map(|text| included(text, settings)).unwrap_or_default();
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
    Ok(Left { artefact, tied })
}

/// The files that a preprocessed text names, and whether the compiler may know where the workspace lies.
fn included(preprocessed: &str, settings: &Settings) -> (Vec<IncludedFile>, bool) {
    #[cfg(feature = "cache")]
    if let Some(cache) = &settings.cache {
        return cache.included(preprocessed);
    }
    let _ = settings;
    (included_files(preprocessed), false)
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
