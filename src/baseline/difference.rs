//! What differs between two states of the same kernels.

use crate::arch::Arch;
use crate::baseline::{Baseline, Entry, renames, room};
use crate::order::{self, Map, Set};

/// A kernel on one architecture whose figures are not the same before and after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The kernel's key.
    pub key: String,
    /// The architecture.
    pub arch: Arch,
    /// What it was; `None` for a new kernel.
    pub before: Option<Entry>,
    /// What it is; `None` for one that is gone.
    pub after: Option<Entry>,
    /// Its key before, where that was another.
    pub renamed_from: Option<String>,
}

/// What differs between two states, and how much does not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Differences {
    /// The changes.
    pub changes: Vec<Change>,
    /// Kernels on an architecture that are the same.
    pub unchanged: usize,
}

impl Differences {
    /// How many kernels on an architecture both states have: where there are none, nothing was compared.
    pub fn in_common(&self) -> usize {
        let both = self.changes.iter().filter(|change| change.before.is_some() && change.after.is_some());
        self.unchanged + both.count()
    }
}

/// What a change is, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ChangeKind {
    /// Fewer blocks fit on an SM, or, of blocks of another size, fewer warps.
    FewerBlocks,
    /// More bytes of spills are stored or loaded, or more instructions spill to shared memory.
    MoreSpills,
    /// Something else: registers, shared memory, the block, limiters, or less of what is above.
    Other,
    /// The kernel is new.
    New,
    /// The kernel is gone.
    Gone,
}

impl Change {
    /// What kind of change it is.
    pub fn kind(&self) -> ChangeKind {
        let (before, after) = match (&self.before, &self.after) {
            (None, _) => return ChangeKind::New,
            (_, None) => return ChangeKind::Gone,
            (Some(before), Some(after)) => (before, after),
        };
        let more = |was: Option<u32>, is: Option<u32>| was.zip(is).is_some_and(|(was, is)| is > was);
        if room(before, after).is_some_and(|room| room.is < room.was) {
            ChangeKind::FewerBlocks
        } else if more(before.spill_stores, after.spill_stores)
            || more(before.spill_loads, after.spill_loads)
            || more(before.shared_spills, after.shared_spills)
        {
            ChangeKind::MoreSpills
        } else {
            ChangeKind::Other
        }
    }
}

impl Entry {
    /// Whether the figures that a change is told of are the same: what is free, and what was found, is not compared.
    pub fn has_figures_of(&self, other: &Self) -> bool {
        let figures = |entry: &Self| {
            let spills = (entry.spill_stores, entry.spill_loads, entry.shared_spills);
            (entry.registers, spills, entry.static_smem, entry.block, entry.residency)
        };
        figures(self) == figures(other) && self.limiters == other.limiters
    }
}

/// What differs, regressions first: fewer blocks, more spills, other changes, new kernels, those that are gone; each
/// by key and architecture.
pub fn differences(before: &Baseline, after: &Baseline) -> Differences {
    let mut changes = Vec::new();
    let mut unchanged = 0;
    let renamed = renamed(before, after);
    for (kernel, now) in &after.entries {
        let old = renamed.get(kernel);
        let was = before.entries.get(old.unwrap_or(kernel));
        if !was.is_some_and(|was| was.has_figures_of(now)) || old.is_some() {
            let ((key, arch), renamed_from) = (kernel.clone(), old.map(|(key, _)| key.clone()));
            changes.push(Change { key, arch, before: was.cloned(), after: Some(now.clone()), renamed_from });
        } else {
            unchanged += 1;
        }
    }
    let taken: Set<&(String, Arch)> = renamed.values().collect();
    for (kernel, was) in &before.entries {
        if !after.entries.contains_key(kernel) && !taken.contains(&kernel) {
            let (key, arch) = kernel.clone();
            changes.push(Change { key, arch, before: Some(was.clone()), after: None, renamed_from: None });
        }
    }
    order::sort_by(&mut changes, |a, b| (a.kind(), &a.key, a.arch).cmp(&(b.kind(), &b.key, b.arch)));
    Differences { changes, unchanged }
}

/// The old key of each kernel that has a new one.
fn renamed(before: &Baseline, after: &Baseline) -> Map<(String, Arch), (String, Arch)> {
    let now: Vec<_> =
        after.entries.iter().map(|((key, arch), entry)| (key.as_str(), *arch, entry.code)).collect();
    let new_key = |index: usize| (now[index].0.to_owned(), now[index].1);
    let pairs = renames(before, &now, true).into_iter();
    pairs.map(|(index, old)| (new_key(index), (old, now[index].1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(registers: u32, spills: u32, residency: u32) -> Entry {
        Entry {
            registers: Some(registers),
            spill_stores: Some(spills),
            spill_loads: Some(spills),
            residency: Some(residency),
            limiters: vec!["registers".to_owned()],
            ..Entry::default()
        }
    }

    fn baseline(entries: &[(&str, u16, Entry)]) -> Baseline {
        let entry = |(key, arch, entry): &(&str, u16, Entry)| {
            (((*key).to_owned(), Arch::from_cc_tenths(*arch)), entry.clone())
        };
        Baseline { entries: entries.iter().map(entry).collect() }
    }

    #[test]
    fn regressions_come_first_and_what_is_the_same_not_at_all() {
        let before = baseline(&[
            ("p/fewer", 90, entry(64, 0, 4)),
            ("p/gone", 90, entry(1, 0, 1)),
            ("p/less", 90, entry(64, 8, 4)),
            ("p/same", 90, entry(64, 8, 4)),
            ("p/a-spill", 120, entry(64, 0, 4)),
            ("p/a-spill", 90, entry(64, 0, 4)),
        ]);
        let mut same = entry(64, 8, 4);
        (same.free_registers, same.findings) = (Some(3), vec!["spill".to_owned()]);
        let after = baseline(&[
            ("p/fewer", 90, entry(72, 0, 3)),
            ("p/less", 90, entry(64, 0, 4)),
            ("p/new", 90, entry(64, 0, 4)),
            ("p/same", 90, same),
            ("p/a-spill", 120, entry(64, 8, 4)),
            ("p/a-spill", 90, entry(64, 8, 5)),
        ]);
        let differences = differences(&before, &after);
        let changes = &differences.changes;
        let told: Vec<(&str, u16, ChangeKind)> =
            changes.iter().map(|c| (c.key.as_str(), c.arch.cc_tenths(), c.kind())).collect();
        assert_eq!(
            told,
            [
                ("p/fewer", 90, ChangeKind::FewerBlocks),
                ("p/a-spill", 90, ChangeKind::MoreSpills),
                ("p/a-spill", 120, ChangeKind::MoreSpills),
                ("p/less", 90, ChangeKind::Other),
                ("p/new", 90, ChangeKind::New),
                ("p/gone", 90, ChangeKind::Gone),
            ]
        );
        assert_eq!((differences.unchanged, differences.in_common()), (1, 5));
        assert_eq!(super::differences(&after, &after), Differences { changes: Vec::new(), unchanged: 6 });
        assert_eq!(super::differences(&after, &Baseline::default()).in_common(), 0);
    }

    #[test]
    fn what_is_unknown_is_a_change_and_no_regression() {
        let mut unknown = entry(64, 0, 4);
        (unknown.residency, unknown.limiters) = (None, Vec::new());
        let Differences { changes, .. } =
            differences(&baseline(&[("k", 90, entry(64, 0, 4))]), &baseline(&[("k", 90, unknown)]));
        assert_eq!(changes.iter().map(Change::kind).collect::<Vec<_>>(), [ChangeKind::Other]);
    }
}
