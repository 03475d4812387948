//! The archive, made by cc: with its device link, whose report is read.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cc::{BuildMessage, BuildMessageKind, BuildMessageLogger};

use crate::arch::Arch;
use crate::build_script::BuildError;
use crate::build_script::artefacts;
use crate::build_script::compiler::Compiler;
use crate::compile::{self, Compiled, DeviceLink, Program, Settings};
use crate::order::Map;
use crate::sys::files;
use crate::sys::process::Cancel;

/// What cc's programs wrote to standard error.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl BuildMessageLogger for Heard {
    fn log(&self, kind: BuildMessageKind, message: BuildMessage<'_>, _: &dyn Any) {
        if matches!(kind, BuildMessageKind::StderrForwarding | BuildMessageKind::GeneralWarning) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message.to_string());
        }
    }
}

/// An archive, and what its device link said.
#[derive(Debug)]
pub(super) struct Archive {
    pub(super) library: PathBuf,
    /// nvlink's lines.
    pub(super) log: Vec<String>,
    /// What other programs said.
    pub(super) others: Vec<String>,
    /// What nvlink made, by architecture.
    pub(super) linked: Map<Arch, PathBuf>,
}

/// Has cc make the archive of these objects in `out`; `keep` is a folder for the device link's intermediates, where its report is
/// wanted.
///
/// # Errors
/// The device link or the archiver failed: their words follow.
pub(super) fn archive(
    compiler: &Compiler,
    (out, output): (&Path, &str),
    objects: &[PathBuf],
    keep: Option<&Path>,
) -> Result<Archive, BuildError> {
    let heard = Arc::new(Heard::default());
    let mut cc = compiler.cc.clone();
    cc.cargo_warnings(false).message_logger(Some(Arc::clone(&heard) as Arc<dyn BuildMessageLogger>));
    if let Some(keep) = keep {
        files::create_empty_folder(keep)?;
        cc.flag("-Xnvlink=-v,-report-arch").flag("--keep").flag("--keep-dir").flag(keep);
    }
    let linked_object = format!("{}_dlink", stem(output));
    // What an earlier run left must not be taken for this one's.
    files::remove_if_there(&out.join(format!("{linked_object}.o")))?;
    let made = cc.try_create_archive(output, objects);
    let lines = std::mem::take(&mut *heard.0.lock().unwrap_or_else(PoisonError::into_inner));
    let (log, others): (Vec<String>, Vec<String>) =
        lines.into_iter().partition(|line| line.starts_with("nvlink "));
    let library = made.map_err(|error| {
        let said = log.iter().filter(|line| !line.starts_with("nvlink info")).chain(&others);
        let said: Vec<&str> = said.map(String::as_str).collect();
        BuildError::Cc(format!("{error}\n{}", said.join("\n")))
    })?;
    let mut linked = Map::new();
    if let Some(keep) = keep {
        let kept = artefacts::kept(keep, &linked_object, &compiler.call.targets)?;
        linked.extend(kept.images.into_iter().map(|image| (image.arch, image.cubin)));
    }
    Ok(Archive { library, log, others, linked })
}

/// A library's name without what cc adds to it.
fn stem(output: &str) -> &str {
    output.strip_prefix("lib").and_then(|name| name.strip_suffix(".a")).unwrap_or(output)
}

/// The programs of relocatable objects, one for each architecture.
///
/// nvcc's device link leaves out kernels that no host code launches: where it did, the architecture is linked once more,
/// with all of them.
pub(super) fn programs(
    archive: &Archive,
    compiled: &[Compiled],
    settings: &Settings,
    cancel: &Cancel,
) -> Vec<Program> {
    let mut programs = Vec::new();
    let (mut rest, mut units): (Vec<Compiled>, Map<Arch, Vec<usize>>) = (Vec::new(), Map::new());
    for one in compiled {
        if one.result.as_ref().is_ok_and(|artefact| artefact.relocatable) {
            units.get_or_default(one.arch).push(one.unit);
        }
    }
    for (arch, units) in units {
        let target = format!("(target: {arch})");
        let lines = archive.log.iter().filter(|line| !line.contains("(target: ") || line.contains(&target));
        let log: String = lines.map(|line| format!("{line}\n")).collect();
        let own = compiled.iter().filter(|one| one.arch == arch);
        let logs = own.clone().filter_map(|one| one.result.as_ref().ok()?.log.here());
        let cubin = archive.linked.get(&arch).cloned();
        if cubin.is_some() && logs.flat_map(entries).all(|name| log.contains(&format!("'{name}'"))) {
            let result = Ok(DeviceLink { linked: true, log, cubin });
            programs.push(Program { arch, units, with: Vec::new(), clashes: Map::new(), result });
        } else {
            let copy = |one: &Compiled| {
                let artefact = one.result.as_ref().ok()?.clone();
                Some(Compiled { unit: one.unit, arch, result: Ok(artefact) })
            };
            rest.extend(own.filter_map(copy));
        }
    }
    programs.extend(compile::device_link(&rest, settings, cancel));
    programs
}

/// The kernels that a log of ptxas reports.
fn entries(log: &str) -> impl Iterator<Item = &str> {
    log.lines().filter_map(|line| line.split_once("Compiling entry function '")?.1.split('\'').next())
}
