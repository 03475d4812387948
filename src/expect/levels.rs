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
}
