//! [`Variant`]: the builds of the event loop.
//!
//! The event loop and its stages are compiled once per variant, so that the compiler removes what a
//! variant never does.

/// A build of the event loop.
pub(crate) trait Variant {
    /// Whether every stage is that of the default model and a router's ports fit into one word.
    const DEFAULT: bool;
    /// Whether the build has the calls of the [`Observer`](crate::observer::Observer).
    const HOOKS: bool;

    /// Returns whether the stages call the observer, if `on` says whether there is a record.
    #[inline(always)]
    fn watches(on: bool) -> bool {
        Self::HOOKS && (Self::DEFAULT || on)
    }
}

/// The default model, unwatched.
pub(crate) struct Plain;

impl Variant for Plain {
    const DEFAULT: bool = true;
    const HOOKS: bool = false;
}

/// The default model, watched.
pub(crate) struct Watched;

impl Variant for Watched {
    const DEFAULT: bool = true;
    const HOOKS: bool = true;
}

/// Any model, watched or not.
pub(crate) struct General;

impl Variant for General {
    const DEFAULT: bool = false;
    const HOOKS: bool = true;
}
