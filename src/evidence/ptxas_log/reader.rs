//! Messages, one after the other, become functions and remarks.

use crate::arch::Arch;
use crate::kernel::Usage;

use super::line::{self, Tool};
use super::message::{self, Message};
use super::remark::Said;
use super::{LogFunction, LogRemark};

/// What was read so far.
#[derive(Default)]
pub(super) struct Reader {
    /// Functions in the order of the log.
    pub functions: Vec<LogFunction>,
    /// Remarks in the order of the log, with the figures in their wordings.
    pub remarks: Vec<(LogRemark, Usage)>,
    /// Which reports a function has had, beside `functions`.
    had: Vec<Had>,
    /// The compiler run that is being read, and whether anything of it was seen.
    run: u32,
    run_began: bool,
    /// The first function of this run.
    run_first: usize,
    /// The run's architecture.
    arch: Option<Arch>,
    /// The last kernel, and the function whose figures come next.
    last_entry: Option<usize>,
    current: Option<usize>,
}

#[derive(Clone, Copy, Default)]
struct Had {
    properties: bool,
    frame: bool,
    used: bool,
}

impl Reader {
    /// Reads one line.
    pub(super) fn line(&mut self, number: u32, line: &str) {
        let clean = line::clean(line);
        line::pieces(&clean, |piece| {
            if let Some(message) = message::read(piece) {
                self.message(number, piece.tool, message);
            }
        });
    }

    fn message(&mut self, line: u32, tool: Option<Tool>, message: Message<'_>) {
        match message {
            Message::Run { target } => self.new_run(target),
            Message::Entry { name, arch } => {
                self.enter(arch);
                self.push(LogFunction { name: Some(name.to_owned()), entry: true, ..self.blank(line) });
            }
            Message::Properties { name, target } if tool == Some(Tool::Nvlink) => {
                self.enter(target);
                let linked = LogFunction { entry: true, linked: true, ..self.blank(line) };
                self.push(LogFunction { name: Some(name.to_owned()), ..linked });
            }
            Message::Properties { name, .. } => self.properties(line, name),
            Message::Frame(usage) => self.frame(line, usage),
            Message::Used(usage) => self.used(line, usage),
            Message::Remark(said) => self.remark(line, said),
        }
    }

    fn blank(&self, line: u32) -> LogFunction {
        LogFunction { arch: self.arch, run: self.run, line, ..LogFunction::default() }
    }

    /// Starts a compiler run, unless nothing of this one was seen yet.
    fn new_run(&mut self, arch: Option<Arch>) {
        self.run += u32::from(self.run_began);
        self.run_began = true;
        self.run_first = self.functions.len();
        self.arch = arch;
        self.last_entry = None;
        self.current = None;
    }

    /// A kernel for `arch` begins: another architecture is another run; the first one is also that of
    /// the device functions before it.
    fn enter(&mut self, arch: Option<Arch>) {
        if arch.is_some() && self.arch.is_some() && arch != self.arch {
            self.new_run(arch);
        }
        self.run_began = true;
        if self.arch.is_none() && arch.is_some() {
            self.arch = arch;
            for function in self.functions[self.run_first..].iter_mut().filter(|function| !function.entry) {
                function.arch = function.arch.or(arch);
            }
        }
    }

    fn push(&mut self, function: LogFunction) {
        let index = self.functions.len();
        if function.entry {
            self.last_entry = Some(index);
        }
        self.current = Some(index);
        self.functions.push(function);
        self.had.push(Had::default());
    }

    /// `Function properties for`: the kernel itself, else a device function.
    fn properties(&mut self, line: u32, name: &str) {
        self.run_began = true;
        if let Some(index) = self.current
            && !self.had[index].properties
            && self.functions[index].name.as_deref().is_some_and(|own| is_same(own, name))
        {
            self.had[index].properties = true;
            return;
        }
        let function =
            LogFunction { name: Some(name.to_owned()), after: self.last_entry, ..self.blank(line) };
        self.push(function);
        self.had[self.functions.len() - 1].properties = true;
    }

    fn frame(&mut self, line: u32, figures: Usage) {
        let index = match self.current.filter(|&index| !self.had[index].frame) {
            Some(index) => index,
            None => self.unnamed(line),
        };
        self.had[index].frame = true;
        let usage = &mut self.functions[index].usage;
        usage.stack_frame_bytes = figures.stack_frame_bytes;
        usage.spill_store_bytes = figures.spill_store_bytes;
        usage.spill_load_bytes = figures.spill_load_bytes;
    }

    /// A `Used` line is the kernel's, also where callees stand before it; ptxas prints none for device functions.
    fn used(&mut self, line: u32, figures: Usage) {
        let open = |index: &usize| !self.had[*index].used;
        let index = match self.last_entry.filter(open).or(self.current.filter(open)) {
            Some(index) => index,
            None => self.unnamed(line),
        };
        self.had[index].used = true;
        let function = &mut self.functions[index];
        if !function.entry {
            function.entry = true;
            function.after = None;
            self.last_entry = Some(index);
        }
        let Usage { stack_frame_bytes, spill_store_bytes, spill_load_bytes, .. } = function.usage;
        function.usage = Usage { stack_frame_bytes, spill_store_bytes, spill_load_bytes, ..figures };
    }

    /// A fragment whose header is missing: a kernel without a name.
    fn unnamed(&mut self, line: u32) -> usize {
        self.run_began = true;
        self.push(LogFunction { entry: true, ..self.blank(line) });
        self.functions.len() - 1
    }

    fn remark(&mut self, line: u32, said: Said) {
        let Said { remark, function, usage } = said;
        let remark = LogRemark { remark, function, arch: self.arch, run: self.run, line };
        self.remarks.push((remark, usage));
    }
}

/// The same name, also where a wrapped line has a word after it.
fn is_same(own: &str, printed: &str) -> bool {
    printed.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}
