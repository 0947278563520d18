//! The free nodes of a machine, and the random numbers of placements.

use std::ops::Range;

use crate::error::PlanError;
use crate::plan::JobPlan;
use pantala_engine::Stream;
use pantala_engine::random::key_of;
use pantala_mpi::NodeMap;
use pantala_topology::Topology;

const PLACEMENT_STREAM: u64 = 0x506C_6163_656D_656E;

/// The numbers of nodes per router and group. Node numbers go router by router and group by group.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Nodes of the machine.
    pub nodes: u32,
    /// Nodes per router.
    pub nodes_per_router: u32,
    /// Nodes per group.
    pub nodes_per_group: u32,
}

impl Shape {
    /// Returns the group of a node.
    pub(super) const fn group_of(self, node: u32) -> u32 {
        node / self.nodes_per_group
    }

    /// Returns the nodes of a group.
    pub(super) const fn nodes_of_group(self, group: u32) -> Range<u32> {
        group * self.nodes_per_group..(group + 1) * self.nodes_per_group
    }
}

impl Shape {
    /// Returns the shape of a network whose terminals are the NICs of these nodes.
    #[must_use]
    pub fn of(topology: &Topology, nodes: NodeMap) -> Self {
        let nodes = nodes.nodes(topology.terminals());
        Self {
            nodes,
            nodes_per_router: nodes / topology.routers(),
            nodes_per_group: nodes / topology.groups(),
        }
    }
}

/// Returns the random stream of a job's placement.
pub(super) fn draws(job: &JobPlan, seed: u64) -> Stream {
    Stream::new(seed, PLACEMENT_STREAM, key_of(&job.name))
}

/// The job that holds each node.
pub(super) struct Free {
    pub(super) owner: Vec<Option<usize>>,
    service: Vec<bool>,
}

impl Free {
    pub(super) fn new(nodes: u32, service: &[[u32; 2]]) -> Result<Self, PlanError> {
        let mut free =
            Self { owner: vec![None; nodes as usize], service: vec![false; nodes as usize] };
        let mut next = 0;
        for &[first, last] in service {
            if first < next || last < first || last >= nodes {
                return Err(PlanError::new(
                    "service_nodes",
                    format!("[{first}, {last}]"),
                    format!(
                        "not a range of nodes after the one before it, of the machine's {nodes}"
                    ),
                    "list first and last node of each range, in order",
                ));
            }
            free.service[first as usize..=last as usize].fill(true);
            next = last + 1;
        }
        Ok(free)
    }

    /// Returns the number of nodes that jobs can use.
    pub(super) fn for_jobs(&self) -> u32 {
        self.service.iter().filter(|is_service| !**is_service).count() as u32
    }

    pub(super) fn is_service(&self, node: u32) -> bool {
        self.service[node as usize]
    }

    pub(super) fn is_free(&self, node: u32) -> bool {
        self.owner[node as usize].is_none() && !self.is_service(node)
    }

    /// Returns the nodes that jobs can use and no job has, in order.
    pub(super) fn free(&self) -> Vec<u32> {
        (0..self.nodes()).filter(|&node| self.is_free(node)).collect()
    }

    pub(super) fn nodes(&self) -> u32 {
        self.owner.len() as u32
    }

    /// Takes nodes for a job that names none. No later job names nodes, so the job's number does
    /// not matter.
    pub(super) fn take(&mut self, nodes: &[u32]) {
        for &node in nodes {
            self.owner[node as usize] = Some(usize::MAX);
        }
    }

    /// Takes the first `count` free nodes of blocks of `block` consecutive nodes in random order.
    pub(super) fn by_blocks(&mut self, block: u32, count: u32, draws: &mut Stream) -> Vec<u32> {
        let mut blocks: Vec<u32> = (0..self.nodes() / block).collect();
        draws.shuffle(&mut blocks);
        let nodes = blocks.iter().flat_map(|&b| b * block..(b + 1) * block);
        let chosen: Vec<u32> = nodes.filter(|&n| self.is_free(n)).take(count as usize).collect();
        self.take(&chosen);
        chosen
    }
}
