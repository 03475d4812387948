//! Fetching a pinned toolkit into the user's cache.

mod finish;
mod home;
mod install;
mod lock;
mod manifest;
mod pin;
#[cfg(test)]
mod tests;

pub use home::home;
pub use pin::{FetchOptions, Progress, cached, pinned};
