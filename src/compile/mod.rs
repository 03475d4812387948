//! Units compiled device-only, each with its own folder, in parallel.

mod command;
mod error;
mod includes;
mod native;
mod run;
mod unit;

pub use command::{Settings, command};
pub use error::{CompileError, ShellUnsafe};
pub use includes::{IncludedFiles, included_files};
pub use native::native_archs;
pub use run::{Artefact, Compiled, Progress, compile};
pub use unit::{SourceKind, Unit};
