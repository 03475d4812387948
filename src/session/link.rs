//! The device link of a package's relocatable code: run, and merged into what the compilations said.

#[cfg(feature = "package")]
mod run;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::arch::Arch;
use crate::check::Report;
use crate::compile::{CompileError, Compiled, DeviceCode, DeviceLink, Program, SourceKind};
use crate::evidence::{CubinProblem, Evidence, LinkEnd, LinkUnit, Linkage, merge_link};
use crate::finding::{Level, Subject};
use crate::kernel::RemarkKind;
use crate::order::{Map, Set};
use crate::session::{Failure, Package, flags};
use crate::source::{SourceText, Span};
use crate::sys::files::{self, FileError, SourceMap};

/// Contradictions of a linked cubin that are named.
const PROBLEMS: usize = 3;

/// One compilation's evidence.
pub(super) struct Read {
    /// Index of the unit in the package.
    pub(super) unit: usize,
    /// The architecture.
    pub(super) arch: Arch,
    /// What it says.
    pub(super) evidence: Evidence,
}

/// What could not be linked.
#[derive(Default)]
pub(super) struct Failures {
    /// What no finding puts into words.
    pub(super) plain: Vec<Failure>,
    /// Register caps that are smaller than a callee needs: a finding says so, unless it is not denied.
    pub(super) caps: Vec<Failure>,
}

/// The device links of a package; none for whole-program code.
pub(super) struct Links {
    code: DeviceCode,
    flag: Option<Span>,
    programs: Vec<Program>,
}

impl Links {
    /// The links that the package's own build made.
    #[cfg(feature = "build-script")]
    pub(super) fn made(package: &Package<'_>, programs: Vec<Program>) -> Self {
        let code = package.units.iter().map(|unit| flags::device_code(&flags::of(package.config, unit)));
        let (code, flag) = code.max_by_key(|(code, _)| *code).unwrap_or_default();
        Self { code, flag, programs }
    }

    /// Whether ptxas ran at the link, so that a unit's log is that of the whole program.
    pub(super) fn link_time(&self, package: &Package<'_>, unit: usize) -> bool {
        let unit = &package.units[unit];
        let own = || flags::device_code(&flags::of(package.config, unit)).0;
        self.code == DeviceCode::LinkTime && unit.kind == SourceKind::Cuda && own() == DeviceCode::LinkTime
    }

    /// Merges the links into the evidence.
    pub(super) fn merge(
        &self,
        (package, sources): (&Package<'_>, &SourceMap),
        compiled: &[Compiled],
        read: &mut [Read],
        failures: &mut Failures,
    ) {
        if !self.code.is_linked() {
            return;
        }
        for &arch in package.archs {
            let mut programs = self.programs.iter().filter(|program| program.arch == arch);
            let is_linked =
                |unit: usize| self.programs.iter().any(|p| p.arch == arch && p.units.contains(&unit));
            // what ptxas refused is in no program: the first one says so of it
            let first = programs.next();
            let own = |unit: usize| first.is_some_and(|p| p.units.contains(&unit)) || !is_linked(unit);
            let units = Units::new(package, sources, compiled, (arch, self.is_open(arch)));
            self.merge_program(first, &units, units.of(read, own, &[]), failures);
            for program in programs {
                let own = |unit: usize| program.units.contains(&unit);
                self.merge_program(Some(program), &units, units.of(read, own, &program.with), failures);
            }
        }
    }

    /// Whether a link for an architecture gave no linked cubin, although the units have theirs.
    fn is_open(&self, arch: Arch) -> bool {
        let mut programs = self.programs.iter().filter(|program| program.arch == arch);
        let is_open = |program: &Program| program.result.as_ref().map_or(true, |link| link.cubin.is_none());
        self.code == DeviceCode::Relocatable && programs.any(is_open)
    }

    fn merge_program(
        &self,
        program: Option<&Program>,
        units: &Units<'_>,
        (mut parts, names): (Vec<LinkUnit<'_>>, Vec<String>),
        failures: &mut Failures,
    ) {
        let result = program.map(|program| &program.result);
        let end = match result {
            _ if self.code == DeviceCode::LinkTime => LinkEnd::LinkTime,
            Some(Ok(DeviceLink { linked: true, log, .. })) => LinkEnd::Linked(log),
            Some(Ok(DeviceLink { log, .. })) => LinkEnd::Refused(log),
            Some(Err(_)) => LinkEnd::Not("the device link could not be run"),
            None => LinkEnd::Not("no unit could be compiled, so nothing was linked"),
        };
        let mut fail = |error: CompileError, only_caps: bool| {
            let failure = Failure { unit: together(&names), arch: Some(units.arch), error };
            if only_caps { failures.caps.push(failure) } else { failures.plain.push(failure) }
        };
        let cubin = match linked_cubin(result) {
            Ok(cubin) => cubin,
            Err(error) => return fail(CompileError::File(error), false),
        };
        let clashes = program.map(|program| clashes(units.package, program)).unwrap_or_default();
        let linkage = Linkage { arch: units.arch, end, cubin: cubin.as_deref(), clashes: &clashes };
        let refusal = merge_link(&mut parts, &linkage, &|printed| units.lookup(printed));
        for facts in parts.iter_mut().flat_map(|unit| &mut unit.evidence.units) {
            if let Some(open) = &mut facts.unlinked {
                open.flag.clone_from(&self.flag);
            }
        }
        if let Some(problem) = in_words(&refusal.problems) {
            let output = result.and_then(|result| result.as_ref().ok()).map(|link| link.log.clone());
            fail(CompileError::LinkedCubin { problem, output: output.unwrap_or_default() }, false);
        }
        let output = match result {
            // the units have failed already
            _ if end == LinkEnd::LinkTime => return,
            Some(Ok(link)) if refusal.caps || !refusal.other.is_empty() => link.log.clone(),
            Some(Err(error)) => error.to_string(),
            _ => return,
        };
        fail(CompileError::Link { why: None, output }, refusal.caps && refusal.other.is_empty());
    }
}

/// The linked cubin's bytes, where there is one.
fn linked_cubin(result: Option<&Result<DeviceLink, CompileError>>) -> Result<Option<Vec<u8>>, FileError> {
    match result {
        Some(Ok(DeviceLink { cubin: Some(path), .. })) => files::read_bytes(path).map(Some),
        _ => Ok(None),
    }
}

/// Problems of a link as one; the first few.
fn in_words(problems: &[CubinProblem]) -> Option<String> {
    let mut words: Vec<String> = problems.iter().take(PROBLEMS).map(ToString::to_string).collect();
    if problems.len() > PROBLEMS {
        words.push(format!("{} more", problems.len() - PROBLEMS));
    }
    (!words.is_empty()).then(|| words.join("; "))
}

/// A program's clashing symbols with the names of their units.
fn clashes(package: &Package<'_>, program: &Program) -> Map<String, Vec<String>> {
    let names = |units: &Set<usize>| units.iter().map(|&unit| package.units[unit].name.clone()).collect();
    program.clashes.iter().map(|(symbol, units)| (symbol.clone(), names(units))).collect()
}

/// The units of a package on one architecture.
struct Units<'a> {
    package: &'a Package<'a>,
    sources: &'a SourceMap,
    arch: Arch,
    ptx: Map<usize, &'a str>,
    /// Cubins of units whose device link may leave something open.
    cubins: Map<usize, Vec<u8>>,
    /// Units that no device link finishes.
    whole: Set<usize>,
    /// Files that an `#include` entered.
    entered: Set<PathBuf>,
}

impl<'a> Units<'a> {
    fn new(
        package: &'a Package<'a>,
        sources: &'a SourceMap,
        compiled: &'a [Compiled],
        (arch, open): (Arch, bool),
    ) -> Self {
        let compiled = || compiled.iter().filter(|one| one.arch == arch);
        let artefacts = || compiled().filter_map(|one| Some((one.unit, one.result.as_ref().ok()?)));
        let files = artefacts().flat_map(|(_, artefact)| artefact.files.iter());
        Self {
            package,
            sources,
            arch,
            cubins: artefacts()
                .filter(|(_, artefact)| open && artefact.relocatable)
                .filter_map(|(unit, artefact)| Some((unit, files::read_bytes(&artefact.cubin).ok()?)))
                .collect(),
            ptx: compiled().filter_map(|one| Some((one.unit, ptx_of(one)?))).collect(),
            whole: compiled().filter(|one| is_whole(package, one)).map(|one| one.unit).collect(),
            entered: files
                .filter(|file| file.entered)
                .map(|file| package.roots.absolute(&file.name))
                .collect(),
        }
    }

    fn lookup(&self, printed: &str) -> (String, bool, Option<Arc<SourceText>>) {
        let entered = |path: &Path| self.entered.contains(path);
        self.package.roots.lookup(self.sources, &entered, printed)
    }

    /// A program's units, and the names of its own.
    fn of<'b>(
        &'b self,
        read: &'b mut [Read],
        own: impl Fn(usize) -> bool,
        with: &[usize],
    ) -> (Vec<LinkUnit<'b>>, Vec<String>) {
        let (mut parts, mut names) = (Vec::new(), Vec::new());
        for one in read.iter_mut().filter(|one| one.arch == self.arch) {
            let unit = &self.package.units[one.unit];
            let own = own(one.unit);
            if self.whole.contains(&one.unit) || !(own || with.contains(&one.unit)) {
                continue;
            }
            if own {
                names.push(unit.name.clone());
            }
            let ptx = self.ptx.get(&one.unit).copied().unwrap_or_default();
            let cubin = self.cubins.get(&one.unit).map(Vec::as_slice);
            parts.push(LinkUnit { evidence: &mut one.evidence, ptx, cubin, own });
        }
        (parts, names)
    }
}

/// Whether no device link finishes what was compiled.
fn is_whole(package: &Package<'_>, one: &Compiled) -> bool {
    match &one.result {
        Ok(artefact) => !artefact.relocatable,
        Err(_) => package.units[one.unit].kind != SourceKind::Cuda,
    }
}

/// The PTX of a unit, also where ptxas refused it.
fn ptx_of(one: &Compiled) -> Option<&str> {
    match &one.result {
        Ok(artefact) => artefact.ptx.here(),
        Err(CompileError::Failed { ptx, .. }) => ptx.as_deref(),
        Err(_) => None,
    }
}

/// The units of a link as one name.
fn together(names: &[String]) -> String {
    match names {
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        few => few.join(", "),
    }
}

/// Whether a denied finding says of each kernel on `arch` whose cap is too small that it is, so that the failure behind
/// it needs no words of its own.
pub(super) fn caps_are_denied(report: &Report, arch: Arch) -> bool {
    let is_cap = |kind: &RemarkKind| matches!(kind, RemarkKind::CalleeNeedsRegisters { .. });
    let mut capped = report
        .kernels
        .iter()
        .map(|checked| &checked.kernel)
        .filter(|kernel| kernel.arch == Some(arch) && kernel.remarks.iter().any(|r| is_cap(&r.kind)))
        .peekable();
    let is_denied = |name: &str| {
        report.findings.iter().any(|finding| match &finding.subject {
            Subject::Kernel { key, arch: its, foreign: false, .. } => {
                key == name
                    && *its == Some(arch)
                    && finding.lint == "unlaunchable"
                    && finding.level == Level::Deny
            }
            _ => false,
        })
    };
    capped.peek().is_some() && capped.all(|kernel| is_denied(&kernel.name.key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_units_are_counted() {
        let names: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).into();
        assert_eq!(together(&names[..1]), "a");
        assert_eq!(together(&names[..3]), "a, b, c");
        assert_eq!(together(&names), "a, b, c and 2 more");
    }
}
