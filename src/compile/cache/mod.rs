//! Compilations that need not be done again: kept by the call, and by the contents of every file that went in.

mod clean;
mod entry;
mod files;
mod folders;
mod place;
mod store;

pub use clean::{Bounds, Cleaned, clean};
pub use store::Cache;
