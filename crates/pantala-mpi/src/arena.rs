//! Arenas: items at stable `u32` handles, with a free list, and queues that link the items. In
//! steady state nothing allocates.

use std::ops::{Index, IndexMut};

/// The handle of no item.
pub(crate) const NONE: u32 = u32::MAX;

/// Items at stable handles. The handle that was removed last is reused first.
#[derive(Clone, Debug)]
pub(crate) struct Arena<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> Arena<T> {
    pub(crate) const fn new() -> Self {
        Self { items: Vec::new(), free: Vec::new() }
    }

    #[inline]
    pub(crate) fn insert(&mut self, item: T) -> u32 {
        if let Some(handle) = self.free.pop() {
            self.items[handle as usize] = item;
            handle
        } else {
            let handle = self.items.len() as u32;
            assert!(handle != NONE, "more than 2^32 - 1 handles");
            self.items.push(item);
            handle
        }
    }

    /// Frees a handle. The item stays in memory until the handle is reused, but must not be read.
    #[inline]
    pub(crate) fn remove(&mut self, handle: u32) {
        debug_assert!(!self.free.contains(&handle) || self.free.len() > 64, "freed twice");
        self.free.push(handle);
    }

    /// Number of items held.
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }

    /// The largest number of items held at once so far.
    pub(crate) fn peak(&self) -> usize {
        self.items.len()
    }

    /// The items held, in the order of their handles. Slow: for reports only.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let mut held = vec![true; self.items.len()];
        for handle in &self.free {
            held[*handle as usize] = false;
        }
        self.items.iter().zip(held).filter_map(|(item, held)| held.then_some(item))
    }
}

impl<T> Index<u32> for Arena<T> {
    type Output = T;
    #[inline]
    fn index(&self, handle: u32) -> &T {
        &self.items[handle as usize]
    }
}

impl<T> IndexMut<u32> for Arena<T> {
    #[inline]
    fn index_mut(&mut self, handle: u32) -> &mut T {
        &mut self.items[handle as usize]
    }
}

/// An item that a [`LinkedQueue`] can hold.
pub(crate) trait Linked {
    fn next(&self) -> u32;
    fn set_next(&mut self, next: u32);
}

/// A first-in first-out queue that links items of an arena. The links form a ring, and the queue
/// stores the tail only (4 bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkedQueue {
    tail: u32,
}

impl LinkedQueue {
    pub(crate) const EMPTY: Self = Self { tail: NONE };

    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.tail == NONE
    }

    /// The oldest item, or [`NONE`].
    #[inline]
    pub(crate) fn front<T: Linked>(self, arena: &Arena<T>) -> u32 {
        if self.tail == NONE { NONE } else { arena[self.tail].next() }
    }

    #[inline]
    pub(crate) fn push_back<T: Linked>(&mut self, arena: &mut Arena<T>, handle: u32) {
        if self.tail == NONE {
            arena[handle].set_next(handle);
        } else {
            let front = arena[self.tail].next();
            arena[handle].set_next(front);
            arena[self.tail].set_next(handle);
        }
        self.tail = handle;
    }

    /// Inserts an item before the first item that is `later`. All items after that one must be
    /// later, too.
    #[inline]
    pub(crate) fn insert<T: Linked>(
        &mut self,
        arena: &mut Arena<T>,
        handle: u32,
        later: impl Fn(&T) -> bool,
    ) {
        if self.tail == NONE || !later(&arena[self.tail]) {
            return self.push_back(arena, handle);
        }
        if let Some((before, after)) = self.find(arena, |_, item| later(item)) {
            arena[handle].set_next(after);
            arena[before].set_next(handle);
        }
    }

    #[inline]
    pub(crate) fn pop_front<T: Linked>(&mut self, arena: &mut Arena<T>) -> u32 {
        let front = self.front(arena);
        if front != NONE {
            self.unlink(arena, self.tail, front);
        }
        front
    }

    /// Removes `handle`. `before` is its predecessor: the tail if `handle` is the front.
    #[inline]
    pub(crate) fn unlink<T: Linked>(&mut self, arena: &mut Arena<T>, before: u32, handle: u32) {
        debug_assert_eq!(arena[before].next(), handle);
        if before == handle {
            self.tail = NONE;
            return;
        }
        let after = arena[handle].next();
        arena[before].set_next(after);
        if self.tail == handle {
            self.tail = before;
        }
    }

    /// The first item for which `wanted` is true, and its predecessor.
    #[inline]
    pub(crate) fn find<T: Linked>(
        self,
        arena: &Arena<T>,
        mut wanted: impl FnMut(u32, &T) -> bool,
    ) -> Option<(u32, u32)> {
        if self.tail == NONE {
            return None;
        }
        let mut before = self.tail;
        loop {
            let handle = arena[before].next();
            if wanted(handle, &arena[handle]) {
                return Some((before, handle));
            }
            if handle == self.tail {
                return None;
            }
            before = handle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[derive(Clone, Copy)]
    struct Item {
        value: u32,
        next: u32,
    }
    impl Linked for Item {
        fn next(&self) -> u32 {
            self.next
        }
        fn set_next(&mut self, next: u32) {
            self.next = next;
        }
    }

    #[test]
    fn handles_are_used_again() {
        let mut arena = Arena::new();
        let (a, b) = (arena.insert(1), arena.insert(2));
        arena.remove(a);
        assert_eq!((arena.len(), arena.iter().copied().collect::<Vec<_>>()), (1, vec![2]));
        assert_eq!(arena.insert(3), a);
        assert_eq!((arena[a], arena[b], arena.peak()), (3, 2, 2));
    }

    #[test]
    fn items_are_put_before_those_that_are_later() {
        let (mut arena, mut chain, mut model) = (Arena::new(), LinkedQueue::EMPTY, Vec::new());
        let mut stream = pantala_engine::Stream::new(2, 0, 0);
        for number in 0..300 {
            let value = stream.below(40) << 16 | number;
            let handle = arena.insert(Item { value, next: NONE });
            chain.insert(&mut arena, handle, |item| item.value >> 16 > value >> 16);
            model.push(value);
        }
        model.sort_unstable();
        let drained = std::iter::from_fn(|| match chain.pop_front(&mut arena) {
            NONE => None,
            handle => Some(arena[handle].value),
        });
        assert_eq!(
            drained.collect::<Vec<_>>(),
            model,
            "by the key, then in the order of insertion"
        );
    }

    #[test]
    fn a_chain_is_a_queue_with_removal() {
        let (mut arena, mut chain, mut model) = (Arena::new(), LinkedQueue::EMPTY, VecDeque::new());
        let mut stream = pantala_engine::Stream::new(1, 0, 0);
        for value in 0..10_000 {
            match stream.below(3) {
                0 | 1 if model.len() < 8 => {
                    let handle = arena.insert(Item { value, next: NONE });
                    chain.push_back(&mut arena, handle);
                    model.push_back(value);
                }
                2 if !model.is_empty() => {
                    let wanted = model.remove(stream.below(model.len() as u32) as usize).unwrap();
                    let (before, handle) =
                        chain.find(&arena, |_, item| item.value == wanted).unwrap();
                    chain.unlink(&mut arena, before, handle);
                    arena.remove(handle);
                }
                _ => {
                    let handle = chain.pop_front(&mut arena);
                    assert_eq!((handle != NONE).then(|| arena[handle].value), model.pop_front());
                    if handle != NONE {
                        arena.remove(handle);
                    }
                }
            }
            assert_eq!(chain.is_empty(), model.is_empty());
            assert!(chain.find(&arena, |_, item| item.value == u32::MAX).is_none());
        }
    }
}
