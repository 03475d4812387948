//! Renderers: one file a format. They take a report and return text; they never decide.

#[cfg(test)]
mod fixture;
mod group;
mod human;
mod json;
mod kernels;
mod short;
mod source_code;
mod summary;
mod text;

pub use group::{Group, group};
pub use human::{HumanStyle, human};
pub use json::json;
pub use kernels::kernels;
pub use short::short;
pub use summary::{Summary, closing_line, summary};
pub use text::sanitize;
