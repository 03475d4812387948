//! The lints: one file each, declared in one table.

mod declare;
mod table;

pub use declare::{Cx, Draft, Lint};
pub use table::{LINTS, find};
