//! The link stage: from output buffers over links.
//!
//! A link sends whole packets, in round-robin order over its VCs, or always from the highest or the
//! lowest VC that has one ready ([`crate::config::LinkOrder`]). A packet occupies the link for
//! the time of its flits. The crossbar sends a packet ahead if its link is idle, its output buffer
//! is empty and it has credit. Nothing can change that decision before the packet's head is ready,
//! so it needs no event. A busy link decides early, too, if no other packet can be ready before it
//! is free. Where such a packet cannot be sent yet, the link keeps its decision (`booking`).
//!
//! A link may send in the order of crossing instead ([`crate::config::LinkOrder::Arrival`]). Then
//! each packet's turn is known when it crosses, and it is sent ahead, however long the queue is.
//! Such a link may have a clock ([`crate::config::LinkClock::Flit`]): it starts packets at multiples
//! of its flit time, and its last packet has left at such a time.

use crate::config::OutputRelease;
use crate::fabric::Fabric;
use crate::partition::agenda::Kind;
use crate::router::credits::take_credits;
use crate::store::account::Repayment;
use crate::store::bookings::Booking;
use crate::store::packet::NONE;
use crate::store::port::{ELSEWHERE, LinkEnd};
use crate::variant::Variant;
use pantala_engine::{NEVER, Time};

impl Fabric {
    /// Puts a packet that has won the crossbar into its output buffer, or directly on the link.
    #[inline(always)]
    pub(crate) fn enqueue<F: Variant>(&mut self, out: usize, out_vc: usize, index: u32, now: Time) {
        let packet = &self.packets[index];
        let (ready, room, packet_vc) =
            (packet.ready, self.setup.stages.room::<F>(packet.flits.into()), packet.out_vc);
        let port = &mut self.ports.out_ports[out];
        let flit = port.flit;
        let idle = self.setup.stages.idle_flits::<F>() * flit;
        let vc = &mut self.ports.out_vcs[out_vc];
        // Credits that packets with bookings take when they start.
        let booked = if F::DEFAULT { 0 } else { vc.unsent };
        // A VC keeps its order flit by flit: no packet starts before the tail ahead of it has left.
        let open = port.link_free.max(vc.gone);
        let reach = if F::DEFAULT {
            // If all packets have one VC, the link sends this packet next even if it is still busy.
            if port.end.is_single() { ready + self.setup.stages.far_ahead } else { ready }
        } else if self.setup.stages.in_order::<F>() {
            NEVER
        } else if self.setup.stages.ahead_is_unread() {
            // Nor can another packet be ready before the link is free if the crossbar is busy until
            // then.
            ready.max(port.crossbar_free + self.setup.stages.head_delay.max(1) - 1)
        } else {
            ready
        };
        if (port.queued == 0 || !F::DEFAULT && self.bookings.have_all(out))
            && open <= reach
            && (port.end == LinkEnd::AmpleNic
                || self.setup.stages.credit_at_crossbar::<F>()
                || vc.credits.at(&mut self.ports.pool, now) >= room as i32 + booked)
        {
            let start = self.setup.stages.link_slot::<F>(due(ready, open, idle), flit);
            if !F::DEFAULT {
                let ahead = open > ready;
                let left = vc.credits.left() - room as i32;
                let behind = port.queued != 0;
                if behind || ahead && !self.may_send_ahead(out, left, start) {
                    self.book::<F>((out, out_vc), index, (start, ahead), now);
                    return;
                }
                self.agenda.ahead += u64::from(ahead);
            }
            self.ports.out_ports[out].next_vc = self.setup.stages.vc_after(packet_vc);
            let job = self.packets[index].job;
            if let Some(observer) = self.observer.on::<F>() {
                observer.sent_ahead(out, job, ready + idle, start);
            }
            // A busy link takes the credits when it would have decided: at the start.
            let taken = if !F::DEFAULT && open > ready { start } else { now };
            let left = self.send::<F>((out, out_vc), index, (start, taken), None);
            let reserves = open > ready && !self.setup.stages.virtual_output::<F>();
            if reserves || !self.setup.stages.ahead_is_free::<F>() {
                self.ports.out_vcs[out_vc].space.take(room);
                self.free_room::<F>(out, out_vc, room, (start, left), now);
            }
            return;
        }
        vc.space.take(room);
        vc.unsent += room as i32;
        vc.queue.push(&mut self.packets, index);
        port.queued |= 1 << packet_vc;
        if port.stalled_since != NEVER {
            self.counters.note_arrival(out, now);
        }
        if !F::DEFAULT {
            self.bookings.leave_out(out);
        }
        let time = due(ready, open, idle);
        self.ensure_link_wake(out, time);
        let job = self.packets[index].job;
        if let Some(observer) = self.observer.on::<F>() {
            observer.buffered(out, job, ready + idle);
        }
    }

    /// Schedules a decision, unless one is due earlier.
    #[inline]
    pub(crate) fn ensure_link_wake(&mut self, out: usize, time: Time) {
        self.agenda.wake_link(out, &mut self.ports.out_ports[out], time);
    }

    /// Handles a wake: the link may start a packet.
    #[inline]
    pub(crate) fn link_wake<F: Variant>(&mut self, out: u32, now: Time) {
        let out = out as usize;
        let port = &mut self.ports.out_ports[out];
        if port.wake != now {
            self.agenda.overtaken += 1;
            return;
        }
        port.wake = NEVER;
        if !F::DEFAULT {
            if let Some(booking) = self.bookings.next(out) {
                self.keep_booking::<F>(out, booking, now);
                return;
            }
        }
        let port = &mut self.ports.out_ports[out];
        if port.link_free > now {
            let free = port.link_free;
            self.ensure_link_wake(out, free);
            return;
        }
        self.decide::<F>(out, now);
    }

    /// Picks a packet for a free link, or schedules the next decision.
    #[inline]
    fn decide<F: Variant>(&mut self, out: usize, now: Time) {
        let first = out * self.setup.vcs;
        let port = &self.ports.out_ports[out];
        let ample = port.end == LinkEnd::AmpleNic || self.setup.stages.credit_at_crossbar::<F>();
        let idle = self.setup.stages.idle_flits::<F>() * port.flit;
        let known = F::DEFAULT && self.setup.stages.heads_ready(port, now);
        let full = self.setup.stages.full as i32;
        let mut lacking = false;
        let mut next_due = NEVER;
        let highest = self.setup.stages.highest_vc::<F>();
        // First the VCs from the pointer on, then the VCs before it; or all, from the highest on.
        let after = if highest { u16::MAX } else { u16::MAX << port.next_vc } & port.queued;
        for mut set in [after, port.queued & !after] {
            while set != 0 {
                let vc = if highest { set.ilog2() } else { set.trailing_zeros() } as usize;
                set &= !(1 << vc);
                let queue = &mut self.ports.out_vcs[first + vc];
                let head = queue.queue.head;
                let ready = if known { 0 } else { self.packets[head].ready };
                if ready.max(queue.gone) > now {
                    next_due = next_due.min(due(ready, queue.gone, idle));
                    continue;
                }
                let credits =
                    if ample { full } else { queue.credits.at(&mut self.ports.pool, now) };
                if credits >= full
                    || credits
                        >= self.setup.stages.room::<F>(self.packets[head].flits.into()) as i32
                {
                    self.start::<F>(out, vc, now);
                    return;
                }
                lacking = true;
            }
        }
        if lacking {
            self.stall::<F>(out, next_due, now);
        } else if next_due != NEVER {
            self.ensure_link_wake(out, next_due);
        }
    }

    /// Starts the head of a VC's output buffer on the link.
    #[inline]
    fn start<F: Variant>(&mut self, out: usize, vc: usize, now: Time) {
        let out_vc = out * self.setup.vcs + vc;
        let queue = &mut self.ports.out_vcs[out_vc];
        let index = queue.queue.pop(&mut self.packets);
        let room = self.setup.stages.room::<F>(self.packets[index].flits.into());
        queue.unsent -= room as i32;
        let emptied = u16::from(queue.queue.head == NONE) << vc;
        let port = &mut self.ports.out_ports[out];
        port.queued &= !emptied;
        port.next_vc = self.setup.stages.vc_after(vc as u8);
        self.end_stall::<F>(out, now);
        let idle = self.setup.stages.idle_flits::<F>() * self.ports.out_ports[out].flit;
        let (job, ready) = (self.packets[index].job, self.packets[index].ready + idle);
        if let Some(observer) = self.observer.on::<F>() {
            observer.started(out, job, ready, now);
        }
        let left = self.send::<F>((out, out_vc), index, (now, now), None);
        if self.setup.stages.ahead_is_free::<F>() {
            self.ports.out_vcs[out_vc].space.put(room);
            self.room_at::<F>(out, out_vc, now, now);
        } else {
            self.free_room::<F>(out, out_vc, room, (now, left), now);
        }
        if self.ports.out_ports[out].queued != 0 {
            self.arm_link::<F>(out);
        } else if self.setup.stages.virtual_output::<F>() {
            self.note_stall(out, now);
        }
    }

    /// Frees the room of a packet in the output buffer. Its head starts on the link at `start`, and
    /// its tail has left at `left`.
    #[inline]
    pub(crate) fn free_room<F: Variant>(
        &mut self,
        out: usize,
        out_vc: usize,
        room: u32,
        (start, left): (Time, Time),
        now: Time,
    ) {
        let (first, last) = match self.setup.stages.output_release::<F>() {
            OutputRelease::Start => (start, start),
            OutputRelease::Tail => (left, left),
            OutputRelease::Flit => (start, left - self.ports.out_ports[out].flit),
        };
        let space = &mut self.ports.out_vcs[out_vc].space;
        if self.setup.stages.virtual_output::<F>() {
            // Nothing else reads this account, and entries stay until a read.
            space.at(&mut self.ports.pool, now);
        }
        space.give_over::<F>(&mut self.ports.pool, first, last, room);
        self.room_at::<F>(out, out_vc, first, now);
    }

    /// Schedules the decision after the packet that has just started.
    #[inline]
    pub(crate) fn arm_link<F: Variant>(&mut self, out: usize) {
        let first = out * self.setup.vcs;
        let port = &self.ports.out_ports[out];
        let idle = self.setup.stages.idle_flits::<F>() * port.flit;
        let known = F::DEFAULT && self.setup.stages.heads_ready(port, port.link_free);
        let mut next_due = NEVER;
        let mut set = port.queued;
        while set != 0 {
            let queue = &self.ports.out_vcs[first + set.trailing_zeros() as usize];
            set &= set - 1;
            let ready = if known { 0 } else { self.packets[queue.queue.head].ready };
            next_due = next_due.min(due(ready, port.link_free.max(queue.gone), idle));
        }
        self.ensure_link_wake(out, next_due);
    }

    /// Waits for credits: a packet is ready, and none can start.
    #[inline(never)]
    fn stall<F: Variant>(&mut self, out: usize, next_due: Time, now: Time) {
        let first = out * self.setup.vcs;
        let idle = self.setup.stages.idle_flits::<F>() * self.ports.out_ports[out].flit;
        let turn = usize::from(self.ports.out_ports[out].next_vc);
        let mut wake = next_due;
        let mut blocked = None;
        for step in 0..self.setup.vcs {
            let vc = first + self.setup.stages.vc_at_step::<F>(turn, step);
            let queue = &mut self.ports.out_vcs[vc];
            if queue.queue.head == NONE
                || self.packets[queue.queue.head].ready.max(queue.gone) > now
            {
                continue;
            }
            let head = &self.packets[queue.queue.head];
            let room = self.setup.stages.room::<F>(head.flits.into());
            blocked = blocked.or(Some(queue.queue.head));
            match queue.credits.when(&self.ports.pool, room) {
                Some(time) => wake = wake.min(time + idle),
                None => queue.await_credits(room),
            }
        }
        if let Some(head) = blocked {
            self.begin_stall::<F>(out, head, now);
        }
        if wake != NEVER {
            self.ensure_link_wake(out, wake);
        }
    }

    /// Starts a packet on a link at `start`; returns when its tail has left. Records hear of its
    /// credits as of `taken`. The packet may have a booking, which ends.
    #[inline(always)]
    pub(crate) fn send<F: Variant>(
        &mut self,
        (out, out_vc): (usize, usize),
        index: u32,
        (start, taken): (Time, Time),
        booking: Option<Booking>,
    ) -> Time {
        let counts = booking.is_none_or(|booking| !booking.counted);
        let stages = &self.setup.stages;
        let port = &mut self.ports.out_ports[out];
        let packet = &mut self.packets[index];
        let flits = u32::from(packet.flits);
        let room = stages.room::<F>(flits);
        let (end, left) = stages.time_on_link::<F>(start, flits, packet.tail, port.flit);
        port.link_free = end;
        self.ports.out_vcs[out_vc].gone = left;
        let times = (taken, self.agenda.now);
        let starts = !stages.by_flits::<F>() || packet.piece.starts();
        if counts {
            port.counters.count(starts, packet.bytes, flits);
        }
        let gone =
            if stages.stores::<F>() { end } else { start + stages.head_flits::<F>() * port.flit };
        let in_order = stages.by_flits::<F>() && port.end.is_router();
        let head = gone + port.reach;
        let head =
            if in_order { self.worms.arrival(out_vc, packet.piece, head, stages) } else { head };
        let tail = if stages.cut_through::<F>() && !in_order { left + port.reach } else { head };
        packet.tail = tail;
        packet.ready = head;
        // When the NIC's credits are back, if a packet waits for them before the link.
        let mut awaited = NEVER;
        if port.end.is_router() {
            packet.route.hops += 1;
            packet.at = port.target + u32::from(packet.out_vc);
            let beyond = port.beyond;
            if counts && !stages.credit_at_crossbar::<F>() {
                let accounts = (&mut self.ports.out_vcs, &self.ports.pool, &mut self.observer);
                take_credits::<F>(accounts, (out, out_vc), (room, packet.out_vc), times);
            }
            if beyond & ELSEWHERE == 0 {
                let at = packet.at;
                self.agenda.blocks.arrive(&mut self.agenda.wheel, beyond, head, index, at);
            }
        } else {
            self.agenda.wheel.push(tail, Kind::DELIVER, index);
            if port.end == LinkEnd::Nic {
                // A NIC takes every flit at once, so the time of the credits' return is known now.
                if counts && !stages.credit_at_crossbar::<F>() {
                    let accounts = (&mut self.ports.out_vcs, &self.ports.pool, &mut self.observer);
                    take_credits::<F>(accounts, (out, out_vc), (room, packet.out_vc), times);
                }
                let vc = &mut self.ports.out_vcs[out_vc];
                let back = tail + port.credit_delay;
                vc.credits.give(&mut self.ports.pool, back, room);
                if stages.virtual_output::<F>() {
                    self.ports.readings[out].ends(back);
                }
                if let Some(observer) = self.observer.on::<F>() {
                    observer.credited((out, packet.out_vc), (back, back), room);
                }
                if stages.credit_at_crossbar::<F>() && vc.credit_wait > 0 {
                    vc.credit_wait = 0;
                    awaited = stages.edge_after::<F>(back);
                }
            }
        }
        let (job, bytes) = (packet.job, packet.bytes);
        let beyond = port.beyond;
        if counts && starts {
            self.counters.count_job(out, self.setup.config.jobs, job, bytes);
        }
        if let Some(observer) = self.observer.on::<F>() {
            let idle = stages.head_delay_to::<F>(port.flit) + stages.idle_flits::<F>() * port.flit;
            if booking.is_none() {
                observer.decided(out_vc, job, room);
            }
            if counts {
                observer.counted(packet, out, (start, end));
            }
            let times = (start, end, idle);
            observer.sent((packet, index), (out, out_vc), times, self.agenda.now);
        }
        if beyond & ELSEWHERE != 0 {
            self.post_packet::<F>(beyond & !ELSEWHERE, index);
        }
        if awaited != NEVER {
            self.ensure_crossbar_wake(out, awaited);
        }
        left
    }
}

/// Returns when a link decides on a packet whose head is ready at `ready`. A link that is busy
/// until `open` decides when it becomes free. An idle link decides `idle` after the head is ready.
#[inline]
pub(crate) fn due(ready: Time, open: Time, idle: Time) -> Time {
    if open > ready { open } else { ready + idle }
}
