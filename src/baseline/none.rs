//! Without the feature `baseline`: no baseline can be made, so nothing is compared with one.

use crate::baseline::{CompareRules, Removed};
use crate::check::CheckedKernel;
use crate::expect::Levels;
use crate::kernel::Kernel;

/// What a baseline keeps of a kernel: there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {}

/// The kernels of a baseline: there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Baseline {}

impl Entry {
    pub(crate) fn finding(&self, _lint: &str) -> Option<Option<u64>> {
        match *self {}
    }
}

pub(crate) fn entry_of(baseline: &Baseline, _kernel: &Kernel) -> Option<Entry> {
    match *baseline {}
}

pub(crate) fn with_levels(rules: CompareRules, _levels: &Levels) -> CompareRules {
    rules
}

pub(crate) fn compare_all(baseline: &Baseline, _: &mut [CheckedKernel], _all_units: bool, _: CompareRules) {
    match *baseline {}
}

pub(crate) fn changes(baseline: &Baseline, _: &[CheckedKernel], _whole: Option<&str>) -> (Removed, usize) {
    match *baseline {}
}

pub(crate) fn baseline_notes(_kernel: &CheckedKernel) -> Vec<String> {
    Vec::new()
}
