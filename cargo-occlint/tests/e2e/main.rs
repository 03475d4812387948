//! The built `cargo-occlint` on crates that these tests write, with the real compiler. Where it cannot be fetched,
//! the tests fail.

#![allow(clippy::unwrap_used, reason = "a test that cannot do its work must fail")]

mod bad_input;
mod baseline_file;
mod big_crate;
mod binaries;
mod build_script;
mod build_script_edges;
mod cache;
mod capture;
mod capture_builds;
mod capture_dependencies;
mod capture_hostile;
mod capture_same;
mod cases;
mod ci;
mod ci_action;
mod command_line;
mod diff;
mod experiments;
mod experiments_ptxas;
mod formats;
mod gallery;
mod gate;
mod gate_edges;
mod interrupted;
mod linked;
mod linked_cubin;
mod linked_units;
mod logs;
mod merge;
mod partition;
mod project;
mod readme;
mod revision;
mod sccache;
mod schedule;
mod schema;
mod shell;
mod synthetic;
