//! Flat arrays of the hot path.
//!
//! A packet-hop makes about eighty array accesses. Bounds checks would cost a quarter of all
//! instructions (docs/performance.md). So these arrays check their indices in debug builds only, in
//! which all tests of the fabric also run.
//!
//! No index is out of bounds, because every index from outside is checked at its entry: a host's
//! destination and job in `inject`, sizes in `Partition::new`. Every other index has one of two
//! origins. It is a port, VC or router number that the topology gave at construction. Or it is a
//! packet or entry number that its own array has given out, and that is in exactly one queue or
//! event.

use crate::prefetch;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Index, IndexMut};

/// A vector indexed by `usize` or `u32`, with checks in debug builds only. The number of its first
/// item need not be 0. An array of the ports of some routers is indexed by the port numbers of all
/// routers.
#[derive(Debug)]
pub struct FlatArray<T> {
    items: Vec<T>,
    /// The number of the first item.
    first: usize,
    /// The address of item 0. An access adds the index to it and nothing else.
    origin: *mut T,
}

// SAFETY: an array owns its items; `origin` points to nothing else.
unsafe impl<T: Send> Send for FlatArray<T> {}
// SAFETY: as above; a shared array gives out shared references only.
unsafe impl<T: Sync> Sync for FlatArray<T> {}

impl<T> Default for FlatArray<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for FlatArray<T> {
    fn from(items: Vec<T>) -> Self {
        Self::numbered_from(0, items)
    }
}

impl<T: Clone> Clone for FlatArray<T> {
    fn clone(&self) -> Self {
        Self::numbered_from(self.first, self.items.clone())
    }
}

impl<T: Serialize> Serialize for FlatArray<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.first, &self.items).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FlatArray<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (first, items) = Deserialize::deserialize(deserializer)?;
        Ok(Self::numbered_from(first, items))
    }
}

impl<T> FlatArray<T> {
    /// An array whose items have the numbers `first`, `first + 1`, ...
    pub fn numbered_from(first: usize, items: Vec<T>) -> Self {
        let mut array = Self { items, first, origin: std::ptr::null_mut() };
        array.aim();
        array
    }

    /// Updates `origin` after the items may have moved.
    fn aim(&mut self) {
        self.origin = self.items.as_mut_ptr().wrapping_sub(self.first);
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Appends an item.
    #[inline]
    pub fn push(&mut self, item: T) {
        self.items.push(item);
        self.aim();
    }

    /// The items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The number of the first item.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The items with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &T)> {
        (self.first..).zip(&self.items)
    }

    /// `count` items from number `first` on. The bounds are always checked.
    pub fn run(&self, first: usize, count: usize) -> &[T] {
        let start = first - self.first;
        &self.items[start..start + count]
    }

    /// As [`run`](Self::run), to change the items.
    pub fn run_mut(&mut self, first: usize, count: usize) -> &mut [T] {
        let start = first - self.first;
        &mut self.items[start..start + count]
    }

    /// Prefetches `LINES` cache lines from item `first` on. It changes only when they come into the
    /// cache.
    #[inline(always)]
    pub fn prefetch<const LINES: usize>(&self, first: usize) {
        let start = self.origin.wrapping_add(first).cast_const().cast::<u8>();
        for line in 0..LINES {
            prefetch(start.wrapping_add(64 * line));
        }
    }

    /// Whether an item has this number.
    pub fn holds(&self, index: usize) -> bool {
        index >= self.first && index - self.first < self.items.len()
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.items.capacity() * size_of::<T>()
    }
}

impl<T> Extend<T> for FlatArray<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.items.extend(items);
        self.aim();
    }
}

impl<T> Index<usize> for FlatArray<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        debug_assert!(self.holds(index), "index {index} of {} from {} on", self.len(), self.first);
        // SAFETY: in bounds by the invariant at the top of this file; debug builds check it.
        unsafe { &*self.origin.wrapping_add(index) }
    }
}

impl<T> IndexMut<usize> for FlatArray<T> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        debug_assert!(self.holds(index), "index {index} of {} from {} on", self.len(), self.first);
        // SAFETY: as above.
        unsafe { &mut *self.origin.wrapping_add(index) }
    }
}

impl<T> Index<u32> for FlatArray<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: u32) -> &T {
        &self[index as usize]
    }
}

impl<T> IndexMut<u32> for FlatArray<T> {
    #[inline(always)]
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self[index as usize]
    }
}
