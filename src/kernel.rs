//! The record of one kernel: what the evidence of a compilation says about it.

mod frontier;
mod link;
mod spills;

use std::ops::Range;
use std::sync::Arc;

use crate::arch::Arch;
use crate::source::SourceText;

pub use frontier::{Change, Frontier, FrontierRow, NoFrontier, Remedy};
pub use link::Link;
pub use spills::{CodeLine, LocalKind, LocalMemory, SpillLine, SpillWitness, Spills, Unread};

/// A `__global__` function instance on one architecture: everything that was learned about it.
#[derive(Clone, PartialEq, Default, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct Kernel {
    /// What it is called.
    pub name: Name,
    /// The architecture it was compiled for; `None` only where a log does not say it.
    pub arch: Option<Arch>,
    /// The source files (units) it was compiled from, relative to the workspace root; sorted, at least one. A log's
    /// kernels have the log's name.
    pub units: Vec<String>,
    /// The place of its name in the source; `None` where only a log is known.
    pub place: Option<Place>,
    /// What the source declares.
    pub bounds: Bounds,
    /// What the compiler used.
    pub usage: Usage,
    /// Whether it uses `extern __shared__` memory; `None` where no PTX was read.
    pub dynamic_shared: Option<bool>,
    /// Static shared memory per block that the PTX declares, bytes without padding between variables; `None` where no PTX
    /// was read. What the compiler used beyond it are spills.
    pub declared_shared_bytes: Option<u32>,
    /// Whether the PTX stores to or loads from an explicit `.local` depot; `None` where no PTX was read.
    pub local_depot_bytes: Option<u32>,
    /// Its spill instructions and their lines; `None` where no cubin was read.
    pub spills: Option<Spills>,
    /// Local memory that is no spill, told apart; `None` where no PTX was read or the figures are unknown.
    /// Sorted by kind, name (those without last) and place.
    pub local_memory: Option<Vec<LocalMemory>>,
    /// What other bounds would cost; `None` where that was not tried.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub frontier: Option<Frontier>,
    /// Why there is no frontier, where one was asked for; `None` where none was.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub no_frontier: Option<NoFrontier>,
    /// Non-inlined device functions that it can call, with their own spills; sorted by mangled name.
    pub functions: Vec<DeviceFunction>,
    /// Why its stack depth has no static bound, if it has none.
    pub unbounded_stack: Option<UnboundedStack>,
    /// What the compiler remarked about it, in the order of the log.
    pub remarks: Vec<Remark>,
    /// Compiled without optimisation for debugging (`-G`): its figures mean nothing.
    pub debug: bool,
    /// A digest of its machine code, which has no names in it; `None` where no cubin was read.
    pub code: Option<u64>,
    /// The settings that its units were compiled with: flags without folders, cargo's profile and features; `None` where
    /// they are not known.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub settings: Option<Arc<str>>,
    /// The version of the compiler that made it: `13.0.88`; `None` where that is not known.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub compiler: Option<Arc<str>>,
    /// Whether a device link finishes its code, and whether the figures are that link's.
    pub link: Link,
}

/// The names of a kernel or device function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct Name {
    /// As the compiler prints it; a placeholder in angle brackets where a log fragment has none.
    pub mangled: String,
    /// Demangled in full, hashes of internal linkage removed; the mangled name where that fails.
    pub demangled: String,
    /// The qualified name without return type, template arguments and parameters: what configuration globs match.
    pub qualified: String,
    /// Survives a rebuild elsewhere: the demangled name without path hashes, process ids and version tags.
    pub key: String,
}

/// Where a kernel's name stands in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct Place {
    /// The file: relative to the workspace root, or absolute where it lies outside.
    pub file: String,
    /// The 1-based line.
    pub line: u32,
    /// The file lies outside the package (a library's kernel: CUB, Thrust, CUTLASS, toolkit headers).
    pub foreign: bool,
    /// The file's text, where it could be read.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub text: Option<Arc<SourceText>>,
    /// The bytes of the kernel's name in `text`: only for drawing.
    pub declarator: Option<Range<usize>>,
    /// The bytes of `__launch_bounds__(…)` or `__maxnreg__(…)` in `text`: only for drawing.
    pub bounds: Option<Range<usize>>,
}

/// What the source declares: the PTX directives, which have macros, templates and `__CUDA_ARCH__` resolved.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct Bounds {
    /// `.maxntid`: the most threads in each dimension.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`: exactly these threads in each dimension.
    pub required_threads: Option<[u32; 3]>,
    /// `.minnctapersm`: blocks per SM that the compiler was asked to make room for.
    pub min_blocks: Option<u32>,
    /// `.maxnreg`: registers per thread.
    pub max_registers: Option<u32>,
    /// `.maxclusterrank`: blocks per cluster, at most.
    pub max_cluster_rank: Option<u32>,
    /// `.reqnctapercluster`: blocks per cluster in each dimension.
    pub required_cluster: Option<[u32; 3]>,
}

/// What the compiler used. `None` is "unknown", never 0.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct Usage {
    /// Registers per thread at launch.
    pub registers: Option<u32>,
    /// Named barriers per block.
    pub barriers: Option<u32>,
    /// Static shared memory per block in bytes, without the driver's reserve.
    pub static_shared_bytes: Option<u32>,
    /// The kernel's own stack frame, bytes per thread.
    pub stack_frame_bytes: Option<u32>,
    /// Stack frames of the kernel and its callees together, bytes per thread (`cumulative stack size`).
    pub cumulative_stack_bytes: Option<u32>,
    /// Old formats: local memory, bytes per thread (`lmem`).
    pub local_bytes: Option<u32>,
    /// Bytes per thread that spill stores write.
    pub spill_store_bytes: Option<u32>,
    /// Bytes per thread that spill loads read.
    pub spill_load_bytes: Option<u32>,
}

/// A non-inlined device function.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct DeviceFunction {
    /// What it is called.
    pub name: Name,
    /// Its own stack frame, bytes per thread.
    pub stack_frame_bytes: Option<u32>,
    /// Bytes per thread that its spill stores write.
    pub spill_store_bytes: Option<u32>,
    /// Bytes per thread that its spill loads read.
    pub spill_load_bytes: Option<u32>,
    /// Where it stands, if the PTX says so.
    pub place: Option<Place>,
}

/// Why a stack's depth is unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub enum UnboundedStack {
    /// The compiler said that the stack size cannot be determined.
    Reported,
    /// The PTX call graph has a cycle through these functions (demangled).
    Recursion(Vec<String>),
    /// A call through a pointer.
    IndirectCall,
    /// `alloca`: memory on the stack whose size is known at run time only.
    Alloca,
}

/// Something the compiler said beyond figures.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct Remark {
    /// What it is about.
    pub kind: RemarkKind,
    /// How the compiler graded it.
    pub severity: Severity,
    /// The compiler's own words, without the tool's prefix.
    pub text: String,
}

/// How the compiler graded a remark.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub enum Severity {
    /// `info`.
    Info,
    /// `warning`.
    Warning,
    /// `error` and `fatal`.
    Error,
}

/// The kinds of remarks that lints look at.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub enum RemarkKind {
    /// `.minnctapersm` was out of range and ignored; `with_threads`: `.maxntid` too.
    MinBlocksIgnored {
        /// `.maxntid` was ignored as well.
        with_threads: bool,
    },
    /// The kernel's own register limit gave way to the `maxrregcount` option, or the option to the kernel's limit.
    CapOverridden {
        /// The limit that lost.
        from: u32,
        /// The limit that holds.
        to: u32,
        /// What the winning limit comes from, in the compiler's words: `maxrregcount option`, `.maxnreg`,
        /// `computed using thread count`.
        by: String,
    },
    /// `Too big maxrregcount value specified N, will be ignored`.
    CapTooBig(u32),
    /// The register cap was raised to a lower bound.
    CapRaised {
        /// Asked for.
        from: u32,
        /// Used.
        to: u32,
    },
    /// `setmaxnreg` was ignored.
    SetmaxnregIgnored {
        /// The advisory's number (7508 for C7508), if printed.
        code: Option<u32>,
    },
    /// A C75xx advisory: a potential loss of performance.
    Advisory {
        /// The advisory's number: 7511 for C7511; 0 where none is printed.
        code: u32,
        /// The PTX line it names, if any.
        ptx_line: Option<u32>,
    },
    /// The stack's size cannot be determined.
    StackUnknown,
    /// More static shared memory than the architecture allows, bytes.
    TooMuchShared {
        /// Declared.
        used_bytes: u64,
        /// Allowed.
        max_bytes: u64,
    },
    /// A callee needs more registers than the kernel's cap.
    CalleeNeedsRegisters {
        /// The kernel's cap.
        cap: u32,
        /// The callee, as printed.
        callee: String,
        /// What it needs.
        needs: u32,
    },
    /// Anything else that was graded warning or error.
    Other,
}

/// The block of threads that residency is computed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Threads per block.
    pub threads: u32,
    /// Where the figure comes from.
    pub from: BlockFrom,
}

/// Where a block size comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BlockFrom {
    /// The target's `block` in the configuration.
    Target,
    /// `.reqntid`.
    RequiredThreads,
    /// `.maxntid`: the first argument of `__launch_bounds__`.
    MaxThreads,
}

impl BlockFrom {
    /// The word in reports: `target`, `reqntid`, `maxntid`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::RequiredThreads => "reqntid",
            Self::MaxThreads => "maxntid",
        }
    }
}

impl Bounds {
    /// The block that the bounds alone give: `.reqntid`, else `.maxntid` (product of the dimensions).
    pub fn block(&self) -> Option<Block> {
        let product = |d: [u32; 3]| d.iter().fold(1_u32, |n, &d| n.saturating_mul(d));
        let block = |d, from| Block { threads: product(d), from };
        self.required_threads
            .map(|d| block(d, BlockFrom::RequiredThreads))
            .or_else(|| self.max_threads.map(|d| block(d, BlockFrom::MaxThreads)))
    }
}
