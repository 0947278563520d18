//! The books, checked: packets, flits and credits at any moment of a run.

use crate::config::CreditCheck;
use crate::crossbar::space_of;
use crate::host::Host;
use crate::network::{Kind, Network};
use crate::packet::{Leg, Queue};
use crate::pending::Account;
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
        audit(std::slice::from_ref(self))
    }

    /// The longest chain of packets that wait for one another, for a run that has stopped moving: one line a packet, and
    /// whether the chain closes.
    #[must_use]
    pub fn diagnose(&self) -> Diagnosis {
        diagnose(std::slice::from_ref(self))
    }

    /// What a packet takes of a buffer.
    fn room_of(&self, packet: u32) -> i64 {
        i64::from(self.stages.room::<false>(self.packets[packet].flits.into()))
    }

    /// Looks at every packet that the network holds, and whose credits lack for it: an input VC's, if any.
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
            waiting.queue.iter(&self.packets).for_each(|index| see(index, Some(self.packets[index].at as usize)));
        }
        for vc in self.out_vcs.iter() {
            vc.queue.iter(&self.packets).for_each(|index| see(index, None));
        }
    }

    /// Whether all accounts of this part are balanced, by what senders have no credit for.
    fn credits_balance(&self, behind: &Behind) -> bool {
        let buffer = i64::from(self.config.router.input_buffer);
        let space = i64::from(space_of(self.config.router.output_buffer));
        let held = |queue: &Queue| queue.iter(&self.packets).map(|index| self.room_of(index)).sum::<i64>();
        let virtual_queues = self.virtual_queues.iter().all(|waiting| i64::from(waiting.room) == held(&waiting.queue));
        let outputs = self.out_vcs.numbered().all(|(index, vc)| {
            let queued = held(&vc.queue);
            let ample = self.out_ports[index / self.vcs].end == LinkEnd::AmpleNode;
            let taken = if self.config.router.credit_check == CreditCheck::Crossbar && !ample { queued } else { 0 };
            i64::from(vc.unsent) == queued
                && i64::from(vc.space.eventually(&self.pool)) + queued == space
                && i64::from(vc.credits.eventually(&self.pool)) + behind.outputs[index] + taken == buffer
        });
        let balanced = |account: &Account, lacking: i64| i64::from(account.eventually(&self.pool)) + lacking == buffer;
        let nics = if self.nic_credits.is_empty() {
            self.nics.numbered().all(|(node, nic)| balanced(&nic.credits, behind.nics[node * self.vcs]))
        } else {
            self.nic_credits.numbered().all(|(index, account)| balanced(account, behind.nics[index]))
        };
        virtual_queues && outputs && nics
    }
}

/// Flits that the sender of each (link, VC) has no credit for: on the link, or behind it.
struct Behind {
    /// By output VC of all parts.
    outputs: Vec<i64>,
    /// By node and VC of all parts.
    nics: Vec<i64>,
}

/// As [`Network::audit`], of all parts of a machine.
pub(crate) fn audit<H: Host, P: Probe>(parts: &[Network<H, P>]) -> Audit {
    let (mut packets, mut flits, mut responses) = (0u64, 0u64, 0u64);
    let mut behind = Behind {
        outputs: vec![0; parts[0].topology.routers() as usize * parts[0].ports as usize * parts[0].vcs],
        nics: vec![0; parts[0].topology.nodes() as usize * parts[0].vcs],
    };
    for part in parts {
        part.each_packet(|index, lacking| {
            let packet = &part.packets[index];
            packets += 1;
            flits += u64::from(packet.flits);
            responses += u64::from(part.is_response(packet));
            let Some(in_vc) = lacking else { return };
            let InVc { port, upstream, .. } = part.in_vcs[in_vc];
            if part.in_ports[port].terminal {
                behind.nics[upstream as usize * part.vcs + in_vc % part.vcs] += part.room_of(index);
            } else {
                behind.outputs[upstream as usize] += part.room_of(index);
            }
        });
    }
    let sum = |of: fn(&Network<H, P>) -> u64| parts.iter().map(of).sum::<u64>();
    let waiting = sum(|part| part.nic_responses.iter().map(|own| own.queue.iter(&part.packets).count() as u64).sum());
    let delivered = sum(|part| part.totals().packets_delivered);
    let requests_delivered = delivered - sum(|part| part.responses_delivered);
    let answered = sum(|part| part.responses_delivered) + responses + waiting;
    Audit {
        packets: packets + delivered == sum(|part| part.totals().packets_injected)
            && packets + waiting == sum(|part| part.packets.live() as u64)
            && waiting == sum(|part| part.responses_waiting)
            && (answered == requests_delivered || parts[0].config.responses.is_none()),
        flits: flits + sum(|part| part.totals().flits_delivered) == sum(|part| part.totals().flits_injected),
        credits: parts.iter().all(|part| part.credits_balance(&behind)),
    }
}

/// As [`Network::diagnose`], of all parts of a machine.
pub(crate) fn diagnose<H: Host, P: Probe>(parts: &[Network<H, P>]) -> Diagnosis {
    let mut best = Diagnosis::default();
    let stuck = stuck(parts);
    let mut seen = vec![0u32; stuck.len()];
    for (round, start) in (0..stuck.len()).enumerate() {
        if stuck[start].packets == 0 || seen[start] != 0 {
            continue;
        }
        let chain = chain_from(parts, &stuck, start, round as u32 + 1, &mut seen);
        if (chain.cycle, chain.waits.len()) > (best.cycle, best.waits.len()) {
            best = chain;
        }
    }
    best.packets_in_flight = parts.iter().map(Network::packets_in_flight).sum();
    best
}

/// By input VC of all parts, a packet that waits there. Where inputs queue by output it is the first of those that wait for the
/// output VC of the lowest number; all of them wait for what is behind some output.
fn stuck<H: Host, P: Probe>(parts: &[Network<H, P>]) -> Vec<Stuck> {
    let mut stuck = Vec::new();
    for part in parts {
        // Parts are in the order of their routers.
        let first = stuck.len();
        stuck.extend(part.in_vcs.iter().map(|vc| Stuck {
            packet: vc.queue.head,
            out_vc: vc.out_vc,
            packets: vc.queue.iter(&part.packets).count() as u32,
        }));
        debug_assert!(first == part.in_vcs.first(), "parts in the order of their routers");
        for (out_vc, waiting) in part.virtual_queues.numbered() {
            for packet in waiting.queue.iter(&part.packets) {
                let place = &mut stuck[part.packets[packet].at as usize];
                if place.packets == 0 {
                    *place = Stuck { packet, out_vc: out_vc as u32, packets: 0 };
                }
                place.packets += 1;
            }
        }
    }
    stuck
}

/// Follows who waits for whom from one input VC.
fn chain_from<H: Host, P: Probe>(
    parts: &[Network<H, P>],
    stuck: &[Stuck],
    start: usize,
    mark: u32,
    seen: &mut [u32],
) -> Diagnosis {
    let mut waits = Vec::new();
    let mut places = Vec::new();
    let mut at = start;
    loop {
        if seen[at] == mark {
            let from = places.iter().position(|p| *p == at).unwrap_or(0);
            waits.drain(..from);
            return Diagnosis { waits, cycle: true, packets_in_flight: 0 };
        }
        let Stuck { packet: index, out_vc, packets } = stuck[at];
        if packets == 0 || seen[at] != 0 {
            return Diagnosis { waits, cycle: false, packets_in_flight: 0 };
        }
        let vcs = parts[0].vcs;
        let router = (at / vcs) as u32 / parts[0].ports;
        let part = &parts[usize::from(parts[0].partitions.of_router(router))];
        let port = part.in_vcs[at].port;
        seen[at] = mark;
        places.push(at);
        let packet = &part.packets[index];
        let out = out_vc as usize / vcs;
        let first_port = (router * part.ports) as usize;
        waits.push(Wait {
            router,
            port: (port as usize - first_port) as u16,
            vc: (at % vcs) as u8,
            out_port: (out - first_port) as u16,
            out_vc: packet.out_vc,
            packets,
            source: part.packets.origin(index).source,
            destination: packet.destination,
            nonminimal: packet.leg != Leg::Undecided && packet.nonminimal,
        });
        if !part.out_ports[out].end.is_router() {
            return Diagnosis { waits, cycle: false, packets_in_flight: 0 };
        }
        at = part.out_ports[out].target as usize + usize::from(packet.out_vc);
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
