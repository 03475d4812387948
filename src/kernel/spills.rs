//! Where a kernel's spill instructions and its local memory stand in the source.

use std::sync::Arc;

use crate::order;
use crate::source::SourceText;

/// The spill instructions of a kernel on one architecture, with those of the device functions that it can call.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct Spills {
    /// How many instructions; the sum over `lines`, and so the least where something is `unread`.
    pub instructions: u32,
    /// What says so.
    pub witness: SpillWitness,
    /// Whether they store and load exactly the bytes that the log has, in the kernel and in each device function; `None`
    /// where no log has bytes. Where they do not, some are missing, or some are no spills.
    pub adds_up: Option<bool>,
    /// By source line: most instructions first, then by function, file and line.
    pub lines: Vec<SpillLine>,
    /// What it can call and whose spills are not among `lines`.
    pub unread: Unread,
}

/// Functions that a kernel can call and whose spills are not known.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct Unread {
    /// Device functions that nothing defines that was read, demangled; sorted.
    pub functions: Vec<String>,
    /// It calls through a pointer.
    pub through_pointer: bool,
}

/// What told spill instructions from others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub enum SpillWitness {
    /// The cubin's own annotations (ptxas 12.6 and later).
    Annotations,
    /// Disassembly: local loads and stores, where the frame is a spill area only. For cubins without annotations, and where
    /// the annotations do not add up to the log's bytes.
    Disassembly,
}

/// The spill instructions of one source line with one chain of inlined calls.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
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
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub struct CodeLine {
    /// As in [`Place::file`](super::Place::file).
    pub file: String,
    /// The 1-based line.
    pub line: u32,
    /// The file lies outside the package.
    pub foreign: bool,
    /// The file's text, where it could be read.
    #[cfg_attr(feature = "cache", serde(skip))]
    pub text: Option<Arc<SourceText>>,
}

/// A piece of local memory that is no spill.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
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
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
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

impl Spills {
    /// With further lines of other functions.
    #[must_use]
    pub fn with(mut self, lines: Vec<SpillLine>) -> Self {
        fn place(line: &SpillLine) -> (Option<&str>, Vec<(&str, u32)>) {
            let chain = line.at.iter().chain(&line.inlined_from);
            (line.function.as_deref(), chain.map(|at| (at.file.as_str(), at.line)).collect())
        }
        self.lines.extend(lines);
        let key = |a: &SpillLine, b: &SpillLine| b.instructions().cmp(&a.instructions());
        order::sort_by(&mut self.lines, |a, b| key(a, b).then_with(|| place(a).cmp(&place(b))));
        self.instructions = self.lines.iter().map(SpillLine::instructions).fold(0, u32::saturating_add);
        self
    }

    /// The instructions that spill to shared memory.
    pub fn shared(&self) -> u32 {
        self.lines
            .iter()
            .fold(0, |sum, line| sum.saturating_add(line.shared_stores).saturating_add(line.shared_loads))
    }
}

impl Unread {
    /// Nothing is open.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && !self.through_pointer
    }

    /// `` the spills of `f(int)` and 2 more functions are unknown ``; `None` where nothing is open.
    pub fn words(&self) -> Option<String> {
        let pointer = self.through_pointer.then(|| "what it calls through a pointer".to_owned());
        let functions = match self.functions.as_slice() {
            [] => None,
            [one] => Some(format!("`{one}`")),
            [first, rest @ ..] => {
                let functions = if rest.len() == 1 { "function" } else { "functions" };
                Some(format!("`{first}` and {} more {functions}", rest.len()))
            }
        };
        let all: Vec<String> = functions.into_iter().chain(pointer).collect();
        (!all.is_empty()).then(|| format!("the spills of {} are unknown", all.join(" and of ")))
    }

    /// Takes what the other leaves open, too.
    pub fn add(&mut self, other: Self) {
        self.functions.extend(other.functions);
        order::sort(&mut self.functions);
        self.functions.dedup();
        self.through_pointer |= other.through_pointer;
    }
}

impl SpillLine {
    /// All its instructions.
    pub const fn instructions(&self) -> u32 {
        self.stores + self.loads + self.shared_stores + self.shared_loads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(function: &str, stores: u32) -> SpillLine {
        SpillLine {
            function: Some(function.to_owned()),
            at: None,
            inlined_from: Vec::new(),
            stores,
            loads: 1,
            shared_stores: 0,
            shared_loads: 0,
            hot: false,
        }
    }

    #[test]
    fn lines_of_other_functions_are_sorted_in_and_counted() {
        let none = Spills {
            instructions: 0,
            witness: SpillWitness::Annotations,
            adds_up: None,
            lines: Vec::new(),
            unread: Unread::default(),
        };
        let spills = none.with(vec![line("b", 2), line("c", 5)]).with(vec![line("a", 2)]);
        let seen: Vec<_> = spills.lines.iter().map(|line| line.function.as_deref().unwrap()).collect();
        assert_eq!((seen.as_slice(), spills.instructions), (&["c", "a", "b"][..], 12));
    }

    #[test]
    fn what_is_unknown_is_named() {
        let words = |functions: &[&str], through_pointer| {
            let functions = functions.iter().map(|&name| name.to_owned()).collect();
            Unread { functions, through_pointer }.words()
        };
        assert_eq!(words(&[], false), None);
        assert_eq!(words(&["f(int)"], false).unwrap(), "the spills of `f(int)` are unknown");
        assert_eq!(
            words(&["f", "g"], true).unwrap(),
            "the spills of `f` and 1 more function and of what it calls through a pointer are unknown"
        );
        assert!(words(&["f", "g", "h"], false).unwrap().contains("`f` and 2 more functions are"));
    }

    #[test]
    fn what_two_records_leave_open_is_open_once() {
        let mut open = Unread { functions: vec!["b".to_owned()], through_pointer: false };
        open.add(Unread { functions: vec!["a".to_owned(), "b".to_owned()], through_pointer: true });
        assert_eq!(open, Unread { functions: vec!["a".to_owned(), "b".to_owned()], through_pointer: true });
    }
}
