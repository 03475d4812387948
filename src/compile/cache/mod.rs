//! Compilations that need not be done again: kept by the call, and by the contents of every file that went in.

mod ahead;
mod clean;
mod entry;
mod files;
mod folders;
mod kept;
mod place;
mod shared;
mod store;

pub use ahead::Ahead;
pub use clean::{Bounds, Cleaned, clean};
pub use kept::Kept;
pub(super) use place::Place;
pub use store::Cache;
