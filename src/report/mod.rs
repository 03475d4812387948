//! Renderers: one file a format. They take a report and return text; they never decide.

mod diagnostic;
#[cfg(test)]
mod fixture;
#[cfg(feature = "graphical")]
mod frame;
mod group;
mod human;
#[cfg(feature = "json")]
mod json;
mod kernels;
mod plain;
mod problem;
mod short;
mod source_code;
mod summary;
#[cfg(test)]
#[cfg(feature = "json")]
mod tests;
mod words;

pub use crate::text::sanitize;
pub use diagnostic::GroupDiagnostic;
#[cfg(feature = "build-script")]
pub(crate) use group::is_foreign;
pub use group::{Group, group};
pub use human::{HumanStyle, human};
#[cfg(feature = "json")]
pub use json::{FORMAT_VERSION, json};
pub use kernels::kernels;
pub use plain::{complaints, plain};
pub use problem::problem;
pub use short::short;
#[cfg(feature = "build-script")]
pub(crate) use short::{Units, line as group_line};
pub use summary::{Summary, closing_line, summary};
