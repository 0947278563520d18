//! The end of memory: one line on standard error, and exit status 1.
//!
//! Rust aborts with a text of its own and a core dump if an allocation fails. No code that runs
//! then may allocate, so the line is made of fixed text.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

const TEXT: &[u8] =
    b"pantala: there is too little memory for this run; simulate a smaller machine, \
shorten the run or record less, use fewer --workers or --threads, or raise the limit (ulimit -v, \
the memory of a batch job)\n";

/// The system's allocator, which ends the process with one line if there is no memory.
pub(crate) struct OneLine;

// SAFETY: each call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for OneLine {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        checked(unsafe { System.realloc(place, layout, size) })
    }
}

unsafe extern "C" {
    fn _exit(status: i32) -> !;
}

#[inline]
fn checked(place: *mut u8) -> *mut u8 {
    if place.is_null() {
        end();
    }
    place
}

#[cold]
#[inline(never)]
fn end() -> ! {
    // SAFETY: descriptor 2 is not closed here: the file is never dropped.
    let mut stderr = ManuallyDrop::new(unsafe { File::from_raw_fd(2) });
    let _ = stderr.write_all(TEXT);
    // SAFETY: `_exit` has no conditions. Handlers of the exit could allocate.
    unsafe { _exit(1) }
}
