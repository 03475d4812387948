//! What the baseline has and the run has not, and what got better.

use crate::arch::Arch;
use crate::baseline::entry::package_of;
use crate::baseline::{Baseline, Entry};
use crate::check::CheckedKernel;
use crate::order::Set;

/// Kernels of the baseline that are gone, as keys with their architectures.
pub(crate) type Removed = Vec<(String, Arch)>;

/// What is gone of the packages and architectures that were checked, and how many kernels got better.
pub(crate) fn changes(baseline: &Baseline, kernels: &[CheckedKernel]) -> (Removed, usize) {
    let here: Set<(&str, Arch)> = kernels
        .iter()
        .filter_map(|checked| Some((checked.kernel.name.key.as_str(), checked.kernel.arch?)))
        .collect();
    let looked_at: Set<(&str, Arch)> = here.iter().map(|&(key, arch)| (package_of(key), arch)).collect();
    let gone = baseline.entries.keys().filter(|(key, arch)| {
        looked_at.contains(&(package_of(key), *arch)) && !here.contains(&(key.as_str(), *arch))
    });
    let better =
        kernels.iter().filter(|checked| checked.before.as_ref().is_some_and(|b| is_better(b, checked)));
    (gone.cloned().collect(), better.count())
}

/// Something is less than it was, and nothing is more.
fn is_better(before: &Entry, checked: &CheckedKernel) -> bool {
    let now = Entry::now(checked);
    let pairs = [
        (before.spill_stores, now.spill_stores),
        (before.spill_loads, now.spill_loads),
        (before.shared_spills, now.shared_spills),
        // more blocks are less of what is missing
        (now.residency, before.residency),
    ];
    let known = || pairs.iter().filter_map(|(was, is)| was.zip(*is));
    known().any(|(was, is)| is < was) && known().all(|(was, is)| is <= was)
}
