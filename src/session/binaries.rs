//! Units that were compiled before.

use crate::order::Set;
use crate::session::Package;
use crate::session::link::Read;

/// A program that was linked keeps its relocatable parts too: kernels whose linked code is in the same binary are left to
/// that.
pub(super) fn prefer_linked(package: &Package<'_>, read: &mut [Read]) {
    let is_binary = |one: &Read| package.units[one.unit].kind.is_binary();
    let mut linked = Set::new();
    for one in read.iter().filter(|one| is_binary(one)) {
        let kernels = one.evidence.kernels.iter().filter(|kernel| kernel.link.linked().is_none());
        linked.extend(kernels.map(|kernel| (one.unit, one.arch, kernel.name.mangled.clone())));
    }
    for one in read.iter_mut().filter(|one| is_binary(one)) {
        let (unit, arch) = (one.unit, one.arch);
        let is_linked = |name: &str| linked.contains(&(unit, arch, name.to_owned()));
        let kernels = &mut one.evidence.kernels;
        kernels.retain(|kernel| kernel.link.linked().is_none() || !is_linked(&kernel.name.mangled));
        let left: Set<&String> = kernels
            .iter()
            .filter(|kernel| kernel.link.linked() == Some(false))
            .map(|kernel| &kernel.name.demangled)
            .collect();
        for facts in &mut one.evidence.units {
            if let Some(open) = &mut facts.unlinked {
                open.kernels.retain(|name| left.contains(name));
            }
            facts.unlinked.take_if(|open| open.kernels.is_empty());
        }
    }
}

/// Says of which binaries it is not known whether kernels spill: of older compilers, which do not mark spills.
pub(super) fn unknown_spills(package: &Package<'_>, read: &[Read]) -> Vec<String> {
    let unknown = |one: &&Read| {
        let is_binary = package.units[one.unit].kind.is_binary();
        is_binary && one.evidence.kernels.iter().any(|kernel| kernel.spills.is_none())
    };
    let units: Set<usize> = read.iter().filter(unknown).map(|one| one.unit).collect();
    let note = |unit: usize| {
        let name = &package.units[unit].name;
        format!(
            "`{name}` does not mark spills (ptxas before 12.6 made it): whether its kernels spill is unknown"
        )
    };
    units.into_iter().map(note).collect()
}
