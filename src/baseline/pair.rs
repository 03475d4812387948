//! Kernels of the baseline that have another name now.

use crate::arch::Arch;
use crate::baseline::Baseline;
use crate::baseline::entry::{name_of, package_of};
use crate::check::CheckedKernel;
use crate::order::{Map, Set};
use crate::text::without_signature;

/// A kernel on an architecture, by key, with the digest of its code.
type Named<'a> = (&'a str, Arch, Option<u64>);

/// What two names of one kernel have in common, beside package and architecture.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// The digest of the machine code: only the name changed.
    Code(u64),
    /// The name with its template arguments: parameters changed.
    Full(String),
    /// The qualified name: template arguments changed as well.
    Name(String),
}

/// Of kernels that were not there before, by index in `now`, the key of the one that is gone and is the same: of equal machine
/// code, else the only one of the same name and template arguments, else, where all of the packages were looked at (`whole`), the
/// only one of the same qualified name.
pub(crate) fn renames(before: &Baseline, now: &[Named<'_>], whole: bool) -> Vec<(usize, String)> {
    let here: Set<(&str, Arch)> = now.iter().map(|&(key, arch, _)| (key, arch)).collect();
    let was: Set<(&str, Arch)> = before.entries.keys().map(|(key, arch)| (key.as_str(), *arch)).collect();
    let mut gone: Vec<Named<'_>> = before
        .entries
        .iter()
        .filter(|((key, arch), _)| !here.contains(&(key.as_str(), *arch)))
        .map(|((key, arch), entry)| (key.as_str(), *arch, entry.code))
        .collect();
    let mut new: Vec<(usize, Named<'_>)> = now.iter().copied().enumerate().collect();
    new.retain(|(_, (key, arch, _))| !was.contains(&(*key, *arch)));
    let mut renames = Vec::new();
    // In a part, what seems gone may be in another one: equal code has equal figures all the same, and few kernels are overloaded.
    let ways: &[MarkOf] = if whole { &[by_code, by_full_name, by_name] } else { &[by_code, by_full_name] };
    for (at, mark) in ways.iter().enumerate() {
        let pairs = pairs(&gone, &new, (*mark, at == 0));
        let old: Set<(&str, Arch)> = pairs.iter().map(|&(_, key, arch)| (key, arch)).collect();
        let named: Set<usize> = pairs.iter().map(|&(index, _, _)| index).collect();
        gone.retain(|(key, arch, _)| !old.contains(&(*key, *arch)));
        new.retain(|(index, _)| !named.contains(index));
        renames.extend(pairs.into_iter().map(|(index, key, _)| (index, key.to_owned())));
    }
    renames
}

/// What a kernel may be known by.
type MarkOf = fn(&Named<'_>) -> Option<Mark>;

fn by_code(&(_, _, code): &Named<'_>) -> Option<Mark> {
    code.map(Mark::Code)
}

fn by_full_name(&(key, _, _): &Named<'_>) -> Option<Mark> {
    let name = key.split_once('/').map_or(key, |(_, name)| name);
    Some(Mark::Full(without_signature(name).to_owned()))
}

fn by_name(&(key, _, _): &Named<'_>) -> Option<Mark> {
    Some(Mark::Name(name_of(key)))
}

/// New ones by index, each with key and architecture of the one that is gone.
fn pairs<'a>(
    gone: &[Named<'a>],
    new: &[(usize, Named<'_>)],
    (mark, any): (MarkOf, bool),
) -> Vec<(usize, &'a str, Arch)> {
    if gone.is_empty() {
        return Vec::new();
    }
    let common = |one: &Named<'_>| Some((package_of(one.0).to_owned(), one.1, mark(one)?));
    let mut known: Map<(String, Arch, Mark), Vec<&'a str>> = Map::new();
    for one in gone {
        if let Some(common) = common(one) {
            known.get_or_default(common).push(one.0);
        }
    }
    let mut fresh: Map<(String, Arch, Mark), Vec<usize>> = Map::new();
    for (index, one) in new {
        if let Some(common) = common(one) {
            fresh.get_or_default(common).push(*index);
        }
    }
    let mut pairs = Vec::new();
    for (common, indices) in fresh {
        let Some(keys) = known.get(&common) else { continue };
        // Of equal code the figures are equal, whichever goes with which; a name alone must be the only one.
        if any || (indices.len() == 1 && keys.len() == 1) {
            pairs.extend(indices.into_iter().zip(keys).map(|(index, key)| (index, *key, common.1)));
        }
    }
    pairs
}

/// Gives kernels that the baseline does not have the entry of what they were called before.
pub(crate) fn pair(baseline: &Baseline, kernels: &mut [CheckedKernel], whole: bool) {
    let known = kernels.iter().enumerate();
    let known: Vec<(usize, Arch)> =
        known.filter_map(|(index, checked)| Some((index, checked.kernel.arch?))).collect();
    let named = |&(index, arch): &(usize, Arch)| {
        let kernel = &kernels[index].kernel;
        (kernel.name.key.as_str(), arch, kernel.code)
    };
    let now: Vec<Named<'_>> = known.iter().map(named).collect();
    for (at, key) in renames(baseline, &now, whole) {
        let (index, arch) = known[at];
        if kernels[index].before.is_some() {
            continue;
        }
        kernels[index].before = baseline.entries.get(&(key.clone(), arch)).cloned();
        kernels[index].renamed_from = Some(key);
    }
}
