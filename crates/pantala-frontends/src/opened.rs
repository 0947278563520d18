//! What a source has opened: found once, shared by all clones of the source.

use std::sync::{Arc, OnceLock};

use pantala_mpi::Fault;

/// The opened form of a source, which its first check fills. Clones share it. It takes no part in
/// comparisons: two sources are equal if their keys are.
#[derive(Debug)]
pub struct Opened<T>(Arc<OnceLock<Result<Arc<T>, Fault>>>);

impl<T> Opened<T> {
    /// The opened form. The first call opens the source; later calls return what that one found.
    ///
    /// # Errors
    /// The [`Fault`] of the first call.
    pub fn or_open(&self, open: impl FnOnce() -> Result<T, Fault>) -> Result<Arc<T>, Fault> {
        self.0.get_or_init(|| open().map(Arc::new)).clone()
    }

    /// The opened form, if the source has been opened without a fault.
    #[must_use]
    pub fn get(&self) -> Option<&Arc<T>> {
        self.0.get()?.as_ref().ok()
    }
}

impl<T> Default for Opened<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Opened<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for Opened<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
