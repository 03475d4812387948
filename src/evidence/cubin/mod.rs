//! Cubins: what the assembled code itself says of its resources, its spills and their source lines.
//!
//! A cubin is an ELF file: `elf` reads its frame, `info` the `.nv.info` sections, `code` and `flow` the instructions,
//! `lines` the line table, `functions` puts them together. `witness` decides which instructions are spills, and
//! `attribute` groups them by source line.

mod attribute;
mod code;
mod elf;
mod error;
mod flow;
mod functions;
mod info;
mod lines;
mod types;
mod witness;

pub use attribute::{Loaded, spills_of, spills_of_function};
pub use error::CubinError;
pub use functions::{arch_of, read};
pub use types::{Access, Cubin, CubinFunction, MemoryOp, Site};
pub use witness::{Witnessed, beside_spills, spills};
