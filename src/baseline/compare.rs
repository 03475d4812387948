//! What the baseline has and the run has not, what got better, and what cannot be compared.

use std::sync::Arc;

use crate::arch::Arch;
use crate::baseline::entry::package_of;
use crate::baseline::{Baseline, Entry};
use crate::check::CheckedKernel;
use crate::order::Set;

/// Whether a kernel's figures can be compared with the baseline's.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Comparison {
    /// There is no baseline, or it does not have the kernel.
    #[default]
    New,
    /// They are compared.
    Compared,
    /// They were compiled with other settings: those of the baseline, and those of now.
    OtherSettings(Arc<str>, Arc<str>),
    /// Another compiler made them, and only what is comparable was to be compared: the baseline's, and the one of now.
    OtherCompiler(Arc<str>, Arc<str>),
}

/// What is compared with a baseline.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CompareRules {
    /// Kernels that were compiled with other settings too.
    pub other_settings: bool,
    /// Not what another compiler made.
    pub same_compiler: bool,
}

/// Whether a kernel is compared with its entry.
pub(crate) fn comparison(checked: &CheckedKernel, rules: CompareRules) -> Comparison {
    let Some(before) = &checked.before else { return Comparison::New };
    let other =
        |was: &Option<Arc<str>>, is: &Option<Arc<str>>| was.clone().zip(is.clone()).filter(|(a, b)| a != b);
    if before.code.is_some() && before.code == checked.kernel.code {
        // Of equal code, what it was made with makes no difference.
        return Comparison::Compared;
    }
    let settings = other(&before.settings, &checked.kernel.settings).filter(|_| !rules.other_settings);
    let compiler = other(&before.compiler, &checked.kernel.compiler).filter(|_| rules.same_compiler);
    match (settings, compiler) {
        (Some((was, is)), _) => Comparison::OtherSettings(was, is),
        (None, Some((was, is))) => Comparison::OtherCompiler(was, is),
        (None, None) => Comparison::Compared,
    }
}

/// What fits on an SM, before and now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Room {
    pub(crate) was: u32,
    pub(crate) is: u32,
    /// Warps, since blocks have another size now; else blocks.
    pub(crate) in_warps: bool,
}

/// What fits, where both are known: blocks, or, of blocks of another size, warps.
pub(crate) fn room(before: &Entry, now: &Entry) -> Option<Room> {
    let (was, is) = before.residency.zip(now.residency)?;
    match before.block.zip(now.block) {
        Some((old, new)) if old != new => {
            let warps = |blocks: u32, threads: u32| blocks.saturating_mul(threads.div_ceil(32));
            Some(Room { was: warps(was, old), is: warps(is, new), in_warps: true })
        }
        _ => Some(Room { was, is, in_warps: false }),
    }
}

/// Kernels of the baseline that are gone, as keys with their architectures.
pub(crate) type Removed = Vec<(String, Arch)>;

/// What is gone of the packages and architectures that were checked, and how many kernels got better.
/// `whole`: the package that was looked at on all architectures; without, only those where it still has kernels are.
pub(crate) fn changes(
    baseline: &Baseline,
    kernels: &[CheckedKernel],
    whole: Option<&str>,
) -> (Removed, usize) {
    let here: Set<(&str, Arch)> = kernels
        .iter()
        .filter_map(|checked| Some((checked.kernel.name.key.as_str(), checked.kernel.arch?)))
        .collect();
    let renamed: Set<(&str, Arch)> = kernels
        .iter()
        .filter_map(|checked| Some((checked.renamed_from.as_deref()?, checked.kernel.arch?)))
        .collect();
    let looked_at: Set<(&str, Arch)> = here.iter().map(|&(key, arch)| (package_of(key), arch)).collect();
    let gone = baseline.entries.keys().filter(|(key, arch)| {
        let kernel = (key.as_str(), *arch);
        let was_looked_at = whole == Some(package_of(key)) || looked_at.contains(&(package_of(key), *arch));
        was_looked_at && !here.contains(&kernel) && !renamed.contains(&kernel)
    });
    let better = kernels.iter().filter(|checked| checked.compared().is_some_and(|b| is_better(b, checked)));
    (gone.cloned().collect(), better.count())
}

/// Something is less than it was, and nothing is more.
fn is_better(before: &Entry, checked: &CheckedKernel) -> bool {
    let now = Entry::now(checked);
    let room = room(before, &now);
    let pairs = [
        (before.spill_stores, now.spill_stores),
        (before.spill_loads, now.spill_loads),
        (before.shared_spills, now.shared_spills),
        // more that fits is less of what is missing
        (room.map(|room| room.is), room.map(|room| room.was)),
    ];
    let known = || pairs.iter().filter_map(|(was, is)| was.zip(*is));
    known().any(|(was, is)| is < was) && known().all(|(was, is)| is <= was)
}
