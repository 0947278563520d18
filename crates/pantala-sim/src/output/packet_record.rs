//! The record of single packets: which packets have rows, and the rows.

use crate::plan::{PacketRecord, Plan, RecordPlan};
use pantala_engine::{NEVER, Stream, Time};
use pantala_fabric::packet::{Packet, PacketOrigin};
use pantala_fabric::{MessageLabel, PacketChoice, PathHop, routing_stream};
use pantala_mpi::NodeMap;
use pantala_topology::Topology;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A delivered packet that becomes a row of the packets table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeliveredPacket {
    /// Time of delivery at the destination NIC.
    pub delivered: Time,
    /// Source node.
    pub source: u32,
    /// Time of creation.
    pub created: Time,
    /// Time of the head's start on the injection link.
    pub injected: Time,
    /// Packet latency, as `nic.latency_from` of the plan defines it.
    pub latency: Time,
    /// Destination node.
    pub destination: u32,
    /// Payload.
    pub bytes: u32,
    /// Job.
    pub job: u16,
    /// Links between routers.
    pub hops: u8,
    /// Whether it took a non-minimal path.
    pub nonminimal: bool,
    /// Links between routers before the router that chose the non-minimal path.
    pub diverted: u8,
    /// The packet's number in the run.
    pub number: u64,
    /// The rank that sent it.
    pub rank: u32,
    /// The rank that received it.
    pub destination_rank: u32,
    /// Its message, if it has one.
    pub message: Option<u64>,
}

/// One router on the path of a delivered packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketHop {
    /// Time of the packet's delivery.
    pub delivered: Time,
    /// The packet's number in the run.
    pub packet: u64,
    /// Place on the path, from 0.
    pub hop: u8,
    /// Router.
    pub router: u32,
    /// Port and VC by which the packet came.
    pub came: (u16, u8),
    /// Port and VC by which it left.
    pub left: (u16, u8),
    /// When its head could be routed.
    pub arrived: Time,
    /// When its head started on the output link.
    pub departed: Time,
    /// Waiting time.
    pub wait: Time,
}

/// What the record knows of every NIC.
#[derive(Debug)]
struct Nics {
    /// The NICs of nodes.
    map: NodeMap,
    /// The random words of the NIC's packets.
    words: Vec<Stream>,
    /// The rank on the NIC's node: the first, if there are several.
    rank: Vec<u32>,
}

/// The rows of one partition that no table has yet, and the choice of packets.
#[derive(Clone, Debug)]
pub(crate) struct PacketRows {
    choice: PacketChoice,
    /// Per router, whether a packet that passes it is chosen; empty: all packets are.
    routers: Vec<bool>,
    /// Whether hops have rows.
    paths: bool,
    /// Ports of a router, and VCs of a port.
    ports: u32,
    vcs: u32,
    nics: Arc<Nics>,
    /// The path of the packet that is delivered now.
    path: Vec<PathHop>,
    pub(crate) packets: Vec<DeliveredPacket>,
    pub(crate) hops: Vec<PacketHop>,
}

/// Returns which packets the plan chooses, without the choice by routers.
pub(crate) fn choice_of(plan: &Plan) -> PacketChoice {
    let record = &plan.record;
    let named = |name: &String| record.packet_jobs.contains(name);
    PacketChoice {
        sample: match record.packets {
            PacketRecord::Off => 0,
            PacketRecord::Sampled => u64::from(record.packet_sample),
            PacketRecord::All => 1,
        },
        jobs: if record.packet_jobs.is_empty() {
            Vec::new()
        } else {
            plan.jobs.iter().map(|job| named(&job.name)).collect()
        },
        from: record.packet_from_ps,
        until: if record.packet_until_ps == 0 { NEVER } else { record.packet_until_ps },
    }
}

/// Returns whether the fabric must follow packets.
pub(crate) fn follows(record: &RecordPlan) -> bool {
    !matches!(record.packets, PacketRecord::Off)
        && (record.packet_paths || !record.packet_routers.is_empty())
}

impl PacketRows {
    /// Returns the node of a NIC.
    pub(crate) fn node_of(&self, nic: u32) -> u32 {
        self.nics.map.node_of(nic)
    }

    /// Returns the record of a plan for a network with these routing keys.
    pub(crate) fn new(plan: &Plan, keys: &[u64], topology: &Topology, vcs: u8) -> Self {
        let record = &plan.record;
        let recorded = record.packets != PacketRecord::Off;
        let map = plan.node_map();
        let mut nics = Nics { map, words: Vec::new(), rank: Vec::new() };
        if recorded {
            nics.words = keys.iter().map(|&key| routing_stream(plan.seed, key)).collect();
            nics.rank = vec![0; keys.len()];
            for job in &plan.jobs {
                for (rank, &node) in job.node_of_rank().iter().enumerate().rev() {
                    map.nics_of(node).for_each(|nic| nics.rank[nic as usize] = rank as u32);
                }
            }
        }
        let mut chosen = Vec::new();
        if recorded && !record.packet_routers.is_empty() {
            chosen.resize(topology.routers() as usize, false);
            record.packet_routers.iter().for_each(|&router| chosen[router as usize] = true);
        }
        Self {
            choice: choice_of(plan),
            routers: chosen,
            paths: record.packet_paths,
            ports: topology.ports_per_router(),
            vcs: vcs.into(),
            nics: Arc::new(nics),
            path: Vec::new(),
            packets: Vec::new(),
            hops: Vec::new(),
        }
    }

    /// See [`PacketChoice::bring_forward`].
    pub(crate) fn bring_forward(&mut self, now: Time, by: Time) {
        self.choice.bring_forward(now, by);
    }

    /// Keeps the path of the packet that is delivered next.
    pub(crate) fn passed(&mut self, path: &[PathHop]) {
        self.path.clear();
        self.path.extend_from_slice(path);
    }

    /// Returns whether a packet may have a row.
    #[inline]
    pub(crate) fn may_have(&self, packet: &Packet) -> bool {
        self.choice.sample > 0 && packet.route.draw % self.choice.sample == 0
    }

    /// Adds the rows of a packet that is delivered `now`, if it is chosen; returns whether it is.
    pub(crate) fn add(
        &mut self,
        packet: &Packet,
        origin: &PacketOrigin,
        latency: Time,
        now: Time,
    ) -> bool {
        let passes = |hop: &PathHop| self.routers[self.place(hop.in_vc).0 as usize];
        if !self.choice.has(packet, origin)
            || !(self.routers.is_empty() || self.path.iter().any(passes))
        {
            return false;
        }
        let (source, destination) = (origin.source, packet.route.destination);
        let index = self.nics.words[source as usize].index_of(packet.route.draw);
        let map = self.nics.map;
        let node = |nic: u32| map.node_of(nic);
        let number = u64::from(source) << 32 | index;
        self.packets.push(DeliveredPacket {
            delivered: now,
            source: node(source),
            created: origin.created,
            injected: origin.injected,
            latency,
            destination: node(destination),
            bytes: packet.bytes,
            job: packet.job,
            hops: packet.route.hops,
            nonminimal: packet.route.nonminimal,
            diverted: packet.route.diverted,
            number,
            rank: self.nics.rank[source as usize],
            destination_rank: self.nics.rank[destination as usize],
            message: None,
        });
        if self.paths {
            for (hop, path) in (0_u8..).zip(&self.path) {
                let ((router, came), (_, left)) = (self.place(path.in_vc), self.place(path.out_vc));
                let &PathHop { arrived, departed, wait, .. } = path;
                self.hops.push(PacketHop {
                    delivered: now,
                    packet: number,
                    hop,
                    router,
                    came,
                    left,
                    arrived,
                    departed,
                    wait,
                });
            }
        }
        true
    }

    /// Returns router, port and VC of a VC of the network.
    const fn place(&self, vc: u32) -> (u32, (u16, u8)) {
        let port = vc / self.vcs;
        (port / self.ports, ((port % self.ports) as u16, (vc % self.vcs) as u8))
    }

    /// Notes the message of the packet that was added last.
    pub(crate) fn belongs(&mut self, message: Option<MessageLabel>) {
        if let (Some(message), Some(packet)) = (message, self.packets.last_mut()) {
            packet.message = Some(message.number);
            packet.rank = message.source;
            packet.destination_rank = message.destination;
        }
    }
}
