//! Cubins where the feature `cubin` is off: an error, never a silent pass.

use crate::arch::Arch;

use super::{CubinProblem, Evidence, SourceLookup};

/// See the function of the feature `cubin`.
///
/// # Errors
/// Always.
pub fn from_cubin(
    _unit: &str,
    _arch: Arch,
    _bytes: &[u8],
    _lookup: SourceLookup<'_>,
) -> Result<Evidence, CubinProblem> {
    Err(off())
}

/// See the function of the feature `cubin`.
///
/// # Errors
/// Always.
pub fn cubin_arch(_bytes: &[u8]) -> Result<Arch, CubinProblem> {
    Err(off())
}

fn off() -> CubinProblem {
    CubinProblem::Unreadable("occlint was built without its feature `cubin`".to_owned())
}
