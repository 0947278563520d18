//! The nodes of all lists of a wheel, in one arena with a free list.

use super::event::{PHASES, PHASES_LOG2};
use crate::prefetch::prefetch;
use crate::time::Time;

/// The end of a list.
pub(super) const END: u32 = u32::MAX;

/// An event in a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) id: u32,
    pub(super) next: u32,
    /// The time since the start of the list's span and, in the lowest bits, the phase.
    pub(super) key: u32,
    /// The value that the scheduler gets back when the event is foreseen or taken.
    pub(super) hint: u32,
}

impl Node {
    /// The key of a time in a span of `2^span_log2` ps.
    #[inline(always)]
    pub(super) const fn key_of<const SPAN_LOG2: u32>(time: Time, phase: u8) -> u32 {
        (((time & ((1 << SPAN_LOG2) - 1)) as u32) << PHASES_LOG2) | phase as u32
    }

    /// The phase.
    #[inline(always)]
    pub(super) const fn phase(&self) -> u8 {
        self.key as u8 & (PHASES - 1)
    }

    /// The time since the start of the list's span.
    #[inline(always)]
    pub(super) const fn offset(&self) -> Time {
        (self.key >> PHASES_LOG2) as Time
    }
}

/// The arena.
#[derive(Debug)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    free: u32,
}

impl Nodes {
    pub(super) const fn new() -> Self {
        Self { nodes: Vec::new(), free: END }
    }

    /// Stores a node and returns its index.
    #[inline(always)]
    pub(super) fn insert(&mut self, node: Node) -> u32 {
        let index = self.free;
        let Some(place) = self.nodes.get_mut(index as usize) else {
            return self.grow(node);
        };
        self.free = place.next;
        *place = node;
        index
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    /// The node with this index; [`None`] at the end of a list.
    #[inline(always)]
    pub(super) fn get(&self, index: u32) -> Option<&Node> {
        self.nodes.get(index as usize)
    }

    /// As [`Self::get`], mutable.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, index: u32) -> Option<&mut Node> {
        self.nodes.get_mut(index as usize)
    }

    /// Removes and returns the first node of a list. `head` is the index of that node and becomes
    /// the index of the next one.
    #[inline(always)]
    pub(super) fn pop(&mut self, head: &mut u32) -> Option<Node> {
        let index = *head;
        let node = self.nodes.get_mut(index as usize)?;
        let taken = *node;
        *head = taken.next;
        node.next = self.free;
        self.free = index;
        Some(taken)
    }

    /// Prefetches a node that will be read soon.
    #[inline(always)]
    pub(super) fn prefetch(&self, index: u32) {
        prefetch(self.nodes.as_ptr().wrapping_add(index as usize));
    }

    /// The nodes of a list.
    pub(super) fn list(&self, head: u32) -> impl Iterator<Item = &Node> {
        let mut at = head;
        std::iter::from_fn(move || {
            let node = self.get(at)?;
            at = node.next;
            Some(node)
        })
    }

    /// Bytes of memory held.
    pub(super) fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }
}
