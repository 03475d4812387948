//! Loops: which instructions control can come back to.

use super::code::{self, Exit};

use crate::order::Map;

/// Ranges of instructions (by index) that are in a loop, ascending and apart.
pub(super) struct Loops {
    ranges: Vec<(usize, usize)>,
}

impl Loops {
    /// Finds the loops of a section's code: the cycles of its control flow graph. Calls return, indirect branches go
    /// nowhere.
    pub(super) fn of(code: &[u8], sm: u32) -> Self {
        let count = code::instructions(code).len();
        let mut branches = Vec::new();
        let mut backward = false;
        for (index, instruction) in code::instructions(code).enumerate() {
            let offset = i64::try_from(index * code::SIZE).unwrap_or(i64::MAX - 16);
            match code::exit(instruction, offset, sm) {
                Exit::Next => {}
                Exit::Branch { target, always } => {
                    let target = usize::try_from(target).ok().filter(|t| t % code::SIZE == 0);
                    let target = target.map(|target| target / code::SIZE).filter(|&target| target < count);
                    backward |= target.is_some_and(|target| target <= index);
                    branches.push((index, target, always));
                }
                Exit::Leave => branches.push((index, None, true)),
            }
        }
        if !backward {
            return Self { ranges: Vec::new() };
        }
        Self::of_branches(count, &branches)
    }

    fn of_branches(count: usize, branches: &[(usize, Option<usize>, bool)]) -> Self {
        let mut starts: Vec<usize> = vec![0];
        for &(index, target, _) in branches {
            starts.extend(target);
            starts.push(index + 1);
        }
        starts.sort_unstable();
        starts.dedup();
        starts.retain(|&start| start < count);
        let by_last: Map<usize, (Option<usize>, bool)> =
            branches.iter().map(|&(index, target, always)| (index, (target, always))).collect();
        let block_of = |instruction: usize| starts.partition_point(|&start| start <= instruction) - 1;
        let end = |block: usize| starts.get(block + 1).copied().unwrap_or(count);
        let successors: Vec<[Option<usize>; 2]> = (0..starts.len())
            .map(|block| {
                let (target, always) = by_last.get(&(end(block) - 1)).copied().unwrap_or_default();
                let next = Some(block + 1).filter(|&next| next < starts.len() && !always);
                [target.map(block_of), next]
            })
            .collect();
        let cyclic = in_cycle(&successors);
        let ranges = (0..starts.len()).filter(|&block| cyclic[block]);
        Self { ranges: ranges.map(|block| (starts[block], end(block))).collect() }
    }

    /// Whether control can come back to the instruction with this index.
    pub(super) fn contains(&self, instruction: usize) -> bool {
        let after = self.ranges.partition_point(|&(start, _)| start <= instruction);
        after > 0 && instruction < self.ranges[after - 1].1
    }
}

/// The nodes that are on a cycle: Tarjan's strongly connected components, without recursion.
fn in_cycle(successors: &[[Option<usize>; 2]]) -> Vec<bool> {
    const UNSEEN: usize = usize::MAX;
    let count = successors.len();
    let (mut order, mut low) = (vec![UNSEEN; count], vec![0; count]);
    let (mut open, mut on_stack) = (Vec::new(), vec![false; count]);
    let mut cyclic = vec![false; count];
    let mut next = 0;
    for root in 0..count {
        if order[root] != UNSEEN {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if *edge == 0 {
                (order[node], low[node], on_stack[node]) = (next, next, true);
                next += 1;
                open.push(node);
            }
            let Some(successor) = successors[node].get(*edge) else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[node]);
                }
                if low[node] == order[node] {
                    close(node, successors, &mut open, &mut on_stack, &mut cyclic);
                }
                continue;
            };
            *edge += 1;
            match *successor {
                Some(to) if order[to] == UNSEEN => path.push((to, 0)),
                Some(to) if on_stack[to] => low[node] = low[node].min(order[to]),
                _ => {}
            }
        }
    }
    cyclic
}

/// Takes a finished component off the stack.
fn close(
    node: usize,
    successors: &[[Option<usize>; 2]],
    open: &mut Vec<usize>,
    on_stack: &mut [bool],
    cyclic: &mut [bool],
) {
    let alone = open.last() == Some(&node);
    while let Some(member) = open.pop() {
        on_stack[member] = false;
        cyclic[member] = !alone || successors[member].contains(&Some(member));
        if member == node {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_on_cycles_are_found() {
        // 0 → 1 ⇄ 2 → 3, 3 → 3, 4 → 1 (from behind, no cycle)
        let graph = [[Some(1), None], [Some(2), None], [Some(1), Some(3)], [Some(3), None], [Some(1), None]];
        assert_eq!(in_cycle(&graph), [false, true, true, true, false]);
        // A cold block at the end that jumps back into straight code is no loop.
        let cold = [[Some(2), Some(1)], [None, None], [Some(1), None]];
        assert_eq!(in_cycle(&cold), [false; 3]);
        assert_eq!(in_cycle(&[]), [false; 0]);
    }

    #[test]
    fn deep_graphs_do_not_overflow() {
        let count = 200_000;
        let mut graph: Vec<_> = (1..count).map(|next| [Some(next), None]).collect();
        graph.push([Some(0), None]);
        assert!(in_cycle(&graph).iter().all(|&cyclic| cyclic));
    }

    #[test]
    fn ranges_are_instructions() {
        // 5 instructions; the one at 3 branches to 1 under a condition.
        let loops = Loops::of_branches(5, &[(3, Some(1), false), (4, None, true)]);
        let inside: Vec<_> = (0..6).filter(|&index| loops.contains(index)).collect();
        assert_eq!(inside, [1, 2, 3]);
    }
}
