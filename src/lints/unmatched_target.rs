//! `unmatched-target`.

use crate::check::ConfigFacts;
use crate::expect::{NameGlob, Rule, nearest};
use crate::finding::{Headline, Label};
use crate::lints::{Check, Draft, declare_lint};

declare_lint! {
    /// ## What it does
    /// Fires when a `[[…kernel]]` table or a source comment matches no kernel of the whole package.
    ///
    /// ## Why it matters
    /// A target that matches nothing checks nothing: after a renaming the gate would stay green for ever.
    ///
    /// ## Example
    /// ```toml
    /// [[package.metadata.occlint.kernel]]
    /// name = "old_name"
    /// min-blocks = 4
    /// ```
    ///
    /// ## What to try
    /// `cargo occlint --kernels` shows the names. `name` is matched without namespace wildcards being implied: write
    /// `*::softmax` or `ns::softmax`.
    ///
    /// ## Configuration
    /// `name`, `name-full`, `source`, `arch` of a kernel; the level: `lints.unmatched-target`.
    UNMATCHED_TARGET: "unmatched-target", Warn,
    "a target that matches no kernel", Check::Config(check)
}

fn check(facts: &ConfigFacts<'_>, drafts: &mut Vec<Draft>) {
    for (rule, _) in facts.rules.rules().iter().zip(facts.matches).filter(|(_, matches)| **matches == 0) {
        let headline = Headline::new().text(format!("no kernel matches {}", words(rule)));
        let help = help(rule.selector.name.as_ref().map(NameGlob::pattern), &facts.names);
        let labels = vec![Label::on(&rule.span, "matches nothing")];
        drafts.push(Draft { weight: 1, labels, help: Some(help), ..Draft::new(headline) });
    }
}

/// What to do about a target that matches nothing: the name that its pattern may mean, of those that there are.
pub fn help(pattern: Option<&str>, names: &[&str]) -> String {
    let elsewhere = pattern.and_then(|pattern| in_a_namespace(&NameGlob::new(pattern), names));
    let near = || nearest(pattern?.trim_matches('*'), names.iter().copied()).map(str::to_owned);
    elsewhere.or_else(near).map_or_else(
        || "`--kernels` shows the kernels and their names".to_owned(),
        |near| format!("did you mean `{near}`"),
    )
}

/// The pattern with the namespace of a kernel that it would match, had it none: names carry theirs.
fn in_a_namespace(glob: &NameGlob, names: &[&str]) -> Option<String> {
    let space = |name: &&str| {
        let (space, _) = name
            .match_indices("::")
            .map(|(at, _)| name.split_at(at + 2))
            .find(|(_, rest)| glob.matches(rest))?;
        Some(space.to_owned())
    };
    let space = names.iter().find_map(space)?;
    Some(format!("{space}{}", glob.pattern()))
}

fn words(rule: &Rule) -> String {
    let selector = &rule.selector;
    let globs = [("name", &selector.name), ("name-full", &selector.name_full), ("source", &selector.source)];
    let globs = globs
        .into_iter()
        .filter_map(|(key, glob)| Some(format!("`{key} = \"{}\"`", glob.as_ref()?.pattern())));
    let archs = selector.archs.iter().map(|arch| format!("`{arch}`"));
    let place =
        selector.place.iter().map(|(file, line)| format!("the comment of the kernel at {file}:{line}"));
    globs.chain(archs).chain(place).collect::<Vec<_>>().join(" and ")
}
