//! Bookings: a link has decided on a packet that cannot be sent ahead yet.
//!
//! What a link decides must not depend on when state is read: at the end of a window of a thread or
//! of a record, or in a record that wants the start of each packet. So the link decides by the
//! state of its port alone. A packet that would start after the next reading, or that a record
//! wants to see, is *booked*: it stays in the output buffer and starts at the time that has been
//! decided. Whatever is decided in the meantime sees the link as if the packet had been sent, and
//! is booked behind it.

use crate::fabric::Fabric;
use crate::router::credits::take_credits;
use crate::store::bookings::Booking;
use crate::store::packet::NONE;
use crate::store::port::LinkEnd;
use crate::variant::Variant;
use pantala_engine::Time;

impl Fabric {
    /// Returns whether a packet may be sent ahead of a busy link to start at `start`, if it leaves
    /// `left` credits of its VC. Its counters are read only after it starts, and no record wants
    /// its start.
    #[inline]
    pub(crate) fn may_send_ahead(&self, out: usize, left: i32, start: Time) -> bool {
        start < self.agenda.until && self.observer.allows_ahead(out, left)
    }

    /// Books the link of an output for a packet that starts at `start`. `ahead`: the link is busy
    /// until then. Otherwise it is idle, so the packet counts and takes its credits now.
    #[inline(never)]
    pub(crate) fn book<F: Variant>(
        &mut self,
        (out, out_vc): (usize, usize),
        index: u32,
        (start, ahead): (Time, bool),
        now: Time,
    ) {
        let stages = &self.setup.stages;
        let packet = &self.packets[index];
        let (vc, job, flits, bytes) = (packet.out_vc, packet.job, packet.flits, packet.bytes);
        let room = stages.room::<F>(flits.into());
        let starts = !stages.by_flits::<F>() || packet.piece.starts();
        let port = &mut self.ports.out_ports[out];
        let ready = packet.ready + stages.idle_flits::<F>() * port.flit;
        let (end, left) = stages.time_on_link::<F>(start, flits.into(), packet.tail, port.flit);
        port.link_free = end;
        port.next_vc = stages.vc_after(vc);
        port.queued |= 1 << vc;
        let counts = !ahead;
        if counts {
            port.counters.count(starts, bytes, flits.into());
        }
        let on_credit = port.end != LinkEnd::AmpleNic && !stages.credit_at_crossbar::<F>();
        let behind = &mut self.ports.out_vcs[out_vc];
        behind.gone = left;
        behind.queue.push(&mut self.packets, index);
        self.bookings.add(out, Booking { vc, start, counted: counts, room });
        if counts {
            if on_credit {
                let accounts = (&mut self.ports.out_vcs, &self.ports.pool, &mut self.observer);
                take_credits::<F>(accounts, (out, out_vc), (room, vc), (now, now));
            }
            if starts {
                self.counters.count_job(out, self.setup.config.jobs, job, bytes);
            }
            if let Some(observer) = self.observer.on::<F>() {
                observer.decided(out_vc, job, room);
                observer.counted(&self.packets[index], out, (start, end));
                observer.sent_ahead(out, job, ready, start);
            }
        } else {
            behind.unsent += room as i32;
            if let Some(observer) = self.observer.on::<F>() {
                observer.decided(out_vc, job, room);
                observer.buffered(out, job, ready);
            }
        }
        if ahead || !self.setup.stages.ahead_is_free::<F>() {
            self.ports.out_vcs[out_vc].space.take(room);
            self.free_room::<F>(out, out_vc, room, (start, left), now);
        }
        self.ensure_link_wake(out, start);
    }

    /// Starts the packet of the next booking of an output, or waits for its start.
    #[inline(never)]
    pub(crate) fn keep_booking<F: Variant>(&mut self, out: usize, booking: Booking, now: Time) {
        let Booking { vc, start, counted, room } = booking;
        if start > now {
            self.ensure_link_wake(out, start);
            return;
        }
        self.bookings.take(out);
        let out_vc = out * self.setup.vcs + usize::from(vc);
        let queue = &mut self.ports.out_vcs[out_vc];
        let index = queue.queue.pop(&mut self.packets);
        let emptied = u16::from(queue.queue.head == NONE) << vc;
        let (free, gone) = (self.ports.out_ports[out].link_free, queue.gone);
        self.ports.out_ports[out].queued &= !emptied;
        if counted {
            // It would have needed no event.
            self.agenda.overtaken += 1;
            if let Some(observer) = self.observer.on::<F>() {
                observer.started_ahead(out, now);
            }
        } else {
            queue.unsent -= room as i32;
            let packet = &self.packets[index];
            let idle = self.setup.stages.idle_flits::<F>() * self.ports.out_ports[out].flit;
            let (job, ready) = (packet.job, packet.ready + idle);
            if let Some(observer) = self.observer.on::<F>() {
                observer.started(out, job, ready, now);
            }
        }
        self.send::<F>((out, out_vc), index, (now, now), Some(booking));
        // Later bookings have the link until these times.
        self.ports.out_ports[out].link_free = free;
        self.ports.out_vcs[out_vc].gone = gone;
        match self.bookings.next(out) {
            Some(next) => self.ensure_link_wake(out, next.start),
            None if self.ports.out_ports[out].queued != 0 => self.arm_link::<F>(out),
            None => {}
        }
    }
}
