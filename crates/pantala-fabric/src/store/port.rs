//! The state of ports and VCs: one record each, in flat arrays.
//!
//! Output port `p` of router `r` has the number `r * ports + p`, its VC `v` the number
//! `(r * ports + p) * vcs + v`; input ports and input VCs likewise.

use crate::store::account::{Account, Credits, PendingPool};
use crate::store::queue::Queue;
use pantala_engine::{NEVER, ProvenArray, Time};
use serde::{Deserialize, Serialize};

/// The sender is a router of this partition.
pub(crate) const HERE: u16 = u16::MAX;

/// The sender is a NIC of this partition.
pub(crate) const NIC: u16 = u16::MAX - 1;

/// The bit that marks another partition.
pub(crate) const ELSEWHERE: u16 = 1 << 15;

/// A VC of an input port, with its buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InVc {
    /// The input buffer.
    pub(crate) queue: Queue,
    /// When the tail of the last packet that crossed has left. The next packet may not overtake it.
    pub(crate) open: Time,
    /// The port.
    pub(crate) port: u32,
    /// The output VC that the head waits for.
    pub(crate) out_vc: u32,
    /// Its place among the router's input VCs.
    pub(crate) bit: u16,
    /// The length of the head that waits, so that arbitration need not read the packet.
    pub(crate) flits: u16,
}

/// An input port of a router.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InPort {
    /// Until when a packet from this port occupies the crossbar.
    pub(crate) busy_until: Time,
    /// Delay of a credit from here to the sender.
    pub(crate) credit_delay: Time,
    /// The router.
    pub(crate) router: u32,
    /// The router's group.
    pub(crate) group: u32,
    /// The sender, which gets the credits: the first VC of an output port, or (terminal port) a
    /// NIC.
    pub(crate) upstream: u32,
    /// The number of its VCs whose head waits for an output.
    pub(crate) waiting: u16,
    /// The partition of the sender, if it is another one; otherwise [`HERE`] or [`NIC`].
    pub(crate) sender_partition: u16,
}

impl InPort {
    /// Returns whether a NIC sends to this port.
    #[inline(always)]
    pub(crate) const fn is_terminal(&self) -> bool {
        self.sender_partition == NIC
    }
}

/// An output port of a router and its link. It takes two cache lines; the first has the fields that
/// every packet uses.
#[repr(align(128))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutPort {
    /// From when on the crossbar can take a packet to this port.
    pub(crate) crossbar_free: Time,
    /// From when on the link can take a packet.
    pub(crate) link_free: Time,
    /// Time of one flit on the link.
    pub(crate) flit: Time,
    /// From the start on the link to the next stage: propagation, and the latencies of routers on
    /// the way.
    pub(crate) reach: Time,
    /// The first input VC of the port behind the link, or (ejection) the NIC.
    pub(crate) target: u32,
    /// The router.
    pub(crate) router: u32,
    /// Its place in the router.
    pub(crate) port: u16,
    /// The VCs (bits) with packets in the output buffer.
    pub(crate) queued: u16,
    /// The VCs (bits) that a packet waits for at the crossbar.
    pub(crate) waiting: u16,
    /// The round-robin pointer of the crossbar: an input VC of the router, or, under iSLIP, an
    /// input port.
    pub(crate) next_input: u16,
    /// The block of groups of the router, and of the router behind the link. For a link to another
    /// partition, the second is [`ELSEWHERE`] plus the number of that partition.
    pub(crate) home: u16,
    pub(crate) beyond: u16,
    /// The round-robin pointer of the link.
    pub(crate) next_vc: u8,
    /// The far end of the link.
    pub(crate) end: LinkEnd,
    /// The job that the current stall belongs to.
    pub(crate) stalled_job: u16,
    /// When the link's next decision is scheduled; [`NEVER`]: not.
    pub(crate) wake: Time,
    /// When the crossbar's next arbitration is scheduled; [`NEVER`]: not.
    pub(crate) crossbar_wake: Time,
    /// The start of the current stall, in which a packet is ready and none has credit; [`NEVER`]:
    /// none.
    pub(crate) stalled_since: Time,
    /// Ejection links: the delay of the NIC's credits.
    pub(crate) credit_delay: Time,
    /// Twice the time at which a head was last routed to this port, plus one if several heads were.
    pub(crate) routed_at: Time,
    /// The counters of the link.
    pub(crate) counters: LinkCounters,
}

/// The far end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkEnd {
    /// A router.
    Router,
    /// A router to which the routing sends packets of one VC only. They leave in the order of
    /// arrival.
    SingleRouter,
    /// A NIC whose buffer can run out of room, or that gets packets of several VCs.
    Nic,
    /// A NIC that gets packets of one VC, with a buffer that never runs out of room. It needs no
    /// credit account.
    AmpleNic,
    /// Nothing.
    Nothing,
}

impl LinkEnd {
    /// Returns whether the link goes to a router.
    #[inline]
    pub(crate) const fn is_router(self) -> bool {
        matches!(self, Self::Router | Self::SingleRouter)
    }

    /// Returns whether all packets on the link have one VC.
    #[inline]
    pub(crate) const fn is_single(self) -> bool {
        matches!(self, Self::SingleRouter | Self::AmpleNic)
    }
}

/// A VC of an output port: its output buffer, the room there, and the credits for the buffer behind
/// the link. It takes one cache line.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutVc {
    /// Credits: room in the input buffer behind the link.
    pub(crate) credits: Credits,
    /// Room in the output buffer.
    pub(crate) space: Account,
    /// The output buffer.
    pub(crate) queue: Queue,
    /// When the tail of the last packet sent has left. The next packet of this VC may not overtake
    /// it.
    pub(crate) gone: Time,
    /// Flits in `queue`.
    pub(crate) unsent: i32,
    /// The credits that the head waits for and that are not all scheduled yet; zero: it waits for
    /// none. If several heads wait at the crossbar: the smallest number.
    pub(crate) credit_wait: u16,
    /// Whether a packet waits at the crossbar for room whose time is not known yet.
    pub(crate) space_wait: bool,
}

/// The packets of a router that wait for room behind an output VC.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VirtualQueue {
    pub(crate) queue: Queue,
    /// The room that they will take.
    pub(crate) room: i32,
}

/// What routing reads of an output port, all VCs together, if inputs queue by output.
///
/// A decision reads up to eight ports, and each has a cache line per VC. The sum of a port changes
/// at known times only, so it is added up again when one of them has passed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PortReading {
    /// The flits that hold or wait for room behind the port.
    pub(crate) flits: i64,
    /// Until when the sum holds: the first time at which credits of the port come back.
    pub(crate) until: Time,
}

/// The ports and VCs of all routers: buffers, room in them, and credits.
#[derive(Debug)]
pub(crate) struct Ports {
    pub(crate) in_ports: ProvenArray<InPort>,
    pub(crate) in_vcs: ProvenArray<InVc>,
    pub(crate) out_ports: ProvenArray<OutPort>,
    pub(crate) out_vcs: ProvenArray<OutVc>,
    /// Per output VC, the packets that wait for room behind its link. Empty unless inputs queue by
    /// output.
    pub(crate) virtual_queues: ProvenArray<VirtualQueue>,
    /// Per output port, what routing reads of it. Empty unless inputs queue by output.
    pub(crate) readings: ProvenArray<PortReading>,
    /// Per input port, the wire of its credits. Empty unless links have a clock.
    pub(crate) credit_wires: ProvenArray<CreditWire>,
    /// The entries of all accounts that come back later.
    pub(crate) pool: PendingPool,
}

impl Ports {
    /// Returns whether there are credits for `room` flits behind the link of an output VC.
    #[inline]
    pub(crate) fn has_credit(&mut self, out: usize, out_vc: u32, room: i32, now: Time) -> bool {
        self.out_ports[out].end == LinkEnd::AmpleNic
            || self.out_vcs[out_vc].credits.at(&mut self.pool, now) >= room
    }

    /// Returns the VCs (bits) of an output that a packet waits for and that have room for a flit.
    #[inline(always)]
    pub(crate) fn roomy_vcs(&mut self, out: usize, vcs: usize, now: Time) -> u16 {
        let mut roomy = 0;
        let mut set = self.out_ports[out].waiting;
        while set != 0 {
            let vc = set.trailing_zeros() as usize;
            set &= set - 1;
            let room = self.out_vcs[out * vcs + vc].space.at(&mut self.pool, now) > 0;
            roomy |= u16::from(room) << vc;
        }
        roomy
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.in_ports.memory()
            + self.in_vcs.memory()
            + self.out_ports.memory()
            + self.out_vcs.memory()
            + self.virtual_queues.memory()
            + self.readings.memory()
            + self.credit_wires.memory()
            + self.pool.memory()
    }
}

impl PortReading {
    /// Notes that credits of the port come back at `time`: its sum holds no longer.
    #[inline]
    pub(crate) fn ends(&mut self, time: Time) {
        self.until = self.until.min(time);
    }
}

/// The wire on which a port returns credits. With a clock it carries one per flit time, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CreditWire {
    /// Time of one flit on the link; zero: the link has no clock.
    pub(crate) flit: Time,
    /// From when on the wire is free.
    pub(crate) free: Time,
}

impl CreditWire {
    /// Returns when the first and the last credit of a packet leave. Its flits leave the input
    /// buffer from `first` to `last`; one credit is enough if they leave together.
    #[inline]
    pub(crate) fn carry(&mut self, (first, last): (Time, Time), flits: u32) -> (Time, Time) {
        if self.flit == 0 {
            return (first, last);
        }
        let from = first.next_multiple_of(self.flit).max(self.free);
        let to = if first == last {
            from
        } else {
            last.next_multiple_of(self.flit).max(from + Time::from(flits - 1) * self.flit)
        };
        self.free = to + self.flit;
        (from, to)
    }
}

impl OutVc {
    /// Notes that a packet of `flits` waits for credits.
    pub(crate) fn await_credits(&mut self, flits: u32) {
        let flits = flits as u16;
        self.credit_wait = if self.credit_wait == 0 { flits } else { self.credit_wait.min(flits) };
    }
}

/// The counters of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkCounters {
    /// Packets that have started on the link.
    pub packets: u64,
    /// Their payload in bytes.
    pub bytes: u64,
    /// Flits that have started on the link.
    pub flits: u64,
    /// Time in ps in which a packet was ready and the link idle, but no packet had credit.
    pub stall: Time,
}

impl LinkCounters {
    /// Counts flits, and their packet if it `starts` with them.
    #[inline]
    pub(crate) fn count(&mut self, starts: bool, bytes: u32, flits: u32) {
        if starts {
            self.packets += 1;
            self.bytes += u64::from(bytes);
        }
        self.flits += u64::from(flits);
    }

    /// Returns the counters at `now`, with a stall that still lasts.
    pub(crate) fn at(mut self, stalled_since: Time, now: Time) -> Self {
        if stalled_since != NEVER {
            self.stall += now.saturating_sub(stalled_since);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credit_wire_carries_one_credit_per_flit_time() {
        let mut wire = CreditWire { flit: 10, free: 0 };
        let flits = [5, 10, 15, 40].map(|time| wire.carry((time, time), 1).0);
        assert_eq!(flits, [10, 20, 30, 40]);
        assert_eq!(wire.carry((45, 60), 4), (50, 80));
        assert_eq!(wire.carry((61, 61), 4), (90, 90));
        assert_eq!(CreditWire { flit: 0, free: 0 }.carry((45, 61), 4), (45, 61));
    }

    #[test]
    fn what_packets_touch_fits_cache_lines() {
        assert_eq!((size_of::<OutVc>(), size_of::<OutPort>()), (64, 128));
        assert_eq!((size_of::<InVc>(), size_of::<InPort>()), (32, 32));
    }
}
