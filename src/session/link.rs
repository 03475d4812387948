//! The device link of a package's relocatable code: run, and merged into what the compilations said.

use std::collections::BTreeMap;

use crate::arch::Arch;
use crate::check::Report;
use crate::compile::{self, CompileError, Compiled, DeviceCode, DeviceLink, Settings, SourceKind};
use crate::evidence::{Evidence, LinkEnd, LinkUnit, merge_link};
use crate::finding::{Level, Subject};
use crate::kernel::RemarkKind;
use crate::session::{Failure, Package, flags};
use crate::source::Span;
use crate::sys::process::{Cancel, ProcessError};

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

/// The device links of a package, by architecture; none for whole-program code.
pub(super) struct Links {
    code: DeviceCode,
    flag: Option<Span>,
    links: BTreeMap<Arch, Result<DeviceLink, CompileError>>,
}

impl Links {
    /// Links what was compiled, if the flags ask for code that is linked.
    ///
    /// With link-time optimisation ptxas runs here: its log becomes that of each unit, and a unit whose link failed has
    /// failed.
    pub(super) fn run(
        package: &Package<'_>,
        compiled: &mut [Compiled],
        settings: &Settings,
        cancel: &Cancel,
    ) -> Self {
        let (code, flag) = flags::device_code(package.config);
        let links = if code.is_linked() {
            compile::device_link(package.units, compiled, settings, cancel)
        } else {
            BTreeMap::new()
        };
        let mut all = Self { code, flag, links };
        if code == DeviceCode::LinkTime {
            all.give_logs(package, compiled);
        }
        all
    }

    /// Whether ptxas ran at the link, so that a unit's log is that of the whole program.
    pub(super) fn link_time(&self, package: &Package<'_>, unit: usize) -> bool {
        self.code == DeviceCode::LinkTime && package.units[unit].kind == SourceKind::Cuda
    }

    /// Whether the user interrupted a link.
    pub(super) fn interrupted(&self) -> bool {
        let interrupted = |link: &Result<DeviceLink, CompileError>| {
            matches!(link, Err(CompileError::Process(ProcessError::Interrupted)))
        };
        self.links.values().any(interrupted)
    }

    fn give_logs(&mut self, package: &Package<'_>, compiled: &mut [Compiled]) {
        for (arch, link) in std::mem::take(&mut self.links) {
            // the first unit shows nvlink's words, the others only that they have no figures
            let (log, mut error) = match link {
                Ok(DeviceLink { linked: true, log, .. }) => (Some(log), None),
                Ok(DeviceLink { log, .. }) => (None, Some(CompileError::Link { output: log })),
                Err(error) => (None, Some(error)),
            };
            for one in compiled.iter_mut().filter(|one| one.arch == arch) {
                if package.units[one.unit].kind != SourceKind::Cuda {
                    continue;
                }
                let Ok(artefact) = &mut one.result else { continue };
                match &log {
                    Some(log) => artefact.log.clone_from(log),
                    None => {
                        let silent = CompileError::Link { output: String::new() };
                        one.result = Err(error.take().unwrap_or(silent));
                    }
                }
            }
        }
    }

    /// Merges the links into the evidence.
    pub(super) fn merge(
        &self,
        package: &Package<'_>,
        compiled: &[Compiled],
        read: &mut [Read],
        failures: &mut Failures,
    ) {
        if !self.code.is_linked() {
            return;
        }
        let ptx: BTreeMap<(usize, Arch), &str> =
            compiled.iter().filter_map(|one| Some(((one.unit, one.arch), ptx_of(one)?))).collect();
        for &arch in package.archs {
            let is_in =
                |one: &&mut Read| one.arch == arch && package.units[one.unit].kind == SourceKind::Cuda;
            let (mut units, mut names) = (Vec::new(), Vec::new());
            for one in read.iter_mut().filter(is_in) {
                names.push(package.units[one.unit].name.clone());
                let ptx = ptx.get(&(one.unit, arch)).copied().unwrap_or_default();
                units.push(LinkUnit { evidence: &mut one.evidence, ptx });
            }
            if !units.is_empty() {
                self.merge_arch(arch, &mut units, &names, failures);
            }
        }
    }

    fn merge_arch(&self, arch: Arch, units: &mut [LinkUnit<'_>], names: &[String], failures: &mut Failures) {
        let link = self.links.get(&arch);
        let end = match link {
            _ if self.code == DeviceCode::LinkTime => LinkEnd::LinkTime,
            Some(Ok(DeviceLink { linked: true, log, .. })) => LinkEnd::Linked(log),
            Some(Ok(DeviceLink { log, .. })) => LinkEnd::Refused(log),
            Some(Err(_)) => LinkEnd::Not("the device link could not be run"),
            None => LinkEnd::Not("no unit could be compiled, so nothing was linked"),
        };
        let refusal = merge_link(units, end);
        for facts in units.iter_mut().flat_map(|unit| &mut unit.evidence.units) {
            if let Some(open) = &mut facts.unlinked {
                open.flag.clone_from(&self.flag);
            }
        }
        let failure = |error| Failure { unit: together(names), arch, error };
        match link {
            Some(Ok(link)) if !refusal.other.is_empty() => {
                failures.plain.push(failure(CompileError::Link { output: link.log.clone() }));
            }
            Some(Ok(link)) if refusal.caps => {
                failures.caps.push(failure(CompileError::Link { output: link.log.clone() }));
            }
            Some(Err(error)) => {
                failures.plain.push(failure(CompileError::Link { output: error.to_string() }));
            }
            _ => {}
        }
    }
}

/// The PTX of a unit, also where ptxas refused it.
fn ptx_of(one: &Compiled) -> Option<&str> {
    match &one.result {
        Ok(artefact) => Some(&artefact.ptx),
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
