//! `cargo occlint`: the check of a workspace's packages.

mod conclude;
mod config;
mod package;
mod run;

pub(crate) use config::{asked, config};
pub(crate) use run::{Known, report, run};
