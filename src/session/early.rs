//! Evidence that is read while other units are still compiled.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::arch::Arch;
use crate::compile::{CompileError, Compiled, SourceKind};
use crate::evidence::Evidence;
use crate::order::Map;
use crate::session::{Package, flags, gather};
use crate::sys::files::SourceMap;

/// A unit's index and the architecture.
type Key = (usize, Arch);

/// What was read so far.
#[derive(Default, Debug)]
pub(super) struct Early(Mutex<Map<Key, Result<Evidence, CompileError>>>);

impl Early {
    /// Reads what a compilation left, unless a device link must finish it, or it failed.
    #[cfg_attr(not(feature = "package"), expect(dead_code, reason = "build scripts read all at the end"))]
    pub(super) fn read(&self, (package, sources): (&Package<'_>, &SourceMap), one: &Compiled) {
        let unit = &package.units[one.unit];
        let Ok(artefact) = &one.result else { return };
        if unit.kind != SourceKind::Cuda || artefact.relocatable {
            return;
        }
        let debug = flags::debug(&flags::of(package.config, unit)).is_some();
        let evidence = gather::evidence_of(unit, one, artefact, (debug, false), (package.roots, sources));
        self.lock().insert((one.unit, one.arch), evidence);
    }

    /// Whether it was read.
    pub(super) fn has(&self, one: &Compiled) -> bool {
        self.lock().contains_key(&(one.unit, one.arch))
    }

    /// What was read of it, once.
    pub(super) fn take(&self, one: &Compiled) -> Option<Result<Evidence, CompileError>> {
        self.lock().remove(&(one.unit, one.arch))
    }

    fn lock(&self) -> MutexGuard<'_, Map<Key, Result<Evidence, CompileError>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
