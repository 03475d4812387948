//! Where a kernel's spill instructions and its local memory stand in the source.

use std::sync::Arc;

use crate::source::SourceText;

/// The spill instructions of a kernel on one architecture, with those of the device functions that it can call.
#[derive(Clone, PartialEq, Debug)]
pub struct Spills {
    /// How many instructions; the sum over `lines`.
    pub instructions: u32,
    /// What says so.
    pub witness: SpillWitness,
    /// Whether they store and load exactly the bytes that the log has, in the kernel and in each device function; `None`
    /// where no log has bytes. Where they do not, some are missing, or some are no spills.
    pub adds_up: Option<bool>,
    /// By source line: most instructions first, then by function, file and line.
    pub lines: Vec<SpillLine>,
}

/// What told spill instructions from others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SpillWitness {
    /// The cubin's own annotations (ptxas 12.6 and later).
    Annotations,
    /// Disassembly: local loads and stores, where the frame is a spill area only. For cubins without annotations, and where
    /// the annotations do not add up to the log's bytes.
    Disassembly,
}

/// The spill instructions of one source line with one chain of inlined calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpillLine {
    /// The device function it is in, as a mangled name; `None` for the kernel's own code (inlined code included).
    pub function: Option<String>,
    /// The innermost line; `None` where the cubin has no line table there.
    pub at: Option<CodeLine>,
    /// The call sites that it was inlined through, innermost first, the line of the kernel or device function itself last.
    pub inlined_from: Vec<CodeLine>,
    /// Spill stores to local memory, instructions.
    pub stores: u32,
    /// Spill loads from local memory, instructions.
    pub loads: u32,
    /// Spill stores to shared memory, instructions.
    pub shared_stores: u32,
    /// Spill loads from shared memory, instructions.
    pub shared_loads: u32,
    /// At least one of them is in a loop: control can come back to it within its function.
    pub hot: bool,
}

/// A line of source that an instruction belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeLine {
    /// As in [`Place::file`](super::Place::file).
    pub file: String,
    /// The 1-based line.
    pub line: u32,
    /// The file lies outside the package.
    pub foreign: bool,
    /// The file's text, where it could be read.
    pub text: Option<Arc<SourceText>>,
}

/// A piece of local memory that is no spill.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalMemory {
    /// Why it is there.
    pub kind: LocalKind,
    /// Its size, bytes per thread, padding after it included; `None` where only its presence is known, and of unknown
    /// kind also where it may be resolved and the frame be the spills' alone.
    pub bytes: Option<u32>,
    /// The array's name, the callee's, or the mathematical function's, where known.
    pub name: Option<String>,
    /// The line of the array's declaration, or of the call, where known.
    pub at: Option<CodeLine>,
}

/// Why local memory that is no spill is there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LocalKind {
    /// An array with an index that is known at run time only.
    Array,
    /// A value whose address is taken (passed by reference to a function that is not inlined).
    AddressTaken,
    /// The frame of a call.
    CallFrame,
    /// The slow path of a mathematical function: trigonometric range reduction.
    SlowPath,
    /// The argument buffer of `printf`.
    Printf,
    /// Not known.
    Unknown,
}

impl LocalKind {
    /// The word in reports and JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::AddressTaken => "address-taken",
            Self::CallFrame => "call-frame",
            Self::SlowPath => "slow-path",
            Self::Printf => "printf",
            Self::Unknown => "unknown",
        }
    }
}

impl SpillLine {
    /// All its instructions.
    pub const fn instructions(&self) -> u32 {
        self.stores + self.loads + self.shared_stores + self.shared_loads
    }
}
