//! CUDA toolkits: found on the machine, or fetched for a pin.

mod error;
mod fetch;
mod find;
mod headers;
mod home;
mod host;
mod install;
mod pin;
mod releases;
mod tools;
mod version;

pub use error::ToolkitError;
pub use fetch::{FetchOptions, Progress, pinned};
pub use find::{Search, find};
pub use headers::wheel_of_header;
pub use home::home;
pub use host::check_host_compiler;
pub use releases::{RELEASES, Release, Wheel};
pub use tools::{Toolkit, supported_archs};
pub use version::Version;
