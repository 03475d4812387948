//! What the baseline has and the run has not, what got better, and what cannot be compared.

use std::sync::Arc;

use crate::arch::Arch;
use crate::baseline::entry::package_of;
use crate::baseline::{Baseline, CompareRules, Comparison, Entry, Removed, pair};
use crate::check::CheckedKernel;
use crate::expect::Levels;
use crate::finding::Level;
use crate::kernel::Kernel;
use crate::lints::INCOMPARABLE_BASELINE;
use crate::order::Set;

/// What the baseline has of a kernel; also where the kernel that its file told it from is not in this part of the run.
pub(crate) fn entry_of(baseline: &Baseline, kernel: &Kernel) -> Option<Entry> {
    let arch = kernel.arch?;
    let unit = || kernel.units.first().map_or("", String::as_str);
    let file = kernel.place.as_ref().map_or_else(unit, |place| &place.file);
    // A key gets its file when another kernel of its name comes: both are compared with the one that was.
    let bare = kernel.name.key.strip_suffix(&format!(" [{file}]")).unwrap_or_default().to_owned();
    let keys = [kernel.name.key.clone(), format!("{} [{file}]", kernel.name.key), bare];
    keys.into_iter().find_map(|key| baseline.entries.get(&(key, arch))).cloned()
}

/// Who allows `incomparable-baseline` compares all the same.
pub(crate) fn with_levels(compare: CompareRules, levels: &Levels) -> CompareRules {
    let level = levels.effective(INCOMPARABLE_BASELINE.name, INCOMPARABLE_BASELINE.default, false);
    CompareRules { other_settings: compare.other_settings || level == Level::Allow, ..compare }
}

/// Finds kernels that the baseline has under another name, and decides of each whether it is compared.
pub(crate) fn compare_all(
    baseline: &Baseline,
    kernels: &mut [CheckedKernel],
    all_units: bool,
    rules: CompareRules,
) {
    pair(baseline, kernels, all_units);
    kernels.iter_mut().for_each(|checked| checked.comparison = comparison(checked, rules));
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

/// What made the figures that a kernel is compared with, where that is not what made those of now.
pub(crate) fn baseline_notes(kernel: &CheckedKernel) -> Vec<String> {
    let renamed = kernel.renamed_from.as_ref().map(|key| format!("`{key}` in the baseline"));
    [compiler_note(kernel), settings_note(kernel), renamed].into_iter().flatten().collect()
}

/// Where another compiler made the baseline's figures.
fn compiler_note(kernel: &CheckedKernel) -> Option<String> {
    let (was, is) = (kernel.before.as_ref()?.compiler.as_ref()?, kernel.kernel.compiler.as_ref()?);
    (was != is).then(|| {
        format!("the baseline is nvcc {was}'s, this run is {is}'s: the difference may be the compiler's")
    })
}

/// Where other settings made the baseline's figures, and the code is another.
fn settings_note(kernel: &CheckedKernel) -> Option<String> {
    let (was, is) = (kernel.before.as_ref()?.settings.as_ref()?, kernel.kernel.settings.as_ref()?);
    let differs = was != is && kernel.before.as_ref()?.code != kernel.kernel.code;
    differs.then(|| format!("compiled with `{was}` in the baseline, with `{is}` now"))
}
