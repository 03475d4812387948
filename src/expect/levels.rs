//! Lint levels and where they come from.

use crate::expect::Limits;
use crate::expect::suggest::{nearest, shown};
use crate::finding::Level;
use crate::order::Map;

/// Where a level was set; later ones win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LevelOrigin {
    /// The lint's own default.
    Default,
    /// `[workspace.metadata.occlint.lints]`.
    Workspace,
    /// `[package.metadata.occlint.lints]`.
    Package,
    /// `-A`, `-W`, `-D`; a build script.
    CommandLine,
}

/// A level and where it was set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelSetting {
    /// The level.
    pub level: Level,
    /// Where it was set.
    pub origin: LevelOrigin,
}

/// The levels that were set, by lint name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Levels {
    set: Map<&'static str, LevelSetting>,
    limits: Map<&'static str, Limits>,
    deny_warnings: bool,
}

impl Levels {
    /// Sets a lint's level unless a later origin already did; of one origin the last wins.
    pub fn set(&mut self, lint: &'static str, level: Level, origin: LevelOrigin) {
        let new = LevelSetting { level, origin };
        let keeps = self.set.get(lint).is_some_and(|old| old.origin > origin);
        if !keeps {
            self.set.insert(lint, new);
        }
    }

    /// The level that was set for a lint, if any.
    pub fn get(&self, lint: &str) -> Option<LevelSetting> {
        self.set.get(lint).copied()
    }

    /// Sets what a lint lets pass; the last wins.
    pub fn limit(&mut self, lint: &'static str, limits: Limits) {
        self.limits.insert(lint, limits);
    }

    /// What a lint lets pass.
    pub fn limits(&self, lint: &str) -> Limits {
        self.limits.get(lint).copied().unwrap_or_default()
    }

    /// Turns every warning into a denial (`-D warnings`).
    pub fn deny_warnings(&mut self) {
        self.deny_warnings = true;
    }

    /// Whether warnings are denied.
    pub fn denies_warnings(&self) -> bool {
        self.deny_warnings
    }

    /// The level that holds for a lint, or for one of its findings with a default of its own.
    ///
    /// What was set wins over `default`. `cap_default` is for lints about bounds when the architectures are not the
    /// user's choice: a default of deny is then a warning; a level that somebody set is kept. At last, if warnings
    /// are denied, a warning becomes a denial, wherever it comes from.
    pub fn effective(&self, lint: &str, default: Level, cap_default: bool) -> Level {
        let default = if cap_default { default.min(Level::Warn) } else { default };
        let level = self.get(lint).map_or(default, |setting| setting.level);
        if self.deny_warnings && level == Level::Warn { Level::Deny } else { level }
    }

    /// Takes over what another set of levels says, by the same precedence as [`Levels::set`].
    pub fn merge(&mut self, other: &Self) {
        for (&lint, setting) in &other.set {
            self.set(lint, setting.level, setting.origin);
        }
        for (&lint, limits) in &other.limits {
            self.limit(lint, *limits);
        }
        self.deny_warnings |= other.deny_warnings;
    }
}

/// Reads a level's word: `allow`, `warn`, `deny`.
///
/// # Errors
/// The message and what to do, for any other word.
pub fn level(word: &str) -> Result<Level, (String, String)> {
    const WORDS: [(&str, Level); 3] = [("allow", Level::Allow), ("warn", Level::Warn), ("deny", Level::Deny)];
    if let Some(&(_, level)) = WORDS.iter().find(|(known, _)| *known == word) {
        return Ok(level);
    }
    if word == "expect" {
        let message = "`expect` is no level of a lint".to_owned();
        return Err((message, "write it at the kernel that it is about: `expect = [\"…\"]`".to_owned()));
    }
    let help = match (word, nearest(word, WORDS.map(|(known, _)| known))) {
        ("forbid" | "error", _) => "did you mean `deny`?".to_owned(),
        ("warning", _) => "did you mean `warn`?".to_owned(),
        ("off" | "ignore", _) => "did you mean `allow`?".to_owned(),
        (_, Some(near)) => format!("did you mean `{near}`?"),
        (_, None) => "write `allow`, `warn` or `deny`".to_owned(),
    };
    Err((format!("`{}` is no level of a lint", shown(word)), help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_origin_wins_in_any_order() {
        let mut levels = Levels::default();
        levels.set("spill", Level::Deny, LevelOrigin::CommandLine);
        levels.set("spill", Level::Allow, LevelOrigin::Package);
        levels.set("spill", Level::Warn, LevelOrigin::Workspace);
        assert_eq!(
            levels.get("spill"),
            Some(LevelSetting { level: Level::Deny, origin: LevelOrigin::CommandLine })
        );
    }

    #[test]
    fn of_one_origin_the_last_wins() {
        let mut levels = Levels::default();
        levels.set("spill", Level::Deny, LevelOrigin::CommandLine);
        levels.set("spill", Level::Allow, LevelOrigin::CommandLine);
        assert_eq!(levels.effective("spill", Level::Warn, false), Level::Allow);
    }

    #[test]
    fn the_cap_is_for_defaults_only() {
        let mut levels = Levels::default();
        assert_eq!(levels.effective("bounds-dropped", Level::Deny, false), Level::Deny);
        assert_eq!(levels.effective("bounds-dropped", Level::Deny, true), Level::Warn);
        assert_eq!(levels.effective("register-step", Level::Allow, true), Level::Allow);
        levels.set("bounds-dropped", Level::Deny, LevelOrigin::Package);
        assert_eq!(levels.effective("bounds-dropped", Level::Deny, true), Level::Deny);
    }

    #[test]
    fn denied_warnings_leave_what_is_allowed() {
        let mut levels = Levels::default();
        levels.set("maxrregcount", Level::Allow, LevelOrigin::Package);
        levels.deny_warnings();
        assert_eq!(levels.effective("spill", Level::Warn, false), Level::Deny);
        assert_eq!(levels.effective("bounds-dropped", Level::Deny, true), Level::Deny);
        assert_eq!(levels.effective("maxrregcount", Level::Warn, false), Level::Allow);
        assert_eq!(levels.effective("register-step", Level::Allow, false), Level::Allow);
    }

    #[test]
    fn merging_keeps_the_precedence() {
        let mut levels = Levels::default();
        levels.set("spill", Level::Deny, LevelOrigin::Package);
        let mut other = Levels::default();
        other.set("spill", Level::Allow, LevelOrigin::Workspace);
        other.set("partial-warp", Level::Deny, LevelOrigin::Workspace);
        other.deny_warnings();
        levels.merge(&other);
        assert_eq!(levels.get("spill").map(|setting| setting.level), Some(Level::Deny));
        assert_eq!(levels.get("partial-warp").map(|setting| setting.level), Some(Level::Deny));
        assert!(levels.denies_warnings());
    }

    #[test]
    fn words() {
        assert_eq!(level("deny"), Ok(Level::Deny));
        let help = |word| level(word).expect_err("no level").1;
        assert_eq!(help("forbid"), "did you mean `deny`?");
        assert_eq!(help("wran"), "did you mean `warn`?");
        assert_eq!(help("2"), "write `allow`, `warn` or `deny`");
        assert_eq!(help("expect"), "write it at the kernel that it is about: `expect = [\"…\"]`");
    }
}
