//! `preliminary-figures`.

use crate::check::{UnitFacts, Unlinked};
use crate::finding::{Headline, Label};
use crate::lints::facts::and;
use crate::lints::{Check, Draft, declare_lint};
use crate::text::count;

/// Kernels and functions that are named.
const NAMED: usize = 3;

declare_lint! {
    /// ## What it does
    /// Fires when a unit's device code is relocatable (`-rdc=true`) and the device link of the package gave no figures for
    /// some of its kernels, most often because they call a function that no source of the package defines, or several do.
    ///
    /// ## Why it matters
    /// Only the device link is final. It gives a kernel the registers, the stack, the barriers and the shared memory of
    /// every function that it can call in other units: 24 registers at compile time became 131. Until then a kernel that
    /// fits may not.
    ///
    /// ## Example
    /// ```cuda
    /// extern __device__ float defined_in_a_library(float x);
    /// __global__ void kernel(float* out) { *out = defined_in_a_library(*out); }
    /// ```
    ///
    /// ## What to try
    /// Add the source that defines the function to `sources`. Where it is in a library, `nvcc -dlink -Xnvlink -v` of the real
    /// build prints the final figures.
    ///
    /// ## Configuration
    /// `flags`, `sources`; the level: `lints.preliminary-figures`.
    PRELIMINARY_FIGURES: "preliminary-figures", Warn,
    "relocatable code without a device link: its figures are not final", Check::Unit(check)
}

fn check(unit: &UnitFacts, drafts: &mut Vec<Draft>) {
    let Some(open) = &unit.unlinked else { return };
    let kernels = u32::try_from(open.kernels.len()).unwrap_or(u32::MAX);
    let headline = Headline::new().text("in ").kernel();
    let why = match open.why.as_slice() {
        [only] => format!(": {}", only.why),
        _ => String::new(),
    };
    let words = format!(": the figures of {} are preliminary on ", count(kernels, "kernel"));
    drafts.push(Draft {
        weight: u64::from(kernels),
        labels: open.flag.iter().map(|flag| Label::on(flag, "the device link has the last word")).collect(),
        notes: notes(open),
        help: Some(help(open)),
        ..Draft::new(headline.text(words).arch().text(why))
    });
}

fn notes(open: &Unlinked) -> Vec<String> {
    let mut notes = vec![format!("as the compiler gave them, before any link: {}", list(&open.kernels))];
    if open.why.len() > 1 {
        notes.extend(open.why.iter().map(|reason| format!("{}: {}", list(&reason.kernels), reason.why)));
    }
    if !open.undefined.is_empty() {
        notes.push(format!(
            "unknown: what {} needs in registers, stack, barriers, shared memory and spills, and so whether these kernels \
             meet their bounds and targets",
            list(&open.undefined)
        ));
    }
    notes
}

fn help(open: &Unlinked) -> String {
    if open.undefined.is_empty() {
        return "link the device code (`nvcc -dlink -Xnvlink -v`) for the final figures".to_owned();
    }
    if open.clashes {
        return "name in `sources` the units of one program: one of those that define it".to_owned();
    }
    "add the source that defines it to `sources`; where a library does, `nvcc -dlink -Xnvlink -v` of the real build prints \
     the final figures"
        .to_owned()
}

/// The first few names, and how many more.
fn list(names: &[String]) -> String {
    let mut named: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    if names.len() > NAMED {
        named.push(format!("{} more", names.len() - NAMED));
    }
    and(&named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(open: Unlinked) -> (String, Vec<String>) {
        let unit = UnitFacts { unlinked: Some(open), ..UnitFacts::default() };
        let mut drafts = Vec::new();
        check(&unit, &mut drafts);
        let draft = drafts.remove(0);
        (draft.headline.render("k.cu", "sm_90"), draft.notes)
    }

    #[test]
    fn each_reason_names_its_kernels() {
        let mut open = Unlinked::default();
        open.add("a()", "nothing that was linked defines `f`");
        open.add("b()", "nothing that was linked defines `f`");
        let (headline, _) = said(open.clone());
        assert_eq!(
            headline,
            "in `k.cu`: the figures of 2 kernels are preliminary on sm_90: nothing that was linked defines `f`"
        );
        open.add("c()", "it calls through a pointer, and nothing that was linked defines `f`");
        let (headline, notes) = said(open);
        assert_eq!(headline, "in `k.cu`: the figures of 3 kernels are preliminary on sm_90");
        assert_eq!(
            notes[1..],
            [
                "`a()` and `b()`: nothing that was linked defines `f`",
                "`c()`: it calls through a pointer, and nothing that was linked defines `f`"
            ]
        );
    }
}
