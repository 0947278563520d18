//! Packets in flight: a slab, its hot half (one cache line a packet) apart from what only delivery
//! reads.

use crate::store::queue::Chunks;
use pantala_engine::{FlatArray, Time};
use pantala_routing::RouteState;
use serde::{Deserialize, Serialize};

/// No packet, no entry: the end of an intrusive list.
pub const NONE: u32 = u32::MAX;

/// What of a packet a record stands for: all of it, unless flits move one by one
/// ([`crate::config::FlowControl`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// All of it, or its only flit.
    Whole,
    /// Its first flit.
    Head,
    /// One between the first and the last.
    Body,
    /// Its last flit.
    Tail,
}

impl Piece {
    /// The part that flit `number` of a packet of `flits` is.
    pub(crate) const fn of(number: u16, flits: u16) -> Self {
        match (number == 0, number + 1 == flits) {
            (true, true) => Self::Whole,
            (true, false) => Self::Head,
            (false, false) => Self::Body,
            (false, true) => Self::Tail,
        }
    }

    /// Whether the packet's first flit is in it.
    #[inline]
    pub(crate) const fn starts(self) -> bool {
        matches!(self, Self::Whole | Self::Head)
    }

    /// Whether the packet's last flit is in it.
    #[inline]
    pub(crate) const fn ends(self) -> bool {
        matches!(self, Self::Whole | Self::Tail)
    }
}

/// The half of a packet that every hop reads and writes.
#[repr(align(64))]
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Packet {
    /// When the head is ready at the present stage.
    pub ready: Time,
    /// When the tail is there.
    pub tail: Time,
    /// The state of its routing.
    pub route: RouteState,
    /// The input VC (of all) that it is in or on its way to.
    pub at: u32,
    /// Payload.
    pub bytes: u32,
    /// Job.
    pub job: u16,
    /// Length.
    pub flits: u16,
    /// The VC it has been routed to.
    pub out_vc: u8,
    /// The part of the packet that this record stands for.
    pub piece: Piece,
}

impl Packet {
    /// An unused record.
    pub(crate) const EMPTY: Self = Self {
        ready: 0,
        tail: 0,
        route: RouteState::EMPTY,
        at: 0,
        bytes: 0,
        job: 0,
        flits: 0,
        out_vc: 0,
        piece: Piece::Whole,
    };
}

/// What only the ends of a packet's life touch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PacketOrigin {
    /// Creation; of a response: the delivery of its request.
    pub created: Time,
    /// When it entered the NIC's own buffer. A response does so at its creation; of one, when the
    /// head of its request started on its injection link: where the pair's latency starts.
    pub accepted: Time,
    /// When its head started on the injection link.
    pub injected: Time,
    /// Source node.
    pub source: u32,
    /// The host's handle.
    pub message: u32,
}

/// A slab of packets with a free list: nothing is allocated once it has grown to the most packets
/// ever in flight.
#[derive(Debug, Default)]
pub struct Packets {
    hot: FlatArray<Packet>,
    origin: FlatArray<PacketOrigin>,
    /// What queues consist of.
    pub(crate) chunks: Chunks,
    free: Vec<u32>,
}

impl Packets {
    /// Takes a place for a packet; the caller writes both halves.
    #[inline]
    pub fn reserve(&mut self) -> u32 {
        match self.free.pop() {
            Some(index) => index,
            None => self.grow(),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> u32 {
        self.hot.push(Packet::EMPTY);
        self.origin.push(PacketOrigin {
            created: 0,
            accepted: 0,
            injected: 0,
            source: 0,
            message: 0,
        });
        (self.hot.len() - 1) as u32
    }

    /// Gives a packet's place back.
    #[inline]
    pub fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    /// What delivery reads.
    #[inline]
    #[must_use]
    pub fn origin(&self, index: u32) -> &PacketOrigin {
        &self.origin[index]
    }

    /// What delivery reads, to be written at injection.
    #[inline]
    pub fn origin_mut(&mut self, index: u32) -> &mut PacketOrigin {
        &mut self.origin[index]
    }

    /// Asks for a packet that will be used soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: u32) {
        self.hot.prefetch::<1>(index as usize);
    }

    /// Asks for both halves of a packet.
    #[inline(always)]
    pub(crate) fn prefetch_whole(&self, index: u32) {
        self.hot.prefetch::<1>(index as usize);
        self.origin.prefetch::<1>(index as usize);
    }

    /// Records in use: of packets in flight, or of their flits if those move one by one.
    #[must_use]
    pub fn live(&self) -> usize {
        self.hot.len() - self.free.len()
    }

    /// Bytes of memory held.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.hot.memory()
            + self.origin.memory()
            + self.chunks.memory()
            + self.free.capacity() * size_of::<u32>()
    }
}

impl std::ops::Index<u32> for Packets {
    type Output = Packet;
    #[inline]
    fn index(&self, index: u32) -> &Packet {
        &self.hot[index]
    }
}

impl std::ops::IndexMut<u32> for Packets {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Packet {
        &mut self.hot[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hot_half_is_one_cache_line() {
        assert_eq!(size_of::<Packet>(), 64);
    }
}
