//! The state of packets whose flits move one by one: the path that a packet's first flit leaves for
//! those behind it.

use crate::router::stages::Stages;
use crate::store::bounds::{empty, filled};
use crate::store::packet::{Packet, Piece};
use crate::variant::General;
use pantala_engine::{ProvenArray, Time};

/// The path of a packet's first flit through a router, and its record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead {
    pub(crate) first: Packet,
    pub(crate) out: u32,
    pub(crate) out_vc: u32,
}

/// A packet that a NIC has begun to send, and the number of its next flit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub(crate) packet: u32,
    pub(crate) next: u16,
}

/// The state of all packets whose flits move one by one.
#[derive(Debug)]
pub(crate) struct Worms {
    /// Per input VC, the packet that crosses, or crossed last.
    pub(crate) leads: ProvenArray<Option<Lead>>,
    /// Per output VC, and per NIC and VC, when the last flit sent arrives behind the link.
    pub(crate) arrivals: ProvenArray<Time>,
    pub(crate) nic_arrivals: ProvenArray<Time>,
    /// Per NIC, the packet that it has begun to send.
    pub(crate) begun: ProvenArray<Option<Begun>>,
    /// Number of records of flits that are not the last of their packets.
    pub(crate) leading: u64,
}

impl Default for Worms {
    /// The state of no VCs and no NICs.
    fn default() -> Self {
        Self {
            leads: empty(),
            arrivals: empty(),
            nic_arrivals: empty(),
            begun: empty(),
            leading: 0,
        }
    }
}

impl Worms {
    /// Makes the state for these input and output VCs and these NICs, each as first number and
    /// count, with `vcs` VCs per NIC.
    pub(crate) fn new(
        (first, count): (usize, usize),
        (first_terminal, terminals): (usize, usize),
        vcs: usize,
    ) -> Self {
        // SAFETY: the proofs of ports and of NICs (store/bounds.rs).
        unsafe {
            Self {
                leads: filled((first, count), None),
                arrivals: filled((first, count), 0),
                nic_arrivals: filled((first_terminal * vcs, terminals * vcs), 0),
                begun: filled((first_terminal, terminals), None),
                leading: 0,
            }
        }
    }

    /// Returns whether a NIC has sent some flits of a packet and not all.
    #[inline]
    pub(crate) fn sends(&self, terminal: u32) -> bool {
        self.begun[terminal].is_some()
    }

    /// Returns the packets that NICs have begun to send.
    pub(crate) fn begun(&self) -> impl Iterator<Item = u32> {
        self.begun.iter().flatten().map(|begun| begun.packet)
    }

    /// Number of records of flits that are not the last of their packets.
    pub(crate) const fn leading(&self) -> u64 {
        self.leading
    }

    /// Bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.leads.memory()
            + self.arrivals.memory()
            + self.nic_arrivals.memory()
            + self.begun.memory()
    }

    /// Notes the route of a packet's first flit.
    pub(crate) fn lead(&mut self, in_vc: u32, first: &Packet, (out, out_vc): (u32, u32)) {
        self.leads[in_vc] = Some(Lead { first: *first, out, out_vc });
    }

    /// Returns when a flit arrives in the input buffer behind its link. A packet would arrive at
    /// `head`. Only the first flit needs the time for its route, and no flit overtakes it.
    pub(crate) fn arrival(
        &mut self,
        out_vc: usize,
        piece: Piece,
        head: Time,
        stages: &Stages,
    ) -> Time {
        in_order(&mut self.arrivals[out_vc], piece, head, stages)
    }

    /// Notes that a record has left for another partition.
    pub(crate) fn post(&mut self, piece: Piece) {
        self.leading -= u64::from(!piece.ends());
    }

    /// Notes that a record has come from another partition.
    pub(crate) fn take(&mut self, piece: Piece) {
        self.leading += u64::from(!piece.ends());
    }
}

/// See [`Worms::arrival`]. The flit before arrives at `last`, and this one cannot cross earlier.
pub(crate) fn in_order(last: &mut Time, piece: Piece, head: Time, stages: &Stages) -> Time {
    let own = if piece.starts() { head } else { head - stages.head_latency::<General>() };
    *last = own.max(*last + stages.crossbar_flit);
    *last
}
