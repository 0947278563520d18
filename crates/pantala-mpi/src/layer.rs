//! All ranks of a simulation (or of one partition of it) and what their NICs have to send.

use pantala_engine::{NEVER, Time};
use pantala_fabric::{Delivery, PacketOffer, PartitionShare, Pull, Wakes};

use crate::communicator::Communicator;
use crate::config::{MpiConfig, Recording};
use crate::error::{ProgramError, SetupError};
use crate::grain::Grain;
use crate::handles::{Chain, FlatArray, NONE};
use crate::host::CallState;
use crate::injection_pacing::Feed;
use crate::matching::Receive;
use crate::message::{Kind, Message};
use crate::op::Program;
use crate::outlook::Outlook;
use crate::partition_messages::{MpiMessage, Post};
use crate::profile::{CallReport, Profile};
use crate::rank::{Activity, PendingSend, Rank};
use crate::record::{IterationRecord, LatencyStatistics, MessageRecord, RankReport};

/// The set-up of one rank.
#[derive(Clone, Debug)]
pub struct RankSetup<P> {
    /// The NIC that the rank uses, as numbered by [`MpiLayer::add_nic`].
    pub nic: u32,
    /// Its program.
    pub program: P,
    /// Its communicators besides the world, which is number 0: these are 1, 2, ...
    pub communicators: Vec<Communicator>,
}

/// A job of the world.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// As numbered in the plan.
    pub(crate) id: u16,
    /// By rank: its node, and its place among the world's ranks, or [`NONE`] if it is in another
    /// part of the machine.
    pub(crate) places: Vec<Place>,
    pub(crate) statistics: LatencyStatistics,
    pub(crate) profile: Profile,
}

/// Where a rank is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) node: u32,
    pub(crate) index: u32,
}

/// A NIC: a first-in first-out queue of transmissions, and the ranks behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nic {
    pub(crate) node: u32,
    pub(crate) queue: Chain,
    /// What has come to the node and is not with its rank yet, by when it will be.
    pub(crate) inbox: Chain,
    first_rank: u32,
}

/// How much a [`MpiLayer`] holds: handles in use and the most that ever were, for tests and for memory
/// accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// Transmissions queued, on their way, or unmatched.
    pub messages: usize,
    /// The most there ever were.
    pub messages_peak: usize,
    /// Receives that are not complete.
    pub receives: usize,
    /// The most there ever were.
    pub receives_peak: usize,
    /// Sends that are not complete.
    pub sends: usize,
    /// The most there ever were.
    pub sends_peak: usize,
}

/// Ranks, their programs, their messages: the matching and protocol engine behind every NIC.
///
/// The world is passive. Its owner (a [`pantala_fabric::Host`]) maps nodes to NICs and calls
/// [`start`](Self::start), [`pull`](Self::pull), [`deliver`](Self::deliver) and
/// [`timer`](Self::timer); each changes the state of that NIC and its ranks only.
#[derive(Clone, Debug)]
pub struct MpiLayer<P> {
    pub(crate) config: MpiConfig,
    pub(crate) recording: Recording,
    packet_bytes: u32,
    /// What a packet stands for; `None` if for itself.
    grain: Option<Grain>,
    pub(crate) jobs: Vec<Job>,
    /// The job of each number of the plan, or [`NONE`].
    by_id: Vec<u32>,
    pub(crate) ranks: Vec<Rank<P>>,
    pub(crate) nics: Vec<Nic>,
    /// By NIC; empty where nothing paces them.
    feeds: Vec<Feed>,
    paced: bool,
    pub(crate) costly_sends: bool,
    pub(crate) costly_receives: bool,
    /// By rank; empty where calls take no time.
    pub(crate) calls: Vec<CallState>,
    pub(crate) messages: FlatArray<Message>,
    pub(crate) receives: FlatArray<Receive>,
    pub(crate) sends: FlatArray<PendingSend>,
    pub(crate) matches: Vec<(u32, u32)>,
    pub(crate) ended: u32,
    pub(crate) outlook: Outlook,
    pub(crate) post: Post,
    pub(crate) message_records: Vec<MessageRecord>,
    pub(crate) iteration_records: Vec<IterationRecord>,
    pub(crate) errors: Vec<ProgramError>,
}

impl<P: Program> MpiLayer<P> {
    /// A world without NICs and jobs. `packet_bytes` is the most that a packet carries.
    ///
    /// # Panics
    /// If `packet_bytes` or the configuration's `control_bytes` is zero; plans are checked for
    /// both.
    #[must_use]
    pub fn new(config: MpiConfig, recording: Recording, packet_bytes: u32) -> Self {
        Self::part(config, recording, packet_bytes, None)
    }

    /// The same for one part of a machine, if it is in several.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[must_use]
    pub fn part(
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
            packet_bytes,
            grain: None,
            jobs: Vec::new(),
            by_id: Vec::new(),
            ranks: Vec::new(),
            nics: Vec::new(),
            feeds: Vec::new(),
            paced: config.paces(),
            costly_sends: config.sends_cost(),
            costly_receives: config.receives_cost(),
            calls: Vec::new(),
            messages: FlatArray::new(),
            receives: FlatArray::new(),
            sends: FlatArray::new(),
            matches: Vec::new(),
            ended: 0,
            outlook: Outlook::new(),
            post: Post::new(share),
            message_records: Vec::new(),
            iteration_records: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// From now on, a packet stands for several packets of the machine.
    pub fn coarsen(&mut self, grain: Grain) {
        self.grain = Some(grain);
    }

    /// Adds the NIC of `node` and returns its number (0, 1, ...).
    pub fn add_nic(&mut self, node: u32) -> u32 {
        if self.paced {
            self.feeds.push(Feed::default());
        }
        self.nics.push(Nic { node, queue: Chain::EMPTY, inbox: Chain::EMPTY, first_rank: NONE });
        self.nics.len() as u32 - 1
    }

    /// Adds the job that the plan numbers `id`, whose ranks (in order) start at `start`.
    ///
    /// # Errors
    /// If there are no ranks, if the number is taken, if a NIC does not exist, or if a rank's
    /// communicator is not one.
    pub fn add_job(
        &mut self,
        id: u16,
        start: Time,
        ranks: Vec<RankSetup<P>>,
    ) -> Result<(), SetupError> {
        let node =
            |setup: &RankSetup<P>| self.nics.get(setup.nic as usize).map_or(NONE, |nic| nic.node);
        let nodes: Vec<u32> = ranks.iter().map(node).collect();
        self.add_part_of_job(id, start, &nodes, (0..).zip(ranks).collect())
    }

    /// Adds the job of which rank `i` is on node `nodes[i]`, and which has these ranks in this part
    /// of the machine.
    ///
    /// # Errors
    /// As [`add_job`](Self::add_job).
    pub fn add_part_of_job(
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
        if self.job(id).is_some() {
            return Err(SetupError::JobExists { job: id });
        }
        for &(number, ref setup) in &ranks {
            if setup.nic as usize >= self.nics.len() {
                return Err(SetupError::UnknownNic { rank: number, nic: setup.nic });
            }
            check_communicators(number, size, &setup.communicators)?;
        }
        let job = self.jobs.len() as u32;
        if self.by_id.len() <= usize::from(id) {
            self.by_id.resize(usize::from(id) + 1, NONE);
        }
        self.by_id[usize::from(id)] = job;
        let mut places: Vec<Place> =
            nodes.iter().map(|&node| Place { node, index: NONE }).collect();
        for (number, setup) in ranks {
            places[number as usize].index = self.ranks.len() as u32;
            let mut communicators = Vec::with_capacity(1 + setup.communicators.len());
            communicators.push(Communicator::comm_world(size, number));
            communicators.extend(setup.communicators);
            self.attach(self.ranks.len() as u32, setup.nic);
            let rank = Rank::new(job, number, setup.nic, start, communicators, setup.program);
            self.outlook.add(&rank, &self.config);
            self.ranks.push(rank);
        }
        self.jobs.push(Job {
            id,
            places,
            statistics: LatencyStatistics::new(),
            profile: Profile::default(),
        });
        Ok(())
    }

    /// Puts a rank behind the others of its NIC.
    fn attach(&mut self, rank: u32, nic: u32) {
        let mut last = self.nics[nic as usize].first_rank;
        if last == NONE {
            self.nics[nic as usize].first_rank = rank;
            return;
        }
        while self.ranks[last as usize].next != NONE {
            last = self.ranks[last as usize].next;
        }
        self.ranks[last as usize].next = rank;
    }

    /// Time zero at a NIC: asks for a timer at its ranks' start.
    pub fn start(&mut self, nic: u32, wakes: &mut Wakes) {
        let mut r = self.nics[nic as usize].first_rank;
        while r != NONE {
            let rank = &self.ranks[r as usize];
            wakes.timers.push(rank.until);
            r = rank.next;
        }
    }

    /// A time has come that a rank of the NIC had asked for, its start or the end of a compute
    /// phase, or at which something comes out of the inbox.
    pub fn timer(&mut self, nic: u32, now: Time, wakes: &mut Wakes) {
        if !self.nics[nic as usize].inbox.is_empty() {
            self.open_inbox(nic as usize, now, wakes);
        }
        let mut r = self.nics[nic as usize].first_rank;
        while r != NONE {
            let rank = &mut self.ranks[r as usize];
            let next = rank.next;
            if rank.until <= now {
                match rank.activity {
                    Activity::Waiting => {
                        rank.start = Some(now);
                        self.run(r as usize, now, wakes);
                    }
                    Activity::Computing => {
                        rank.account.compute += now - rank.since;
                        self.run(r as usize, now, wakes);
                    }
                    Activity::Busy => {
                        self.blocked(r as usize, now);
                        self.run(r as usize, now, wakes);
                    }
                    _ => {}
                }
            }
            r = next;
        }
    }

    /// The NIC can send: the next packet of the transmission in front.
    ///
    /// With [`crate::EagerCompletion::Injected`] the last packet of an eager message completes its
    /// send, and the rank goes on at once: `wakes` then holds what it asks for (timers later than
    /// now).
    #[inline]
    pub fn pull(&mut self, nic: u32, now: Time, wakes: &mut Wakes) -> Pull {
        let queue = &mut self.nics[nic as usize].queue;
        let front = queue.front(&self.messages);
        if front == NONE {
            return Pull::Idle;
        }
        let message = &mut self.messages[front];
        if message.created > now {
            return Pull::Later(message.created);
        }
        let bytes = message.to_send.min(u64::from(self.packet_bytes));
        if self.paced {
            let (feed, handed, last) =
                (&mut self.feeds[nic as usize], message.created, bytes == message.to_send);
            let ready = feed.ready(handed, bytes, self.grain.as_ref(), &self.config);
            if ready > now {
                return Pull::Later(ready);
            }
            feed.leaves(handed, bytes, last, &self.config);
        }
        message.to_send -= bytes;
        let (left, header) = (message.to_send, message.header);
        let packet = PacketOffer {
            destination: message.node,
            bytes: bytes as u32,
            created: message.created,
            message: front,
            job: header.job,
            class: header.class(),
        };
        if left == 0 {
            queue.pop_front(&mut self.messages);
            if header.kind == Kind::Eager && header.origin != NONE {
                let r = self.rank_index(header.job, header.source);
                self.complete_send(header.origin);
                self.proceed(r, now, wakes);
            }
        }
        Pull::Packet(packet)
    }

    /// When the NIC could have its next packet: at once (0, or a time that has passed), when a rank
    /// has seen to it, or [`NEVER`] before something else happens.
    #[inline]
    #[must_use]
    pub fn next_at(&self, nic: u32) -> Time {
        let front = self.nics[nic as usize].queue.front(&self.messages);
        if front == NONE {
            return NEVER;
        }
        let message = &self.messages[front];
        if self.paced {
            let bytes = message.to_send.min(u64::from(self.packet_bytes));
            return self.feeds[nic as usize].ready(
                message.created,
                bytes,
                self.grain.as_ref(),
                &self.config,
            );
        }
        message.created
    }

    /// A packet has arrived at the NIC.
    #[inline]
    pub fn deliver(&mut self, nic: u32, packet: &Delivery, now: Time, wakes: &mut Wakes) {
        self.outlook.arrived(packet.bytes.into());
        let from = self.post.elsewhere(packet.source);
        let handle = match from {
            None => packet.message,
            Some(part) => self.post.known_as(part, packet.message),
        };
        let message = &mut self.messages[handle];
        message.to_arrive -= u64::from(packet.bytes);
        if message.to_arrive == 0 {
            if let Some(part) = from {
                self.post.put(part, MpiMessage::Arrived { handle: packet.message });
            }
            let behind = self.grain.map_or(0, |grain| grain.delivery(packet.bytes.into()));
            match self.config.nic_to_host_ps.saturating_add(behind) {
                0 => self.arrived(handle, now, wakes),
                delay => self.keep(nic as usize, handle, now.saturating_add(delay), wakes),
            }
        }
    }

    /// The world's index of a job's rank, which is in this part of the machine.
    #[inline]
    pub(crate) fn rank_index(&self, job: u16, rank: u32) -> usize {
        self.place(job, rank).index as usize
    }

    /// Where a job's rank is.
    #[inline]
    pub(crate) fn place(&self, job: u16, rank: u32) -> Place {
        self.jobs[self.by_id[usize::from(job)] as usize].places[rank as usize]
    }

    /// Whether a job's rank is in this part of the machine and its program has ended.
    pub(crate) fn has_ended(&self, job: u16, rank: u32) -> bool {
        self.ranks.get(self.rank_index(job, rank)).is_some_and(|rank| rank.end.is_some())
    }

    /// The program of a job's rank, if it is in this part of the machine.
    pub fn program_mut(&mut self, job: u16, rank: u32) -> Option<&mut P> {
        let index = self.rank_index(job, rank);
        self.ranks.get_mut(index).map(|rank| &mut rank.program)
    }

    fn job(&self, id: u16) -> Option<&Job> {
        self.by_id
            .get(usize::from(id))
            .filter(|job| **job != NONE)
            .map(|job| &self.jobs[*job as usize])
    }

    /// Whether there are ranks and all their programs have ended (or failed).
    #[must_use]
    pub fn finished(&self) -> bool {
        self.ended > 0 && self.ended as usize == self.ranks.len()
    }

    /// How many ranks have ended or failed, and how many there are.
    #[must_use]
    pub fn ranks_ended(&self) -> (u32, u32) {
        (self.ended, self.ranks.len() as u32)
    }

    /// How much of all programs is behind, between 0 and 1, if every one of them can tell: the
    /// share of their bytes that has arrived, and 1 when all have ended. Never falls.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        self.outlook.progress(self.ended, self.ranks.len() as u32)
    }

    /// What of all programs is behind.
    #[must_use]
    pub fn outlook(&self) -> Outlook {
        self.outlook
    }

    /// What programs did wrong, in the order in which it was found: that of time for each group of
    /// the machine.
    #[must_use]
    pub fn errors(&self) -> &[ProgramError] {
        &self.errors
    }

    /// The latencies of the messages of the job that the plan numbers `id`.
    #[must_use]
    pub fn message_statistics(&self, id: u16) -> Option<&LatencyStatistics> {
        self.job(id).map(|job| &job.statistics)
    }

    /// A report of every rank at `now`, by job in the order of their addition, then by rank.
    pub fn rank_reports(&self, now: Time) -> impl Iterator<Item = RankReport> {
        self.ranks.iter().map(move |rank| {
            let mut account = rank.account;
            match rank.activity {
                Activity::Computing => account.compute += now.saturating_sub(rank.since),
                Activity::Blocked(_) | Activity::Busy => {
                    account.blocked(rank.call, now.saturating_sub(rank.since))
                }
                _ => {}
            }
            RankReport {
                job: self.jobs[rank.job as usize].id,
                rank: rank.number,
                node: self.nics[rank.nic as usize].node,
                start: rank.start,
                end: rank.end,
                account,
            }
        })
    }

    /// What the ranks have called up to `now`, by job; calls that still last are counted up to
    /// then.
    #[must_use]
    pub fn call_reports(&self, now: Time) -> Vec<CallReport> {
        let mut profiles: Vec<Profile> = self.jobs.iter().map(|job| job.profile.clone()).collect();
        for rank in &self.ranks {
            if matches!(rank.activity, Activity::Blocked(_) | Activity::Busy) {
                profiles[rank.job as usize].took(rank.operation, now.saturating_sub(rank.since));
            }
        }
        let reports =
            self.jobs.iter().zip(&profiles).flat_map(|(job, profile)| profile.reports(job.id));
        CallReport::summed(reports.collect())
    }

    /// A call, or a part of it, has lasted up to now.
    pub(crate) fn blocked(&mut self, r: usize, now: Time) {
        let rank = &mut self.ranks[r];
        let time = now - rank.since;
        rank.account.blocked(rank.call, time);
        self.jobs[rank.job as usize].profile.took(rank.operation, time);
    }

    /// Moves the message records so far to the end of `into`.
    pub fn take_messages(&mut self, into: &mut Vec<MessageRecord>) {
        into.append(&mut self.message_records);
    }

    /// Moves the iteration records so far to the end of `into`.
    pub fn take_iterations(&mut self, into: &mut Vec<IterationRecord>) {
        into.append(&mut self.iteration_records);
    }

    /// How much the world holds.
    #[must_use]
    pub fn holdings(&self) -> Holdings {
        Holdings {
            messages: self.messages.len(),
            messages_peak: self.messages.peak(),
            receives: self.receives.len(),
            receives_peak: self.receives.peak(),
            sends: self.sends.len(),
            sends_peak: self.sends.peak(),
        }
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
