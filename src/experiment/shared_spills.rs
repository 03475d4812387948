//! Spills to shared memory: ptxas' report has no bytes of them, only the code shows them.

use std::path::Path;

/// The pragma that lets ptxas spill to shared memory.
const PRAGMA: &str = "enable_smem_spilling";

/// Whether a PTX module lets ptxas spill to shared memory.
pub fn asks_for_shared_spills(ptx: &str) -> bool {
    ptx.contains(PRAGMA)
}

/// The spill instructions to shared memory of each entry, those of functions that it calls included; `None` where that is
/// not known: the cubin cannot be read, or its compiler does not annotate spills.
#[cfg(feature = "cubin")]
pub(super) fn shared_spills(cubin: &Path, entries: &[String]) -> Vec<Option<u32>> {
    use crate::evidence::cubin::{Access, Cubin, read};
    use crate::sys::files;

    let count = |cubin: &Cubin, entry: &str| -> Option<u32> {
        let reached = cubin.reached(cubin.find(entry)?).into_iter();
        let spills = reached.flat_map(|index| &cubin.functions[index].annotated);
        let shared = spills.filter(|spill| matches!(spill.access, Access::SharedStore | Access::SharedLoad));
        u32::try_from(shared.count()).ok()
    };
    let bytes = files::read_bytes(cubin).ok();
    let cubin = bytes.and_then(|bytes| read(&bytes).ok()).filter(|cubin| cubin.decoded && cubin.annotates);
    entries.iter().map(|entry| count(cubin.as_ref()?, entry)).collect()
}

/// Not known: this build reads no cubins.
#[cfg(not(feature = "cubin"))]
pub(super) fn shared_spills(_: &Path, entries: &[String]) -> Vec<Option<u32>> {
    vec![None; entries.len()]
}
