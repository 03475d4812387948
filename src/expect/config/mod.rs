//! `[workspace.metadata.occlint]` and `[package.metadata.occlint]`, read from the text of Cargo.toml.

mod flags;
mod kernel;
mod parse;
mod reader;
mod types;
mod waiver;

pub use parse::parse;
pub(crate) use parse::unknown_lint;
pub use types::{Config, ConfigError};
