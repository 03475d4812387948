//! CUDA toolkits: found on the machine, or fetched for a pin.

mod answers;
mod error;
mod extra;
mod fetch;
mod find;
#[cfg(feature = "package")]
mod host;
mod installed;
mod releases;
#[cfg(test)]
mod stand_in;
mod version;

pub use error::ToolkitError;
pub use extra::{HeaderHome, header_home, wheel_of_header};
#[cfg(feature = "fetch")]
pub use fetch::{FetchOptions, Progress, pinned};
pub use fetch::{fetched, home};
#[cfg(feature = "build-script")]
pub(crate) use find::locate_any;
pub use find::{Search, find};
#[cfg(feature = "package")]
pub use host::{Family, HostCompiler, HostSearch, HostVersion, ccbin_of_env, check_host_compiler};
pub use installed::{FLAG_VARIABLES, Toolkit, supported_archs, version_of};
pub use releases::{RELEASES, Release, Wheel};
pub use version::Version;
