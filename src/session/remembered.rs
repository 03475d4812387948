//! What was read out of a compilation's artefacts, kept for later runs. Texts of sources are not in it: whoever reads it has
//! them, or asks for them anew.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::compile::Kept;
use crate::evidence::{Evidence, SourceLookup};
use crate::kernel::Place;
use crate::order::{Map, Set};
use crate::session::paths::Roots;
use crate::source::SourceText;

/// What is kept.
#[derive(Serialize, Deserialize)]
struct Record {
    evidence: Evidence,
    /// The files that had a text.
    texts: Vec<String>,
}

/// A file that evidence names: whose it is, and its text.
type Known = (bool, Option<Arc<SourceText>>);

/// The evidence that an earlier run kept, else what is read now, and kept then.
pub(super) fn remembered<E>(
    kept: &Kept,
    read: impl FnOnce() -> Result<Evidence, E>,
    roots: &Roots,
    lookup: SourceLookup<'_>,
) -> Result<Evidence, E> {
    if let Some(evidence) = kept.evidence.as_deref().and_then(|bytes| recall(bytes, roots, lookup)) {
        return Ok(evidence);
    }
    let evidence = read()?;
    keep(kept, &evidence, roots, lookup);
    Ok(evidence)
}

/// The evidence that an earlier run kept; `None` where a file that it names has a text now and had none then, or the reverse.
fn recall(bytes: &[u8], roots: &Roots, lookup: SourceLookup<'_>) -> Option<Evidence> {
    let Record { mut evidence, texts } = postcard::from_bytes(bytes).ok()?;
    let texts: Set<String> = texts.into_iter().collect();
    let mut files: Map<String, Known> = Map::new();
    let mut fits = true;
    visit(&mut evidence, &mut |file, place_foreign, text| {
        let (foreign, now) = files.get_or_insert_with(file.to_owned(), || {
            let (_, foreign, text) = lookup(&roots.workspace.join(file).to_string_lossy());
            (foreign, text)
        });
        fits &= now.is_some() == texts.contains(file);
        *place_foreign = *foreign;
        text.clone_from(now);
    });
    // What is drawn must lie in the text.
    let is_in = |place: &Place| {
        let mut ranges = place.declarator.iter().chain(&place.bounds);
        place.text.as_ref().is_none_or(|text| ranges.all(|range| text.text().get(range.clone()).is_some()))
    };
    let mut places = evidence.kernels.iter().filter_map(|kernel| kernel.place.as_ref());
    (fits && places.all(is_in)).then_some(evidence)
}

/// Keeps evidence, if the very same would be recalled.
fn keep(kept: &Kept, evidence: &Evidence, roots: &Roots, lookup: SourceLookup<'_>) {
    let mut files: Map<String, Arc<SourceText>> = Map::new();
    let mut copy = evidence.clone();
    visit(&mut copy, &mut |file, _, text| {
        if let Some(text) = text.take() {
            files.insert(file.to_owned(), text);
        }
    });
    let texts = files.iter().map(|(file, _)| file.clone()).collect();
    let Ok(bytes) = postcard::to_stdvec(&Record { evidence: copy, texts }) else { return };
    if recall(&bytes, roots, lookup).as_ref() == Some(evidence) {
        let sources: Vec<_> =
            files.iter().map(|(file, text)| (roots.workspace.join(file), Arc::clone(text))).collect();
        kept.keep(&bytes, sources.iter().map(|(path, text)| (Path::new(path), &**text)));
    }
}

/// Visits each file that evidence names: its name, whether it is foreign, its text.
fn visit(evidence: &mut Evidence, see: &mut impl FnMut(&str, &mut bool, &mut Option<Arc<SourceText>>)) {
    let mut place = |place: &mut Place| see(&place.file, &mut place.foreign, &mut place.text);
    for kernel in &mut evidence.kernels {
        kernel.place.iter_mut().for_each(&mut place);
        kernel.functions.iter_mut().filter_map(|function| function.place.as_mut()).for_each(&mut place);
    }
    evidence.functions.iter_mut().filter_map(|loose| loose.function.place.as_mut()).for_each(place);
    for kernel in &mut evidence.kernels {
        let spills = kernel.spills.iter_mut().flat_map(|spills| &mut spills.lines);
        let lines = spills.flat_map(|line| line.at.iter_mut().chain(&mut line.inlined_from));
        let local = kernel.local_memory.iter_mut().flatten().filter_map(|local| local.at.as_mut());
        lines.chain(local).for_each(|at| see(&at.file, &mut at.foreign, &mut at.text));
    }
}
