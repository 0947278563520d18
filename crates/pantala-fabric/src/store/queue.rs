//! Queues of packets: the first packet in the queue itself, the others in chunks of a cache line.
//!
//! In a saturated network queues are long, and each cache line of a queue comes from memory. A
//! chunk holds the numbers of fifteen packets, so a queue loads one line per fifteen packets that
//! enter and one per fifteen that leave. A queue of one packet needs no chunk. Under a light load
//! nearly all queues are that short.

use crate::store::packet::{NONE, Packets};
use pantala_engine::ProvenArray;

/// Places a chunk; the last holds where the next chunk begins.
const PLACES: u32 = 16;
const LAST: u32 = PLACES - 1;

/// A cache line of numbers of packets.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
struct Chunk([u32; PLACES as usize]);

/// The chunks of all queues. A place is `chunk * 16 + position`.
#[derive(Debug)]
pub(crate) struct Chunks {
    chunks: ProvenArray<Chunk>,
    /// The first place of the first free chunk, which holds that of the next; [`NONE`]: none is
    /// free.
    free: u32,
}

impl Default for Chunks {
    fn default() -> Self {
        // SAFETY: the proof of chunks (store/bounds.rs).
        Self { chunks: unsafe { ProvenArray::proven(0, Vec::new()) }, free: NONE }
    }
}

impl Chunks {
    #[inline(always)]
    fn at(&self, place: u32) -> u32 {
        self.chunks[place / PLACES].0[(place % PLACES) as usize]
    }

    #[inline(always)]
    fn set(&mut self, place: u32, number: u32) {
        self.chunks[place / PLACES].0[(place % PLACES) as usize] = number;
    }

    /// The first place of a chunk for one's own.
    #[inline]
    fn reserve(&mut self) -> u32 {
        if self.free == NONE {
            self.chunks.push(Chunk([NONE; PLACES as usize]));
            return (self.chunks.len() as u32 - 1) * PLACES;
        }
        let first = self.free;
        self.free = self.at(first);
        first
    }

    /// Gives back the chunk that a place is in.
    #[inline]
    fn give_back(&mut self, place: u32) {
        let first = place & !LAST;
        self.set(first, self.free);
        self.free = first;
    }

    /// Bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.chunks.memory()
    }
}

/// A first-in-first-out queue of packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    /// First out, or [`NONE`].
    pub(crate) head: u32,
    /// The places of the second and of the last; [`NONE`]: there is no second.
    second: u32,
    last: u32,
}

impl Default for Queue {
    fn default() -> Self {
        Self { head: NONE, second: NONE, last: NONE }
    }
}

impl Queue {
    /// Appends; true if the packet is now the head.
    #[inline]
    pub(crate) fn push(&mut self, packets: &mut Packets, index: u32) -> bool {
        if self.head == NONE {
            self.head = index;
            return true;
        }
        let chunks = &mut packets.chunks;
        if self.second == NONE {
            self.second = chunks.reserve();
            self.last = self.second;
        } else {
            self.last += 1;
            if self.last % PLACES == LAST {
                let next = chunks.reserve();
                chunks.set(self.last, next);
                self.last = next;
            }
        }
        chunks.set(self.last, index);
        false
    }

    /// Takes the head, which must exist. The packet behind the new one is fetched: by its turn it
    /// will be there.
    #[inline]
    pub(crate) fn pop(&mut self, packets: &mut Packets) -> u32 {
        let index = self.head;
        let place = self.second;
        if place == NONE {
            self.head = NONE;
            return index;
        }
        let chunks = &mut packets.chunks;
        self.head = chunks.at(place);
        if place == self.last {
            chunks.give_back(place);
            self.second = NONE;
            return index;
        }
        self.second = place + 1;
        if self.second % PLACES == LAST {
            self.second = chunks.at(place + 1);
            chunks.give_back(place);
        }
        let next = chunks.at(self.second);
        packets.prefetch(next);
        index
    }

    /// Prefetches the first packet, and where the number of the second is.
    #[inline(always)]
    pub(crate) fn prefetch_head(&self, packets: &Packets) {
        packets.prefetch(self.head);
        if self.second != NONE {
            packets.chunks.chunks.prefetch::<1>((self.second / PLACES) as usize);
        }
    }

    /// The packets in order.
    pub(crate) fn iter<'a>(&self, packets: &'a Packets) -> impl Iterator<Item = u32> + use<'a> {
        let (mut head, mut place, last) = (self.head, self.second, self.last);
        std::iter::from_fn(move || {
            let index = std::mem::replace(&mut head, NONE);
            if index == NONE {
                return None;
            }
            if place != NONE {
                head = packets.chunks.at(place);
                place = if place == last { NONE } else { place + 1 };
                if place != NONE && place % PLACES == LAST {
                    place = packets.chunks.at(place);
                }
            }
            Some(index)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_engine::Stream;
    use std::collections::VecDeque;

    /// Many queues at once, drawn: each gives back what went in, in its order, and all chunks that
    /// are not needed are free.
    #[test]
    fn queues_keep_their_order() {
        let mut packets = Packets::default();
        let mut queues = [Queue::default(); 5];
        let mut expected: [VecDeque<u32>; 5] = Default::default();
        let mut draws = Stream::new(1, 2, 3);
        for round in 0..40_000_u32 {
            let which = draws.below(5) as usize;
            let (queue, expected) = (&mut queues[which], &mut expected[which]);
            // In turn they grow to some dozens and shrink to nothing.
            let grows = if round / 500 % 2 == 0 { 7 } else { 3 };
            if draws.below(10) < grows {
                let index = packets.reserve();
                assert_eq!(queue.push(&mut packets, index), expected.is_empty());
                expected.push_back(index);
            } else if let Some(index) = expected.pop_front() {
                assert_eq!(queue.pop(&mut packets), index);
                packets.remove(index);
            }
            assert_eq!(queue.head, expected.front().copied().unwrap_or(NONE));
            if round % 50 == 0 {
                assert_eq!(queue.iter(&packets).collect::<Vec<_>>(), Vec::from(expected.clone()));
            }
        }
        for (queue, expected) in queues.iter_mut().zip(&mut expected) {
            while let Some(index) = expected.pop_front() {
                assert_eq!(queue.pop(&mut packets), index);
            }
        }
        let chunks = &packets.chunks;
        let listed = |place: u32| (place != NONE).then_some(place);
        let free = std::iter::successors(listed(chunks.free), |&place| listed(chunks.at(place)));
        assert_eq!(free.count(), chunks.chunks.len());
    }

    #[test]
    fn a_chunk_is_a_cache_line_and_one_packet_needs_none() {
        assert_eq!(size_of::<Chunk>(), 64);
        let mut packets = Packets::default();
        let mut queue = Queue::default();
        for index in 0..10 {
            assert!(queue.push(&mut packets, index));
            assert_eq!(queue.pop(&mut packets), index);
        }
        assert_eq!(packets.chunks.memory(), 0);
    }
}
