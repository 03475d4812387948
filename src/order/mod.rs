//! Sorting, and sets and maps, that cost a build script little to compile.
//!
//! The standard library's sort and its B-trees are generated anew for each type. Of the code that the compiler generated
//! for this library in a build script, the sorts of twenty-five types were a tenth and the B-trees of 58 pairs of key and value
//! more than a third: 4,000 instructions each. Here one sort, one search and one insertion, of positions, serve all
//! types, and a pair costs some hundreds. They are as fast as a B-tree; what no build script compiles may use either.

mod map;
mod positions;
mod set;
mod sort;
mod sorted;

pub use map::{Map, Pairs};
pub use set::Set;
pub(crate) use sort::{sort, sort_by, sort_by_key};
pub use sorted::Iter;
