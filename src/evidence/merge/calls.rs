//! The call graph of a PTX module.

use crate::evidence::ptx::Ptx;
use crate::order::{Map, Set};

/// Who calls whom, by index in [`Ptx::functions`].
pub(super) struct Calls {
    direct: Vec<Vec<usize>>,
    in_cycle: Vec<bool>,
}

impl Calls {
    pub(super) fn new(ptx: &Ptx) -> Self {
        let by_name: Map<&str, usize> = ptx
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
        let in_cycle = in_cycle(&direct);
        Self { direct, in_cycle }
    }

    /// What a function calls itself.
    pub(super) fn direct(&self, index: usize) -> &[usize] {
        &self.direct[index]
    }

    /// What can be reached from `index`, itself included.
    pub(super) fn reached(&self, index: usize) -> Set<usize> {
        self.below(&[index])
    }

    /// Whether a function can call itself, directly or through others.
    pub(super) fn in_cycle(&self, index: usize) -> bool {
        self.in_cycle[index]
    }

    fn below(&self, roots: &[usize]) -> Set<usize> {
        let mut open = roots.to_vec();
        let mut seen = Set::new();
        while let Some(index) = open.pop() {
            if seen.insert(index) {
                open.extend_from_slice(&self.direct[index]);
            }
        }
        seen
    }
}

/// Which functions can call themselves, directly or through others: those of strongly connected components of several
/// functions, and those that call themselves. Kosaraju's two walks, without recursion: a chain of calls may be long.
fn in_cycle(direct: &[Vec<usize>]) -> Vec<bool> {
    let mut callers = vec![Vec::new(); direct.len()];
    for (caller, callees) in direct.iter().enumerate() {
        callees.iter().for_each(|&callee| callers[callee].push(caller));
    }
    let mut component = vec![usize::MAX; direct.len()];
    let mut sizes = Vec::new();
    for root in finished(direct).into_iter().rev() {
        let (mut open, mut size) = (vec![root], 0);
        while let Some(index) = open.pop() {
            if component[index] == usize::MAX {
                component[index] = sizes.len();
                size += 1;
                open.extend_from_slice(&callers[index]);
            }
        }
        sizes.push(size);
    }
    let alone = |index: usize| sizes[component[index]] == 1;
    (0..direct.len()).map(|index| !alone(index) || direct[index].contains(&index)).collect()
}

/// The functions in the order in which a walk in depth leaves them.
fn finished(direct: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; direct.len()];
    let mut order = Vec::with_capacity(direct.len());
    for root in 0..direct.len() {
        // a function, and how many of its callees were walked
        let mut open = vec![(root, 0)];
        while let Some((index, next)) = open.pop() {
            if next == 0 && std::mem::replace(&mut seen[index], true) {
                continue;
            }
            match direct[index].get(next) {
                Some(&callee) => open.extend([(index, next + 1), (callee, 0)]),
                None => order.push(index),
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_function_is_in_a_cycle_if_it_reaches_itself(calls in prop::collection::vec((0..9_usize, 0..9_usize), 0..20)) {
            let mut direct = vec![Vec::new(); 9];
            calls.iter().for_each(|&(caller, callee)| direct[caller].push(callee));
            let graph = Calls { direct, in_cycle: Vec::new() };
            let reaches_itself = |index: usize| graph.below(&graph.direct[index]).contains(&index);
            prop_assert_eq!(in_cycle(&graph.direct), (0..9).map(reaches_itself).collect::<Vec<_>>());
        }
    }
}
