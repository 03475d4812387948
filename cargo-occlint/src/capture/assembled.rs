//! PTX that one call of a build makes and another one assembles: the other's flags and architectures decide the figures.

use std::collections::BTreeMap;
use std::path::PathBuf;

use occlint::capture::{NvccCall, Phase};
use occlint::session::Roots;

use crate::capture::outputs::outputs;
use crate::capture::record::Record;

/// The calls that assemble a file of PTX.
pub(super) struct Assembled<'a>(BTreeMap<PathBuf, Vec<&'a NvccCall>>);

impl<'a> Assembled<'a> {
    pub(super) fn of(calls: &'a [(&'a Record, NvccCall)], roots: &Roots) -> Self {
        let mut all: BTreeMap<PathBuf, Vec<&NvccCall>> = BTreeMap::new();
        for (record, call) in calls.iter().filter(|(_, call)| call.phase.compiles()) {
            for input in call.ptx_inputs() {
                let path = roots.absolute(&record.folder.join(input).to_string_lossy());
                all.entry(path).or_default().push(call);
            }
        }
        Self(all)
    }

    /// The later calls for the PTX that `call` makes of `input`; none where the PTX is what the build keeps.
    pub(super) fn later(
        &self,
        record: &Record,
        call: &NvccCall,
        input: &str,
        roots: &Roots,
    ) -> &[&'a NvccCall] {
        let mut made = outputs(call, &record.folder).into_iter();
        let made = made.find(|(_, from)| call.phase == Phase::Ptx && *from == Some(input));
        let path = made.map(|(path, _)| roots.absolute(&path.to_string_lossy()));
        path.and_then(|path| self.0.get(&path)).map_or(&[], Vec::as_slice)
    }
}

/// The flags of both: the first compiles, the second assembles.
pub(super) fn flags(first: &NvccCall, second: &NvccCall) -> Vec<String> {
    let caps = |flag: &String| flag.trim_start_matches('-').starts_with("maxrregcount");
    let later = second.assembly_flags();
    let mut flags = Vec::new();
    let mut rest = first.flags.iter();
    while let Some(flag) = rest.next() {
        if caps(flag) && later.iter().any(caps) {
            // nvcc takes one cap; its value may be the next argument
            if !flag.contains('=') {
                rest.next();
            }
        } else {
            flags.push(flag.clone());
        }
    }
    flags.extend(later);
    flags
}
