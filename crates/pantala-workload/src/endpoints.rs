//! The endpoints of a network: nothing, a generator, or ranks behind each NIC.

use pantala_engine::{NEVER, Time};
use pantala_fabric::{Delivery, Host, MessageLabel, PartitionShare, Pull, Wakes};
use pantala_mpi::{
    Blocked, CallRecord, CallReport, CallWindow, CoarsePackets, Fault, Holdings, IterationRecord,
    IterationStart, LatencySketch, LatencyStatistics, MessageRecord, MpiConfig, MpiLayer,
    MpiMessage, NodeMap, Op, ProgressEstimate, RankContext, RankError, RankMessages, RankReport,
    RankSetup, Recording, Ways,
};

use crate::generator::{Generator, PatternJob};
use crate::injection::Pace;
use crate::job_spec::{JobSpec, Workload, WorkloadError};
use crate::patterns::Pattern;
use crate::programs::{JobOperations, LeftOut, RankLog, RankOperations};
use crate::random_streams::{Purpose, stream};

/// The properties of the network that patterns need.
#[derive(Clone, Debug)]
pub struct PatternContext {
    /// The largest payload of a packet. Patterns send packets of this size.
    pub packet_bytes: u32,
    /// The size of a flit.
    pub flit_bytes: u32,
    /// The bandwidth of a terminal link. Loads are fractions of it.
    pub terminal_bytes_per_second: u64,
    /// The group of each node.
    pub group_of_node: Vec<u32>,
}

/// The endpoint behind one NIC.
#[derive(Clone, Copy, Debug)]
enum Attached {
    Nothing,
    /// An endpoint of another partition.
    OtherPartition,
    Generator(u32),
    Nic(u32),
}

/// All NICs of a network, or of one partition, and the jobs on them: the fabric's [`Host`].
#[derive(Clone, Debug)]
pub struct Endpoints {
    /// By terminal of the network.
    attached: Vec<Attached>,
    nodes: NodeMap,
    share: Option<PartitionShare>,
    generators: Vec<Generator>,
    pattern_jobs: Vec<PatternJob>,
    layer: MpiLayer<RankOperations>,
}

impl Endpoints {
    /// Places `jobs`, numbered in this order, on a network of `nodes` nodes with one NIC each.
    /// `recording` selects the records to keep.
    ///
    /// # Errors A [`WorkloadError`] with the job and the key of the first fault: parameters of a
    /// workload that are wrong or do not fit its ranks, a name that occurs twice, a node that does
    /// not exist or is taken.
    ///
    /// # Panics If the packet size, the flit size, the bandwidth or the control size is zero, or a
    /// node has no group. The check of a plan excludes these.
    pub fn new(
        jobs: Vec<JobSpec>,
        mpi: MpiConfig,
        recording: Recording,
        context: &PatternContext,
        nodes: u32,
        seed: u64,
    ) -> Result<Self, WorkloadError> {
        let machine = (nodes, NodeMap::ONE_NIC);
        Self::in_partition(&jobs, mpi, recording, context, machine, seed, None)
    }

    /// Places `jobs` on the nodes of one partition, or of the whole network if `share` is `None`.
    /// The network has this number of terminals, which are the NICs of nodes.
    ///
    /// # Errors As [`new`](Self::new).
    pub fn in_partition(
        jobs: &[JobSpec],
        mpi: MpiConfig,
        recording: Recording,
        context: &PatternContext,
        (terminals, nodes): (u32, NodeMap),
        seed: u64,
        share: Option<PartitionShare>,
    ) -> Result<Self, WorkloadError> {
        let mut endpoints = Self {
            attached: vec![Attached::Nothing; terminals as usize],
            nodes,
            generators: Vec::new(),
            pattern_jobs: Vec::new(),
            layer: MpiLayer::in_partition(
                mpi,
                recording,
                context.packet_bytes,
                nodes,
                share.clone(),
            ),
            share,
        };
        if let Some(job) = jobs.get(usize::from(u16::MAX)) {
            let fault =
                Fault::new("name", &job.name, "a plan holds at most 65535 jobs", "split the plan");
            return Err(WorkloadError::of_job(usize::from(u16::MAX), fault));
        }
        for (number, job) in jobs.iter().enumerate() {
            if let Some(other) = jobs[..number].iter().position(|j| j.name == job.name) {
                return Err(WorkloadError::of_job(
                    number,
                    Fault::new(
                        "name",
                        &job.name,
                        format!("jobs[{other}] has the same name"),
                        "give every job a name of its own",
                    ),
                ));
            }
            let ranks = job.nodes.len() as u32;
            job.workload.check(ranks).map_err(|fault| WorkloadError::of_workload(number, fault))?;
            job.noise.check().map_err(|fault| WorkloadError::of_job(number, fault))?;
            endpoints.check_nodes(job).map_err(|fault| WorkloadError::of_job(number, fault))?;
            let id = number as u16;
            match &job.workload {
                Workload::Pattern(pattern) => endpoints
                    .add_pattern(id, job, pattern, context, seed)
                    .map_err(|fault| WorkloadError::of_workload(number, fault))?,
                Workload::Programs(programs) => endpoints.add_ranks(id, job, programs, seed),
            }
        }
        Ok(endpoints)
    }

    /// Lets each packet of a message from now on stand for several packets of the machine.
    pub fn coarsen(&mut self, coarse_packets: CoarsePackets) {
        self.layer.coarsen(coarse_packets);
    }

    /// Checks that every node of the job exists and is free. Several ranks may share a node, but
    /// not those of a pattern.
    fn check_nodes(&self, job: &JobSpec) -> Result<(), Fault> {
        let taken = |node: u32| {
            Fault::new("nodes", node, "the node is taken", "name every node once, in one job")
        };
        for node in &job.nodes {
            match self.attached.get(self.nodes.first_nic(*node) as usize) {
                Some(Attached::Nothing) => {}
                Some(_) => return Err(taken(*node)),
                None => {
                    let last = self.nodes.nodes(self.attached.len() as u32).saturating_sub(1);
                    let message = format!("the machine has no node {node}");
                    return Err(Fault::new(
                        "nodes",
                        node,
                        message,
                        format!("name nodes from 0 to {last}"),
                    ));
                }
            }
        }
        if !job.workload.is_endless() {
            return Ok(());
        }
        let mut sorted = job.nodes.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(taken(pair[0])),
            None => Ok(()),
        }
    }

    fn add_pattern(
        &mut self,
        id: u16,
        job: &JobSpec,
        pattern: &Pattern,
        context: &PatternContext,
        seed: u64,
    ) -> Result<(), Fault> {
        let groups: Vec<u32> =
            job.nodes.iter().map(|node| context.group_of_node[*node as usize]).collect();
        let PatternContext { packet_bytes, flit_bytes, terminal_bytes_per_second, .. } = *context;
        let distribution = pattern.destination_distribution(&groups, packet_bytes)?;
        let flits = packet_bytes.div_ceil(flit_bytes);
        let pace = Pace::new(
            pattern.injection,
            pattern.load,
            flits,
            flit_bytes,
            terminal_bytes_per_second,
        );
        let pattern_job = self.pattern_jobs.len() as u16;
        let nics: Vec<u32> = job.nodes.iter().map(|&node| self.nodes.first_nic(node)).collect();
        for (rank, &nic) in (0..).zip(&nics) {
            let draws = |purpose| stream(seed, purpose, &job.name, rank);
            let (first, clock) =
                pace.first(job.start, pattern.phase, draws(Purpose::Gap), draws(Purpose::Phase));
            if self.elsewhere(nic) {
                self.attached[nic as usize] = Attached::OtherPartition;
                continue;
            }
            self.attached[nic as usize] = Attached::Generator(self.generators.len() as u32);
            let silent = distribution.silent(rank) || first >= job.end;
            let next = if silent { NEVER } else { first };
            self.generators.push(Generator {
                next,
                clock,
                draws: draws(Purpose::Destination),
                rank,
                pattern_job,
            });
        }
        self.pattern_jobs.push(PatternJob {
            distribution,
            pace,
            nics,
            packet_bytes,
            job: id,
            start: job.start,
            end: job.end,
        });
        Ok(())
    }

    /// Whether a NIC of the network is in another partition.
    fn elsewhere(&self, nic: u32) -> bool {
        self.share.as_ref().is_some_and(|share| share.elsewhere(nic).is_some())
    }

    fn add_ranks(&mut self, id: u16, job: &JobSpec, programs: &JobOperations, seed: u64) {
        let ranks = job.nodes.len() as u32;
        let setups = (0..).zip(&job.nodes).filter_map(|(rank, node)| {
            let terminal = self.nodes.first_nic(*node);
            if self.elsewhere(terminal) {
                self.attached[terminal as usize] = Attached::OtherPartition;
                return None;
            }
            let nic = match self.attached[terminal as usize] {
                Attached::Nic(nic) => nic,
                _ => self.layer.add_nic(*node),
            };
            self.attached[terminal as usize] = Attached::Nic(nic);
            let context = RankContext::new(rank, ranks, &job.name, seed);
            let program = RankOperations::of(job, programs, rank, seed);
            let communicators = programs.communicators(&context);
            Some((rank, RankSetup { nic, program, communicators }))
        });
        let setups = setups.collect();
        if let Err(error) = self.layer.add_job_in_partition(id, job.start, &job.nodes, setups) {
            unreachable!("checked jobs are sound: {error}");
        }
    }

    /// Number of ranks of finite programs that have ended or failed, and number of these ranks.
    #[must_use]
    pub fn ranks_ended(&self) -> (u32, u32) {
        self.layer.ranks_ended()
    }

    /// By finite job: its number in the plan, the number of its ranks that have ended or failed,
    /// and the number of its ranks.
    pub fn jobs_ended(&self) -> impl Iterator<Item = (u16, u32, u32)> {
        self.layer.jobs_ended()
    }

    /// By finite job: its number in the plan, whether all its ranks here have ended or wait for a
    /// message, and its transmissions that have left ranks here less those that have reached some.
    pub fn standing(&self) -> impl Iterator<Item = (u16, bool, i64)> {
        self.layer.standing()
    }

    /// The completed share of all finite programs, between 0 and 1. `None` if there are none, or if
    /// a program cannot tell its bytes.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        self.layer.progress()
    }

    /// The progress of all finite programs.
    #[must_use]
    pub fn progress_estimate(&self) -> ProgressEstimate {
        self.layer.progress_estimate()
    }

    /// Whether there are finite programs and all have ended. Endless generators do not count.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.layer.finished()
    }

    /// The errors of programs, in the order of time within each group of the network. A failed rank
    /// counts as ended, so that the run can end.
    #[must_use]
    pub fn errors(&self) -> &[RankError] {
        self.layer.errors()
    }

    /// Every operation for which a rank is blocked: the diagnosis of an MPI deadlock.
    #[must_use]
    pub fn blocked_report(&self) -> Vec<Blocked> {
        self.layer.blocked_report()
    }

    /// A report of every rank of a finite program at `now`, by job and rank.
    pub fn rank_reports(&self, now: Time) -> impl Iterator<Item = RankReport> {
        self.layer.rank_reports(now)
    }

    /// Replaces the program of a rank, if the rank is in this partition. Call it before the rank
    /// starts. For tests of programs that make errors, which no workload does.
    pub fn replace_program(&mut self, job: u16, rank: u32, operations: Vec<Op>) {
        if let Some(program) = self.layer.program_mut(job, rank) {
            program.replace(operations);
        }
    }

    /// Reports every message on its way to a rank that has ended. For a run that ends before the
    /// network is empty.
    pub fn settle(&mut self, now: Time) {
        self.layer.settle(now);
    }

    /// What the programs of ranks have logged and printed so far.
    pub fn program_logs(&self) -> impl Iterator<Item = RankLog> {
        self.layer
            .programs()
            .filter_map(|(job, rank, program)| Some(RankLog { job, rank, log: program.log()? }))
    }

    /// The MPI calls of finite programs until `now`, by job, or by job and rank if the calls of
    /// each rank are recorded.
    #[must_use]
    pub fn call_reports(&self, now: Time) -> Vec<CallReport> {
        self.layer.call_reports(now)
    }

    /// The time of ranks in MPI calls until `now`, by job, window and call, if it is recorded.
    #[must_use]
    pub fn call_windows(&self, now: Time) -> Vec<CallWindow> {
        self.layer.call_windows(now)
    }

    /// Stops the generators of all patterns. Packets that they have handed over still travel.
    pub fn stop_injection(&mut self) {
        for generator in &mut self.generators {
            generator.next = NEVER;
        }
    }

    /// The message latencies of a job; `None` for a pattern.
    #[must_use]
    pub fn message_statistics(&self, job: u16) -> Option<&LatencyStatistics> {
        self.layer.message_statistics(job)
    }

    /// Where the payload of a job went; nowhere for a pattern.
    #[must_use]
    pub fn ways(&self, job: u16) -> Ways {
        self.layer.ways(job)
    }

    /// Moves the message records so far to the end of `into`.
    pub fn take_messages(&mut self, into: &mut Vec<MessageRecord>) {
        self.layer.take_messages(into);
    }

    /// Moves the iteration records so far to the end of `into`.
    pub fn take_iterations(&mut self, into: &mut Vec<IterationRecord>) {
        self.layer.take_iterations(into);
    }

    /// Moves the starts of iterations so far to the end of `into`, if they are recorded.
    pub fn take_starts(&mut self, into: &mut Vec<IterationStart>) {
        self.layer.take_starts(into);
    }

    /// Lets programs mark repetitions that are no iterations, so that they can be left out.
    pub fn mark_repetitions(&mut self) {
        self.layer.programs_mut().for_each(RankOperations::mark_repetitions);
    }

    /// Leaves out iterations of a job that none of its ranks has started.
    pub fn leave_out(&mut self, job: u16, iterations: LeftOut) {
        for program in self.layer.programs_of_mut(job) {
            program.leave_out(iterations);
        }
    }

    /// Moves all starts and ends that the plan has set for jobs and that are later than `now`
    /// earlier by `time`. Returns the terminals whose NICs must start again, in order, each with the
    /// time at which it was to start, if nothing else is due there then.
    pub fn bring_forward(&mut self, now: Time, time: Time) -> Vec<(u32, Option<Time>)> {
        self.layer.programs_mut().for_each(|program| program.stop_earlier(now, time));
        let mut begin = vec![false; self.pattern_jobs.len()];
        for (job, begins) in self.pattern_jobs.iter_mut().zip(&mut begin) {
            *begins = job.start > now;
            job.start = job.start.saturating_sub(if *begins { time } else { 0 });
            if job.end != NEVER && job.end > now {
                job.end -= time;
            }
        }
        let nodes = self.nodes;
        let started = self.layer.start_earlier(time).into_iter();
        let mut terminals: Vec<(u32, Option<Time>)> =
            started.map(|(node, due)| (nodes.first_nic(node), due)).collect();
        for generator in &mut self.generators {
            let job = usize::from(generator.pattern_job);
            if begin[job] && generator.next != NEVER {
                let due = generator.next;
                generator.next -= time;
                terminals.push((self.pattern_jobs[job].nics[generator.rank as usize], Some(due)));
            }
        }
        terminals.sort_unstable();
        terminals.dedup();
        terminals
    }

    /// Records every MPI call of the ranks that `chosen` accepts, by job and rank. Call it before
    /// the run.
    pub fn record_calls(&mut self, chosen: impl Fn(u16, u32) -> bool) {
        self.layer.record_calls(chosen);
    }

    /// Moves the records of MPI calls so far to the end of `into`.
    pub fn take_calls(&mut self, into: &mut Vec<CallRecord>) {
        self.layer.take_calls(into);
    }

    /// The messages of every rank that have arrived in this partition, if they are recorded.
    pub fn rank_messages(&self) -> impl Iterator<Item = RankMessages> {
        self.layer.rank_messages()
    }

    /// Removes the windows of message latency that end by `time`: job, start and latencies.
    pub fn take_latency_windows(
        &mut self,
        time: Time,
    ) -> impl Iterator<Item = (u16, Time, LatencySketch)> + '_ {
        self.layer.take_latency_windows(time)
    }

    /// Numbers of handles that the ranks have in use.
    #[must_use]
    pub fn holdings(&self) -> Holdings {
        self.layer.holdings()
    }
}

impl Host for Endpoints {
    type Message = MpiMessage;

    fn start(&mut self, terminal: u32, wakes: &mut Wakes) {
        match self.attached[terminal as usize] {
            Attached::Nothing | Attached::OtherPartition => {}
            Attached::Generator(_) => wakes.nic = true,
            Attached::Nic(nic) => self.layer.start(nic, wakes),
        }
    }

    #[inline]
    fn pull(&mut self, terminal: u32, now: Time, wakes: &mut Wakes) -> Pull {
        match self.attached[terminal as usize] {
            Attached::Nothing | Attached::OtherPartition => Pull::Idle,
            Attached::Generator(generator) => {
                let generator = &mut self.generators[generator as usize];
                generator.pull(&self.pattern_jobs[usize::from(generator.pattern_job)], now)
            }
            Attached::Nic(nic) => self.layer.pull(nic, now, wakes),
        }
    }

    #[inline]
    fn next_at(&self, terminal: u32) -> Time {
        match self.attached[terminal as usize] {
            Attached::Nothing | Attached::OtherPartition => NEVER,
            Attached::Generator(generator) => self.generators[generator as usize].next,
            Attached::Nic(nic) => self.layer.next_at(nic),
        }
    }

    #[inline]
    fn deliver(&mut self, terminal: u32, packet: &Delivery, now: Time, wakes: &mut Wakes) {
        if let Attached::Nic(nic) = self.attached[terminal as usize] {
            self.layer.deliver(nic, packet, now, wakes);
        }
    }

    fn message_of(&self, terminal: u32, packet: &Delivery) -> Option<MessageLabel> {
        match self.attached[terminal as usize] {
            Attached::Nic(_) => Some(self.layer.message_of(packet)),
            _ => None,
        }
    }

    fn timer(&mut self, terminal: u32, now: Time, wakes: &mut Wakes) {
        if let Attached::Nic(nic) = self.attached[terminal as usize] {
            self.layer.timer(nic, now, wakes);
        }
    }

    fn send_messages(&mut self, part: u16, messages: &mut Vec<MpiMessage>) {
        self.layer.send_messages(part, messages);
    }

    fn receive_message(&mut self, part: u16, messages: MpiMessage) {
        self.layer.receive_message(part, messages);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_can_go_to_another_thread() {
        fn sendable<T: Send + 'static>() {}
        sendable::<Endpoints>();
    }
}
