//! Residency and its steps: a table of every register count for every block size.
//!
//!     cargo bench -p occlint --all-features --bench residency

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench that cannot do its work must fail")]

mod support;

use std::hint::black_box;

use occlint::arch::Arch;
use occlint::occupancy::{Resources, residency, steps};
use support::{line, mean};

fn main() {
    let resources: Vec<Resources> = (0..10_000)
        .map(|n| Resources {
            block_threads: 32 * (n % 32 + 1),
            registers: n % 255 + 1,
            static_shared_bytes: n * 7 % 49_152,
            barriers: n % 17,
            ..Resources::default()
        })
        .collect();
    let limits = Arch::from_cc_tenths(90).limits().unwrap();
    let blocks = |()| resources.iter().map(|one| u64::from(residency(limits, one).blocks)).sum::<u64>();
    assert!(blocks(()) > 10_000, "most of them fit");
    line("10000 residencies", mean(|| (), blocks));
    let around = |()| resources.iter().for_each(|one| _ = black_box(steps(limits, one)));
    line("10000 times the steps around them", mean(|| (), around));
}
