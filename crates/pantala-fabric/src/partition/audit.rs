//! The books, checked: packets, flits and credits at any moment of a run.

use crate::config::CreditCheck;
use crate::host::Host;
use crate::partition::{Kind, Partition, Totals};
use crate::probe::Probe;
use crate::router::crossbar::space_of;
use crate::store::account::Credits;
use crate::store::port::{ELSEWHERE, HERE, InPort, LinkEnd, NODE};
use crate::store::queue::Queue;
use pantala_engine::FlatArray;
use pantala_engine::Wheel;
use pantala_routing::Phase;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What an audit found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Audit {
    /// Packets injected = delivered + found in the network, and the slab holds as many, besides the
    /// responses found waiting in their NICs. Every request delivered has its response: delivered,
    /// in the network, or waiting.
    pub packets: bool,
    /// The same in flits.
    pub flits: bool,
    /// For every VC of every link: credits here and on their way + flits on the link and behind it
    /// = the buffer; and the same for every output buffer.
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
        write!(
            f,
            "packets {}, flits {}, credits {}",
            word(self.packets),
            word(self.flits),
            word(self.credits)
        )
    }
}

impl<H: Host, P: Probe> Partition<H, P> {
    /// Counts every packet where it is and balances the books against the counters.
    ///
    /// Reads all state anew (queues, events, accounts) and none of the run's own totals but those
    /// it checks.
    #[must_use]
    pub fn audit(&self) -> Audit {
        self.counts().audit()
    }

    /// The longest chain of packets that wait for one another, for a run that has stopped moving:
    /// one line a packet, and whether the chain closes.
    #[must_use]
    pub fn diagnose(&self) -> Diagnosis {
        Diagnosis::of(self.held(), self.packets_in_flight())
    }

    /// What a packet takes of a buffer.
    fn room_of(&self, packet: u32) -> i64 {
        i64::from(self.stages.room::<false>(self.packets[packet].flits.into()))
    }

    /// Looks at every packet that the network holds, and whose credits lack for it: an input VC's,
    /// if any.
    fn each_packet(&self, mut see: impl FnMut(u32, Option<usize>)) {
        for (phase, id) in self.wheels().flat_map(Wheel::iter) {
            match phase {
                Kind::ARRIVE => see(id, Some(self.packets[id].at as usize)),
                // Credits of an ejected packet are on their way back from the start.
                Kind::DELIVER => see(id, None),
                _ => {}
            }
        }
        for (in_vc, vc) in self.in_vcs.numbered() {
            vc.queue.iter(&self.packets).for_each(|index| see(index, Some(in_vc)));
        }
        for waiting in self.virtual_queues.iter() {
            waiting
                .queue
                .iter(&self.packets)
                .for_each(|index| see(index, Some(self.packets[index].at as usize)));
        }
        for vc in self.out_vcs.iter() {
            vc.queue.iter(&self.packets).for_each(|index| see(index, None));
        }
    }

    /// The books of this part.
    pub(crate) fn counts(&self) -> ConservationCounts {
        let mut counts = ConservationCounts {
            responds: self.config.responses.is_some(),
            ..ConservationCounts::default()
        };
        let mut behind = Behind {
            outputs: FlatArray::numbered_from(self.out_vcs.first(), vec![0; self.out_vcs.len()]),
            nics: FlatArray::numbered_from(
                self.nics.first() * self.vcs,
                vec![0; self.nics.len() * self.vcs],
            ),
        };
        self.each_packet(|index, lacking| {
            let packet = &self.packets[index];
            let ends = u64::from(packet.piece.ends());
            counts.found[0] += ends;
            counts.found[1] += ends * u64::from(self.is_response(packet));
            counts.flits += u64::from(packet.flits);
            let Some(in_vc) = lacking else { return };
            let InPort { upstream, sender_part, .. } = self.in_ports[self.in_vcs[in_vc].port];
            let sender = upstream + (in_vc % self.vcs) as u32;
            match sender_part {
                NODE => {
                    behind.nics[upstream as usize * self.vcs + in_vc % self.vcs] +=
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
        let waiting =
            self.nic_responses.iter().map(|own| own.queue.iter(&self.packets).count() as u64).sum();
        counts.waiting = [waiting, self.responses_waiting];
        counts.responses_delivered = self.responses_delivered;
        counts.totals = self.totals();
        counts.accounts = self.accounts_balance(&behind, &mut counts.owed);
        counts
    }

    /// Whether all accounts are balanced, by what senders have no credit for; what other parts have
    /// to say to it goes into `owed`.
    fn accounts_balance(&self, behind: &Behind, owed: &mut BTreeMap<u32, i64>) -> bool {
        let buffer = i64::from(self.config.router.input_buffer);
        let space = i64::from(space_of(self.config.router.output_buffer));
        let held =
            |queue: &Queue| queue.iter(&self.packets).map(|index| self.room_of(index)).sum::<i64>();
        let mut balanced = self
            .virtual_queues
            .iter()
            .all(|waiting| i64::from(waiting.room) == held(&waiting.queue));
        for (index, vc) in self.out_vcs.numbered() {
            let port = &self.out_ports[index / self.vcs];
            let queued = held(&vc.queue);
            let ample = port.end == LinkEnd::AmpleNode;
            let taken = if self.config.router.credit_check == CreditCheck::Crossbar && !ample {
                queued
            } else {
                0
            };
            let lacking = buffer - i64::from(vc.credits.eventually(&self.pool)) - taken;
            balanced &= i64::from(vc.unsent) == queued;
            balanced &= i64::from(vc.space.eventually(&self.pool)) + queued == space;
            if port.beyond & ELSEWHERE != 0 {
                *owed.entry(index as u32).or_default() += lacking;
            } else {
                balanced &= lacking == behind.outputs[index];
            }
        }
        let nic = |account: &Credits, lacking: i64| {
            i64::from(account.eventually(&self.pool)) + lacking == buffer
        };
        let nics = if self.nic_credits.is_empty() {
            self.nics.numbered().all(|(node, own)| nic(&own.credits, behind.nics[node * self.vcs]))
        } else {
            self.nic_credits.numbered().all(|(index, account)| nic(account, behind.nics[index]))
        };
        balanced && nics
    }

    /// Every input VC in which packets wait. Where inputs queue by output, the first of those that
    /// wait for the output VC of the lowest number; all of them wait for what is behind some
    /// output.
    pub(crate) fn held(&self) -> Vec<Held> {
        let mut by_place: BTreeMap<u32, (u32, u32, u32)> = BTreeMap::new();
        for (in_vc, vc) in self.in_vcs.numbered() {
            // One whose first flit has gone ahead counts, too.
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
        for (out_vc, waiting) in self.virtual_queues.numbered() {
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
        let vcs = self.vcs as u32;
        let (in_port, out) = (self.in_vcs[at].port, out_vc / vcs);
        let router = self.in_ports[in_port].router;
        let first_port = router * self.ports;
        let packet = &self.packets[index];
        let port = &self.out_ports[out];
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

/// Flits that senders have no credit for: on the link, or behind it.
struct Behind {
    /// By output VC.
    outputs: FlatArray<i64>,
    /// By node and VC.
    nics: FlatArray<i64>,
}

/// The books of one part of a machine, or of several: sums, and what parts owe each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConservationCounts {
    /// Packets found, responses that wait in their NICs left out, and of them the responses.
    found: [u64; 2],
    /// Flits of them.
    flits: u64,
    /// Packets that the slabs hold.
    held: u64,
    /// Responses found waiting in their NICs, and those counted there.
    waiting: [u64; 2],
    responses_delivered: u64,
    totals: Totals,
    /// Whether all accounts within a part are balanced.
    accounts: bool,
    /// By output VC of links between parts: what the sender has no credit for, less what there is
    /// on the link and behind it.
    owed: BTreeMap<u32, i64>,
    /// Whether every request has a response.
    responds: bool,
}

impl ConservationCounts {
    /// Those of parts that have nothing in common, put together.
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

    /// What they say, if all parts are in them.
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

/// One input VC in which packets wait, and where the first of them goes: all that there is of a
/// network that stands still, put together from its parts ([`Diagnosis::of`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The input VC.
    at: u32,
    /// What waits there.
    wait: Wait,
    /// The input VC that it waits for, unless that is a node.
    next: Option<u32>,
}

impl Diagnosis {
    /// The longest chain of packets that wait for one another, by all input VCs of all parts that
    /// hold any.
    #[must_use]
    pub fn of(mut held: Vec<Held>, packets_in_flight: u64) -> Self {
        held.sort_unstable_by_key(|place| place.at);
        let mut best = Self::default();
        // By place: in which round it was seen, from 1.
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

/// Follows who waits for whom from one place.
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

/// One packet that waits in an input VC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        write!(
            f,
            "{} packets in flight do not move; {kind} of {} waits:",
            self.packets_in_flight,
            self.waits.len()
        )?;
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
