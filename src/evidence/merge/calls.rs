//! The call graph of a PTX module.

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::ptx::Ptx;

/// Who calls whom, by index in [`Ptx::functions`].
pub(super) struct Calls {
    direct: Vec<Vec<usize>>,
    in_cycle: Vec<bool>,
}

impl Calls {
    pub(super) fn new(ptx: &Ptx) -> Self {
        let by_name: BTreeMap<&str, usize> = ptx
            .functions
            .iter()
            .enumerate()
            .map(|(index, function)| (function.name.as_str(), index))
            .collect();
        let direct: Vec<Vec<usize>> = ptx
            .functions
            .iter()
            .map(|function| {
                function.calls.iter().filter_map(|name| by_name.get(name.as_str()).copied()).collect()
            })
            .collect();
        let mut calls = Self { direct, in_cycle: Vec::new() };
        calls.in_cycle =
            (0..calls.direct.len()).map(|index| calls.below(&calls.direct[index]).contains(&index)).collect();
        calls
    }

    /// What a function calls itself.
    pub(super) fn direct(&self, index: usize) -> &[usize] {
        &self.direct[index]
    }

    /// What can be reached from `index`, itself included.
    pub(super) fn reached(&self, index: usize) -> BTreeSet<usize> {
        self.below(&[index])
    }

    /// Whether a function can call itself, directly or through others.
    pub(super) fn in_cycle(&self, index: usize) -> bool {
        self.in_cycle[index]
    }

    fn below(&self, roots: &[usize]) -> BTreeSet<usize> {
        let mut open = roots.to_vec();
        let mut seen = BTreeSet::new();
        while let Some(index) = open.pop() {
            if seen.insert(index) {
                open.extend_from_slice(&self.direct[index]);
            }
        }
        seen
    }
}
