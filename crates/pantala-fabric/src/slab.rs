//! Flat arrays of the hot path.
//!
//! A packet-hop makes some eighty array accesses; checking each costs a quarter of all instructions (docs/performance.md). So
//! these arrays check their indices in debug builds only, where all tests of this crate run as well.
//!
//! Why no index is out of bounds: what comes from outside is checked where it enters (a host's destination and job in
//! `inject`, sizes in `Network::new`); every other index is a port, VC or router number worked out from the topology at
//! construction, or a packet or entry number that its own slab has handed out and that lives in exactly one queue or event.

use std::ops::{Index, IndexMut};

/// A vector indexed by `usize` or `u32`, checked in debug builds.
#[derive(Clone, Debug)]
pub(crate) struct Slab<T>(Vec<T>);

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> From<Vec<T>> for Slab<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items)
    }
}

impl<T> Slab<T> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        self.0.push(item);
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// `count` items from `first` on; checked.
    pub(crate) fn run(&self, first: usize, count: usize) -> &[T] {
        &self.0[first..first + count]
    }

    /// Asks for so many cache lines from item `first` on, which will be used soon; changes nothing but when they come into the
    /// cache.
    #[inline(always)]
    pub(crate) fn prefetch<const LINES: usize>(&self, first: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let start: *const i8 = self.0.as_ptr().wrapping_add(first).cast();
            for line in 0..LINES {
                // SAFETY: a prefetch reads nothing and cannot fault, whatever the address.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(64 * line)) };
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = first;
    }

    /// Bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.0.capacity() * size_of::<T>()
    }
}

impl<T> Extend<T> for Slab<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.0.extend(items);
    }
}

impl<T> Index<usize> for Slab<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        debug_assert!(index < self.0.len(), "index {index} of {}", self.0.len());
        // SAFETY: in bounds by the invariant at the top of this file; debug builds check it.
        unsafe { self.0.get_unchecked(index) }
    }
}

impl<T> IndexMut<usize> for Slab<T> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(index < self.0.len(), "index {index} of {}", self.0.len());
        // SAFETY: as above.
        unsafe { self.0.get_unchecked_mut(index) }
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: u32) -> &T {
        &self[index as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline(always)]
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self[index as usize]
    }
}
