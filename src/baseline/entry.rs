//! What a baseline keeps of a kernel.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::arch::Arch;
use crate::check::{CheckedKernel, Report};
use crate::evidence::names::qualified;
use crate::expect::NameGlob;
use crate::occupancy::Limiter;
use crate::order::{self, Map};

/// What is kept of a kernel on one architecture. What was unknown is `None` and is compared with nothing.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Entry {
    /// Registers per thread.
    pub registers: Option<u32>,
    /// Spill stores of the kernel and of the functions that it can call, bytes per thread.
    pub spill_stores: Option<u32>,
    /// Spill loads of the same.
    pub spill_loads: Option<u32>,
    /// Spill instructions to shared memory.
    pub shared_spills: Option<u32>,
    /// Static shared memory, bytes per block.
    pub static_smem: Option<u32>,
    /// Threads of the block that residency was computed for.
    pub block: Option<u32>,
    /// Blocks per SM that fit.
    pub residency: Option<u32>,
    /// The keys of what limited the residency, sorted.
    pub limiters: Vec<String>,
    /// Registers per thread that were free without losing a block.
    pub free_registers: Option<u32>,
    /// Bytes of shared memory per block that were free without losing a block.
    pub free_smem: Option<u32>,
    /// The lints that fired, sorted: `local-memory=400` where they have an amount that may grow.
    pub findings: Vec<String>,
    /// The settings that it was compiled with, as [`crate::kernel::Kernel::settings`].
    pub settings: Option<Arc<str>>,
    /// The compiler's version.
    pub compiler: Option<Arc<str>>,
    /// A digest of its machine code: what pairs a kernel with its new name.
    pub code: Option<u64>,
}

/// The kernels of a baseline, by key and architecture.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Baseline {
    /// The kernels.
    pub entries: BTreeMap<(String, Arch), Entry>,
}

/// What a run looked at: kernels that are not found in it are gone, others are not known to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// The package.
    pub package: String,
    /// The architectures; `None`: all.
    pub archs: Option<Vec<Arch>>,
    /// Of these kernels only, by qualified name.
    pub names: Option<NameGlob>,
}

impl Part {
    /// Whether a kernel of this key is of the part.
    pub fn has(&self, key: &str, arch: Arch) -> bool {
        let named = || self.names.as_ref().is_none_or(|glob| glob.matches(&name_of(key)));
        let on = || self.archs.as_ref().is_none_or(|archs| archs.contains(&arch));
        self.package == package_of(key) && on() && named()
    }
}

impl Entry {
    /// Whether a lint fired, and with which amount.
    pub(crate) fn finding(&self, lint: &str) -> Option<Option<u64>> {
        self.findings.iter().find_map(|known| match known.split_once('=') {
            Some((name, amount)) => (name == lint).then(|| amount.parse().ok()),
            None => (known == lint).then_some(None),
        })
    }

    /// What is to be kept of a checked kernel; `findings`: the lints that fired about it.
    fn of(checked: &CheckedKernel, mut findings: Vec<String>) -> Self {
        let kernel = &checked.kernel;
        let usage = &kernel.usage;
        let with_callees = |own: Option<u32>, of: fn(&crate::kernel::DeviceFunction) -> Option<u32>| {
            own.map(|own| kernel.functions.iter().filter_map(of).fold(own, u32::saturating_add))
        };
        let spills = kernel.spills.as_ref().filter(|spills| spills.unread.is_empty());
        let mut limiters: Vec<String> = checked.residency.iter().flat_map(keys).collect();
        order::sort(&mut limiters);
        order::sort(&mut findings);
        findings.dedup();
        Self {
            registers: usage.registers,
            spill_stores: with_callees(usage.spill_store_bytes, |function| function.spill_store_bytes),
            spill_loads: with_callees(usage.spill_load_bytes, |function| function.spill_load_bytes),
            shared_spills: spills.map(crate::kernel::Spills::shared),
            static_smem: usage.static_shared_bytes,
            block: checked.block.map(|block| block.threads),
            residency: checked.residency.as_ref().map(|residency| residency.blocks),
            limiters,
            free_registers: checked.steps.map(|steps| steps.free_registers),
            free_smem: checked.steps.map(|steps| steps.free_shared_bytes),
            findings,
            settings: kernel.settings.clone(),
            compiler: kernel.compiler.clone(),
            code: kernel.code,
        }
    }

    /// The same of a kernel as it is now.
    pub(crate) fn now(checked: &CheckedKernel) -> Self {
        Self::of(checked, Vec::new())
    }
}

fn keys(residency: &crate::occupancy::Residency) -> Vec<String> {
    residency.limiters().into_iter().map(Limiter::key).map(str::to_owned).collect()
}

/// The lints that fired of a kernel, each once with its largest amount. Spills have figures of their own.
fn findings(checked: &CheckedKernel) -> Vec<String> {
    let mut most: Map<&str, Option<u64>> = Map::new();
    for &(lint, amount) in checked.fired.iter().filter(|(lint, _)| !lint.ends_with("-regression")) {
        let amount = amount.filter(|_| lint != "spill");
        let known = most.get_or_insert(lint, amount);
        *known = (*known).max(amount);
    }
    let word = |(lint, amount): (&str, Option<u64>)| match amount {
        Some(amount) => format!("{lint}={amount}"),
        None => lint.to_owned(),
    };
    most.into_iter().map(word).collect()
}

/// The package in a kernel's key; of a log's kernel the whole key.
pub(super) fn package_of(key: &str) -> &str {
    key.split('/').next().unwrap_or(key)
}

/// The qualified name in a kernel's key.
pub(super) fn name_of(key: &str) -> String {
    qualified(key.split_once('/').map_or(key, |(_, name)| name))
}

impl Baseline {
    /// The kernels of a report whose architecture is known, those of libraries left out.
    pub fn of(report: &Report) -> Self {
        let own = report.kernels.iter().filter(|checked| !checked.is_foreign());
        let entry = |checked: &CheckedKernel| {
            let (key, arch) = (checked.kernel.name.key.clone(), checked.kernel.arch?);
            let entry = Entry::of(checked, findings(checked));
            Some(((key, arch), entry))
        };
        let mut entries = BTreeMap::new();
        entries.extend(own.filter_map(entry));
        Self { entries }
    }

    /// Whether it has kernels of this package.
    pub fn has_package(&self, name: &str) -> bool {
        self.entries.keys().any(|(key, _)| package_of(key) == name)
    }

    /// This one with what a run found in the place of what was known: `part` is what the run looked at as a whole; `None` where that is
    /// not known, as of a log. What is not of it is kept.
    #[must_use]
    pub fn updated(mut self, found: Self, part: Option<&Part>) -> Self {
        self.entries.retain(|(key, arch), _| !part.is_some_and(|part| part.has(key, *arch)));
        self.entries.extend(found.entries);
        self
    }
}
