//! From the calls of a build to units.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc as Shared;

use occlint::arch::Arch;
use occlint::capture::{NvccCall, Target, parse};
use occlint::compile::{BuildCall, SourceKind, Unit};
use occlint::session::Roots;
use occlint::sys::files;

use crate::capture::assembled::{self, Assembled};
use crate::capture::outputs::outputs;
use crate::capture::record::Record;
use crate::error::RunError;
use crate::plan::supports;

/// The architectures that decide what is checked.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    /// Asked for, by configuration or command line: these, whatever the build compiles for.
    pub(crate) asked: Option<&'a [Arch]>,
    /// What nvcc compiles for when a call names nothing.
    pub(crate) default: Arch,
    /// What the toolkit can compile for; empty: unknown.
    pub(crate) can: &'a [Arch],
    /// `-arch=native`: the GPUs of this machine.
    pub(crate) native: &'a [Arch],
}

/// The units of a build.
#[derive(Debug)]
pub(crate) struct CapturedUnits {
    /// Sorted by name.
    pub(crate) units: Vec<Unit>,
    /// All architectures that they are checked for, ascending.
    pub(crate) archs: Vec<Arch>,
    /// The calls that compile CUDA.
    pub(crate) calls: usize,
}

/// What makes two calls for one source the same unit: the last is the copy that stands for the source.
type Key = (PathBuf, Vec<String>, PathBuf, Vec<(String, String)>, Option<PathBuf>);

/// The units of the calls. A source that is compiled twice with the same flags, for several architectures or into
/// several outputs, is one.
///
/// # Errors
/// The build compiles for an architecture that the toolkit cannot do, or that only a GPU could tell.
pub(crate) fn units(
    records: &[Record],
    roots: &Roots,
    wanted: &Wanted<'_>,
    package: &str,
) -> Result<CapturedUnits, RunError> {
    let calls: Vec<(&Record, NvccCall)> =
        records.iter().map(|record| (record, parse(&record.args))).collect();
    let made: BTreeSet<PathBuf> = calls
        .iter()
        .flat_map(|(record, call)| outputs(call, &record.folder))
        .map(|(path, _)| roots.absolute(&path.to_string_lossy()))
        .collect();
    let assembled = Assembled::of(&calls, roots);
    let mut all: BTreeMap<Key, BTreeMap<Arch, String>> = BTreeMap::new();
    let mut count = 0;
    for (record, call) in calls.iter().filter(|(_, call)| call.phase.compiles()) {
        let sources: BTreeMap<PathBuf, &str> = call
            .cuda_inputs()
            .chain(call.ptx_inputs())
            .map(|input| (roots.absolute(&record.folder.join(input).to_string_lossy()), input))
            .filter(|(path, _)| !made.contains(path))
            .collect();
        count += usize::from(!sources.is_empty());
        for (source, input) in sources {
            let later = assembled.later(record, call, input, roots);
            if later.is_empty() {
                let key = key(record, &source, flags(call), roots);
                all.entry(key).or_default().extend(archs(call, wanted, package)?);
            }
            for later in later {
                let key = key(record, &source, assembled::flags(call, later), roots);
                all.entry(key).or_default().extend(archs_of_ptx(call, later, wanted, package)?);
            }
        }
    }
    let units = named(all, roots);
    let archs: BTreeSet<Arch> = units.iter().flat_map(|unit| unit.archs(&[])).collect();
    Ok(CapturedUnits { units, archs: archs.into_iter().collect(), calls: count })
}

/// The folder that a call ran in, or what is left of it above: build scripts use folders and remove them.
fn existing(folder: &Path) -> PathBuf {
    folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(folder).to_owned()
}

fn key(record: &Record, source: &Path, mut flags: Vec<String>, roots: &Roots) -> Key {
    let vars = record.vars.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let copy = copy(record, source, roots);
    // What stands beside the source is found from its copy too.
    let beside = source.parent().filter(|_| copy.is_some());
    flags.extend(beside.map(|folder| format!("-I{}", folder.display())));
    (source.to_owned(), flags, existing(&record.folder), vars, copy)
}

/// The copy of a source that is gone, or that the build wrote again.
fn copy(record: &Record, source: &Path, roots: &Roots) -> Option<PathBuf> {
    let is_of = |path: &Path| roots.absolute(&path.to_string_lossy()) == source;
    let (_, copy) = record.copies.iter().find(|(path, _)| is_of(path))?;
    let text = |path: &Path| files::read_bytes(path).ok();
    (text(copy)? != text(source).unwrap_or_default()).then(|| copy.clone())
}

/// The call's flags, with link-time optimisation as a flag where an architecture asks for it.
fn flags(call: &NvccCall) -> Vec<String> {
    let mut flags = call.flags.clone();
    if call.targets.iter().any(|target| target.code.starts_with("lto_")) {
        flags.push("-dlto".to_owned());
    }
    flags
}

fn named(all: BTreeMap<Key, BTreeMap<Arch, String>>, roots: &Roots) -> Vec<Unit> {
    let mut seen: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut units = Vec::new();
    for ((source, flags, folder, vars, copy), archs) in all {
        let number = seen.entry(source.clone()).or_default();
        *number += 1;
        let shown = roots.shown(&source);
        let name = if *number == 1 { shown } else { format!("{shown} ({number})") };
        let archs = archs.into_iter().collect();
        let mut unit = Unit::new(name, copy.unwrap_or(source));
        if unit.kind != SourceKind::Ptx {
            // Whatever its name says: the build compiles it as CUDA.
            unit.kind = SourceKind::Cuda;
        }
        units.push(Unit { call: Some(Shared::new(BuildCall { flags, folder, vars, archs })), ..unit });
    }
    units.sort();
    units
}

/// The architectures of a call, each with its front end.
fn archs(call: &NvccCall, wanted: &Wanted<'_>, package: &str) -> Result<Vec<(Arch, String)>, RunError> {
    let own = |arch: Arch| (arch, arch.front());
    if let Some(asked) = wanted.asked {
        return Ok(asked.iter().copied().map(own).collect());
    }
    if call.targets.is_empty() {
        return Ok(vec![own(wanted.default)]);
    }
    let mut all: Vec<(Arch, String)> = Vec::new();
    for target in &call.targets {
        match target.code.as_str() {
            "native" if wanted.native.is_empty() => return Err(only_a_gpu(package)),
            "native" => all.extend(wanted.native.iter().copied().map(own)),
            "all" | "all-major" => all.extend(
                wanted.can.iter().filter(|arch| is_meant(target, **arch, wanted.can)).copied().map(own),
            ),
            _ => all.extend(target.machine().map(|arch| (arch, target.front.clone()))),
        }
    }
    if all.is_empty() {
        // PTX alone: what its least architecture makes of it.
        all.extend(call.targets.iter().filter_map(Target::least).map(own));
    }
    match all.iter().find(|(arch, _)| !supports(wanted.can, *arch)) {
        Some((arch, _)) => Err(too_old(*arch, wanted.can, package)),
        None => Ok(all),
    }
}

/// `all-major`: of each generation the first, and the least that the toolkit can do.
fn is_meant(target: &Target, arch: Arch, can: &[Arch]) -> bool {
    target.code == "all" || arch.cc_tenths().is_multiple_of(10) || can.iter().min() == Some(&arch)
}

/// The architectures that PTX of `call` is assembled for: their front end is the PTX's.
fn archs_of_ptx(
    call: &NvccCall,
    later: &NvccCall,
    wanted: &Wanted<'_>,
    package: &str,
) -> Result<Vec<(Arch, String)>, RunError> {
    let front = call.targets.first().map_or_else(|| wanted.default.front(), |target| target.front.clone());
    let mut all = archs(later, wanted, package)?;
    if wanted.asked.is_none() {
        all.iter_mut().for_each(|(_, own)| own.clone_from(&front));
    }
    Ok(all)
}

fn only_a_gpu(package: &str) -> RunError {
    RunError::cannot(
        format!("the build of `{package}` compiles with `-arch=native`, and no GPU of this machine answers"),
        "name the architectures to check: `--arch sm_90`",
    )
}

fn too_old(arch: Arch, can: &[Arch], package: &str) -> RunError {
    let list: Vec<String> = can.iter().map(ToString::to_string).collect();
    RunError::cannot(
        format!("the build of `{package}` compiles for {arch}, which this toolkit cannot do"),
        format!(
            "it can do {}: name one with `--arch`, or take another toolkit with `--cuda`",
            list.join(", ")
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(line: &str) -> Record {
        Record {
            args: occlint::capture::words(line),
            folder: "/c".into(),
            vars: BTreeMap::new(),
            out_dir: None,
            package: None,
            package_name: None,
            copies: BTreeMap::new(),
        }
    }

    fn read(lines: &[&str], asked: Option<&[Arch]>) -> Result<Vec<String>, String> {
        let roots = Roots {
            workspace: "/c".into(),
            package: "/c".into(),
            foreign: Vec::new(),
            named: Default::default(),
        };
        let can: Vec<Arch> = [75, 80, 90, 120].map(Arch::from_cc_tenths).to_vec();
        let wanted = Wanted { asked, default: can[0], can: &can, native: &[] };
        let records: Vec<Record> = lines.iter().map(|line| record(line)).collect();
        let found = units(&records, &roots, &wanted, "p").map_err(|error| format!("{error:?}"))?;
        let say = |unit: &Unit| {
            let call = unit.call.as_ref().unwrap();
            let archs: Vec<String> =
                call.archs.iter().map(|(arch, front)| format!("{arch}/{front}")).collect();
            format!("{}: {} [{}]", unit.name, call.flags.join(" "), archs.join(" "))
        };
        Ok(found.units.iter().map(say).collect())
    }

    #[test]
    fn one_source_with_one_set_of_flags_is_one_unit() {
        let lines = [
            "-ptx -arch=sm_80 -O3 k.cu -o a.ptx",
            "-ptx -arch=sm_90 -O3 k.cu -o b.ptx",
            "-c -gencode arch=compute_75,code=sm_90 -DX k.cu -o c.o",
        ];
        assert_eq!(
            read(&lines, None).unwrap(),
            ["k.cu: -DX [sm_90/compute_75]", "k.cu (2): -O3 [sm_80/compute_80 sm_90/compute_90]"]
        );
    }

    #[test]
    fn architectures_that_are_asked_for_replace_the_builds() {
        let asked = [Arch::from_cc_tenths(90)];
        assert_eq!(read(&["-c -arch=sm_60 k.cu"], Some(&asked)).unwrap(), ["k.cu:  [sm_90/compute_90]"]);
        let error = read(&["-c -arch=sm_60 k.cu"], None).unwrap_err();
        assert!(error.contains("sm_60") && error.contains("sm_75, sm_80"), "{error}");
        assert!(read(&["-c -arch=native k.cu"], None).unwrap_err().contains("native"));
    }

    #[test]
    fn ptx_alone_is_checked_for_its_least_architecture_and_nothing_for_the_default() {
        assert_eq!(read(&["-ptx -arch=compute_80 k.cu"], None).unwrap(), ["k.cu:  [sm_80/compute_80]"]);
        assert_eq!(read(&["-ptx k.cu"], None).unwrap(), ["k.cu:  [sm_75/compute_75]"]);
        assert_eq!(
            read(&["-c -arch=all-major k.cu"], None).unwrap(),
            ["k.cu:  [sm_75/compute_75 sm_80/compute_80 sm_90/compute_90 sm_120/compute_120]"]
        );
    }

    #[test]
    fn what_a_call_made_is_no_source() {
        let lines =
            ["-ptx -arch=sm_80 k.cu -o out/k.ptx", "-fatbin -arch=sm_80 out/k.ptx -o k.fatbin", "-dlink a.o"];
        assert_eq!(read(&lines, None).unwrap(), ["k.cu:  [sm_80/compute_80]"]);
        let lines = [
            "-ptx -arch=compute_80 -maxrregcount 64 -DX k.cu -odir out",
            "-cubin -arch=sm_90 -maxrregcount=32 -Xptxas -O1 out/k.ptx",
            "-cubin -arch=sm_80 out/k.ptx -o other.cubin",
        ];
        assert_eq!(
            read(&lines, None).unwrap(),
            [
                "k.cu: -DX -maxrregcount=32 -Xptxas=-O1 [sm_90/compute_80]",
                "k.cu (2): -maxrregcount 64 -DX [sm_80/compute_80]"
            ]
        );
        assert_eq!(read(&["-cubin -arch=sm_80 own.ptx"], None).unwrap().len(), 1);
    }
}
