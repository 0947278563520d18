//! Routing: from the packet at the head of an input buffer to an output port and a VC.
//!
//! What the algorithms differ in stands in one file each: their VC map ([`Channels`]) and their decision at the source
//! router. What they share stands here: following a leg. A leg ends at a router or in a group; inside a group the
//! packet goes to the router that owns the global link it has picked (its *gate*), then over it. Traffic inside a
//! group is minimal under every algorithm, as in SST's merlin and BookSim2.
//!
//! Deadlock freedom rests on the VC map: along every path the pair (VC, class) climbs. Each algorithm's file says how.

mod adaptive;
pub mod minimal;
pub mod ugal_g;
pub mod ugal_n;
pub mod valiant_group;
pub mod valiant_node;

use crate::packet::{Leg, NONE, Packet};
use pantala_engine::random::mix;
use pantala_topology::{GlobalLink, Topology};

pub use adaptive::{QueueMeasure, QueueScope, UgalConfig};

/// A routing algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// [`minimal`]
    Minimal,
    /// [`valiant_group`]
    ValiantGroup,
    /// [`valiant_node`]
    ValiantNode,
    /// [`ugal_g`]
    UgalG,
    /// [`ugal_n`]
    UgalN,
}

impl Algorithm {
    /// All algorithms, in the order of the docs.
    pub const ALL: [Self; 5] = [Self::Minimal, Self::ValiantGroup, Self::ValiantNode, Self::UgalG, Self::UgalN];

    /// The name in scenarios.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::ValiantGroup => "valiant_group",
            Self::ValiantNode => "valiant_node",
            Self::UgalG => "ugal_g",
            Self::UgalN => "ugal_n",
        }
    }

    /// The algorithm of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.name() == name)
    }

    /// The VC map.
    #[must_use]
    pub const fn channels(self) -> Channels {
        match self {
            Self::Minimal => minimal::CHANNELS,
            Self::ValiantGroup => valiant_group::CHANNELS,
            Self::ValiantNode => valiant_node::CHANNELS,
            Self::UgalG => ugal_g::CHANNELS,
            Self::UgalN => ugal_n::CHANNELS,
        }
    }

    /// Most links between routers that a packet may take (closed form; the property tests hold runs against it).
    #[must_use]
    pub const fn most_hops(self) -> u8 {
        match self {
            Self::Minimal => 3,
            Self::ValiantGroup | Self::UgalG => 5,
            Self::ValiantNode | Self::UgalN => 6,
        }
    }

    /// Whether it decides by queues.
    #[must_use]
    pub const fn is_adaptive(self) -> bool {
        matches!(self, Self::UgalG | Self::UgalN)
    }

    /// Where the intermediate of a non-minimal path is.
    const fn intermediate(self) -> Intermediate {
        match self {
            Self::Minimal | Self::ValiantGroup | Self::UgalG => Intermediate::Group,
            Self::ValiantNode | Self::UgalN => Intermediate::Router,
        }
    }
}

/// What a non-minimal path visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intermediate {
    /// Any router of a random group: the first one reached.
    Group,
    /// One random router.
    Router,
}

/// Which VC a hop uses, by where the packet is. A packet's VC is that of the buffer it is sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// How many there are.
    pub count: u8,
    /// Source group, minimal path (its global hop included).
    pub source_minimal: u8,
    /// Source group, non-minimal path (its global hop included).
    pub source_nonminimal: u8,
    /// Intermediate group, to the intermediate router.
    pub to_intermediate: u8,
    /// Intermediate group, from there on (the second global hop included).
    pub from_intermediate: u8,
    /// Destination group, and ejection.
    pub destination: u8,
}

/// The routing of a plan.
#[derive(Clone, Debug)]
pub struct RoutingConfig {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Its VC map: [`Algorithm::channels`], unless a test wants a deadlock.
    pub channels: Channels,
    /// VCs a port has: `channels.count` or more.
    pub virtual_channels: u8,
    /// What the adaptive algorithms compare.
    pub ugal: UgalConfig,
}

impl RoutingConfig {
    /// `algorithm` with its own VC map and SST's decision (threshold 2, one candidate each, whole port).
    #[must_use]
    pub fn new(algorithm: Algorithm) -> Self {
        let channels = algorithm.channels();
        Self { algorithm, channels, virtual_channels: channels.count, ugal: UgalConfig::default() }
    }
}

/// What a router knows of its own outputs when it decides.
pub trait Senses {
    /// Flits that wait at an output port: of one VC, or (`None`) of all.
    fn queue(&mut self, port: u16, vc: Option<u8>) -> i64;
}

/// Where a packet goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Output port.
    pub port: u16,
    /// VC on it.
    pub vc: u8,
}

/// A target of a leg: a group, and the router in it if one is meant.
#[derive(Clone, Copy)]
struct Target {
    group: u32,
    router: Option<u32>,
}

impl RoutingConfig {
    /// Follows the packet's leg from `router`, which is in `group`, and updates it. The packet has been decided on.
    #[inline(always)]
    pub fn follow(&self, topology: &Topology, router: u32, group: u32, packet: &mut Packet) -> Hop {
        if router == packet.destination_router {
            return Hop { port: topology.terminal_port_of(packet.destination), vc: self.channels.destination };
        }
        if packet.leg == Leg::ToIntermediate {
            let intermediate = self.intermediate_target(topology, packet.intermediate);
            let reached = match intermediate.router {
                Some(target) => router == target,
                None => group == intermediate.group,
            };
            if reached {
                packet.leg = Leg::ToDestination;
            } else if group == intermediate.group {
                let port = topology.local_port(router, packet.intermediate);
                return Hop { port, vc: self.channels.to_intermediate };
            } else {
                let port = self.towards(topology, router, group, intermediate, packet);
                return Hop { port, vc: self.channels.source_nonminimal };
            }
        }
        let destination_group = u32::from(packet.destination_group);
        if group == destination_group {
            let port = topology.local_port(router, packet.destination_router);
            return Hop { port, vc: self.channels.destination };
        }
        let target = Target { group: destination_group, router: Some(packet.destination_router) };
        let port = self.towards(topology, router, group, target, packet);
        let vc = if packet.nonminimal { self.channels.from_intermediate } else { self.channels.source_minimal };
        Hop { port, vc }
    }

    /// Decides, at the source router, which path the packet takes.
    pub fn decide<S: Senses>(&self, topology: &Topology, router: u32, packet: &mut Packet, senses: &mut S) {
        let group = topology.group_of(router);
        packet.leg = Leg::ToDestination;
        // A path through a third group needs one.
        if group == u32::from(packet.destination_group) || topology.groups() < 3 {
            return;
        }
        match self.algorithm {
            Algorithm::Minimal => {}
            Algorithm::ValiantGroup => valiant_group::decide(topology, group, packet),
            Algorithm::ValiantNode => valiant_node::decide(topology, group, packet),
            Algorithm::UgalG => ugal_g::decide(self, topology, router, packet, senses),
            Algorithm::UgalN => ugal_n::decide(self, topology, router, packet, senses),
        }
    }

    #[inline]
    fn intermediate_target(&self, topology: &Topology, intermediate: u32) -> Target {
        match self.algorithm.intermediate() {
            Intermediate::Group => Target { group: intermediate, router: None },
            Intermediate::Router => Target { group: topology.group_of(intermediate), router: Some(intermediate) },
        }
    }

    /// The port towards another group, over the packet's gate, which is chosen at the leg's first router.
    #[inline(always)]
    fn towards(&self, topology: &Topology, router: u32, group: u32, target: Target, packet: &mut Packet) -> u16 {
        let links = topology.global_links(group, target.group);
        if packet.gate == NONE {
            packet.gate = match links.len() {
                1 => 0,
                _ => choose_gate(links, router, target, salted(packet.draw, 16 + u64::from(packet.hops))),
            };
        }
        let gate = links[packet.gate as usize];
        if gate.router == router {
            packet.gate = NONE;
            gate.port
        } else {
            topology.local_port(router, gate.router)
        }
    }
}

/// Sets a packet on a non-minimal path.
fn divert(packet: &mut Packet, intermediate: u32, gate: u32) {
    packet.leg = Leg::ToIntermediate;
    packet.intermediate = intermediate;
    packet.gate = gate;
    packet.nonminimal = true;
}

/// A draw of a packet for one purpose: a pure function of the packet's own random word.
#[inline]
fn salted(draw: u64, salt: u64) -> u64 {
    mix(draw ^ salt.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// A uniform integer below `bound` from a draw.
#[inline]
fn scaled(draw: u64, bound: u32) -> u32 {
    ((u128::from(draw) * u128::from(bound)) >> 64) as u32
}

/// Which of the links between two groups a leg takes: one with the fewest hops, ties drawn.
fn choose_gate(links: &[GlobalLink], router: u32, target: Target, draw: u64) -> u32 {
    let cost = |link: &GlobalLink| {
        u32::from(link.router != router) + u32::from(target.router.is_some_and(|r| r != link.target_router))
    };
    let fewest = links.iter().map(cost).min().unwrap_or(0);
    let ties = links.iter().filter(|l| cost(l) == fewest).count() as u32;
    let pick = scaled(draw, ties) as usize;
    links.iter().enumerate().filter(|(_, l)| cost(l) == fewest).nth(pick).map_or(0, |(index, _)| index as u32)
}

/// A group that is neither source nor destination, uniformly (there are at least three groups).
#[inline]
fn third_group(topology: &Topology, source: u32, destination: u32, draw: u64) -> u32 {
    let (low, high) = (source.min(destination), source.max(destination));
    let mut group = scaled(draw, topology.groups() - 2);
    group += u32::from(group >= low);
    group + u32::from(group >= high)
}

/// A router of a group that is neither source nor destination, uniformly.
#[inline]
fn third_router(topology: &Topology, source: u32, destination: u32, draw: u64) -> u32 {
    let a = topology.routers_per_group();
    let group = third_group(topology, source, destination, draw);
    group * a + scaled(salted(draw, 1), a)
}
