//! From all packages' outcomes to one verdict.

use occlint::arch::Arch;
use occlint::check::Report;
use occlint::expect::CommentError;
use occlint::report::{self, Part, Summary};

use super::run::{Checked, Outcomes, Run};
use crate::commands::verdict::{self, Verdict};
use crate::error::{CLEAN, RunError};
use crate::failures;
use crate::gate::Gate;
use crate::review::below;

impl Run<'_> {
    /// All packages' reports as one, if everything could be checked.
    pub(super) fn whole(&self, outcomes: Outcomes, broken: bool) -> Result<Report, RunError> {
        let (mut report, mut failed, mut comments) = (Report::default(), Vec::new(), Vec::new());
        for Checked { outcome, .. } in outcomes {
            report.append(outcome.report);
            failed.extend(outcome.failures);
            comments.extend(outcome.comment_errors);
        }
        failures::print(&failed, &report, self.terminal);
        if !comments.is_empty() {
            return Err(RunError::Comments(comments));
        }
        if broken || !failed.is_empty() {
            return Err(RunError::Reported);
        }
        let summary = report::summary(&report);
        if !self.args.compile.allow_empty {
            self.is_something(&summary, summary.kernels == 0, &[])?;
        }
        Ok(report)
    }

    /// `broken`: some packages could not be checked at all, which was said.
    pub(super) fn conclude(&self, outcomes: Outcomes, broken: bool, gate: &Gate) -> Result<u8, RunError> {
        let (mut report, mut failed, mut comments) =
            (Report::default(), Vec::new(), Vec::<CommentError>::new());
        let (mut empty, mut blessed, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for Checked { package, outcome, part } in outcomes {
            let kernels = outcome.report.kernels.len();
            if !(kernels == 0 && self.workspace.whole) {
                empty.extend(outcome.empty_archs.into_iter().map(|arch| (package.clone(), arch)));
            }
            if self.args.baseline.bless {
                blessed.push((package, outcome.report.clone()));
            }
            parts.extend(part);
            report.append(outcome.report);
            failed.extend(outcome.failures);
            comments.extend(outcome.comment_errors);
        }
        let mut told = failures::lines(&failed, &report);
        told.extend(self.unchecked.take());
        let empty = if self.args.compile.allow_empty { Vec::new() } else { empty };
        let not_checked = told.len() + comments.len() + empty.len();
        let summary = self.summary(&report, not_checked, parts);
        let verdict = Verdict {
            report: &report,
            summary: &summary,
            failures: &told,
            below: below(&self.workspace.root, self.env),
            json: None,
        };
        verdict::print(&self.args.output, &verdict, (self.env, self.terminal))?;
        let nothing = summary.kernels == 0 && failed.is_empty();
        let no_match = self.args.compile.kernel.as_ref().filter(|_| nothing && summary.foreign_kernels == 0);
        failures::print(&failed, &report, self.terminal);
        gate.say(&report, self.terminal);
        if !comments.is_empty() {
            return Err(RunError::Comments(comments));
        }
        if broken || !failed.is_empty() {
            return Err(RunError::Reported);
        }
        if self.args.partition.is_some() && nothing {
            self.terminal
                .status("Note", "this part has no kernel: `cargo occlint merge` judges all parts together");
        } else if !self.args.compile.allow_empty {
            if let Some(glob) = no_match {
                let message = format!("nothing was checked: no kernel is called `{glob}`");
                return Err(RunError::cannot(
                    message,
                    "`--kernels` lists all; a glob must match the whole qualified name",
                ));
            }
            self.is_something(&summary, nothing, &empty)?;
        }
        if self.args.baseline.bless {
            let part = (self.args.compile.kernel.as_deref(), self.args.compile.arch.is_empty());
            gate.bless(&blessed, part, self.terminal)?;
            return Ok(CLEAN);
        }
        Ok(verdict::status(&summary, self.args.levels.exit_zero))
    }

    /// The counts, with what a part of a run says of itself.
    fn summary(&self, report: &Report, failures: usize, parts: Vec<Part>) -> Summary {
        let partition = self.args.partition;
        Summary {
            failures,
            partition: partition.map(|partition| partition.to_string()),
            run: partition.map(|_| self.digest.borrow().text()),
            parts,
            ..occlint::report::summary(report)
        }
    }

    /// Nothing checked is no pass.
    fn is_something(
        &self,
        summary: &Summary,
        nothing: bool,
        empty: &[(String, Arch)],
    ) -> Result<(), RunError> {
        let help = "give `--allow-empty` if that is right";
        if nothing && summary.foreign_kernels > 0 {
            let message = "nothing was checked: every kernel stands outside the package";
            let help = "name the file in `sources`, or the kernel in `[[package.metadata.occlint.kernel]]`, to check it";
            return Err(RunError::cannot(message, help));
        }
        if nothing {
            return Err(RunError::cannot("nothing was checked: no kernel in any source", help));
        }
        if let Some((name, arch)) = empty.first() {
            let message =
                format!("no kernel of the package `{name}` is compiled for {arch}, which was asked for");
            return Err(RunError::cannot(message, help));
        }
        Ok(())
    }
}
