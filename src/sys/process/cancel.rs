//! The token by which the user ends what runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::order::Set;
use crate::sys::process::group::end;

/// Ends running children, and keeps further ones from starting, when the user interrupts.
#[derive(Clone, Default, Debug)]
pub struct Cancel {
    state: Arc<CancelState>,
    pub(super) limit: Option<Duration>,
    pub(super) shared_group: bool,
}

#[derive(Default, Debug)]
struct CancelState {
    cancelled: AtomicBool,
    groups: Mutex<Set<u32>>,
}

impl Cancel {
    /// A token that nothing has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same token for children of which none may run longer than this, whatever its own limit.
    #[must_use]
    pub fn limited(&self, limit: Option<Duration>) -> Self {
        Self { state: Arc::clone(&self.state), limit, ..*self }
    }

    /// A token for programs that handle no signals: children stay in this process's own group, so that Ctrl-C reaches
    /// them by itself.
    #[must_use]
    pub fn in_shared_group() -> Self {
        Self { shared_group: true, ..Self::default() }
    }

    /// Ends every running group and refuses further ones. Answers whether whoever waits for such a group will now wake
    /// up and see it: not where nothing runs (a read, a lock may be what blocks), nor the second time.
    pub fn cancel(&self) -> bool {
        let groups = self.groups();
        let first = !self.state.cancelled.swap(true, Ordering::SeqCst);
        groups.iter().for_each(|&child| end(child, self.shared_group));
        first && !groups.is_empty()
    }

    /// Whether [`Self::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::SeqCst)
    }

    pub(super) fn groups(&self) -> std::sync::MutexGuard<'_, Set<u32>> {
        self.state.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
