//! Renderers: one file a format. They take a report and return text; they never decide.

mod diagnostic;
#[cfg(test)]
mod fixture;
#[cfg(feature = "graphical")]
mod frame;
mod group;
mod human;
mod json;
mod kernels;
mod problem;
mod short;
mod source_code;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub use diagnostic::GroupDiagnostic;
pub use group::{Group, group};
pub use human::{HumanStyle, human};
pub use json::{FORMAT_VERSION, json};
pub use kernels::kernels;
pub use problem::problem;
pub use short::short;
pub use summary::{Summary, closing_line, summary};
pub use text::sanitize;
pub(crate) use text::{shorten_name, without_signature};
