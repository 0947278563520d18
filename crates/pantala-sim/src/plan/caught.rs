//! Calls into libraries that panic on damaged input.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether panics of this thread are told to nobody.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Returns the result of `work`; `None` if it panics. The panic prints nothing.
///
/// `work` must leave nothing behind that is used after a panic.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let told = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                told(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    done.ok()
}
