//! Packets in flight: the half that every hop uses (one cache line per packet), apart from the half
//! that only delivery reads.

use crate::store::queue::Chunks;
use pantala_engine::{ProvenArray, Time};
use pantala_routing::RouteState;
use serde::{Deserialize, Serialize};

/// No packet: the end of a queue.
pub const NONE: u32 = u32::MAX;

/// The part of a packet that a record stands for: all of it, unless flits move one by one
/// ([`crate::config::FlowControl`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// The whole packet, or its only flit.
    Whole,
    /// Its first flit.
    Head,
    /// A flit between the first and the last.
    Body,
    /// Its last flit.
    Tail,
}

impl Piece {
    /// Returns the part for flit `number` of a packet of `flits`.
    pub(crate) const fn of(number: u16, flits: u16) -> Self {
        match (number == 0, number + 1 == flits) {
            (true, true) => Self::Whole,
            (true, false) => Self::Head,
            (false, false) => Self::Body,
            (false, true) => Self::Tail,
        }
    }

    /// Returns whether the part has the packet's first flit.
    #[inline]
    pub(crate) const fn starts(self) -> bool {
        matches!(self, Self::Whole | Self::Head)
    }

    /// Returns whether the part has the packet's last flit.
    #[inline]
    pub(crate) const fn ends(self) -> bool {
        matches!(self, Self::Whole | Self::Tail)
    }
}

/// The half of a packet that every hop reads and writes.
#[repr(align(64))]
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Packet {
    /// When the head is ready at the current stage, in ps.
    pub ready: Time,
    /// When the tail is there, in ps.
    pub tail: Time,
    /// The state of its routing.
    pub route: RouteState,
    /// The input VC that the packet is in or on its way to, as `(router * ports + port) * VCs +
    /// VC`.
    pub at: u32,
    /// Payload in bytes.
    pub bytes: u32,
    /// Job.
    pub job: u16,
    /// Length in flits.
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

/// The half of a packet that only injection and delivery use.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PacketOrigin {
    /// Creation time in ps. Of a response: the delivery of its request.
    pub created: Time,
    /// When the packet entered the buffer of the NIC, in ps. Of a response: when the head of its
    /// request started on its injection link, which is the start of the request-response latency.
    pub accepted: Time,
    /// When its head started on the injection link, in ps.
    pub injected: Time,
    /// Source NIC.
    pub source: u32,
    /// The host's handle of the message.
    pub message: u32,
    /// The host's number of the packet.
    pub number: u32,
}

/// The packets of a partition, with a free list. Nothing is allocated after it has grown to the
/// most packets ever in flight.
#[derive(Debug)]
pub(crate) struct Packets {
    hot: ProvenArray<Packet>,
    origin: ProvenArray<PacketOrigin>,
    /// What queues consist of.
    pub(crate) chunks: Chunks,
    free: Vec<u32>,
}

impl Default for Packets {
    fn default() -> Self {
        // SAFETY: the proof of packets (store/bounds.rs).
        let (hot, origin) =
            unsafe { (ProvenArray::proven(0, Vec::new()), ProvenArray::proven(0, Vec::new())) };
        Self { hot, origin, chunks: Chunks::default(), free: Vec::new() }
    }
}

impl Packets {
    /// Reserves a record for a packet. The caller writes both halves.
    #[inline]
    pub(crate) fn reserve(&mut self) -> u32 {
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
            number: 0,
        });
        (self.hot.len() - 1) as u32
    }

    /// Frees a packet's record.
    #[inline]
    pub(crate) fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Returns the half that only injection and delivery use.
    #[inline]
    pub(crate) fn origin(&self, index: u32) -> &PacketOrigin {
        &self.origin[index]
    }

    /// Returns the half that only injection and delivery use, to write it.
    #[inline]
    pub(crate) fn origin_mut(&mut self, index: u32) -> &mut PacketOrigin {
        &mut self.origin[index]
    }

    /// Prefetches the half of a packet that every hop uses.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: u32) {
        self.hot.prefetch::<1>(index as usize);
    }

    /// Prefetches both halves of a packet.
    #[inline(always)]
    pub(crate) fn prefetch_whole(&self, index: u32) {
        self.hot.prefetch::<1>(index as usize);
        self.origin.prefetch::<1>(index as usize);
    }

    /// Returns the records in use: packets in flight, or their flits if flits move one by one.
    pub(crate) fn live(&self) -> usize {
        self.hot.len() - self.free.len()
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
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
