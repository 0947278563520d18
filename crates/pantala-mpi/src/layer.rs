//! The MPI layer: the ranks of all jobs (or of one partition of them) and the transmissions that
//! their NICs have to send.

use pantala_fabric::PartitionShare;

use crate::coarse_packets::CoarsePackets;
use crate::communicators::communicator::Communicator;
use crate::config::{MpiConfig, Recording};
use crate::layer::hosts::Hosts;
use crate::layer::jobs::Jobs;
use crate::layer::layer_setup::LayerSetup;
use crate::layer::nics::Nics;
use crate::layer::partition_outbox::PartitionOutbox;
use crate::layer::records::Records;
use crate::layer::transfers::Transfers;
use crate::node_map::NodeMap;
use crate::program::operation::OperationStream;
use crate::rank::Rank;

mod call_events;
mod communicator_creation;
mod computations;
mod delayed_arrivals;
pub mod diagnosis;
mod finalize;
mod host_costs;
mod hosts;
mod injection_pacing;
mod jobs;
mod layer_setup;
mod nic;
mod nics;
mod nonblocking_collectives;
mod partition_messages;
pub(crate) mod partition_outbox;
pub(crate) mod progress_in_calls;
mod protocol;
mod records;
mod reports;
mod run_loop;
mod send_engines;
mod setup;
pub mod setup_error;
mod short_buffers;
mod transfers;
mod waits_and_tests;

pub use jobs::Ways;
pub use transfers::Holdings;

/// The setup of one rank.
#[derive(Clone, Debug)]
pub struct RankSetup<P> {
    /// The NIC that the rank uses, as numbered by [`MpiLayer::add_nic`].
    pub nic: u32,
    /// Its program.
    pub program: P,
    /// Its communicators besides `COMM_WORLD`, which has number 0. They have the numbers 1, 2, ...
    pub communicators: Vec<Communicator>,
}

/// Ranks, their programs and their messages: the matching and protocol engine of every NIC.
///
/// The layer is passive. Its owner (a [`pantala_fabric::Host`]) knows the terminal of each NIC and
/// calls [`start`](Self::start), [`pull`](Self::pull), [`deliver`](Self::deliver) and
/// [`timer`](Self::timer). Each call changes only the state of one NIC and its ranks.
///
/// Its state is in parts. A method is one of the smallest part that has all state that it touches,
/// or of the layer.
#[derive(Clone, Debug)]
pub struct MpiLayer<P> {
    /// Everything that does not change during a run.
    pub(crate) setup: LayerSetup,
    /// The jobs, and the locations of their ranks.
    pub(crate) jobs: Jobs,
    /// The ranks: their programs, their calls and the matching of their messages.
    pub(crate) ranks: Vec<Rank<P>>,
    /// What hosts keep beside the ranks.
    pub(crate) hosts: Hosts,
    /// The messages, receives and sends under way.
    pub(crate) transfers: Transfers,
    /// The queues and engines of NICs.
    pub(crate) nics: Nics,
    /// The messages to other partitions.
    pub(crate) outbox: PartitionOutbox,
    /// Counts and records, for reports and tables.
    pub(crate) records: Records,
}

impl<P: OperationStream> MpiLayer<P> {
    /// Creates a layer without NICs and jobs, for nodes with one NIC each. `packet_bytes` is the largest payload of a packet.
    ///
    /// # Panics If `packet_bytes` or the configuration's `control_bytes` is zero. The check of a
    /// plan excludes both.
    #[must_use]
    pub fn new(config: MpiConfig, recording: Recording, packet_bytes: u32) -> Self {
        Self::in_partition(config, recording, packet_bytes, NodeMap::ONE_NIC, None)
    }

    /// Creates the layer of one partition, or of the whole network if `share` is `None`.
    ///
    /// # Panics As [`new`](Self::new).
    #[must_use]
    pub fn in_partition(
        config: MpiConfig,
        recording: Recording,
        packet_bytes: u32,
        nodes: NodeMap,
        share: Option<PartitionShare>,
    ) -> Self {
        Self {
            setup: LayerSetup::new(config, recording, packet_bytes, nodes),
            jobs: Jobs::default(),
            ranks: Vec::new(),
            hosts: Hosts::default(),
            transfers: Transfers::new(),
            nics: Nics::default(),
            outbox: PartitionOutbox::new(share),
            records: Records::new(recording.call_window),
        }
    }

    /// Lets each packet from now on stand for several packets of the machine.
    pub fn coarsen(&mut self, coarse_packets: CoarsePackets) {
        self.setup.coarse_packets = Some(coarse_packets);
    }

    /// Whether a job's rank is in this partition and its program has ended.
    pub(crate) fn has_ended(&self, job: u16, rank: u32) -> bool {
        self.ranks.get(self.jobs.rank_index(job, rank)).is_some_and(|rank| rank.end.is_some())
    }

    /// The programs of all ranks, each with its job and rank.
    pub fn programs(&self) -> impl Iterator<Item = (u16, u32, &P)> {
        self.ranks
            .iter()
            .map(|rank| (self.jobs.list[rank.job as usize].id, rank.number, &rank.program))
    }

    /// The programs of all ranks.
    pub fn programs_mut(&mut self) -> impl Iterator<Item = &mut P> {
        self.ranks.iter_mut().map(|rank| &mut rank.program)
    }

    /// The programs of the ranks of the job with the number `id` in the plan.
    pub fn programs_of_mut(&mut self, id: u16) -> impl Iterator<Item = &mut P> {
        let jobs = &self.jobs;
        let of_job = move |rank: &&mut Rank<P>| jobs.list[rank.job as usize].id == id;
        self.ranks.iter_mut().filter(of_job).map(|rank| &mut rank.program)
    }

    /// The program of a job's rank, if the rank is in this partition.
    pub fn program_mut(&mut self, job: u16, rank: u32) -> Option<&mut P> {
        let index = self.jobs.rank_index(job, rank);
        self.ranks.get_mut(index).map(|rank| &mut rank.program)
    }
}
