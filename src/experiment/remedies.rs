//! Changes that were assembled and meet what is asked, in words.

use std::collections::BTreeMap;

use crate::experiment::{Case, Figures, Threads, Variant};
use crate::text::count;

/// What meets the blocks asked for, and what takes the spills away where bounds per SM cannot; each as assembled.
pub(super) fn remedies(case: &Case, done: &BTreeMap<Variant, Figures>) -> Vec<String> {
    let mut said: Vec<String> = met(case, done).into_iter().collect();
    let smaller = done.iter().filter_map(|(variant, figures)| match variant.threads {
        Threads::AtMost(threads) if threads < case.block_threads => {
            Some(format!("with blocks of at most {threads} threads: {}", cost(figures)))
        }
        _ => None,
    });
    said.extend(smaller);
    if let (Some(cap), Some(figures)) = (case.unit_cap, done.get(&case.with_min_blocks(None))) {
        said.push(format!("without `-maxrregcount {cap}`: {}", cost(figures)));
    }
    said
}

fn met(case: &Case, done: &BTreeMap<Variant, Figures>) -> Option<String> {
    let asked = case.asked?;
    let reach = asked.min(case.without_registers().blocks);
    let figures = done.get(&case.with_min_blocks(Some(reach)))?;
    let fits = case.residency(figures).blocks;
    let more = if fits < asked { format!(" of the {asked} asked") } else { String::new() };
    Some(format!("with min blocks {reach}: {}, and {}{more} fit", cost(figures), count(fits, "block")))
}

fn cost(figures: &Figures) -> String {
    let registers = count(figures.registers, "register");
    match (figures.spill_store_bytes, figures.spill_load_bytes) {
        (0, 0) => format!("{registers}, nothing spilled"),
        (stores, loads) => format!("{registers}, {stores}/{loads} bytes spilled"),
    }
}
