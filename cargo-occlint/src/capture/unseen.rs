//! Device code that a build made and no call explains: nvcc was called by an absolute path.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use occlint::capture::{NvccCall, parse};
use occlint::sys::files;

use crate::capture::outputs::outputs;
use crate::capture::record::Record;
use crate::capture::stand_in::is_of_a_try;

/// As much of a file as is looked at for PTX.
const HEAD: u64 = 4096;
/// Larger objects are not searched.
const MOST_BYTES: u64 = 64 << 20;

/// Files below a folder that hold device code which no call explains. `calls`: those that were forwarded; what they made, or
/// copies of it, is explained, and so is what archives and linkers join. Where calls were only recorded nothing can have made
/// device code but a call that was not seen.
pub(super) fn unseen(folder: &Path, calls: &[Record]) -> Vec<PathBuf> {
    let mut found = device_code(folder);
    if calls.is_empty() {
        return found;
    }
    let parsed: Vec<(&Record, NvccCall)> = calls.iter().map(|record| (record, parse(&record.args))).collect();
    let made: Vec<PathBuf> = parsed
        .iter()
        .flat_map(|(record, call)| outputs(call, &record.folder))
        .map(|(path, _)| path)
        .collect();
    // `--keep` leaves intermediates anywhere.
    let keeps = calls.iter().any(|record| record.args.iter().any(|arg| is_keep(arg)));
    let is_joined = |path: &Path| path.extension().is_some_and(|extension| extension == "a");
    found.retain(|path| !keeps && !is_joined(path) && !made.contains(path));
    if !found.is_empty() {
        let contents: BTreeSet<u64> = made.iter().filter_map(|path| content(path)).collect();
        found.retain(|path| !content(path).is_some_and(|content| contents.contains(&content)));
    }
    found
}

/// What tells a file's content from others.
fn content(path: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    files::read_bytes(path).ok()?.hash(&mut hasher);
    Some(hasher.finish())
}

fn is_keep(arg: &str) -> bool {
    matches!(arg, "-keep" | "--keep" | "-save-temps" | "--save-temps")
}

/// The files below a folder that hold real device code, sorted. The helper of the library keeps its own in `occlint`.
fn device_code(folder: &Path) -> Vec<PathBuf> {
    let own = folder.join("occlint");
    let walk = WalkBuilder::new(folder).standard_filters(false).follow_links(false).build();
    let files =
        walk.filter_map(Result::ok).filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut found: Vec<PathBuf> = files
        .map(ignore::DirEntry::into_path)
        .filter(|path| !path.starts_with(&own) && !is_of_a_try(path) && holds_device_code(path))
        .collect();
    found.sort();
    found
}

fn holds_device_code(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("ptx") => head(path).windows(9).any(|bytes| bytes == b".version ") && !is_stand_in(path),
        Some("cubin") => is_cubin(&head(path)),
        Some("fatbin") => head(path).starts_with(&0xBA55_ED50_u32.to_le_bytes()),
        Some("o" | "a") => has_fat_binary(path),
        _ => false,
    }
}

fn head(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut bytes));
    read.map(|_| bytes).unwrap_or_default()
}

fn is_stand_in(path: &Path) -> bool {
    files::read_text(path).is_ok_and(|text| text == super::outputs::ptx())
}

/// ELF for CUDA: machine 190.
fn is_cubin(head: &[u8]) -> bool {
    head.starts_with(b"\x7fELF") && head.get(18..20) == Some(&[190, 0])
}

fn has_fat_binary(path: &Path) -> bool {
    let small = std::fs::metadata(path).is_ok_and(|file| file.len() <= MOST_BYTES);
    let bytes = if small { files::read_bytes(path).unwrap_or_default() } else { Vec::new() };
    bytes.windows(10).any(|name| name == b".nv_fatbin")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_no_device_code() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        write("stand_in.ptx", crate::capture::outputs::ptx().as_bytes());
        write("real.ptx", b"//\n.version 8.5\n.target sm_90\n");
        write("host.o", b"\x7fELF host");
        write("real.o", b"\x7fELF ... .nv_fatbin ...");
        write("real.cubin", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xbe\0");
        std::fs::create_dir(folder.path().join("CompilerIdCUDA")).unwrap();
        write("CompilerIdCUDA/id.o", b"\x7fELF ... .nv_fatbin ...");
        let names: Vec<String> = device_code(folder.path())
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["real.cubin", "real.o", "real.ptx"]);
    }
}
