//! `cargo occlint`: the subcommand. Command line, workspace, terminal; no analysis.

fn main() {}
