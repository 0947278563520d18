//! Flat arrays of the hot path.
//!
//! A packet-hop makes about eighty array accesses. Bounds checks would cost a quarter of all
//! instructions (docs/performance.md). So an array has one of two kinds of bounds:
//!
//! - [`Checked`]: every access checks its index.
//! - [`Proven`]: accesses check their indices in debug builds only, in which all tests of the fabric
//!   also run. Only an `unsafe` constructor makes such an array. Its caller proves that every index
//!   is in bounds.

use crate::prefetch;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Which accesses of an array check their indices.
pub trait Bounds {
    /// Whether accesses of release builds do.
    const CHECKED: bool;
}

/// Every access checks its index.
#[derive(Clone, Copy, Debug)]
pub struct Checked;

/// The owner of the array has proved that no index is out of bounds.
#[derive(Clone, Copy, Debug)]
pub struct Proven;

impl Bounds for Checked {
    const CHECKED: bool = true;
}

impl Bounds for Proven {
    const CHECKED: bool = false;
}

/// A flat array that checks its indices in debug builds only.
pub type ProvenArray<T> = FlatArray<T, Proven>;

/// A vector indexed by `usize` or `u32`. The number of its first item need not be 0. An array of the
/// ports of some routers is indexed by the port numbers of all routers.
#[derive(Debug)]
pub struct FlatArray<T, B = Checked> {
    items: Vec<T>,
    /// The number of the first item.
    first: usize,
    /// The address of item 0. An access adds the index to it and nothing else.
    origin: *mut T,
    bounds: PhantomData<B>,
}

// SAFETY: an array owns its items; `origin` points to nothing else.
unsafe impl<T: Send, B> Send for FlatArray<T, B> {}
// SAFETY: as above; a shared array gives out shared references only.
unsafe impl<T: Sync, B> Sync for FlatArray<T, B> {}

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
    /// An array whose items have the numbers `first`, `first + 1`, ... Every access checks its
    /// index.
    pub fn numbered_from(first: usize, items: Vec<T>) -> Self {
        Self::over(first, items)
    }
}

impl<T> ProvenArray<T> {
    /// An array whose items have the numbers `first`, `first + 1`, ... Only debug builds check the
    /// indices of accesses with `[]`.
    ///
    /// # Safety
    /// The array must be out of reach for code that the caller has no proof for, and every index
    /// that this code uses with `[]` must be the number of an item ([`holds`](Self::holds)) at the
    /// time of the access. The caller names the proof.
    pub unsafe fn proven(first: usize, items: Vec<T>) -> Self {
        Self::over(first, items)
    }
}

impl<T, B> FlatArray<T, B> {
    fn over(first: usize, items: Vec<T>) -> Self {
        let mut array = Self { items, first, origin: std::ptr::null_mut(), bounds: PhantomData };
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

    /// The item of this number. The bounds are always checked.
    ///
    /// # Panics
    /// If no item has this number.
    pub fn checked(&self, index: usize) -> &T {
        &self.run(index, 1)[0]
    }

    /// `count` items from number `first` on. The bounds are always checked.
    #[inline]
    pub fn run(&self, first: usize, count: usize) -> &[T] {
        let start = first - self.first;
        &self.items[start..start + count]
    }

    /// As [`run`](Self::run), to change the items.
    #[inline]
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

impl<T, B> Extend<T> for FlatArray<T, B> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.items.extend(items);
        self.aim();
    }
}

impl<T, B: Bounds> Index<usize> for FlatArray<T, B> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        if B::CHECKED || cfg!(debug_assertions) {
            assert!(self.holds(index), "index {index} of {} from {} on", self.len(), self.first);
        }
        // SAFETY: in bounds: checked above, or by the contract of `proven`. `origin` follows every
        // move of the items (`aim`), and `&self` keeps them from changing.
        unsafe { &*self.origin.wrapping_add(index) }
    }
}

impl<T, B: Bounds> IndexMut<usize> for FlatArray<T, B> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        if B::CHECKED || cfg!(debug_assertions) {
            assert!(self.holds(index), "index {index} of {} from {} on", self.len(), self.first);
        }
        // SAFETY: as above; `&mut self` makes this the only reference to an item.
        unsafe { &mut *self.origin.wrapping_add(index) }
    }
}

impl<T, B: Bounds> Index<u32> for FlatArray<T, B> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: u32) -> &T {
        &self[index as usize]
    }
}

impl<T, B: Bounds> IndexMut<u32> for FlatArray<T, B> {
    #[inline(always)]
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_five() -> FlatArray<u32> {
        FlatArray::numbered_from(5, vec![50, 60])
    }

    #[test]
    fn items_keep_their_numbers_while_the_array_grows() {
        // SAFETY: the indices below are those of the items pushed before.
        let mut array: ProvenArray<u32> = unsafe { ProvenArray::proven(5, Vec::new()) };
        for number in 5..500 {
            array.push(10 * number);
            assert_eq!((array[5_u32], array[number]), (50, 10 * number));
        }
        array[7_usize] += 1;
        assert_eq!(array.run(6, 3), [60, 71, 80]);
        array.run_mut(6, 2).fill(0);
        array.extend([1, 2]);
        assert_eq!(array.numbered().last(), Some((501, &2)));
        assert_eq!((array[6_u32], array[8_u32], *array.checked(500)), (0, 80, 1));
    }

    /// An address beyond an array may be prefetched, and from an array that was never filled.
    #[test]
    fn a_prefetch_needs_no_item() {
        from_five().prefetch::<2>(4_000);
        FlatArray::<u64>::default().prefetch::<1>(0);
    }

    #[test]
    #[should_panic(expected = "index 7 of 2 from 5 on")]
    fn an_index_behind_the_last_item_is_found_in_every_build() {
        let _ = from_five()[7_u32];
    }

    #[test]
    #[should_panic(expected = "index 4 of 2 from 5 on")]
    fn an_index_before_the_first_item_is_found_in_every_build() {
        from_five()[4_usize] = 1;
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_checked_access_of_a_proven_array_finds_its_index() {
        // SAFETY: no access with `[]` follows.
        let array = unsafe { ProvenArray::proven(0, vec![1]) };
        let _ = array.checked(1);
    }
}
