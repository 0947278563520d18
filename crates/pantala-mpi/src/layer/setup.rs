//! The setup of the MPI layer: NICs, jobs and their ranks.

use pantala_engine::Time;

use crate::accounting::call_profile::Profile;
use crate::accounting::latency::LatencyStatistics;
use crate::accounting::latency_windows::LatencyWindows;
use crate::accounting::rank_messages::JobMessages;
use crate::arena::NONE;
use crate::communicators::communicator::Communicator;
use crate::layer::hosts::CallProgress;
use crate::layer::jobs::{Job, RankLocation, Ways};
use crate::layer::setup_error::SetupError;
use crate::layer::{MpiLayer, RankSetup};
use crate::program::operation::OperationStream;
use crate::rank::Rank;

impl<P: OperationStream> MpiLayer<P> {
    /// Adds the NIC of `node` and returns its number (0, 1, ...).
    pub fn add_nic(&mut self, node: u32) -> u32 {
        self.nics.add(&self.setup, node)
    }

    /// Adds the job with the number `id` in the plan. Its ranks, in order, start at `start`.
    ///
    /// # Errors If there are no ranks, the number is taken, a NIC does not exist, or a communicator
    /// of a rank is invalid.
    pub fn add_job(
        &mut self,
        id: u16,
        start: Time,
        ranks: Vec<RankSetup<P>>,
    ) -> Result<(), SetupError> {
        let node = |setup: &RankSetup<P>| {
            self.nics.list.get(setup.nic as usize).map_or(NONE, |nic| nic.node)
        };
        let nodes: Vec<u32> = ranks.iter().map(node).collect();
        self.add_job_in_partition(id, start, &nodes, (0..).zip(ranks).collect())
    }

    /// Adds a job whose rank `i` is on node `nodes[i]`. `ranks` are the ranks of this partition.
    ///
    /// # Errors As [`add_job`](Self::add_job).
    pub fn add_job_in_partition(
        &mut self,
        id: u16,
        start: Time,
        nodes: &[u32],
        ranks: Vec<(u32, RankSetup<P>)>,
    ) -> Result<(), SetupError> {
        let size = nodes.len() as u32;
        if size == 0 {
            return Err(SetupError::NoRanks);
        }
        if self.jobs.get(id).is_some() {
            return Err(SetupError::JobExists { job: id });
        }
        for &(number, ref setup) in &ranks {
            if setup.nic as usize >= self.nics.list.len() {
                return Err(SetupError::UnknownNic { rank: number, nic: setup.nic });
            }
            check_communicators(number, size, &setup.communicators)?;
        }
        let job = self.jobs.list.len() as u32;
        let ranks_here = ranks.len() as u32;
        let mut locations: Vec<RankLocation> =
            nodes.iter().map(|&node| RankLocation { node, index: NONE }).collect();
        self.records.call_windows.add_job();
        if !self.setup.recording.rank_calls {
            self.records.profiles.push(Profile::default());
        }
        for (number, setup) in ranks {
            if self.setup.recording.rank_calls {
                self.records.profiles.push(Profile::default());
            }
            let profile = self.records.profiles.len() as u32 - 1;
            locations[number as usize].index = self.ranks.len() as u32;
            let mut communicators = Vec::with_capacity(1 + setup.communicators.len());
            communicators.push(Communicator::comm_world(size, number));
            communicators.extend(setup.communicators);
            self.attach(self.ranks.len() as u32, setup.nic);
            let rank =
                Rank::new(job, profile, number, setup.nic, start, communicators, setup.program);
            self.records.progress_estimate.add(&rank, &self.setup.config);
            self.ranks.push(rank);
            if self.setup.limits_buffers() {
                self.add_buffers();
            }
            if self.in_calls() {
                self.hosts.progress.push(CallProgress::default());
            }
        }
        self.jobs.add(Job {
            id,
            locations,
            statistics: LatencyStatistics::new(),
            ways: Ways::default(),
            latency_windows: LatencyWindows::default(),
            messages: if self.setup.recording.rank_messages {
                JobMessages::of(size)
            } else {
                JobMessages::default()
            },
            ended: 0,
            in_transit: 0,
            ranks: ranks_here,
        });
        Ok(())
    }

    /// Adds a rank after the other ranks of its NIC.
    fn attach(&mut self, rank: u32, nic: u32) {
        let mut last = self.nics.list[nic as usize].first_rank;
        if last == NONE {
            self.nics.list[nic as usize].first_rank = rank;
            return;
        }
        while self.ranks[last as usize].next != NONE {
            last = self.ranks[last as usize].next;
        }
        self.ranks[last as usize].next = rank;
    }
}

fn check_communicators(
    rank: u32,
    size: u32,
    communicators: &[Communicator],
) -> Result<(), SetupError> {
    for (i, communicator) in communicators.iter().enumerate() {
        let context = communicator.context();
        let sound = context > 0
            && context <= Communicator::MAX_CONTEXT
            && communicators[..i].iter().all(|other| other.context() != context)
            && communicator.rank(communicator.me()) == Some(rank)
            && (0..communicator.size())
                .all(|member| communicator.rank(member).is_some_and(|r| r < size));
        if !sound {
            return Err(SetupError::BadCommunicator { rank, communicator: i as u16 + 1 });
        }
    }
    Ok(())
}
