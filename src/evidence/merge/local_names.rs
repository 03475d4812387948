//! Names and lines for local memory, from the source lines that use it.

use crate::evidence::declared::{self, Found};
use crate::evidence::names;
use crate::evidence::ptx::{FileLine, LocalObject, PtxFunction};
use crate::kernel::{CodeLine, LocalKind, LocalMemory};
use crate::order::{Map, Set};

use super::artefacts::Sources;
use super::local_memory::kind;

/// Functions of the device's mathematics that reduce an argument by multiples of π.
const TRIGONOMETRIC: [&str; 20] = [
    "sin", "cos", "tan", "sincos", "sinf", "cosf", "tanf", "sincosf", "j0", "j1", "jn", "y0", "y1", "yn",
    "j0f", "j1f", "jnf", "y0f", "y1f", "ynf",
];

/// What is looked for: lines, a size, and the words one of which is meant (none: a declared array).
type Question = (Set<FileLine>, u32, Vec<String>);

/// Finds names, each question once: the instantiations of a template ask the same ones.
pub(super) struct LocalNames<'a, 'b> {
    sources: &'b mut Sources<'a>,
    answers: Map<Question, Option<(Found, CodeLine)>>,
}

impl<'a, 'b> LocalNames<'a, 'b> {
    pub(super) fn new(sources: &'b mut Sources<'a>) -> Self {
        Self { sources, answers: Map::new() }
    }

    /// An object of a function's depot as local memory; `slow_path_calls`: where the kernel calls a slow path.
    pub(super) fn named(
        &mut self,
        function: &PtxFunction,
        object: &LocalObject,
        slow_path_calls: impl Fn() -> Set<FileLine>,
    ) -> LocalMemory {
        let kind = kind(function, object);
        let lines = if object.lines.is_empty() { slow_path_calls() } else { object.lines.clone() };
        let callee = match object.passed_to.first().filter(|_| object.passed_to.len() == 1) {
            Some(only) if !only.is_empty() => Some(names::name(only)),
            _ => None,
        };
        let found = match kind {
            LocalKind::Array => self.find((lines, object.bytes, Vec::new())),
            LocalKind::SlowPath => self.find((lines, 0, TRIGONOMETRIC.map(str::to_owned).to_vec())),
            LocalKind::Printf => self.find((lines, 0, vec!["printf".to_owned()])),
            LocalKind::AddressTaken => match &callee {
                Some(callee) => self.find((lines, 0, vec![names::base(&callee.qualified).to_owned()])),
                None => self.find((lines, object.bytes, Vec::new())),
            },
            LocalKind::CallFrame | LocalKind::Unknown => None,
        };
        let (name, at) = found.map(|(found, at)| (found.name, at)).unzip();
        let name = match kind {
            LocalKind::AddressTaken => callee.map(|callee| callee.demangled),
            LocalKind::Printf => None,
            _ => name,
        };
        LocalMemory { kind, bytes: Some(object.bytes), name, at }
    }

    fn find(&mut self, question: Question) -> Option<(Found, CodeLine)> {
        if let Some(answer) = self.answers.get(&question) {
            return answer.clone();
        }
        let answer = self.search(&question);
        self.answers.insert(question, answer.clone());
        answer
    }

    /// Looks in each file that has lines; two answers are none.
    fn search(&mut self, (lines, bytes, words): &Question) -> Option<(Found, CodeLine)> {
        let mut by_file: Map<u32, Set<u32>> = Map::new();
        for &(file, line) in lines {
            by_file.get_or_default(file).insert(line);
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut answers = Vec::new();
        for (file, lines) in by_file {
            let Some((shown, foreign, Some(text))) = self.sources.known(file) else { continue };
            let found = if words.is_empty() {
                declared::array(&text, &lines, *bytes)
            } else {
                declared::word(&text, &lines, &words)
            };
            answers.extend(found.map(|found| {
                let at = CodeLine { file: shown, line: found.line, foreign, text: Some(text) };
                (found, at)
            }));
        }
        if answers.len() == 1 { answers.pop() } else { None }
    }
}
