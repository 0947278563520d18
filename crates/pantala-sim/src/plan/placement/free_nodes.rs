//! The nodes that no job has yet, and the random numbers that choose among them.

use crate::error::PlanError;
use crate::plan::JobPlan;
use pantala_engine::Stream;
use pantala_engine::random::key_of;
use pantala_topology::Topology;

const PLACEMENT_STREAM: u64 = 0x506C_6163_656D_656E;

/// How the nodes of a machine, counted router by router and group by group, hang together.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// All of them.
    pub nodes: u32,
    /// Of one router.
    pub nodes_per_router: u32,
    /// Of one group.
    pub nodes_per_group: u32,
}

impl From<&Topology> for Shape {
    fn from(topology: &Topology) -> Self {
        let nodes = topology.nodes();
        Self {
            nodes,
            nodes_per_router: nodes / topology.routers(),
            nodes_per_group: nodes / topology.groups(),
        }
    }
}

/// The random numbers of a job's placement.
pub(super) fn draws(job: &JobPlan, seed: u64) -> Stream {
    Stream::new(seed, PLACEMENT_STREAM, key_of(&job.name))
}

/// Who holds which node.
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

    /// How many nodes jobs can have in all.
    pub(super) fn for_jobs(&self) -> u32 {
        self.service.iter().filter(|is_service| !**is_service).count() as u32
    }

    pub(super) fn is_service(&self, node: u32) -> bool {
        self.service[node as usize]
    }

    pub(super) fn is_free(&self, node: u32) -> bool {
        self.owner[node as usize].is_none() && !self.is_service(node)
    }

    pub(super) fn nodes(&self) -> u32 {
        self.owner.len() as u32
    }

    /// Gives nodes to a job that needs no name: nobody after it asks for nodes by number.
    pub(super) fn take(&mut self, nodes: &[u32]) {
        for &node in nodes {
            self.owner[node as usize] = Some(usize::MAX);
        }
    }

    /// Takes `count` nodes: blocks of `block` consecutive nodes in random order, of each the nodes
    /// that are free.
    pub(super) fn by_blocks(&mut self, block: u32, count: u32, draws: &mut Stream) -> Vec<u32> {
        let mut blocks: Vec<u32> = (0..self.nodes() / block).collect();
        draws.shuffle(&mut blocks);
        let nodes = blocks.iter().flat_map(|&b| b * block..(b + 1) * block);
        let chosen: Vec<u32> = nodes.filter(|&n| self.is_free(n)).take(count as usize).collect();
        self.take(&chosen);
        chosen
    }
}
