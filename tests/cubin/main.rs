//! Cubins of pinned compilers, held against nvdisasm, and damaged ones.

#![expect(clippy::unwrap_used, reason = "tests")]

mod compare;
mod damaged;
mod disassembler;
mod figures;
mod linked;
mod merged;
mod old;
#[path = "../support/mod.rs"]
mod support;
mod units;
mod witnesses;
