//! What follows from a kernel's record: its block, residency and steps.

use crate::baseline::{Baseline, Comparison, entry_of};
use crate::check::CheckedKernel;
use crate::expect::{Expectation, Rules};
use crate::kernel::{Block, BlockFrom, Kernel};
use crate::occupancy::{Resources, residency, steps};

/// Evaluates a kernel against the rules.
pub(super) fn evaluate(mut kernel: Kernel, rules: &Rules, baseline: Option<&Baseline>) -> CheckedKernel {
    let expectation = rules.expectation(&kernel);
    let named = expectation.matched.iter().any(|&rule| rules.rules()[rule].selector.names_kernels());
    if let Some(place) = kernel.place.as_mut().filter(|_| named) {
        // A library's kernel that the configuration speaks of is the author's business.
        place.foreign = false;
    }
    let block = block(&kernel, &expectation);
    let limits = kernel.arch.and_then(|arch| arch.limits().ok());
    let resources = block.and_then(|block| resources(&kernel, &expectation, block));
    let known = limits.zip(resources);
    CheckedKernel {
        block,
        limits,
        residency: known.map(|(limits, resources)| residency(limits, &resources)),
        steps: known.map(|(limits, resources)| steps(limits, &resources)),
        expectation,
        before: baseline.and_then(|baseline| entry_of(baseline, &kernel)),
        comparison: Comparison::New,
        renamed_from: None,
        fired: Vec::new(),
        kernel,
    }
}

/// The target's block, else `.reqntid`, else `.maxntid`.
fn block(kernel: &Kernel, expectation: &Expectation) -> Option<Block> {
    let target = expectation.target.block.map(|threads| Block { threads, from: BlockFrom::Target });
    target.or_else(|| kernel.bounds.block())
}

fn resources(kernel: &Kernel, expectation: &Expectation, block: Block) -> Option<Resources> {
    let usage = &kernel.usage;
    Some(Resources {
        block_threads: block.threads,
        registers: usage.registers?,
        static_shared_bytes: usage.static_shared_bytes.unwrap_or(0),
        dynamic_shared_bytes: expectation.target.dynamic_shared_bytes.unwrap_or(0),
        barriers: usage.barriers.unwrap_or(0),
        carveout_percent: None,
    })
}
