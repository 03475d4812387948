//! What goes into a check, and what comes out.

use std::sync::Arc;

use crate::arch::{Arch, Limits};
use crate::baseline::{Baseline, CompareRules, Comparison, Entry};
use crate::check::Open;
use crate::expect::{Date, Expectation, Levels, Rules, Waiver};
use crate::finding::Finding;
use crate::kernel::{Block, Kernel, Remark};

use crate::occupancy::{Residency, Steps};
use crate::source::Span;

/// Everything that a check needs.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The kernels, each on one architecture.
    pub kernels: Vec<Kernel>,
    /// What is known about units beyond kernels.
    pub units: Vec<UnitFacts>,
    /// The rules of the configuration and of source comments.
    pub rules: Rules,
    /// The levels that were set.
    pub levels: Levels,
    /// Every configured architecture and unit was checked: only then are lints about configuration judged.
    pub complete: bool,
    /// Architectures are occlint's own default, not the user's choice: lints about bounds then warn at most.
    pub default_archs: bool,
    /// What is known from before.
    pub baseline: Option<Arc<Baseline>>,
    /// What is compared with it.
    pub compare: CompareRules,
    /// The package that was checked; empty for a log. Complete, it is looked at on all architectures of the baseline.
    pub package: String,
    /// All units were checked, of the architectures that were: a kernel that is not here is gone. Without, kernels of another name
    /// are known by equal code alone.
    pub all_units: bool,
    /// The day, for waivers that end; `None`: none has ended.
    pub today: Option<Date>,
}

/// What is known about one unit on one architecture beyond its kernels.
#[derive(Clone, PartialEq, Default, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct UnitFacts {
    /// The source, relative to the workspace root; a log's name.
    pub unit: String,
    /// The architecture; `None` where a log does not say it.
    pub arch: Option<Arch>,
    /// Compiled with `-G`, and where that is written.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub debug: Option<Option<Span>>,
    /// `-maxrregcount N`, and where that is written.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub maxrregcount: Option<(u32, Option<Span>)>,
    /// What the compiler remarked without naming a kernel.
    pub remarks: Vec<Remark>,
    /// What the device link left open about the unit's relocatable code; `None` where nothing is open.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub unlinked: Option<Unlinked>,
}

/// Kernels of a unit whose figures are the compiler's, because the device link gave none.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Unlinked {
    /// The kernels, demangled; sorted, at least one.
    pub kernels: Vec<String>,
    /// What they need and nothing that was linked defines, demangled; sorted.
    pub undefined: Vec<String>,
    /// Several units define some of that, and no program can have all of them.
    pub clashes: bool,
    /// Why; each reason once, in the order of the kernels.
    pub why: Vec<OpenReason>,
    /// Where the flag is written that makes the code relocatable.
    pub flag: Option<Span>,
}

/// Why the device link gave no figures for some kernels of a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenReason {
    /// In words that follow `because`: `it calls …`.
    pub why: String,
    /// The kernels, demangled, at least one.
    pub kernels: Vec<String>,
}

impl Unlinked {
    /// Adds a kernel, and why nothing that is final is known of it.
    pub(crate) fn add(&mut self, kernel: &str, why: &str) {
        self.kernels.push(kernel.to_owned());
        match self.why.iter_mut().find(|reason| reason.why == why) {
            Some(reason) => reason.kernels.push(kernel.to_owned()),
            None => self.why.push(OpenReason { why: why.to_owned(), kernels: vec![kernel.to_owned()] }),
        }
    }
}

/// A kernel with what follows from it.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedKernel {
    /// The record.
    pub kernel: Kernel,
    /// What is expected of it.
    pub expectation: Expectation,
    /// The block that residency is computed for; `None` where nothing says it.
    pub block: Option<Block>,
    /// The architecture's limits; `None` where it is unknown.
    pub limits: Option<&'static Limits>,
    /// Residency; `None` where the block, the registers or the architecture is unknown.
    pub residency: Option<Residency>,
    /// Distance to the next step, where residency is known.
    pub steps: Option<Steps>,
    /// What the baseline has of it; `None` without a baseline, and for a new kernel.
    pub before: Option<Entry>,
    /// Whether the figures can be compared with those.
    pub comparison: Comparison,
    /// The key that the baseline has of it, where that is another one.
    pub renamed_from: Option<String>,
    /// The lints that hold, whether they are reported, known from the baseline, or said by another finding.
    /// Each with its amount, in its own unit, where it has one.
    pub fired: Vec<(&'static str, Option<u64>)>,
}

impl CheckedKernel {
    /// Whether its place lies outside the package: a library's.
    pub fn is_foreign(&self) -> bool {
        self.kernel.place.as_ref().is_some_and(|place| place.foreign)
    }

    /// What the baseline has of it, where it can be compared.
    pub fn compared(&self) -> Option<&Entry> {
        self.before.as_ref().filter(|_| self.comparison == Comparison::Compared)
    }
}

/// What a check found.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Report {
    /// The kernels, sorted by file, line, name and architecture.
    pub kernels: Vec<CheckedKernel>,
    /// The findings, sorted: denied first, then by lint, weight, place, name and architecture.
    pub findings: Vec<Finding>,
    /// Findings that a waiver took away.
    pub waived: usize,
    /// Findings that the baseline has already.
    pub known: usize,
    /// Kernels that got better than the baseline.
    pub improved: usize,
    /// Kernels that the baseline has under another name.
    pub renamed: usize,
    /// Increases over the baseline that their limits allow.
    pub within_limits: usize,
    /// What waivers took away, and those that have ended.
    pub waivers: Vec<WaiverUse>,
    /// Errors that the compiler reported: what was checked is then not the whole. Unit and remark.
    pub errors: Vec<(String, Remark)>,
    /// What lints about the configuration could not be judged by, where not everything was checked; of one package.
    pub open: Open,
}

impl Report {
    /// Adds another package's report; the order of both is kept.
    pub fn append(&mut self, mut other: Self) {
        self.kernels.append(&mut other.kernels);
        self.findings.append(&mut other.findings);
        self.errors.append(&mut other.errors);
        self.waived += other.waived;
        self.known += other.known;
        self.improved += other.improved;
        self.renamed += other.renamed;
        self.within_limits += other.within_limits;
        self.waivers.append(&mut other.waivers);
    }
}

/// What a waiver met.
#[derive(Clone, PartialEq, Debug)]
pub struct WaiverUse {
    /// The waiver.
    pub waiver: Waiver,
    /// How many kernels its rule matched.
    pub matched: usize,
    /// How many findings it took away.
    pub waived: usize,
    /// Its last day is over: it took nothing away.
    pub ended: bool,
}

/// What lints about the configuration look at, after every kernel was checked.
#[derive(Debug)]
pub struct ConfigFacts<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// For each rule, how many kernels it matched.
    pub matches: &'a [usize],
    /// The waivers that something met: index of the rule, index of the waiver in it.
    pub used: &'a crate::order::Set<(usize, usize)>,
    /// The kernels' qualified names.
    pub names: Vec<&'a str>,
    /// Kernels of the baseline that are gone: keys and architectures.
    pub removed: &'a [(String, Arch)],
    /// The kernels.
    pub kernels: &'a [CheckedKernel],
}
