//! Pinned toolkits in the user's cache, and fetching them into it (feature `fetch`).

#[cfg(feature = "fetch")]
mod fetching;
#[cfg(feature = "fetch")]
mod finish;
mod home;
#[cfg(feature = "fetch")]
mod install;
#[cfg(feature = "fetch")]
mod lock;
mod manifest;
mod pin;
#[cfg(test)]
#[cfg(feature = "fetch")]
mod tests;

#[cfg(feature = "fetch")]
pub use fetching::{FetchOptions, Progress, pinned};
pub use home::home;
pub use pin::fetched;
