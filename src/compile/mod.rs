//! Units compiled device-only, each with its own folder, in parallel.

mod artefact;
#[cfg(feature = "package")]
mod binary;
#[cfg(feature = "cache")]
mod cache;
mod command;
mod device_code;
mod error;
mod includes;
mod link;
mod moved;
#[cfg(feature = "package")]
mod native;
mod options;
mod ptx;
mod ptxas_flags;
mod run;
mod schedule;
mod unit;

pub use artefact::{Artefact, Text};
#[cfg(feature = "package")]
pub use binary::{Binaries, read_binaries};
#[cfg(feature = "cache")]
use cache::Place;
#[cfg(feature = "cache")]
pub use cache::{Ahead, Bounds, Cache, Cleaned, Kept, clean};
pub use command::{Settings, command};
pub use device_code::DeviceCode;
pub use error::{CompileError, ShellUnsafe};
pub use includes::{Included, IncludedFile, included_files};
pub use link::{DeviceLink, Program, device_link};
pub use moved::Moved;
#[cfg(feature = "package")]
pub use native::native_archs;
pub(crate) use options::FlagOption;
pub(crate) use options::options;
pub use ptxas_flags::{PtxasFlags, ptxas_flags};
pub use run::{Compilations, Compiled, Made, Progress, compile};
pub use unit::{BuildCall, SourceKind, Unit};
