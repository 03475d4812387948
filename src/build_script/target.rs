//! What a build script asks of kernels.

use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::path::Path;

use crate::build_script::Build;
use crate::expect::{
    NameGlob, Rule, RuleOrigin, Selector, Target, Waiver, WaiverKind, check_target, lint_name,
};
use crate::source::{SourceText, Span};
use crate::sys::files::SourceMap;

/// Where in the build script something is asked for.
pub(super) type Caller = &'static Location<'static>;

/// A rule that a build script made.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) name: String,
    pub(super) target: Target,
    /// Kind, lint, up to how much.
    pub(super) waivers: Vec<(WaiverKind, String, Option<u64>)>,
    pub(super) caller: Caller,
}

/// What is asked of the kernels of a name; all of [`Build`] goes on from here.
///
/// ```no_run
/// occlint::Build::new()
///     .kernel("softmax*").block(256).min_blocks(4)
///     .kernel("reduce").allow("spill")
///     .file("kernels/softmax.cu")
///     .compile("softmax");
/// ```
#[derive(Debug)]
pub struct KernelTarget<'a> {
    build: &'a mut Build,
}

impl<'a> KernelTarget<'a> {
    pub(super) fn new(build: &'a mut Build) -> Self {
        Self { build }
    }

    fn set(self, set: impl FnOnce(&mut Asked)) -> Self {
        if let Some(asked) = self.build.asked.last_mut() {
            set(asked);
        }
        self
    }

    /// Threads per block at launch.
    pub fn block(self, threads: u32) -> Self {
        self.set(|asked| asked.target.block = Some(threads))
    }

    /// Dynamic shared memory at launch, bytes.
    pub fn dynamic_smem(self, bytes: u32) -> Self {
        self.set(|asked| asked.target.dynamic_shared_bytes = Some(bytes))
    }

    /// Blocks per SM that must fit.
    pub fn min_blocks(self, blocks: u32) -> Self {
        self.set(|asked| asked.target.min_blocks = Some(blocks))
    }

    /// Registers per thread, at most; 1 to 255.
    pub fn max_registers(self, registers: u32) -> Self {
        self.set(|asked| asked.target.max_registers = Some(registers))
    }

    /// The lint may fire.
    pub fn allow(self, lint: &str) -> Self {
        self.set(|asked| asked.waivers.push((WaiverKind::Allow, lint.to_owned(), None)))
    }

    /// The lint may fire up to an amount, in its own unit: for `spill` bytes of stores and of loads, each.
    pub fn allow_up_to(self, lint: &str, max: u64) -> Self {
        self.set(|asked| asked.waivers.push((WaiverKind::Allow, lint.to_owned(), Some(max))))
    }

    /// The lint must fire: that it does not is a finding.
    pub fn expect(self, lint: &str) -> Self {
        self.set(|asked| asked.waivers.push((WaiverKind::Expect, lint.to_owned(), None)))
    }
}

impl Deref for KernelTarget<'_> {
    type Target = Build;

    fn deref(&self) -> &Build {
        self.build
    }
}

impl DerefMut for KernelTarget<'_> {
    fn deref_mut(&mut self) -> &mut Build {
        self.build
    }
}

impl Asked {
    /// The rule, with its place in the build script.
    ///
    /// # Errors
    /// A lint that is none, or a value out of range: message and what to do.
    pub(super) fn rule(
        &self,
        (workspace, package): (&Path, &Path),
        sources: &SourceMap,
    ) -> Result<Rule, (String, String)> {
        let span = span(self.caller, &[workspace, package], sources);
        let mut waivers = Vec::new();
        for (kind, lint, max) in &self.waivers {
            let place = |(message, help): (String, String)| (format!("{message} ({})", self.caller), help);
            let lint = lint_name(lint).map_err(|error| place((error.message, error.help)))?;
            waivers.push(Waiver {
                kind: *kind,
                lint,
                max: *max,
                reason: None,
                until: None,
                span: span.clone(),
            });
        }
        if let Err(message) = check_target(&self.target) {
            return Err((format!("{message} ({})", self.caller), "write a number in that range".to_owned()));
        }
        let glob = NameGlob::new(self.name.as_str());
        let is_full = self.name.contains(['<', '(']);
        let (name, name_full) = if is_full { (None, Some(glob)) } else { (Some(glob), None) };
        let keys = ["block", "dynamic-smem", "min-blocks", "max-registers"];
        Ok(Rule {
            selector: Selector { name, name_full, ..Selector::default() },
            origin: RuleOrigin::BuildScript,
            target: self.target,
            target_spans: keys.map(|key| (key, span.clone())).into(),
            waivers,
            span,
        })
    }
}

/// The place in the build script's text; rustc names it relative to the workspace.
fn span(caller: Caller, folders: &[&Path], sources: &SourceMap) -> Span {
    let text = folders.iter().find_map(|folder| sources.get(&folder.join(caller.file()), caller.file()));
    let source = text.unwrap_or_else(|| SourceText::new(caller.file(), ""));
    let range = source.line_range(caller.line()).unwrap_or(0..0);
    let column = usize::try_from(caller.column()).unwrap_or(1).saturating_sub(1);
    let line = source.text().get(range.clone()).unwrap_or_default();
    let skipped: usize = line.chars().take(column).map(char::len_utf8).sum();
    Span { source, range: range.start + skipped..range.end }
}
