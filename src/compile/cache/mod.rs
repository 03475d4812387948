//! Compilations that need not be done again: kept by the call, and by the contents of every file that went in.

mod files;
mod store;

pub use store::{Cache, Cleaned, clean};
