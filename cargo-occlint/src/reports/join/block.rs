//! The lines of one package, of several reports.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use occlint::arch::Arch;
use occlint::compile::SourceKind;
use occlint::finding::{Finding, Level, Subject};
use serde_json::Value;

use super::told::{Told, ToldFinding};
use crate::reports::{JoinError, KernelLine};

/// What a package's kernels and findings are, sorted as one run would.
#[derive(Default)]
pub(super) struct Block {
    pub(super) kernels: Vec<KernelLine>,
    pub(super) findings: Vec<ToldFinding>,
}

/// One report's share of a package.
pub(super) struct Share {
    pub(super) path: String,
    pub(super) kernels: Vec<KernelLine>,
    pub(super) findings: Vec<ToldFinding>,
}

/// A kernel by what it was called before its key had a file, and its architecture.
type Base = (String, Option<Arch>);

impl Block {
    /// One report, as it is.
    pub(super) fn alone(told: Told) -> Self {
        Self { kernels: told.kernels, findings: told.findings }
    }

    /// Whole reports: what is in several must be the same.
    pub(super) fn of_reports(told: Vec<Told>) -> Result<Self, JoinError> {
        let shares = told.into_iter().map(|told| Share {
            path: told.path,
            kernels: told.kernels,
            findings: told.findings,
        });
        let mut kernels: BTreeMap<(String, Option<Arch>), (String, KernelLine)> = BTreeMap::new();
        let (mut nameless, mut findings) = (Vec::new(), Vec::new());
        for share in shares {
            for kernel in share.kernels {
                let key = (kernel.checked.kernel.name.key.clone(), kernel.checked.kernel.arch);
                if key.1.is_none() {
                    // a log that says no architecture: nothing tells whether it is the same
                    nameless.push(kernel);
                    continue;
                }
                match kernels.get(&key) {
                    Some((_, known)) if known.text == kernel.text || known.value() == kernel.value() => {}
                    Some((first, known)) => return Err(differs(known, first, &share.path)),
                    None => drop(kernels.insert(key, (share.path.clone(), kernel))),
                }
            }
            findings.push(share.findings);
        }
        let kernels = kernels.into_values().map(|(_, kernel)| kernel).chain(nameless).collect();
        Ok(Self { kernels, findings: once(findings) }.sorted())
    }

    /// Shares of one package, of the parts of a run: kernels that several units make are joined, and keys told apart where
    /// kernels of several files have the same, as one run does it.
    pub(super) fn of_parts(shares: Vec<Share>) -> Result<Self, JoinError> {
        let homes = homes(&shares);
        let mut kernels: BTreeMap<(Base, String), (String, KernelLine)> = BTreeMap::new();
        let mut findings = Vec::new();
        for Share { path, kernels: own, findings: mut told } in shares {
            let mut renamed: BTreeMap<(String, Option<Arch>), String> = BTreeMap::new();
            for kernel in own {
                let (base, home) = (base(&kernel), home(&kernel));
                let is_one = homes.get(&base).is_none_or(|homes| homes.len() < 2);
                let key = if is_one { base.0.clone() } else { format!("{} [{home}]", base.0) };
                if key != kernel.checked.kernel.name.key {
                    renamed.insert((kernel.checked.kernel.name.key.clone(), base.1), key.clone());
                }
                add(&mut kernels, (base, home), key, (&path, kernel))?;
            }
            for finding in &mut told {
                let Subject::Kernel { key, arch, .. } = &finding.finding.subject else { continue };
                if let Some(key) = renamed.get(&(key.clone(), *arch)) {
                    finding.set_key(key.clone());
                }
            }
            findings.push(told);
        }
        let kernels = kernels.into_values().map(|(_, kernel)| kernel).collect();
        Ok(Self { kernels, findings: once(findings) })
    }

    /// In the order of a run.
    pub(super) fn sorted(mut self) -> Self {
        self.kernels.sort_by(|a, b| kernel_order(a).cmp(&kernel_order(b)));
        self.findings.sort_by(|a, b| finding_order(a).cmp(&finding_order(b)));
        self
    }
}

/// Findings of several shares; what another share says in the same words is said once.
fn once(shares: Vec<Vec<ToldFinding>>) -> Vec<ToldFinding> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut all = Vec::new();
    for share in shares {
        let new: Vec<ToldFinding> =
            share.into_iter().filter(|finding| !seen.contains(&finding.text)).collect();
        seen.extend(new.iter().map(|finding| finding.text.clone()));
        all.extend(new);
    }
    all
}

fn add(
    kernels: &mut BTreeMap<(Base, String), (String, KernelLine)>,
    at: (Base, String),
    key: String,
    (path, mut kernel): (&str, KernelLine),
) -> Result<(), JoinError> {
    match kernels.get_mut(&at) {
        None => {
            let units = kernel.checked.kernel.units.clone();
            kernel.set(key, units);
            kernels.insert(at, (path.to_owned(), kernel));
        }
        Some((first, known)) => {
            if figures(known) != figures(&kernel) {
                return Err(differs(known, first, path));
            }
            let both = known.checked.kernel.units.iter().chain(&kernel.checked.kernel.units);
            let units: BTreeSet<String> = both.cloned().collect();
            // mangled names are those of the first unit
            if kernel.checked.kernel.units < known.checked.kernel.units {
                *known = kernel;
            }
            known.set(key, units.into_iter().collect());
        }
    }
    Ok(())
}

/// What must be the same of a kernel that two units make: all but the units, and names that have their hashes in them.
fn figures(kernel: &KernelLine) -> Value {
    let mut value = kernel.value();
    for field in ["units", "mangled", "key"] {
        value[field] = Value::Null;
    }
    for function in value["functions"].as_array_mut().into_iter().flatten() {
        function["mangled"] = Value::Null;
    }
    for line in value["spill_lines"].as_array_mut().into_iter().flatten() {
        line["function"] = Value::Null;
    }
    value
}

fn differs(known: &KernelLine, first: &str, second: &str) -> JoinError {
    let kernel = &known.checked.kernel;
    JoinError::Differs {
        name: kernel.name.demangled.clone(),
        arch: kernel.arch.map(|arch| arch.to_string()).unwrap_or_default(),
        first: first.to_owned(),
        second: second.to_owned(),
    }
}

/// The file whose kernel it is: kernels of one key in several files are several.
fn home(kernel: &KernelLine) -> String {
    let record = &kernel.checked.kernel;
    let unit = || record.units.first().cloned().unwrap_or_default();
    let binary = record.units.first().is_some_and(|unit| SourceKind::of(Path::new(unit)).is_binary());
    match &record.place {
        Some(place) if !binary => place.file.clone(),
        _ => unit(),
    }
}

/// The key without the file that told it from others.
fn base(kernel: &KernelLine) -> Base {
    let key = &kernel.checked.kernel.name.key;
    let file = format!(" [{}]", home(kernel));
    (key.strip_suffix(&file).unwrap_or(key).to_owned(), kernel.checked.kernel.arch)
}

fn homes(shares: &[Share]) -> BTreeMap<Base, BTreeSet<String>> {
    let mut homes: BTreeMap<Base, BTreeSet<String>> = BTreeMap::new();
    for kernel in shares.iter().flat_map(|share| &share.kernels) {
        homes.entry(base(kernel)).or_default().insert(home(kernel));
    }
    homes
}

/// File, line, name, architecture; a kernel without a place stands at the beginning of its unit.
fn kernel_order(told: &KernelLine) -> (&str, u32, &str, Option<Arch>, &str) {
    let kernel = &told.checked.kernel;
    let unit = || (kernel.units.first().map_or("", String::as_str), 0);
    let (file, line) = kernel.place.as_ref().map_or_else(unit, |place| (place.file.as_str(), place.line));
    (file, line, &kernel.name.demangled, kernel.arch, &kernel.name.mangled)
}

type FindingOrder<'a> =
    (Reverse<Level>, &'a str, Reverse<u64>, Option<(&'a str, u32)>, &'a str, Option<Arch>, u64);

/// Denied first, then by lint, weight, place, name and architecture; at last by column: rules on one line.
fn finding_order(told: &ToldFinding) -> FindingOrder<'_> {
    let finding: &Finding = &told.finding;
    let place = finding.labels.first().map(|label| (label.file.as_str(), label.line));
    let (name, arch) = match &finding.subject {
        Subject::Kernel { key, arch, .. } => (key.as_str(), *arch),
        Subject::Unit { unit, arch } => (unit.as_str(), *arch),
        Subject::Config => ("", None),
    };
    let column = match finding.subject {
        Subject::Config => told.value["column"].as_u64().unwrap_or(0),
        Subject::Kernel { .. } | Subject::Unit { .. } => 0,
    };
    (Reverse(finding.level), finding.lint, Reverse(finding.weight), place, name, arch, column)
}
