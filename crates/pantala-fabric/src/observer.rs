//! [`Observer`]: the events of the stages, and the records that receive them.
//!
//! A stage calls one method of the observer for each event of a packet that a record may need. It
//! knows no record. The method calls the records that the run has: of ports, of blame, of paths.
//! Events at hosts and decisions of the routing go to the user's [`Probe`] too, which the stage
//! passes along.
//!
//! A run that records nothing pays nothing: [`Observer::on`] is `None` in a build without
//! [`Variant::HOOKS`], so the compiler removes the call and its arguments. Probes are type
//! parameters.
//!
//! **A new record** is a module in [`watch`](crate::watch), a field of [`Observer`], a line in
//! `memory` and in each method whose event it needs, and a method of `Partition` that switches it
//! and `records` on (`partition/readings.rs`). No stage changes, unless an event is missing.
//!
//! The times of an event can lie in the future: a packet is sent ahead of its link, and credits
//! return at known times.

use crate::host::MessageLabel;
use crate::probe::Probe;
use crate::store::account::VcCredits;
use crate::store::packet::{Packet, Packets};
use crate::variant::Variant;
use crate::watch::blame::BlameWatch;
use crate::watch::paths::{PathHop, PathWatch};
use crate::watch::ports::PortWatch;
use pantala_engine::Time;
use std::ops::Range;

/// The records of one partition.
#[derive(Debug, Default)]
pub(crate) struct Observer {
    /// Whether there is any record.
    pub(crate) records: bool,
    /// The record of links.
    pub(crate) ports: Option<Box<PortWatch>>,
    /// The waiting time of each job, by the job that causes it.
    pub(crate) blame: Option<Box<BlameWatch>>,
    /// The paths of chosen packets.
    pub(crate) paths: Option<Box<PathWatch>>,
}

/// A packet, or one of its flits, that starts on an injection link.
pub(crate) struct Injection {
    /// The NIC, and the VC of its injection link.
    pub(crate) from: (u32, u8),
    /// The flits that start, and the room that they take.
    pub(crate) flits: u32,
    pub(crate) room: u32,
    /// The credits of the VC that they leave.
    pub(crate) left: i32,
    /// When it could have started on an idle link.
    pub(crate) ready: Time,
    /// Whether it is a flit of the packet that was on the link last.
    pub(crate) follows: bool,
    /// From when to when it is on the link.
    pub(crate) on_link: (Time, Time),
}

impl Observer {
    /// Returns the observer, if there is a record.
    #[inline(always)]
    pub(crate) fn on<F: Variant>(&mut self) -> Option<&mut Self> {
        if F::watches(self.records) { Some(self) } else { None }
    }

    /// Returns whether the records are right if a packet is sent ahead of a busy link of an output,
    /// which leaves `left` credits of its VC. Most records want the packet's start, not its grant.
    #[inline(always)]
    pub(crate) fn allows_ahead(&self, out: usize, left: i32) -> bool {
        !self.records
            || self.blame.is_none()
                && self.paths.is_none()
                && self.ports.as_ref().is_none_or(|ports| ports.allows_ahead(out, left))
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.ports.as_ref().map_or(0, |ports| ports.memory())
            + self.blame.as_ref().map_or(0, |blame| blame.memory())
            + self.paths.as_ref().map_or(0, |paths| paths.memory())
    }
}

/// At NICs. `packet` is the number of a record in `packets`, here and below: of a packet, or of one
/// of its flits if flits move one by one.
impl Observer {
    /// The head of a host's packet starts on its injection link at `now`.
    #[inline(always)]
    pub(crate) fn sent_by_host(&self, probe: &mut impl Probe, job: u16, bytes: u32, now: Time) {
        probe.injected(job, bytes, now);
    }

    /// A packet is on its injection link. `credits` reads the link's account of a VC.
    #[inline(always)]
    pub(crate) fn injected(
        &mut self,
        packet: &Packet,
        injection: &Injection,
        credits: impl Fn(u8) -> Option<VcCredits>,
    ) {
        let &Injection { from: (terminal, vc), flits, room, left, ready, follows, on_link } =
            injection;
        if let Some(ports) = &mut self.ports {
            ports.sends(ports.injection(terminal), vc, packet, flits, on_link);
            let now = on_link.0;
            ports.takes((ports.injection(terminal), vc), (room, left), (now, now), credits);
        }
        if let Some(blame) = &mut self.blame {
            blame.injects(terminal, (packet.job, follows), ready, on_link);
        }
    }

    /// A stall of a NIC's injection link begins at `now`: a packet of a job and a routing has no
    /// credit on any of `vcs`, of which the first is `in_vc`.
    #[inline(always)]
    pub(crate) fn nic_stalled(
        &mut self,
        (terminal, in_vc): (u32, u32),
        vcs: &Range<u8>,
        packet: (u16, u8),
        now: Time,
    ) {
        if let Some(ports) = &mut self.ports {
            ports.stalls(ports.injection(terminal), vcs.start, packet, now);
        }
        if let Some(blame) = &mut self.blame {
            blame.nic_stalls(terminal, in_vc, packet.0, now);
        }
    }

    /// The stall of a NIC's injection link ends at `now`.
    #[inline(always)]
    pub(crate) fn nic_stall_ended(&mut self, terminal: u32, now: Time) {
        if let Some(ports) = &mut self.ports {
            ports.unstalls(ports.injection(terminal), now);
        }
        if let Some(blame) = &mut self.blame {
            blame.nic_stall_ends(terminal, now);
        }
    }

    /// Credits for `room` flits come back to a VC of a NIC's injection link between two times, now
    /// or later.
    #[inline(always)]
    pub(crate) fn nic_credited(
        &mut self,
        (terminal, vc): (u32, u8),
        back: (Time, Time),
        room: u32,
    ) {
        if let Some(ports) = &mut self.ports {
            ports.gives(ports.injection(terminal), vc, back, room);
        }
    }

    /// The first flit of a packet is at its NIC, and others follow.
    pub(crate) fn head_delivered(&mut self, packets: &Packets, packet: u32) {
        if let Some(paths) = &mut self.paths {
            paths.head_delivered(packets, packet);
        }
    }

    /// A host's packet is delivered at `now`. `message` is its message.
    #[inline(always)]
    pub(crate) fn delivered<F: Variant>(
        &mut self,
        probe: &mut impl Probe,
        (packets, packet): (&Packets, u32),
        message: impl FnOnce() -> Option<MessageLabel>,
        now: Time,
    ) {
        self.end_path::<F>(probe, packets, packet);
        if probe.delivered(&packets[packet], packets.origin(packet), now) {
            probe.belongs(message());
        }
    }

    /// A response is delivered at `now`.
    #[inline(always)]
    pub(crate) fn answered<F: Variant>(
        &mut self,
        probe: &mut impl Probe,
        packets: &Packets,
        packet: u32,
        now: Time,
    ) {
        self.end_path::<F>(probe, packets, packet);
        probe.answered(&packets[packet], packets.origin(packet), now);
    }

    #[inline(always)]
    fn end_path<F: Variant>(&mut self, probe: &mut impl Probe, packets: &Packets, packet: u32) {
        if let Some(Self { paths: Some(paths), .. }) = self.on::<F>() {
            probe.passed(paths.delivers(packets, packet));
        }
    }
}

/// In input buffers and at the crossbar.
impl Observer {
    /// A packet's head reaches the input buffer `in_vc`.
    #[inline(always)]
    pub(crate) fn arrived(&mut self, packets: &Packets, packet: u32, in_vc: u32, now: Time) {
        if let Some(paths) = &mut self.paths {
            paths.arrives(packets, packet, in_vc, now);
        }
    }

    /// The head of an input VC is routed to an output VC.
    #[inline(always)]
    pub(crate) fn routed(&self, probe: &mut impl Probe, in_vc: u32, out_vc: u32) {
        probe.routed(in_vc, out_vc);
    }

    /// A packet enters an input buffer in which another packet is the head.
    #[inline(always)]
    pub(crate) fn queued_behind(&mut self, in_vc: u32, job: u16, now: Time) {
        if let Some(blame) = &mut self.blame {
            blame.follows(in_vc, job, now);
        }
    }

    /// A packet enters an empty input buffer and does not cross at once.
    #[inline(always)]
    pub(crate) fn queued_first(&mut self, in_vc: u32, job: u16) {
        if let Some(blame) = &mut self.blame {
            blame.leads(in_vc, job);
        }
    }

    /// The head of an input VC waits for an output. The input port is free at `free`.
    #[inline(always)]
    pub(crate) fn head_waits(&mut self, input: (u32, u32), out: u32, free: Time, now: Time) {
        if let Some(blame) = &mut self.blame {
            blame.awaits(input, out, free, now);
        }
    }

    /// A packet waits for an output without a place in the queue of an input VC (virtual output
    /// queues).
    #[inline(always)]
    pub(crate) fn waits_for_output(&mut self, out: usize, job: u16, now: Time) {
        if let Some(blame) = &mut self.blame {
            blame.begins(out, job, now);
        }
    }

    /// A packet crosses from an input VC and port to an output. `WAITED`: it was the head of a
    /// queue. `stall_ends`: the output checks credits at the crossbar, so its stall ends.
    #[inline(always)]
    pub(crate) fn granted<const WAITED: bool>(
        &mut self,
        (in_vc, in_port): (u32, u32),
        (out, stall_ends): (usize, bool),
        job: u16,
        now: Time,
    ) {
        if let Some(blame) = &mut self.blame {
            if WAITED {
                blame.leaves(in_vc, out, job, now);
            }
            if stall_ends {
                blame.stall_ends(out, now);
            }
            blame.crosses::<WAITED>(in_port, out, job, now);
        }
    }

    /// A packet of a virtual output queue moves from its input port to the output.
    #[inline(always)]
    pub(crate) fn moved_to_output(&mut self, in_port: u32, out: usize, job: u16, now: Time) {
        if let Some(blame) = &mut self.blame {
            blame.ends(out, job, now);
            blame.crosses::<true>(in_port, out, job, now);
        }
    }
}

/// In output buffers and on links.
impl Observer {
    /// A packet is in an output buffer from now on. It could start on the link at `ready`.
    #[inline(always)]
    pub(crate) fn buffered(&mut self, out: usize, job: u16, ready: Time) {
        if let Some(blame) = &mut self.blame {
            blame.buffered(out, job, ready);
        }
    }

    /// A packet that crosses is sent ahead and starts on the link at `start`. It could start at
    /// `ready`.
    #[inline(always)]
    pub(crate) fn sent_ahead(&mut self, out: usize, job: u16, ready: Time, start: Time) {
        if let Some(blame) = &mut self.blame {
            blame.sent_ahead(out, job, ready, start);
        }
    }

    /// A packet of an output buffer starts on the link at `now`. It could have started at `ready`.
    #[inline(always)]
    pub(crate) fn started(&mut self, out: usize, job: u16, ready: Time, now: Time) {
        if let Some(blame) = &mut self.blame {
            blame.starts(out, job, ready, now);
        }
    }

    /// A packet of `room` flits is the next one that its link starts on a VC.
    #[inline(always)]
    pub(crate) fn decided(&mut self, out_vc: usize, job: u16, room: u32) {
        if let Some(blame) = &mut self.blame {
            blame.goes_next(out_vc, job, room);
        }
    }

    /// A packet that has counted when its link was booked starts at `now`.
    #[inline(always)]
    pub(crate) fn started_ahead(&mut self, out: usize, now: Time) {
        if let Some(blame) = &mut self.blame {
            blame.passes(out, now);
        }
    }

    /// A packet counts on the link of an output. It is there from a time that is now or later to
    /// another.
    #[inline(always)]
    pub(crate) fn counted(&mut self, packet: &Packet, out: usize, on_link: (Time, Time)) {
        if let Some(ports) = &mut self.ports {
            let flits = packet.flits.into();
            ports.sends(ports.output(out), packet.out_vc, packet, flits, on_link);
        }
    }

    /// A packet is on the link of an output from `start`, which is now or later, to `end`. In an
    /// idle router it would be there `idle` after its grant.
    #[inline(always)]
    pub(crate) fn sent(
        &mut self,
        (packet, index): (&Packet, u32),
        (out, out_vc): (usize, usize),
        (start, end, idle): (Time, Time, Time),
        now: Time,
    ) {
        if let Some(paths) = &mut self.paths {
            paths.sends((packet, index), out_vc as u32, (start, idle));
        }
        if let Some(blame) = &mut self.blame {
            blame.sends(out, packet.job, (start, end), now);
        }
    }

    /// A packet takes `room` flits of a VC of an output, which leaves `left` credits, at a time that
    /// is now or later. `credits` reads the account of a VC after that.
    #[inline(always)]
    pub(crate) fn took_credit(
        &mut self,
        (out, vc): (usize, u8),
        room_and_left: (u32, i32),
        time_and_now: (Time, Time),
        credits: impl Fn(u8) -> Option<VcCredits>,
    ) {
        if let Some(ports) = &mut self.ports {
            ports.takes((ports.output(out), vc), room_and_left, time_and_now, credits);
        }
    }

    /// Credits for `room` flits come back to a VC of an output between two times, now or later.
    #[inline(always)]
    pub(crate) fn credited(&mut self, (out, vc): (usize, u8), back: (Time, Time), room: u32) {
        if let Some(ports) = &mut self.ports {
            ports.gives(ports.output(out), vc, back, room);
        }
    }

    /// A stall of an output's link begins at `now`. It belongs to a packet.
    #[inline(always)]
    pub(crate) fn stalled(&mut self, out: usize, packet: &Packet, now: Time) {
        if let Some(ports) = &mut self.ports {
            ports.stalls(ports.output(out), packet.out_vc, (packet.job, packet.route.routing), now);
        }
    }

    /// The stall of an output's link ends at `now`.
    #[inline(always)]
    pub(crate) fn stall_ended(&mut self, out: usize, now: Time) {
        if let Some(ports) = &mut self.ports {
            ports.unstalls(ports.output(out), now);
        }
        if let Some(blame) = &mut self.blame {
            blame.stall_ends(out, now);
        }
    }

    /// Returns whether a record wants to know that credits block an output, and how many.
    #[inline(always)]
    pub(crate) fn asks_for_block(&self, out: usize) -> bool {
        self.blame.as_ref().is_some_and(|blame| !blame.is_stalled(out))
    }

    /// Credits block an output from `since` on, which is now or later. `flits` beyond the link of
    /// an output VC have no credit. Only if [`asks_for_block`](Self::asks_for_block).
    #[inline(always)]
    pub(crate) fn blocked(&mut self, at: (usize, usize), flits: u32, since: Time) {
        if let Some(blame) = &mut self.blame {
            blame.stalls(at, flits, since);
        }
    }

    /// A packet leaves for another partition. Returns its path, if it is recorded.
    #[inline(always)]
    pub(crate) fn left_partition(&mut self, packet: u32) -> Option<Vec<PathHop>> {
        self.paths.as_mut()?.leaves(packet)
    }

    /// A packet comes from another partition, with its path.
    #[inline(always)]
    pub(crate) fn entered_partition(&mut self, packet: u32, path: &[PathHop]) {
        if let Some(paths) = &mut self.paths {
            paths.resume(packet, path);
        }
    }
}

/// Before a moment: its records come into the cache.
impl Observer {
    /// A packet arrives at an input VC soon.
    #[inline(always)]
    pub(crate) fn prefetch_input(&self, in_vc: usize) {
        if let Some(blame) = &self.blame {
            blame.prefetch_input(in_vc);
        }
    }

    /// A packet crosses to an output VC soon, or starts on its link.
    #[inline(always)]
    pub(crate) fn prefetch_output(&self, out: usize, out_vc: usize) {
        if let Some(blame) = &self.blame {
            blame.prefetch(out, out_vc);
        }
    }

    /// As [`Self::prefetch_output`], soon after it: what one could not know before.
    #[inline(always)]
    pub(crate) fn prefetch_known_output(&self, out: usize) {
        if let Some(ports) = &self.ports {
            ports.prefetch_known(out);
        }
    }
}
