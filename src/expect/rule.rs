//! Rules: what one table of the configuration or one source comment says about some kernels.

use crate::arch::Arch;
use crate::expect::{Date, NameGlob};
use crate::source::Span;

/// What one `[[…kernel]]` table or one source comment asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// Which kernels it is about.
    pub selector: Selector,
    /// Where it stands.
    pub origin: RuleOrigin,
    /// What it asks for.
    pub target: Target,
    /// Where the target's values were written, by key: `block`, `dynamic-smem`, `min-blocks`, `max-registers`.
    pub target_spans: Vec<(&'static str, Span)>,
    /// What it allows or expects.
    pub waivers: Vec<Waiver>,
    /// The span of the whole rule's head: the `name` value, or the comment.
    pub span: Span,
}

/// Which kernels a rule is about: all conditions must hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Selector {
    /// Glob on the qualified name without return type, template arguments and parameters.
    pub name: Option<NameGlob>,
    /// Glob on the whole demangled name.
    pub name_full: Option<NameGlob>,
    /// Glob on the source file of the kernel's place or of a unit, relative to the folder of the manifest that the rule
    /// stands in; a file outside that folder by its whole path.
    pub source: Option<NameGlob>,
    /// Architectures; empty is all.
    pub archs: Vec<Arch>,
    /// The kernel's name stands on this line of this file (source comments): file and 1-based line.
    pub place: Option<(String, u32)>,
}

impl Selector {
    /// Whether it speaks of certain kernels by name, not of all.
    pub fn names_kernels(&self) -> bool {
        let certain = |glob: &NameGlob| glob.pattern().contains(|c| c != '*');
        [&self.name, &self.name_full].into_iter().flatten().any(certain)
    }
}

/// Where a rule comes from; later ones win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RuleOrigin {
    /// `[workspace.metadata.occlint]`.
    Workspace,
    /// `[package.metadata.occlint]`.
    Package,
    /// A `// occlint:` comment.
    Comment,
    /// A build script.
    BuildScript,
}

/// What a user asks of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Target {
    /// Threads per block at launch, 1–1,024 (larger is kept: a lint says that it cannot launch).
    pub block: Option<u32>,
    /// Dynamic shared memory at launch, bytes.
    pub dynamic_shared_bytes: Option<u32>,
    /// Blocks per SM, at least.
    pub min_blocks: Option<u32>,
    /// Registers per thread, at most.
    pub max_registers: Option<u32>,
}

/// `allow` or `expect` of a lint on some kernels.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiver {
    /// Whether not firing is itself a finding.
    pub kind: WaiverKind,
    /// The lint's name (known to be one of the table).
    pub lint: &'static str,
    /// Up to this amount, in the lint's own unit (bytes of stores and of loads, each, for `spill`); `None` is any.
    pub max: Option<u64>,
    /// Why.
    pub reason: Option<String>,
    /// Its last day.
    pub until: Option<Date>,
    /// Where it stands.
    pub span: Span,
}

/// What kind of waiver it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WaiverKind {
    /// May fire; unused is `unused-allow`.
    Allow,
    /// Must fire; else `unfulfilled-expect`.
    Expect,
}
