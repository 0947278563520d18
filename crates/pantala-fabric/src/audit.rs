//! The books, checked: packets, flits and credits at any moment of a run.

use crate::config::CreditCheck;
use crate::crossbar::space_of;
use crate::host::Host;
use crate::network::{Kind, Network};
use crate::packet::{Leg, NONE};
use crate::port::{InVc, LinkEnd};
use crate::probe::Probe;
use pantala_engine::Wheel;
use std::fmt;

/// What an audit found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Audit {
    /// Packets injected = delivered + found in the network, and the slab holds as many, besides the responses found waiting in
    /// their NICs. Every request delivered has its response: delivered, in the network, or waiting.
    pub packets: bool,
    /// The same in flits.
    pub flits: bool,
    /// For every VC of every link: credits here and on their way + flits on the link and behind it = the buffer; and the
    /// same for every output buffer.
    pub credits: bool,
}

impl Audit {
    /// Whether nothing is lost.
    #[must_use]
    pub const fn balanced(&self) -> bool {
        self.packets && self.flits && self.credits
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |good| if good { "balanced" } else { "NOT balanced" };
        write!(f, "packets {}, flits {}, credits {}", word(self.packets), word(self.flits), word(self.credits))
    }
}

impl<H: Host, P: Probe> Network<H, P> {
    /// Counts every packet where it is and balances the books against the counters.
    ///
    /// Reads all state anew (queues, events, accounts) and none of the run's own totals but those it checks.
    #[must_use]
    pub fn audit(&self) -> Audit {
        let mut packets = 0u64;
        let mut flits = 0u64;
        let mut responses = 0u64;
        // Flits that the sender of each (link, VC) has no credit for.
        let mut behind = vec![0i64; self.out_vcs.len()];
        let mut behind_nic = vec![0i64; self.nics.len() * self.vcs];
        let mut charge = |in_vc: usize, amount: i64| {
            let InVc { port, upstream, .. } = self.in_vcs[in_vc];
            if self.in_ports[port as usize].terminal {
                behind_nic[upstream as usize * self.vcs + in_vc % self.vcs] += amount;
            } else {
                behind[upstream as usize] += amount;
            }
        };
        for (phase, id) in self.wheels().flat_map(Wheel::iter) {
            if !matches!(phase, Kind::ARRIVE | Kind::DELIVER) {
                continue;
            }
            let packet = &self.packets[id];
            packets += 1;
            flits += u64::from(packet.flits);
            responses += u64::from(self.is_response(packet));
            // Credits of an ejected packet are on their way back from the start.
            if phase == Kind::ARRIVE {
                charge(packet.at as usize, self.room_of(id));
            }
        }
        for (in_vc, vc) in self.in_vcs.iter().enumerate() {
            for index in vc.queue.iter(&self.packets) {
                let packet = &self.packets[index];
                packets += 1;
                flits += u64::from(packet.flits);
                responses += u64::from(self.is_response(packet));
                charge(in_vc, self.room_of(index));
            }
        }
        let mut credits = true;
        for waiting in self.virtual_queues.iter() {
            let mut room = 0;
            for index in waiting.queue.iter(&self.packets) {
                let packet = &self.packets[index];
                packets += 1;
                flits += u64::from(packet.flits);
                responses += u64::from(self.is_response(packet));
                room += self.room_of(index);
                charge(packet.at as usize, self.room_of(index));
            }
            credits &= i64::from(waiting.room) == room;
        }
        let buffer = i64::from(self.config.router.input_buffer);
        let space = i64::from(space_of(self.config.router.output_buffer));
        for (index, vc) in self.out_vcs.iter().enumerate() {
            let mut queued = 0i64;
            for index in vc.queue.iter(&self.packets) {
                let packet = &self.packets[index];
                packets += 1;
                flits += u64::from(packet.flits);
                responses += u64::from(self.is_response(packet));
                queued += self.room_of(index);
            }
            credits &= i64::from(vc.unsent) == queued;
            credits &= i64::from(vc.space.eventually(&self.pool)) + queued == space;
            let ample = self.out_ports[index / self.vcs].end == LinkEnd::AmpleNode;
            let taken = if self.config.router.credit_check == CreditCheck::Crossbar && !ample { queued } else { 0 };
            credits &= i64::from(vc.credits.eventually(&self.pool)) + behind[index] + taken == buffer;
        }
        for (index, behind) in behind_nic.iter().enumerate() {
            let account = match self.nic_credits.is_empty() {
                false => &self.nic_credits[index],
                true if index % self.vcs == 0 => &self.nics[index / self.vcs].credits,
                true => continue,
            };
            credits &= i64::from(account.eventually(&self.pool)) + behind == buffer;
        }
        let waiting = self.nic_responses.iter().map(|own| own.queue.iter(&self.packets).count() as u64).sum::<u64>();
        let totals = self.totals();
        let requests_delivered = totals.packets_delivered - self.responses_delivered;
        let answered = self.responses_delivered + responses + waiting;
        Audit {
            packets: packets + totals.packets_delivered == totals.packets_injected
                && packets + waiting == self.packets.live() as u64
                && waiting == self.responses_waiting
                && (answered == requests_delivered || self.config.responses.is_none()),
            flits: flits + totals.flits_delivered == totals.flits_injected,
            credits,
        }
    }

    /// What a packet takes of a buffer.
    fn room_of(&self, packet: u32) -> i64 {
        i64::from(self.stages.room::<false>(self.packets[packet].flits.into()))
    }

    /// The longest chain of packets that wait for one another, for a run that has stopped moving: one line a packet, and
    /// whether the chain closes.
    #[must_use]
    pub fn diagnose(&self) -> Diagnosis {
        let mut best = Diagnosis::default();
        let mut seen = vec![0u32; self.in_vcs.len()];
        let stuck = self.stuck();
        for (round, start) in (0..self.in_vcs.len()).enumerate() {
            if stuck[start].packets == 0 || seen[start] != 0 {
                continue;
            }
            let chain = self.chain_from(&stuck, start, round as u32 + 1, &mut seen);
            if (chain.cycle, chain.waits.len()) > (best.cycle, best.waits.len()) {
                best = chain;
            }
        }
        best.packets_in_flight = self.packets_in_flight();
        best
    }

    /// By input VC, a packet that waits there. Where inputs queue by output it is the first of those that wait for the output VC
    /// of the lowest number; all of them wait for what is behind some output.
    fn stuck(&self) -> Vec<Stuck> {
        let none = Stuck { packet: NONE, out_vc: 0, packets: 0 };
        let mut stuck = vec![none; self.in_vcs.len()];
        for (place, vc) in stuck.iter_mut().zip(self.in_vcs.iter()) {
            *place = Stuck {
                packet: vc.queue.head,
                out_vc: vc.out_vc,
                packets: vc.queue.iter(&self.packets).count() as u32,
            };
        }
        for (out_vc, waiting) in self.virtual_queues.iter().enumerate() {
            for packet in waiting.queue.iter(&self.packets) {
                let place = &mut stuck[self.packets[packet].at as usize];
                if place.packets == 0 {
                    *place = Stuck { packet, out_vc: out_vc as u32, packets: 0 };
                }
                place.packets += 1;
            }
        }
        stuck
    }

    /// Follows who waits for whom from one input VC.
    fn chain_from(&self, stuck: &[Stuck], start: usize, mark: u32, seen: &mut [u32]) -> Diagnosis {
        let mut waits = Vec::new();
        let mut places = Vec::new();
        let mut at = start;
        loop {
            if seen[at] == mark {
                let from = places.iter().position(|p| *p == at).unwrap_or(0);
                waits.drain(..from);
                return Diagnosis { waits, cycle: true, packets_in_flight: 0 };
            }
            let port = self.in_vcs[at].port;
            let Stuck { packet: index, out_vc, packets } = stuck[at];
            let router = self.in_ports[port].router;
            if packets == 0 || seen[at] != 0 {
                return Diagnosis { waits, cycle: false, packets_in_flight: 0 };
            }
            seen[at] = mark;
            places.push(at);
            let packet = &self.packets[index];
            let out = out_vc as usize / self.vcs;
            let first_port = (router * self.ports) as usize;
            waits.push(Wait {
                router,
                port: (port as usize - first_port) as u16,
                vc: (at % self.vcs) as u8,
                out_port: (out - first_port) as u16,
                out_vc: packet.out_vc,
                packets,
                source: self.packets.origin(index).source,
                destination: packet.destination,
                nonminimal: packet.leg != Leg::Undecided && packet.nonminimal,
            });
            if !self.out_ports[out].end.is_router() {
                return Diagnosis { waits, cycle: false, packets_in_flight: 0 };
            }
            at = self.out_ports[out].target as usize + usize::from(packet.out_vc);
        }
    }
}

/// A packet that waits in an input VC, what for, and how many are there.
#[derive(Clone, Copy)]
struct Stuck {
    packet: u32,
    out_vc: u32,
    packets: u32,
}

/// One packet that waits in an input VC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Where it is.
    pub router: u32,
    /// Input port.
    pub port: u16,
    /// Input VC.
    pub vc: u8,
    /// The output port it waits for.
    pub out_port: u16,
    /// And the VC on it.
    pub out_vc: u8,
    /// Packets in its input VC, itself included.
    pub packets: u32,
    /// Source node.
    pub source: u32,
    /// Destination node.
    pub destination: u32,
    /// Whether it is on a non-minimal path.
    pub nonminimal: bool,
}

/// Why nothing moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// Each waits for room in the buffer of the next.
    pub waits: Vec<Wait>,
    /// Whether the last waits for the first.
    pub cycle: bool,
    /// Packets injected and not delivered.
    pub packets_in_flight: u64,
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.cycle { "a cycle" } else { "a chain" };
        write!(f, "{} packets in flight do not move; {kind} of {} waits:", self.packets_in_flight, self.waits.len())?;
        const SHOWN: usize = 12;
        for wait in self.waits.iter().take(SHOWN) {
            write!(
                f,
                "\n  router {} port {} VC {} ({} packets): node {} -> node {}{} waits for port {} VC {}",
                wait.router,
                wait.port,
                wait.vc,
                wait.packets,
                wait.source,
                wait.destination,
                if wait.nonminimal { " (non-minimal)" } else { "" },
                wait.out_port,
                wait.out_vc
            )?;
        }
        if self.waits.len() > SHOWN {
            write!(f, "\n  ... and {} more", self.waits.len() - SHOWN)?;
        }
        Ok(())
    }
}
