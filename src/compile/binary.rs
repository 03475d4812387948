//! Units that were compiled before: cubins, and what embeds them.

use std::path::{Path, PathBuf};

use crate::arch::Arch;
use crate::compile::command::refuse;
use crate::compile::{Artefact, CompileError, Compiled, Settings, SourceKind, Unit};
use crate::evidence::cubin_arch;
use crate::order::{self, Set};
use crate::sys::files;
use crate::sys::process::{self, Call, Cancel, Output};

/// How a fat binary begins: magic number, version 1, 16 bytes of header.
const FAT_HEADER: [u8; 8] = [0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
/// The header's size, bytes; the size of the content stands in its second half.
const FAT_HEADER_SIZE: usize = 16;

/// What the binary units of a package hold.
#[derive(Debug, Default)]
pub struct Binaries {
    /// Each cubin; several of one unit and architecture, where it has several. An architecture that was asked for and is
    /// not in a unit is an error here.
    pub compiled: Vec<Compiled>,
    /// What cannot be read for any architecture: the unit's index in the list that was given, and why.
    pub failed: Vec<(usize, CompileError)>,
    /// What was left out: a line each.
    pub notes: Vec<String>,
}

/// A cubin, and what it is for.
type Image = (Arch, PathBuf);

/// Reads which cubins the binary units hold: those for the architectures that were `asked` for, with `None` all of them.
/// A cubin for another architecture is an error, unless the asked ones are not `all` that are configured.
pub fn read_binaries(
    units: &[Unit],
    (asked, all): (Option<&[Arch]>, bool),
    settings: &Settings,
    cancel: &Cancel,
) -> Binaries {
    let binaries: Vec<usize> = (0..units.len()).filter(|&unit| units[unit].kind.is_binary()).collect();
    let read = settings.workers.run(binaries.len(), |job| {
        let unit = &units[binaries[job]];
        if unit.kind == SourceKind::Cubin { alone(unit) } else { extracted(unit, settings, cancel) }
    });
    let mut out = Binaries::default();
    for (unit, images) in binaries.into_iter().zip(read) {
        match (images, asked) {
            (Err(error), _) => out.failed.push((unit, error)),
            (Ok(images), None) => out.take(unit, images),
            (Ok(images), Some(asked)) if units[unit].kind == SourceKind::Container => {
                out.choose(unit, images, asked);
            }
            (Ok(images), Some(asked)) => {
                for (arch, path) in images {
                    match label(arch, asked) {
                        Some(label) => out.take(unit, vec![(label, path)]),
                        None if all => out.failed.push((unit, CompileError::NotAsked(arch))),
                        None => {
                            out.notes.push(format!("`{}` is left out: it is for {arch}", units[unit].name))
                        }
                    }
                }
            }
        }
    }
    out
}

impl Binaries {
    fn take(&mut self, unit: usize, images: Vec<Image>) {
        self.compiled.extend(images.into_iter().map(|(arch, cubin)| {
            let artefact = Artefact { cubin, ..Artefact::default() };
            Compiled { unit, arch, result: Ok(artefact) }
        }));
    }

    fn choose(&mut self, unit: usize, mut images: Vec<Image>, asked: &[Arch]) {
        let has: Set<Arch> = images.iter().map(|(arch, _)| *arch).collect();
        images.retain(|(arch, _)| asked.contains(arch));
        self.take(unit, images);
        let missing = asked.iter().filter(|arch| !has.contains(arch));
        self.compiled.extend(missing.map(|&arch| {
            let error = CompileError::NotBuiltFor { has: has.iter().copied().collect() };
            Compiled { unit, arch, result: Err(error) }
        }));
    }
}

/// The asked architecture that a cubin is for, whose header does not have the letter.
fn label(arch: Arch, asked: &[Arch]) -> Option<Arch> {
    let same = |asked: &&Arch| asked.cc_tenths() == arch.cc_tenths();
    asked.iter().find(|asked| **asked == arch).or_else(|| asked.iter().find(same)).copied()
}

fn alone(unit: &Unit) -> Result<Vec<Image>, CompileError> {
    let bytes = files::read_bytes(&unit.source).map_err(CompileError::Source)?;
    Ok(vec![(arch_of(&bytes)?, unit.source.clone())])
}

fn arch_of(bytes: &[u8]) -> Result<Arch, CompileError> {
    cubin_arch(bytes).map_err(|problem| CompileError::Binary(problem.to_string()))
}

/// The cubins of a fat binary, or of what embeds some.
fn extracted(unit: &Unit, settings: &Settings, cancel: &Cancel) -> Result<Vec<Image>, CompileError> {
    let keep = unit.folder(&settings.work).join("extracted");
    let bytes = files::read_bytes(&unit.source).map_err(CompileError::Source)?;
    let (names, output) = extract(&unit.source, &keep, settings, cancel)?;
    let images = images(&keep)?;
    if names.is_empty() {
        return Err(CompileError::Extract { output });
    }
    if images.len() == names.len() {
        return Ok(images);
    }
    // Two sources of one name: cuobjdump wrote the cubins of one over those of the other.
    let mut all = Vec::new();
    for (number, fat) in fat_binaries(&bytes).into_iter().enumerate() {
        let folder = keep.join(number.to_string());
        files::create_empty_folder(&folder).map_err(CompileError::File)?;
        let file = folder.join("one.fatbin");
        files::write_atomically(&file, fat).map_err(CompileError::File)?;
        extract(&file, &folder.join("cubins"), settings, cancel)?;
        all.extend(self::images(&folder.join("cubins"))?);
    }
    if all.len() != names.len() {
        let problem = format!("{} cubins are in it, of which {} can be taken out", names.len(), all.len());
        return Err(CompileError::Binary(problem));
    }
    Ok(all)
}

/// Runs cuobjdump, for linked and for relocatable code alike, in the emptied `folder`: the names of the cubins that it wrote there, one for each, and its output.
fn extract(
    source: &Path,
    folder: &Path,
    settings: &Settings,
    cancel: &Cancel,
) -> Result<(Vec<String>, String), CompileError> {
    let cuobjdump = settings.toolkit.cuobjdump.as_ref().ok_or(CompileError::NoCuobjdump)?;
    for (what, path) in [("the path of the source", source), ("the work folder", folder)] {
        refuse(what, &path.to_string_lossy()).map_err(CompileError::Unsafe)?;
    }
    files::create_empty_folder(folder).map_err(CompileError::File)?;
    let mut call = Call::new(cuobjdump).args(["-all", "-xelf", "all"]).arg(source).timeout(settings.timeout);
    call.folder = Some(folder.to_owned());
    let Output { status, stdout, stderr, .. } =
        process::run(&call, folder, cancel).map_err(CompileError::Process)?;
    if let Some(signal) = process::signal(status) {
        let problem =
            format!("`cuobjdump` was ended by signal {signal} in it: it may be truncated or damaged");
        return Err(CompileError::Binary(problem));
    }
    if !status.success() {
        return Err(CompileError::Extract { output: stderr });
    }
    let name = |line: &str| {
        let (_, name) = line.strip_prefix("Extracting ELF file")?.split_once(": ")?;
        Some(name.trim().to_owned())
    };
    Ok((stdout.lines().filter_map(name).collect(), stderr))
}

/// The cubins in a folder, sorted, with the architectures that their names say: `k.sm_90a.cubin`.
fn images(folder: &Path) -> Result<Vec<Image>, CompileError> {
    let mut images = Vec::new();
    for path in files::entries(folder).map_err(CompileError::File)? {
        if path.extension().is_none_or(|extension| extension != "cubin") {
            continue;
        }
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let named = stem.rsplit('.').next().and_then(|arch| arch.parse().ok());
        let arch = match named {
            Some(arch) => arch,
            None => arch_of(&files::read_bytes(&path).map_err(CompileError::File)?)?,
        };
        images.push((arch, path));
    }
    order::sort(&mut images);
    Ok(images)
}

/// The fat binaries in a file: each begins with a header that has its size.
fn fat_binaries(bytes: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some(start) = rest.windows(FAT_HEADER.len()).position(|window| window == FAT_HEADER) {
        rest = &rest[start..];
        let size = rest.get(8..16).and_then(|size| size.try_into().ok()).map(u64::from_le_bytes);
        let end = size.and_then(|size| usize::try_from(size).ok()?.checked_add(FAT_HEADER_SIZE));
        let end = end.filter(|&end| end <= rest.len()).unwrap_or(FAT_HEADER.len());
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fat_binaries_are_found_by_their_headers() {
        let one = |content: &[u8]| {
            let size = u64::try_from(content.len()).unwrap();
            [&FAT_HEADER[..], &size.to_le_bytes(), content].concat()
        };
        let (first, second) = (one(b"abc"), one(b""));
        let file = [b"x", &first[..], b"yz", &second[..], &FAT_HEADER[..3]].concat();
        assert_eq!(fat_binaries(&file), [&first[..], &second[..]]);
        // what ends before its size is left to cuobjdump, which refuses it
        assert_eq!(fat_binaries(&first[..first.len() - 1]), [&FAT_HEADER[..]]);
    }

    #[test]
    fn a_cubin_is_for_what_was_asked_of_its_number() {
        let arch = |name: &str| name.parse::<Arch>().unwrap();
        let asked = [arch("sm_80"), arch("sm_90a")];
        assert_eq!(label(arch("sm_90"), &asked), Some(arch("sm_90a")));
        assert_eq!(label(arch("sm_90"), &[asked[1], arch("sm_90")]), Some(arch("sm_90")));
        assert_eq!(label(arch("sm_120"), &asked), None);
    }
}
