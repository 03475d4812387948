//! Residency and its steps, of as many configurations as there are: how many of them a second.
//!
//!     cargo bench -p occlint --all-features --bench residency

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench that cannot do its work must fail")]

mod support;

use std::hint::black_box;

use occlint::arch::{Arch, Limits};
use occlint::occupancy::{Resources, residency, steps};
use support::{mean, resources};

/// How many configurations; all are different.
const MANY: u32 = 1_000_000;

fn main() {
    for tenths in [75, 90, 120] {
        let limits = black_box(Arch::from_cc_tenths(tenths).limits().unwrap());
        let all: Vec<Resources> = (0..MANY).map(resources).collect();
        assert!(sum(limits, &all) > u64::from(MANY) / 4, "many of them fit");
        rate(&format!("sm_{tenths}: residencies"), all.len(), mean(|| (), |()| sum(limits, &all)));
        let some = &all[..all.len() / 100];
        let around = |()| some.iter().for_each(|one| _ = black_box(steps(limits, one)));
        rate(&format!("sm_{tenths}: times the steps around them"), some.len(), mean(|| (), around));
    }
}

/// Every one is looked at whole, so that nothing of it is left out.
fn sum(limits: &Limits, all: &[Resources]) -> u64 {
    all.iter().map(|one| u64::from(black_box(residency(limits, black_box(one))).blocks)).sum()
}

fn rate(what: &str, many: usize, time: std::time::Duration) {
    println!("{what:<40} {:>8.1} million a second", many as f64 / 1e6 / time.as_secs_f64());
}
