//! Packets in flight: a slab, its hot half (one cache line a packet) apart from what only delivery
//! reads.

use crate::flat_array::FlatArray;
use crate::queue::Chunks;
use pantala_engine::Time;
use serde::{Deserialize, Serialize};

/// No packet, no entry: the end of an intrusive list.
pub const NONE: u32 = u32::MAX;

/// Where a packet is on its way; together with the routing it decides the VC of the next hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Serialize, Deserialize)]
pub enum Phase {
    /// Before the decision at the source router.
    Undecided,
    /// Minimal so far and still in its source group, under a progressive routing: the next router
    /// decides again.
    Revisable,
    /// On a minimal path that does not leave the group.
    Inside,
    /// Inside the group too, but on the way to another of its routers, which the path goes over.
    Beside,
    /// Non-minimal, on the way to the intermediate group or router.
    ToIntermediate,
    /// On the way to the destination: minimal from the start, or past the intermediate.
    ToDestination,
}

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

/// What a hop reads and writes.
#[repr(align(64))]
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Packet {
    /// When the head is ready at the present stage.
    pub ready: Time,
    /// When the tail is there.
    pub tail: Time,
    /// The packet's own random word: every draw of its routing is a function of it.
    pub draw: u64,
    /// The input VC (of all) that it is in or on its way to.
    pub at: u32,
    /// Destination node.
    pub destination: u32,
    /// Router of the destination node.
    pub destination_router: u32,
    /// Intermediate router or group, as the routing has it, of a non-minimal path.
    pub intermediate: u32,
    /// The global link the packet is heading for in this group: index into the pair's links;
    /// [`NONE`] before the choice.
    pub gateway: u32,
    /// Payload.
    pub bytes: u32,
    /// Group of the destination.
    pub destination_group: u16,
    /// Job.
    pub job: u16,
    /// Length.
    pub flits: u16,
    /// The VC it has been routed to.
    pub out_vc: u8,
    /// Links between routers so far.
    pub hops: u8,
    /// Phase.
    pub phase: Phase,
    /// Whether it took a non-minimal path.
    pub nonminimal: bool,
    /// Its place in the plan's table of routings.
    pub routing: u8,
    /// What of the packet this is.
    pub piece: Piece,
}

impl Packet {
    /// A packet that is nowhere.
    pub(crate) const EMPTY: Self = Self {
        ready: 0,
        tail: 0,
        draw: 0,
        at: 0,
        destination: 0,
        destination_router: 0,
        intermediate: NONE,
        gateway: NONE,
        bytes: 0,
        destination_group: 0,
        job: 0,
        flits: 0,
        out_vc: 0,
        hops: 0,
        phase: Phase::Undecided,
        nonminimal: false,
        routing: 0,
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
