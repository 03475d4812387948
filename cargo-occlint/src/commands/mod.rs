//! One file a command.

pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod diff;
pub(crate) mod from_build;
pub(crate) mod from_log;
pub(crate) mod lints;
pub(crate) mod merge;
pub(crate) mod occupancy;
pub(crate) mod upgrade;
pub(crate) mod verdict;
