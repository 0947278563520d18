//! The MPI layer: the ranks of all jobs (or of one partition of them) and the transmissions that
//! their NICs have to send.

use pantala_engine::Time;
use pantala_fabric::PartitionShare;

use crate::accounting::call_events::{CallRecord, RankCalls};
use crate::accounting::call_profile::Profile;
use crate::accounting::latency::LatencyStatistics;
use crate::accounting::latency_windows::LatencyWindows;
use crate::accounting::progress_estimate::ProgressEstimate;
use crate::accounting::rank_messages::JobMessages;
use crate::accounting::records::{IterationRecord, MessageRecord};
use crate::arena::{Arena, LinkedQueue, NONE};
use crate::coarse_packets::CoarsePackets;
use crate::communicators::communicator::Communicator;
use crate::config::{MpiConfig, NicOrder, Recording};
use crate::layer::injection_pacing::InjectionPacer;
use crate::layer::partition_outbox::PartitionOutbox;
use crate::layer::progress_in_calls::CallProgress;
use crate::layer::send_engines::SendEngines;
use crate::message::Message;
use crate::program::error::ProgramError;
use crate::program::operation::Program;
use crate::rank::matching::PostedReceive;
use crate::rank::{CallState, PendingSend, Rank};
use crate::reception::{Reception, ShortBuffers};

mod call_events;
mod communicator_creation;
mod computations;
mod delayed_arrivals;
pub mod diagnosis;
mod finalize;
mod host_costs;
mod injection_pacing;
mod nic;
mod nonblocking_collectives;
mod partition_messages;
pub(crate) mod partition_outbox;
pub(crate) mod progress_in_calls;
mod protocol;
mod reports;
mod run_loop;
mod send_engines;
mod setup;
pub mod setup_error;
mod short_buffers;
mod waits_and_tests;

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

/// A job of the layer.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The job's number in the plan.
    pub(crate) id: u16,
    /// By rank: its node, and its index among the layer's ranks ([`NONE`] if the rank is in another
    /// partition).
    pub(crate) locations: Vec<RankLocation>,
    pub(crate) statistics: LatencyStatistics,
    /// Latencies over time, if they are recorded.
    pub(crate) latency_windows: LatencyWindows,
    /// The messages of its ranks, if they are recorded.
    pub(crate) messages: JobMessages,
    /// Number of its ranks in this partition that have ended or failed.
    pub(crate) ended: u32,
    /// Number of its ranks in this partition.
    pub(crate) ranks: u32,
}

/// The location of a rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankLocation {
    pub(crate) node: u32,
    pub(crate) index: u32,
}

/// A NIC: a first-in first-out queue of transmissions, and the ranks of its node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nic {
    pub(crate) node: u32,
    pub(crate) queue: LinkedQueue,
    /// Transmissions that have arrived at the node but not yet at the rank, ordered by the time at
    /// which they will.
    pub(crate) delayed: LinkedQueue,
    pub(crate) first_rank: u32,
}

/// Numbers of handles in use and their peaks, for tests and memory accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// Transmissions that are queued, on their way, or unmatched.
    pub messages: usize,
    /// Peak of `messages`.
    pub messages_peak: usize,
    /// Receives that are not complete.
    pub receives: usize,
    /// Peak of `receives`.
    pub receives_peak: usize,
    /// Sends that are not complete.
    pub sends: usize,
    /// Peak of `sends`.
    pub sends_peak: usize,
}

/// Ranks, their programs and their messages: the matching and protocol engine of every NIC.
///
/// The layer is passive. Its owner (a [`pantala_fabric::Host`]) maps nodes to NICs and calls
/// [`start`](Self::start), [`pull`](Self::pull), [`deliver`](Self::deliver) and
/// [`timer`](Self::timer). Each call changes only the state of one NIC and its ranks.
#[derive(Clone, Debug)]
pub struct MpiLayer<P> {
    pub(crate) config: MpiConfig,
    pub(crate) recording: Recording,
    /// Whether anything recorded tells which messages were unexpected.
    pub(crate) tells_unexpected: bool,
    /// Whether messages are summed by rank or by window.
    pub(crate) summarizes: bool,
    pub(crate) packet_bytes: u32,
    /// The packets of the machine that a packet stands for; `None` if it stands for itself.
    pub(crate) coarse_packets: Option<CoarsePackets>,
    pub(crate) jobs: Vec<Job>,
    /// By the job's number in the plan: its index in `jobs`, or [`NONE`].
    pub(crate) by_id: Vec<u32>,
    pub(crate) ranks: Vec<Rank<P>>,
    /// The calls by job, or by rank if the calls of each rank are recorded.
    pub(crate) profiles: Vec<Profile>,
    /// By rank: the record of its calls. Empty if no call is recorded.
    pub(crate) rank_calls: Vec<RankCalls>,
    pub(crate) call_records: Vec<CallRecord>,
    pub(crate) nics: Vec<Nic>,
    /// By NIC. Empty if injection is not paced.
    pub(crate) pacers: Vec<InjectionPacer>,
    pub(crate) paced: bool,
    pub(crate) costly_sends: bool,
    pub(crate) costly_receives: bool,
    pub(crate) costly_posts: bool,
    /// Time in which the NIC prepares a transmission, if its queue is first in, first out.
    pub(crate) nic_transmit: Time,
    /// By NIC. Empty if NICs send first in, first out.
    pub(crate) engines: Vec<SendEngines>,
    /// By NIC. Empty if buffers for short messages are unlimited.
    pub(crate) receptions: Vec<Reception>,
    /// By rank. Empty if buffers for short messages are unlimited.
    pub(crate) buffers: Vec<ShortBuffers>,
    /// By rank. Empty if hosts make progress at any time.
    pub(crate) hosts: Vec<CallProgress>,
    /// By rank. Empty if calls take no time.
    pub(crate) calls: Vec<CallState>,
    pub(crate) messages: Arena<Message>,
    pub(crate) receives: Arena<PostedReceive>,
    pub(crate) sends: Arena<PendingSend>,
    pub(crate) matches: Vec<(u32, u32)>,
    pub(crate) ended: u32,
    pub(crate) progress_estimate: ProgressEstimate,
    pub(crate) outbox: PartitionOutbox,
    pub(crate) message_records: Vec<MessageRecord>,
    pub(crate) iteration_records: Vec<IterationRecord>,
    pub(crate) errors: Vec<ProgramError>,
}

impl<P: Program> MpiLayer<P> {
    /// Creates a layer without NICs and jobs. `packet_bytes` is the largest payload of a packet.
    ///
    /// # Panics If `packet_bytes` or the configuration's `control_bytes` is zero. The check of a
    /// plan excludes both.
    #[must_use]
    pub fn new(config: MpiConfig, recording: Recording, packet_bytes: u32) -> Self {
        Self::in_partition(config, recording, packet_bytes, None)
    }

    /// Creates the layer of one partition, or of the whole network if `share` is `None`.
    ///
    /// # Panics As [`new`](Self::new).
    #[must_use]
    pub fn in_partition(
        config: MpiConfig,
        recording: Recording,
        packet_bytes: u32,
        share: Option<PartitionShare>,
    ) -> Self {
        assert!(
            packet_bytes > 0 && config.control_bytes > 0,
            "packets and control messages have a size"
        );
        Self {
            config,
            recording,
            tells_unexpected: recording.unexpected || recording.rank_messages,
            summarizes: recording.rank_messages || recording.latency_window > 0,
            packet_bytes,
            coarse_packets: None,
            jobs: Vec::new(),
            by_id: Vec::new(),
            ranks: Vec::new(),
            profiles: Vec::new(),
            rank_calls: Vec::new(),
            call_records: Vec::new(),
            nics: Vec::new(),
            pacers: Vec::new(),
            paced: config.paces(),
            costly_sends: config.sends_cost(),
            costly_receives: config.receives_cost(),
            costly_posts: config.posts_cost(),
            nic_transmit: match config.nic_order {
                NicOrder::Fifo => config.nic_transmit_ps,
                NicOrder::GetsApart => 0,
            },
            engines: Vec::new(),
            receptions: Vec::new(),
            buffers: Vec::new(),
            hosts: Vec::new(),
            calls: Vec::new(),
            messages: Arena::new(),
            receives: Arena::new(),
            sends: Arena::new(),
            matches: Vec::new(),
            ended: 0,
            progress_estimate: ProgressEstimate::new(),
            outbox: PartitionOutbox::new(share),
            message_records: Vec::new(),
            iteration_records: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Lets each packet from now on stand for several packets of the machine.
    pub fn coarsen(&mut self, coarse_packets: CoarsePackets) {
        self.coarse_packets = Some(coarse_packets);
    }

    /// The index of a job's rank, which must be in this partition.
    #[inline]
    pub(crate) fn rank_index(&self, job: u16, rank: u32) -> usize {
        self.location(job, rank).index as usize
    }

    /// The location of a job's rank.
    #[inline]
    pub(crate) fn location(&self, job: u16, rank: u32) -> RankLocation {
        self.jobs[self.by_id[usize::from(job)] as usize].locations[rank as usize]
    }

    /// Whether a job's rank is in this partition and its program has ended.
    pub(crate) fn has_ended(&self, job: u16, rank: u32) -> bool {
        self.ranks.get(self.rank_index(job, rank)).is_some_and(|rank| rank.end.is_some())
    }

    /// The programs of all ranks, each with its job and rank.
    pub fn programs(&self) -> impl Iterator<Item = (u16, u32, &P)> {
        self.ranks.iter().map(|rank| (self.jobs[rank.job as usize].id, rank.number, &rank.program))
    }

    /// The program of a job's rank, if the rank is in this partition.
    pub fn program_mut(&mut self, job: u16, rank: u32) -> Option<&mut P> {
        let index = self.rank_index(job, rank);
        self.ranks.get_mut(index).map(|rank| &mut rank.program)
    }

    pub(crate) fn job(&self, id: u16) -> Option<&Job> {
        self.by_id
            .get(usize::from(id))
            .filter(|job| **job != NONE)
            .map(|job| &self.jobs[*job as usize])
    }

    /// Accounts for a call that was blocked until `now`.
    pub(crate) fn blocked(&mut self, r: usize, now: Time) {
        let rank = &mut self.ranks[r];
        let computing = rank.computing_until.min(now).saturating_sub(rank.since);
        let time = now - rank.since - computing;
        rank.account.compute += computing;
        rank.account.blocked(rank.call, time);
        self.profiles[rank.profile as usize].took(rank.operation, time);
    }
}
