//! Conservation of packets, flits and credits, checked at any moment; and the diagnosis of a
//! network that has stopped moving.

use crate::config::CreditCheck;
use crate::fabric::Fabric;
use crate::partition::Totals;
use crate::partition::agenda::Kind;
use crate::store::account::Credits;
use crate::store::account::space_of;
use crate::store::port::{ELSEWHERE, HERE, InPort, LinkEnd, NIC};
use crate::store::queue::Queue;
use crate::variant::General;
use pantala_engine::FlatArray;
use pantala_engine::Wheel;
use pantala_engine::counted;
use pantala_routing::Phase;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The result of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Audit {
    /// Packets injected = packets delivered + packets found in the network. The packet store holds
    /// as many, plus the responses that wait in NICs. Each delivered request has one response:
    /// delivered, in the network, or waiting.
    pub packets: bool,
    /// Flits injected = flits delivered + flits found in the network.
    pub flits: bool,
    /// For each VC of each link: credits at the sender or on their way + flits on the link or in
    /// the buffer = the buffer's size. The same holds for each output buffer.
    pub credits: bool,
}

impl Audit {
    /// Returns whether nothing is lost.
    #[must_use]
    pub const fn balanced(&self) -> bool {
        self.packets && self.flits && self.credits
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |good| if good { "balanced" } else { "NOT balanced" };
        write!(
            f,
            "packets {}, flits {}, credits {}",
            word(self.packets),
            word(self.flits),
            word(self.credits)
        )
    }
}

impl Fabric {
    /// Returns the room that a packet takes in a buffer.
    fn room_of(&self, packet: u32) -> i64 {
        i64::from(self.setup.stages.room::<General>(self.packets[packet].flits.into()))
    }

    /// Visits every packet that the network holds, with the input VC whose credits it has taken, if
    /// any.
    fn each_packet(&self, mut see: impl FnMut(u32, Option<usize>)) {
        for (phase, id) in self.agenda.wheels().flat_map(Wheel::iter) {
            match phase {
                Kind::ARRIVE => see(id, Some(self.packets[id].at as usize)),
                // The credits of an ejected packet are scheduled when it starts.
                Kind::DELIVER => see(id, None),
                _ => {}
            }
        }
        for (in_vc, vc) in self.ports.in_vcs.numbered() {
            vc.queue.iter(&self.packets).for_each(|index| see(index, Some(in_vc)));
        }
        for waiting in self.ports.virtual_queues.iter() {
            waiting
                .queue
                .iter(&self.packets)
                .for_each(|index| see(index, Some(self.packets[index].at as usize)));
        }
        for vc in self.ports.out_vcs.iter() {
            vc.queue.iter(&self.packets).for_each(|index| see(index, None));
        }
    }

    /// Counts all packets, flits and credits of this partition anew.
    pub(crate) fn counts(&self) -> ConservationCounts {
        let mut counts = ConservationCounts {
            responds: self.setup.config.responses.is_some(),
            ..ConservationCounts::default()
        };
        let mut behind = Behind {
            outputs: FlatArray::numbered_from(
                self.ports.out_vcs.first(),
                vec![0; self.ports.out_vcs.len()],
            ),
            nics: FlatArray::numbered_from(
                self.nics.nics.first() * self.setup.vcs,
                vec![0; self.nics.nics.len() * self.setup.vcs],
            ),
        };
        self.each_packet(|index, lacking| {
            let packet = &self.packets[index];
            let ends = u64::from(packet.piece.ends());
            counts.found[0] += ends;
            counts.found[1] += ends * u64::from(self.is_response(packet));
            counts.flits += u64::from(packet.flits);
            let Some(in_vc) = lacking else { return };
            let InPort { upstream, sender_partition, .. } =
                self.ports.in_ports[self.ports.in_vcs[in_vc].port];
            let sender = upstream + (in_vc % self.setup.vcs) as u32;
            match sender_partition {
                NIC => {
                    behind.nics[upstream as usize * self.setup.vcs + in_vc % self.setup.vcs] +=
                        self.room_of(index)
                }
                HERE => behind.outputs[sender] += self.room_of(index),
                _ => *counts.owed.entry(sender).or_default() -= self.room_of(index),
            }
        });
        for packet in self.worms.begun() {
            counts.found[0] += 1;
            counts.found[1] += u64::from(self.is_response(&self.packets[packet]));
        }
        counts.held = self.packets.live() as u64 - self.worms.leading();
        let waiting = self
            .nics
            .responses
            .iter()
            .map(|own| own.queue.iter(&self.packets).count() as u64)
            .sum();
        counts.waiting = [waiting, self.counters.responses_waiting];
        counts.responses_delivered = self.counters.responses_delivered;
        counts.totals = self.totals();
        counts.accounts = self.accounts_balance(&behind, &mut counts.owed);
        counts
    }

    /// Returns whether all credit accounts are balanced, given the flits that senders have no
    /// credit for. Links between partitions go into `owed` instead.
    fn accounts_balance(&self, behind: &Behind, owed: &mut BTreeMap<u32, i64>) -> bool {
        let buffer = i64::from(self.setup.config.router.input_buffer);
        let space = i64::from(space_of(self.setup.config.router.output_buffer));
        let held =
            |queue: &Queue| queue.iter(&self.packets).map(|index| self.room_of(index)).sum::<i64>();
        let mut balanced = self
            .ports
            .virtual_queues
            .iter()
            .all(|waiting| i64::from(waiting.room) == held(&waiting.queue));
        for (index, vc) in self.ports.out_vcs.numbered() {
            let port = &self.ports.out_ports[index / self.setup.vcs];
            let queued = held(&vc.queue);
            let ample = port.end == LinkEnd::AmpleNic;
            let vcs = self.setup.vcs;
            let (booked, counted) = self.bookings.room(index / vcs, (index % vcs) as u8);
            let taken = if ample {
                0
            } else if self.setup.config.router.credit_check == CreditCheck::Crossbar {
                queued
            } else {
                counted
            };
            let lacking = buffer - i64::from(vc.credits.eventually(&self.ports.pool)) - taken;
            balanced &= i64::from(vc.unsent) == queued - counted;
            let filled = queued - booked;
            balanced &= i64::from(vc.space.eventually(&self.ports.pool)) + filled == space;
            if port.beyond & ELSEWHERE != 0 {
                *owed.entry(index as u32).or_default() += lacking;
            } else {
                balanced &= lacking == behind.outputs[index];
            }
        }
        let nic = |account: &Credits, lacking: i64| {
            i64::from(account.eventually(&self.ports.pool)) + lacking == buffer
        };
        let nics = if self.nics.credits.is_empty() {
            self.nics
                .nics
                .numbered()
                .all(|(terminal, own)| nic(&own.credits, behind.nics[terminal * self.setup.vcs]))
        } else {
            self.nics.credits.numbered().all(|(index, account)| nic(account, behind.nics[index]))
        };
        balanced && nics
    }

    /// Returns every input VC in which packets wait. If inputs queue by output, the head is the
    /// first packet for the lowest output VC.
    pub(crate) fn held(&self) -> Vec<Held> {
        let mut by_place: BTreeMap<u32, (u32, u32, u32)> = BTreeMap::new();
        for (in_vc, vc) in self.ports.in_vcs.numbered() {
            // A packet whose first flit has moved on counts, too.
            let begins =
                |place: usize, packet| u32::from(place == 0 || self.packets[packet].piece.starts());
            let packets = vc
                .queue
                .iter(&self.packets)
                .enumerate()
                .map(|(place, packet)| begins(place, packet))
                .sum();
            if packets > 0 {
                by_place.insert(in_vc as u32, (vc.queue.head, vc.out_vc, packets));
            }
        }
        for (out_vc, waiting) in self.ports.virtual_queues.numbered() {
            for packet in waiting.queue.iter(&self.packets) {
                by_place.entry(self.packets[packet].at).or_insert((packet, out_vc as u32, 0)).2 +=
                    1;
            }
        }
        by_place
            .into_iter()
            .map(|(at, (packet, out_vc, packets))| self.held_at(at, packet, out_vc, packets))
            .collect()
    }

    fn held_at(&self, at: u32, index: u32, out_vc: u32, packets: u32) -> Held {
        let vcs = self.setup.vcs as u32;
        let (in_port, out) = (self.ports.in_vcs[at].port, out_vc / vcs);
        let router = self.ports.in_ports[in_port].router;
        let first_port = router * self.setup.ports;
        let packet = &self.packets[index];
        let port = &self.ports.out_ports[out];
        Held {
            at,
            wait: Wait {
                router,
                port: (in_port - first_port) as u16,
                vc: (at % vcs) as u8,
                out_port: (out - first_port) as u16,
                out_vc: packet.out_vc,
                packets,
                source: self.packets.origin(index).source,
                destination: packet.route.destination,
                nonminimal: packet.route.phase != Phase::Undecided && packet.route.nonminimal,
            },
            next: port.end.is_router().then(|| port.target + u32::from(packet.out_vc)),
        }
    }
}

/// Flits that senders have no credit for: on the link, or in the buffer behind it.
struct Behind {
    /// Per output VC.
    outputs: FlatArray<i64>,
    /// Per NIC and VC.
    nics: FlatArray<i64>,
}

/// The conservation counts of one or more partitions: sums, and the credits that partitions owe
/// each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConservationCounts {
    /// Packets found, without responses that wait in NICs; and the responses among them.
    found: [u64; 2],
    /// Flits of these packets.
    flits: u64,
    /// Packets in the packet stores.
    held: u64,
    /// Responses found in the queues of NICs, and responses counted there.
    waiting: [u64; 2],
    responses_delivered: u64,
    totals: Totals,
    /// Whether all accounts of links within a partition are balanced.
    accounts: bool,
    /// Per output VC of a link between partitions: the flits that the sender has no credit for,
    /// minus the flits on the link and in the buffer behind it.
    owed: BTreeMap<u32, i64>,
    /// Whether NICs answer requests.
    responds: bool,
}

impl ConservationCounts {
    /// Returns the counts of two disjoint sets of partitions together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let sum = |one: [u64; 2], two: [u64; 2]| [one[0] + two[0], one[1] + two[1]];
        for (out_vc, flits) in other.owed {
            *self.owed.entry(out_vc).or_default() += flits;
        }
        Self {
            found: sum(self.found, other.found),
            flits: self.flits + other.flits,
            held: self.held + other.held,
            waiting: sum(self.waiting, other.waiting),
            responses_delivered: self.responses_delivered + other.responses_delivered,
            totals: self.totals.and(other.totals),
            accounts: self.accounts && other.accounts,
            owed: self.owed,
            responds: self.responds,
        }
    }

    /// Returns the audit. The counts must cover all partitions.
    #[must_use]
    pub fn audit(&self) -> Audit {
        let ([found, responses], [waiting, counted]) = (self.found, self.waiting);
        let Totals { packets_injected, packets_delivered, flits_injected, flits_delivered, .. } =
            self.totals;
        let answered = self.responses_delivered + responses + waiting;
        Audit {
            packets: found + packets_delivered == packets_injected
                && found + waiting == self.held
                && waiting == counted
                && (answered == packets_delivered - self.responses_delivered || !self.responds),
            flits: self.flits + flits_delivered == flits_injected,
            credits: self.accounts && self.owed.values().all(|&flits| flits == 0),
        }
    }
}

/// An input VC in which packets wait, and the target of its first packet. [`Diagnosis::of`] takes
/// those of all partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The input VC.
    at: u32,
    /// The first packet there.
    wait: Wait,
    /// The input VC that the packet waits for; `None` if it waits for a NIC.
    next: Option<u32>,
}

impl Diagnosis {
    /// Returns the longest chain of packets that wait for each other, from the held input VCs of
    /// all partitions.
    #[must_use]
    pub fn of(mut held: Vec<Held>, packets_in_flight: u64) -> Self {
        held.sort_unstable_by_key(|place| place.at);
        let mut best = Self::default();
        // Per input VC, the round in which it was seen, from 1.
        let mut seen = vec![0; held.len()];
        for start in 0..held.len() {
            if seen[start] != 0 {
                continue;
            }
            let chain = chain_from(&held, start, &mut seen);
            if (chain.cycle, chain.waits.len()) > (best.cycle, best.waits.len()) {
                best = chain;
            }
        }
        Self { packets_in_flight, ..best }
    }
}

/// Follows the chain of waiting packets from one input VC.
fn chain_from(held: &[Held], start: usize, seen: &mut [usize]) -> Diagnosis {
    let (mut waits, mut places, mut place) = (Vec::new(), Vec::new(), start);
    loop {
        if seen[place] == start + 1 {
            let from = places.iter().position(|&p| p == place).unwrap_or(0);
            waits.drain(..from);
            return Diagnosis { waits, cycle: true, packets_in_flight: 0 };
        }
        if seen[place] != 0 {
            break;
        }
        seen[place] = start + 1;
        places.push(place);
        waits.push(held[place].wait);
        let next =
            held[place].next.and_then(|at| held.binary_search_by_key(&at, |other| other.at).ok());
        let Some(next) = next else { break };
        place = next;
    }
    Diagnosis { waits, cycle: false, packets_in_flight: 0 }
}

/// A packet that waits in an input VC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// The router.
    pub router: u32,
    /// Input port.
    pub port: u16,
    /// Input VC.
    pub vc: u8,
    /// The output port that it waits for.
    pub out_port: u16,
    /// The VC of that port.
    pub out_vc: u8,
    /// Packets in its input VC, this one included.
    pub packets: u32,
    /// Source NIC.
    pub source: u32,
    /// Destination NIC.
    pub destination: u32,
    /// Whether it is on a non-minimal path.
    pub nonminimal: bool,
}

/// The diagnosis of a network in which nothing moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// A chain of packets. Each waits for room in the buffer of the next.
    pub waits: Vec<Wait>,
    /// Whether the last packet waits for the first.
    pub cycle: bool,
    /// Packets injected and not delivered.
    pub packets_in_flight: u64,
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.cycle { "a cycle" } else { "a chain" };
        write!(
            f,
            "{} in flight {} not move; {kind} of {}:",
            counted(self.packets_in_flight, "packet"),
            if self.packets_in_flight == 1 { "does" } else { "do" },
            counted(self.waits.len() as u64, "wait")
        )?;
        const SHOWN: usize = 12;
        for wait in self.waits.iter().take(SHOWN) {
            write!(
                f,
                "\n  router {} port {} VC {} ({}): node {} -> node {}{} waits for port {} VC {}",
                wait.router,
                wait.port,
                wait.vc,
                counted(wait.packets.into(), "packet"),
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
