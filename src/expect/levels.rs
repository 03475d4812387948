//! Lint levels and where they come from.

use std::collections::BTreeMap;

use crate::finding::Level;

/// Where a level was set; later ones win.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LevelOrigin {
    /// The lint's own default.
    Default,
    /// `[workspace.metadata.occlint.lints]`.
    Workspace,
    /// `[package.metadata.occlint.lints]`.
    Package,
    /// `-A`, `-W`, `-D`.
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
    set: BTreeMap<&'static str, LevelSetting>,
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

    /// Turns every warning into a denial (`-D warnings`).
    pub fn deny_warnings(&mut self) {
        self.deny_warnings = true;
    }

    /// Whether warnings are denied.
    pub fn denies_warnings(&self) -> bool {
        self.deny_warnings
    }

    /// The level that holds for a lint. `cap` lowers a default, never a level that was set.
    pub fn effective(&self, lint: &str, default: Level, cap: Option<Level>) -> Level {
        let level = match self.get(lint) {
            Some(setting) => setting.level,
            None => cap.map_or(default, |cap| default.min(cap)),
        };
        if level == Level::Warn && self.deny_warnings { Level::Deny } else { level }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_origin_wins_whatever_the_order() {
        let mut levels = Levels::default();
        levels.set("spill", Level::Deny, LevelOrigin::CommandLine);
        levels.set("spill", Level::Allow, LevelOrigin::Package);
        assert_eq!(levels.effective("spill", Level::Warn, None), Level::Deny);
    }

    #[test]
    fn a_cap_lowers_defaults_only() {
        let mut levels = Levels::default();
        assert_eq!(levels.effective("bounds-dropped", Level::Deny, Some(Level::Warn)), Level::Warn);
        levels.set("bounds-dropped", Level::Deny, LevelOrigin::Package);
        assert_eq!(levels.effective("bounds-dropped", Level::Deny, Some(Level::Warn)), Level::Deny);
    }

    #[test]
    fn denied_warnings_leave_what_is_allowed() {
        let mut levels = Levels::default();
        levels.deny_warnings();
        assert_eq!(levels.effective("spill", Level::Warn, None), Level::Deny);
        assert_eq!(levels.effective("register-step", Level::Allow, None), Level::Allow);
    }
}
