//! From what the compilations left to what the check needs.

use std::collections::BTreeSet;

use crate::compile::{Artefact, CompileError, Compiled, SourceKind, Unit};
use crate::evidence::{self, Artefacts, Evidence};
use crate::expect::{CommentError, Rule, comments};
use crate::session::paths::Roots;
use crate::sys::files::SourceMap;

/// Reads one compilation's artefacts; a report that does not fit the PTX is an error, not a kernel fewer.
pub(super) fn evidence_of(
    unit: &Unit,
    compiled: &Compiled,
    artefact: &Artefact,
    debug: bool,
    (roots, sources): (&Roots, &SourceMap),
) -> Result<Evidence, CompileError> {
    let artefacts =
        Artefacts { unit: &unit.name, arch: compiled.arch, log: &artefact.log, ptx: &artefact.ptx, debug };
    let entered: BTreeSet<_> = artefact.entered.iter().map(|printed| roots.absolute(printed)).collect();
    let lookup = |printed: &str| roots.lookup(sources, &entered, printed);
    let evidence = evidence::from_artefacts(&artefacts, &lookup);
    let gap = |missing: String| CompileError::NoArtefact { missing, output: artefact.log.clone() };
    for kernel in &evidence.kernels {
        let name = &kernel.name.demangled;
        if kernel.usage.registers.is_none() {
            return Err(gap(format!("register report of `{name}` (is `-Xptxas -v` taken away?)")));
        }
        if kernel.dynamic_shared.is_none() {
            return Err(gap(format!("PTX of `{name}`, which its report names")));
        }
    }
    Ok(evidence)
}

/// The rules that stand beside kernels: in the units and in every header of the author's that went into them.
pub(super) fn comment_rules(
    units: &[Unit],
    compiled: &[Compiled],
    roots: &Roots,
    sources: &SourceMap,
) -> (Vec<Rule>, Vec<CommentError>) {
    let included = compiled.iter().filter_map(|one| one.result.as_ref().ok()).flat_map(|one| &one.files);
    let files: BTreeSet<_> = included
        .map(|printed| roots.absolute(printed))
        .chain(units.iter().filter(|unit| unit.kind == SourceKind::Cuda).map(|unit| unit.source.clone()))
        .filter(|path| !roots.is_foreign(path))
        .collect();
    let (mut rules, mut errors) = (Vec::new(), Vec::new());
    for text in files.iter().filter_map(|path| sources.get(path, &roots.shown(path))) {
        let (mut new_rules, mut new_errors) = comments(&text);
        rules.append(&mut new_rules);
        errors.append(&mut new_errors);
    }
    (rules, errors)
}
