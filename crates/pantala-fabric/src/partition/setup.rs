//! The setup of a partition: everything that does not change during a run.

use crate::config::FabricConfig;
use crate::partition::partition_map::PartitionMap;
use crate::router::stages::Stages;
use pantala_topology::{Divisor, NetworkGraph, Topology};
use std::sync::Arc;

/// The setup of a partition.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) config: FabricConfig,
    /// The constants of the stages.
    pub(crate) stages: Stages,
    /// For routings. The fabric asks [`Setup::network`].
    pub(crate) topology: Arc<Topology>,
    /// The partitions of the network.
    pub(crate) partitions: Arc<PartitionMap>,
    /// The number of this partition.
    pub(crate) number: u16,
    /// Ports of a router.
    pub(crate) ports: u32,
    /// VCs of a port.
    pub(crate) vcs: usize,
    /// Divide by `ports` and by `vcs`.
    pub(crate) by_ports: Divisor,
    pub(crate) by_vcs: Divisor,
    /// Words of 64 bits that hold one bit for each (input port, VC) of a router.
    pub(crate) words: usize,
}

impl Setup {
    /// Returns the network: what the fabric needs to know of a topology.
    #[inline]
    pub(crate) fn network(&self) -> &NetworkGraph {
        self.topology.network()
    }
}
