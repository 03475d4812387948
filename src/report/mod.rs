//! Renderers: one file a format. They take a report and return text; they never decide.

#[cfg(feature = "formats")]
mod changes;
#[cfg(feature = "formats")]
mod ci;
mod diagnostic;
#[cfg(test)]
mod fixture;
#[cfg(feature = "graphical")]
mod frame;
#[cfg(feature = "formats")]
mod github;
#[cfg(feature = "formats")]
mod gitlab;
mod group;
mod human;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "formats")]
mod junit;
mod kernels;
#[cfg(feature = "formats")]
mod markdown;
mod plain;
mod problem;
#[cfg(feature = "formats")]
mod sarif;
mod short;
mod source_code;
mod summary;
#[cfg(test)]
#[cfg(feature = "json")]
mod tests;
mod waived;
mod words;

pub use crate::text::sanitize;
#[cfg(feature = "formats")]
pub use changes::{changes, changes_json, changes_markdown};
#[cfg(feature = "formats")]
pub use ci::Review;
pub use diagnostic::GroupDiagnostic;
#[cfg(feature = "formats")]
pub use github::github;
#[cfg(feature = "formats")]
pub use gitlab::gitlab;
#[cfg(feature = "build-script")]
pub(crate) use group::is_foreign;
pub use group::{Group, group};
pub use human::{HumanStyle, human};
#[cfg(feature = "json")]
pub use json::{FORMAT_VERSION, finding_json, json, summary_json};
#[cfg(feature = "formats")]
pub use junit::junit;
pub use kernels::kernels;
#[cfg(feature = "formats")]
pub use markdown::markdown;
pub use plain::{complaints, plain};
pub use problem::problem;
#[cfg(feature = "formats")]
pub use sarif::sarif;
pub use short::short;
#[cfg(feature = "build-script")]
pub(crate) use short::{Units, line as group_line};
pub use summary::{Part, Summary, closing_line, summary};
pub use waived::waived;
