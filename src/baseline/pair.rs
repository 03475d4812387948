//! Kernels of the baseline that have another name now.

use crate::arch::Arch;
use crate::baseline::entry::{name_of, package_of};
use crate::baseline::{Baseline, Entry};
use crate::check::CheckedKernel;
use crate::order::{Map, Set};

/// What two names of one kernel have in common, beside package and architecture.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// The digest of the machine code: only the name changed.
    Code(u64),
    /// The qualified name: parameters or template arguments changed.
    Name(String),
}

/// A package, an architecture and a mark.
type Common = (String, Arch, Mark);

/// Gives kernels that the baseline does not have the entry of one that is gone and is the same: of equal machine code, else
/// the only one of the same qualified name.
pub(crate) fn pair(baseline: &Baseline, kernels: &mut [CheckedKernel]) {
    let here: Set<(String, Arch)> = kernels
        .iter()
        .filter_map(|checked| Some((checked.kernel.name.key.clone(), checked.kernel.arch?)))
        .collect();
    let mut gone: Vec<(&(String, Arch), &Entry)> =
        baseline.entries.iter().filter(|(kernel, _)| !here.contains(*kernel)).collect();
    for by_code in [true, false] {
        if gone.is_empty() {
            return;
        }
        let pairs = pairs(&gone, kernels, by_code);
        gone.retain(|(kernel, _)| !pairs.iter().any(|(_, (other, _))| other == kernel));
        for (index, ((key, _), entry)) in pairs {
            kernels[index].renamed_from = Some(key.clone());
            kernels[index].before = Some(entry.clone());
        }
    }
}

/// An entry of the baseline with its kernel.
type Gone<'a> = (&'a (String, Arch), &'a Entry);

fn pairs<'a>(gone: &[Gone<'a>], kernels: &[CheckedKernel], by_code: bool) -> Vec<(usize, Gone<'a>)> {
    let mut known: Map<Common, Vec<Gone<'a>>> = Map::new();
    for &(kernel, entry) in gone {
        if let Some(mark) = mark(entry.code, &kernel.0, by_code) {
            let common = (package_of(&kernel.0).to_owned(), kernel.1, mark);
            known.get_or_default(common).push((kernel, entry));
        }
    }
    let mut new: Map<Common, Vec<usize>> = Map::new();
    for (index, checked) in kernels.iter().enumerate().filter(|(_, checked)| checked.before.is_none()) {
        let key = &checked.kernel.name.key;
        let mark = mark(checked.kernel.code, key, by_code);
        if let Some((arch, mark)) = checked.kernel.arch.zip(mark) {
            new.get_or_default((package_of(key).to_owned(), arch, mark)).push(index);
        }
    }
    let mut pairs = Vec::new();
    for (common, indices) in new {
        let Some(entries) = known.get(&common) else { continue };
        // Of equal code the figures are equal, whichever goes with which; a name alone must be the only one.
        if by_code || (indices.len() == 1 && entries.len() == 1) {
            pairs.extend(indices.into_iter().zip(entries.iter().copied()));
        }
    }
    pairs
}

fn mark(code: Option<u64>, key: &str, by_code: bool) -> Option<Mark> {
    if by_code { code.map(Mark::Code) } else { Some(Mark::Name(name_of(key))) }
}
