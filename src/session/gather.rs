//! From what the compilations left to what the check needs.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

use crate::compile::{Artefact, CompileError, Compiled, Included, SourceKind, Unit};
use crate::evidence::{self, Artefacts, Evidence, LooseFunction, SourceLookup};
use crate::expect::{CommentError, Rule, comments};
use crate::kernel::{Kernel, Remark, RemarkKind, Severity};
use crate::order::{self, Set};
use crate::parallel::Workers;
use crate::session::paths::Roots;
#[cfg(feature = "cache")]
use crate::session::remembered::remembered;
use crate::sys::files::{self, SourceMap};

/// Reads one compilation's artefacts, or recalls what an earlier run read in them; a report that does not fit the PTX is an
/// error, not a kernel fewer. Where ptxas ran at the device link (`link_time`), its report is of all units: other units'
/// kernels are left to them.
pub(super) fn evidence_of(
    unit: &Unit,
    compiled: &Compiled,
    artefact: &Artefact,
    (debug, link_time): (bool, bool),
    (roots, sources): (&Roots, &SourceMap),
) -> Result<Evidence, CompileError> {
    // Most units have no place in a file of others: nobody asks then.
    let entered: OnceCell<Set<PathBuf>> = OnceCell::new();
    let entered = || {
        entered.get_or_init(|| {
            let files = artefact.files.iter().filter(|file| file.entered);
            files.map(|file| roots.absolute(&unit.printed(&file.name))).collect()
        })
    };
    let lookup = |printed: &str| {
        let printed = unit.printed(&artefact.now(printed));
        roots.lookup(sources, &|path| entered().contains(path), &printed)
    };
    let read = || read(unit, compiled, artefact, (debug, link_time), &lookup);
    #[cfg(feature = "cache")]
    let evidence = match &artefact.kept {
        Some(kept) => remembered(kept, read, roots, &lookup),
        None => read(),
    };
    #[cfg(not(feature = "cache"))]
    let evidence = read();
    let mut evidence = evidence?;
    if unit.kind == SourceKind::Ptx {
        own_places(&mut evidence);
    }
    Ok(evidence)
}

fn read(
    unit: &Unit,
    compiled: &Compiled,
    artefact: &Artefact,
    (debug, link_time): (bool, bool),
    lookup: SourceLookup<'_>,
) -> Result<Evidence, CompileError> {
    // With link-time optimisation there is only the linker's input yet.
    let cubin = match &artefact.image {
        _ if link_time => None,
        Some(image) => Some(Arc::clone(image)),
        None => Some(Arc::new(files::read_bytes(&artefact.cubin).map_err(CompileError::File)?)),
    };
    let log = artefact.log.read().map_err(CompileError::File)?;
    let artefacts = Artefacts {
        unit: &unit.name,
        arch: compiled.arch,
        log: &log,
        ptx: &artefact.ptx.read().map_err(CompileError::File)?,
        cubin: cubin.as_deref().map(Vec::as_slice),
        debug,
    };
    let mut evidence = evidence::from_artefacts(&artefacts, lookup);
    if link_time {
        leave_others(&mut evidence);
    }
    let gap = |missing: String| CompileError::NoArtefact { missing, output: log.to_string() };
    for kernel in &evidence.kernels {
        let name = &kernel.name.demangled;
        if kernel.usage.registers.is_none() || kernel.usage.spill_store_bytes.is_none() {
            return Err(gap(format!("register report of `{name}` (is `-Xptxas -v` taken away?)")));
        }
        if kernel.dynamic_shared.is_none() {
            return Err(gap(format!("PTX of `{name}`, which its report names")));
        }
    }
    if let Some(problem) = evidence.problems.first() {
        return Err(CompileError::Cubin { problem: problem.to_string(), output: log.to_string() });
    }
    Ok(evidence)
}

/// Reads a cubin that was compiled before: nothing else is known of it.
pub(super) fn evidence_of_cubin(
    unit: &Unit,
    compiled: &Compiled,
    artefact: &Artefact,
    (roots, sources): (&Roots, &SourceMap),
) -> Result<Evidence, CompileError> {
    let bytes = files::read_bytes(&artefact.cubin).map_err(CompileError::File)?;
    // Nothing is known of includes: only the author's own files have a text.
    let lookup = |printed: &str| roots.lookup(sources, &|_| false, printed);
    let mut evidence = evidence::from_cubin(&unit.name, compiled.arch, &bytes, &lookup)
        .map_err(|problem| CompileError::Binary(problem.to_string()))?;
    own_places(&mut evidence);
    match evidence.kernels.iter().find(|kernel| kernel.usage.registers.is_none()) {
        Some(Kernel { name, .. }) => {
            Err(CompileError::Binary(format!("the cubin does not say the registers of `{}`", name.demangled)))
        }
        None => Ok(evidence),
    }
}

/// What the author names as a source is the author's own, wherever it says that it comes from.
fn own_places(evidence: &mut Evidence) {
    let places = evidence.kernels.iter_mut().filter_map(|kernel| kernel.place.as_mut());
    places.for_each(|place| place.foreign = false);
}

/// Leaves kernels that are not in the unit's PTX to their own units; where their device functions stand is kept.
fn leave_others(evidence: &mut Evidence) {
    let Evidence { kernels, functions, .. } = evidence;
    let (own, others) =
        std::mem::take(kernels).into_iter().partition(|kernel| kernel.dynamic_shared.is_some());
    *kernels = own;
    let others: Vec<Kernel> = others;
    for Kernel { units, arch, functions: theirs, .. } in others {
        let unit = units.first().cloned().unwrap_or_default();
        let placed = theirs.into_iter().filter(|function| function.place.is_some());
        functions.extend(placed.map(|function| LooseFunction { unit: unit.clone(), arch, function }));
    }
}

/// Reads what ptxas said of a unit that it refused because a kernel's register cap is smaller than a function it calls
/// needs: it reports each kernel all the same. `None` where anything else is wrong.
pub(super) fn refused_for_caps(
    unit: &Unit,
    compiled: &Compiled,
    debug: bool,
    (roots, sources): (&Roots, &SourceMap),
) -> Option<Evidence> {
    let Err(CompileError::Failed { output, ptx: Some(ptx), .. }) = &compiled.result else { return None };
    let artefacts = Artefacts { unit: &unit.name, arch: compiled.arch, log: output, ptx, cubin: None, debug };
    // Nothing is known of its includes: only the author's own files have a text.
    let evidence = evidence::from_artefacts(&artefacts, &|printed| {
        roots.lookup(sources, &|_| false, &unit.printed(printed))
    });
    let of_units = evidence.units.iter().flat_map(|facts| &facts.remarks);
    let of_kernels = evidence.kernels.iter().flat_map(|kernel| &kernel.remarks);
    let mut errors =
        of_units.chain(of_kernels).filter(|remark| remark.severity == Severity::Error).peekable();
    let is_cap = |remark: &Remark| matches!(remark.kind, RemarkKind::CalleeNeedsRegisters { .. });
    (errors.peek().is_some() && errors.all(is_cap)).then_some(evidence)
}

/// The rules that stand beside kernels: in the units and in every header of the author's that went into them.
pub(super) fn comment_rules(
    units: &[Unit],
    compiled: &[Compiled],
    (roots, sources): (&Roots, &SourceMap),
    workers: &Workers,
) -> (Vec<Rule>, Vec<CommentError>) {
    let artefacts = compiled.iter().filter_map(|one| Some((&units[one.unit], one.result.as_ref().ok()?)));
    // Units share most headers, whose names and lists are then the same ones.
    let (mut seen, mut seen_lists) = (Set::new(), Set::new());
    let mut files: Vec<PathBuf> = artefacts
        .flat_map(|(unit, Artefact { files: Included { own, shared }, .. })| {
            let folder = unit.call.as_ref().map(|call| &call.folder);
            let is_new = seen_lists.insert((folder, shared.as_ptr().addr()));
            let shared = if is_new { &**shared } else { &[] };
            own.iter().chain(shared).map(move |file| (unit, folder, file))
        })
        .filter(|(_, folder, file)| seen.insert((*folder, file.name.as_ptr().addr())))
        .map(|(unit, _, file)| roots.absolute(&unit.printed(&file.name)))
        .chain(units.iter().filter(|unit| unit.kind == SourceKind::Cuda).map(|unit| unit.source.clone()))
        .filter(|path| !roots.is_foreign(path))
        .collect();
    order::sort(&mut files);
    files.dedup();
    let (mut rules, mut errors) = (Vec::new(), Vec::new());
    let read = workers.few(files.len()).run(files.len(), |file| {
        let text = sources.get(&files[file], &roots.shown(&files[file]))?;
        Some(comments(&text))
    });
    for (mut new_rules, mut new_errors) in read.into_iter().flatten() {
        rules.append(&mut new_rules);
        errors.append(&mut new_errors);
    }
    (rules, errors)
}
