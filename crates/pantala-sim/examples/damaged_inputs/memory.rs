//! An allocator that counts the bytes in use, and the bound of what a reader may use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that a reader may use whatever its input: blocks of files, tables of the machine.
pub(crate) const FIXED: u64 = 4 << 20;
/// Bytes that it may use for each byte of its input.
pub(crate) const PER_BYTE: u64 = 1_000;

static IN_USE: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);
static AT_BEGIN: AtomicU64 = AtomicU64::new(0);

/// The bytes that a reader may use at once for an input; `more` are fixed bytes of its own.
pub(crate) fn bound(input: usize, more: u64) -> u64 {
    FIXED + more + PER_BYTE * input as u64
}

/// Starts a measurement.
pub(crate) fn begin() {
    let now = IN_USE.load(Ordering::Relaxed);
    AT_BEGIN.store(now, Ordering::Relaxed);
    MOST.store(now, Ordering::Relaxed);
}

/// The most bytes that have been in use since [`begin`], above those in use then.
pub(crate) fn most() -> u64 {
    MOST.load(Ordering::Relaxed).saturating_sub(AT_BEGIN.load(Ordering::Relaxed))
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn more(bytes: usize) {
    let now = IN_USE.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
    MOST.fetch_max(now, Ordering::Relaxed);
}

fn less(bytes: usize) {
    IN_USE.fetch_sub(bytes as u64, Ordering::Relaxed);
}

// SAFETY: every call goes to the allocator of the system with the arguments of the caller, who keeps
// the promises of `GlobalAlloc`; the counters allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        // SAFETY: the caller's layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        // SAFETY: the caller's layout.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        less(layout.size());
        // SAFETY: the caller's pointer came from `System` with this layout.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        more(size);
        less(layout.size());
        // SAFETY: the caller's pointer came from `System` with this layout.
        unsafe { System.realloc(place, layout, size) }
    }
}
