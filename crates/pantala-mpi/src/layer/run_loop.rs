//! The run loop: a rank executes operations until one blocks.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::accounting::rank_totals::CallKind;
use crate::accounting::records::{IterationRecord, IterationStart};
use crate::arena::NONE;
use crate::collectives::Collective;
use crate::collectives::call::Call;
use crate::collectives::step::Step;
use crate::communicators::communicator::Communicator;
use crate::layer::MpiLayer;
use crate::layer::host_costs::Next;
use crate::message::CollectiveInstance;
use crate::program::error::{OperationFault, RankError};
use crate::program::identifiers::{COMM_WORLD, CommunicatorId, Request, TagSelect};
use crate::program::iteration_mark::IterationMark;
use crate::program::operation::{FinalizePart, Op, OperationStream, Outgoing};
use crate::rank::collective::{Membership, RunningCollective};
use crate::rank::posting::{Expected, Mode, Outbound};
use crate::rank::requests::PersistentOperation;
use crate::rank::{Activity, BlockedUntil, CALL, PendingOutcome};

/// Whether the rank continues at once.
pub(crate) type Continues = Result<bool, OperationFault>;

impl<P: OperationStream> MpiLayer<P> {
    /// Continues the rank's background collectives. If the rank was blocked and no longer is,
    /// closes the account of the call and runs the rank.
    pub(crate) fn proceed(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        let rank = &self.ranks[r];
        if rank.ready > 0 && rank.activity != Activity::Failed {
            if let Err(fault) = self.resume_background(r, now, wakes) {
                return self.fail(r, fault, now);
            }
        }
        let rank = &mut self.ranks[r];
        if !rank.satisfied(&self.transfers.messages) {
            match rank.activity {
                Activity::Blocked(until) if self.setup.costly_receives => {
                    rank.works_on_arrivals(until, now);
                }
                _ => {}
            }
            return;
        }
        self.records.blocked(&mut self.ranks[r], now);
        self.run(r, now, wakes);
    }

    /// Runs a rank until it blocks, computes or ends.
    pub(crate) fn run(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        self.ranks[r].activity = Activity::Running;
        self.ranks[r].polls = 0;
        loop {
            let rank = &mut self.ranks[r];
            if rank.collective.is_none() {
                rank.determine_outcome(&self.transfers.messages);
            }
            if self.is_busy(r, now, wakes) {
                return;
            }
            let rank = &mut self.ranks[r];
            if now >= rank.program.stops_at() {
                rank.activity = Activity::Stopped;
                return;
            }
            let goes = if rank.collective.is_some() {
                self.advance(r, now, wakes)
            } else {
                if !self.records.rank_calls.is_empty() {
                    self.close_call(r, now);
                }
                match self.next_operation(r, now) {
                    Next::Entry => Ok(true),
                    Next::Operation(op) => {
                        let rank = &mut self.ranks[r];
                        let finalizes = rank.finalizes;
                        rank.operation = op.name();
                        rank.pending_outcome = PendingOutcome::Done;
                        rank.in_call(op.call_kind());
                        let members =
                            |id| rank.communicator(id).map_or((0, 0), |c| (c.me(), c.size()));
                        if !finalizes {
                            self.records.profiles[rank.profile as usize].called(&op, members);
                            rank.totals.calls += u64::from(op.is_call());
                        }
                        if !self.records.rank_calls.is_empty() {
                            self.open_call(r, &op, now);
                        }
                        let leaves = self.in_calls() && op.is_call() && !op.waits();
                        let kind = op.call_kind();
                        match self.execute(r, op, now, wakes) {
                            Ok(true) if leaves => {
                                // It leaves at once, so it is no wait.
                                let tests = kind == CallKind::Wait;
                                let until = tests.then_some(BlockedUntil::Progress);
                                Ok(self.attend(r, until, kind, now, wakes))
                            }
                            goes => goes,
                        }
                    }
                    Next::End => {
                        self.finalize(r, now, wakes);
                        return self.release_all(r, now, wakes);
                    }
                }
            };
            match goes {
                Ok(true) => {}
                Ok(false) => return,
                Err(fault) => {
                    self.fail(r, fault, now);
                    return self.release_all(r, now, wakes);
                }
            }
        }
    }

    /// Stops a rank whose program made an error.
    pub(crate) fn fail(&mut self, r: usize, fault: OperationFault, now: Time) {
        let rank = &mut self.ranks[r];
        let job = &mut self.jobs.list[rank.job as usize];
        if !matches!(rank.activity, Activity::Ended | Activity::Failed) {
            rank.activity = Activity::Failed;
            self.records.ended += 1;
            job.ended += 1;
        }
        self.records.errors.push(RankError {
            job: job.id,
            rank: rank.number,
            operation: rank.operation,
            place: rank.place(),
            time: now,
            fault,
        });
    }

    fn execute(&mut self, r: usize, op: Op, now: Time, wakes: &mut Wakes) -> Continues {
        match op {
            Op::Compute(0) => Ok(true),
            Op::Compute(time) => {
                let rank = &mut self.ranks[r];
                rank.activity = Activity::Computing;
                rank.since = now;
                rank.until = now.saturating_add(time);
                wakes.timers.push(rank.until);
                Ok(false)
            }
            Op::Icompute(time, request) => self.icompute(r, time, request, now, wakes),
            Op::Send(outgoing) | Op::Rsend(outgoing) => {
                self.send(r, &outgoing, Mode::Standard, now, wakes)
            }
            Op::Ssend(outgoing) => self.send(r, &outgoing, Mode::Synchronous, now, wakes),
            Op::Bsend(outgoing) => self.send(r, &outgoing, Mode::Buffered, now, wakes),
            Op::Post(outgoing) => self.send(r, &outgoing, Mode::Eager, now, wakes),
            Op::Recv(incoming) => {
                let expected = self.expected(r, &incoming)?;
                self.ranks[r].pending_outcome = PendingOutcome::Received;
                self.post_receive(r, expected, CALL, now, wakes)?;
                Ok(self.finish_call(r, CallKind::Recv, now, wakes))
            }
            Op::Sendrecv(outgoing, incoming) => {
                let (outbound, expected) =
                    (self.outbound(r, &outgoing)?, self.expected(r, &incoming)?);
                self.ranks[r].pending_outcome = PendingOutcome::Received;
                self.post_receive(r, expected, CALL, now, wakes)?;
                self.post_send(r, outbound, CALL, now, wakes)?;
                Ok(self.finish_call(r, CallKind::Recv, now, wakes))
            }
            Op::Isend(outgoing, request) => {
                self.isend(r, &outgoing, Mode::Standard, request, now, wakes)
            }
            Op::Issend(outgoing, request) => {
                self.isend(r, &outgoing, Mode::Synchronous, request, now, wakes)
            }
            Op::Ipost(outgoing, request) => {
                self.isend(r, &outgoing, Mode::Eager, request, now, wakes)
            }
            Op::Irecv(incoming, request) => {
                let expected = self.expected(r, &incoming)?;
                self.ranks[r].requests.open_receive(request, expected.context)?;
                self.post_receive(r, expected, request, now, wakes)?;
                Ok(true)
            }
            Op::SendInit(outgoing, request) => {
                let outbound = self.outbound(r, &outgoing)?;
                self.ranks[r]
                    .requests
                    .make_persistent(request, PersistentOperation::Send(outbound))
                    .map(|()| true)
            }
            Op::RecvInit(incoming, request) => {
                let expected = self.expected(r, &incoming)?;
                self.ranks[r]
                    .requests
                    .make_persistent(request, PersistentOperation::Receive(expected))
                    .map(|()| true)
            }
            Op::Start(request) => self.start_request(r, request, now, wakes).map(|()| true),
            Op::Startall { first, count } => {
                let persistent = self.ranks[r].requests.persistent(first, count);
                let mut requests = persistent.into_iter();
                requests
                    .try_for_each(|request| self.start_request(r, request, now, wakes))
                    .map(|()| true)
            }
            Op::Free(request) => self.ranks[r].requests.free(request).map(|()| true),
            ref op @ (Op::Wait(_)
            | Op::Waitall { .. }
            | Op::Waitany { .. }
            | Op::Waitsome { .. }
            | Op::Test(_)
            | Op::Testall { .. }
            | Op::Testany { .. }
            | Op::Testsome { .. }
            | Op::Set(..)
            | Op::Probe(_)
            | Op::Iprobe(_)) => self.wait_or_test(r, op, now, wakes),
            Op::Collective(communicator, call) => {
                let running = self.start_collective(r, communicator, &call);
                self.begin_collective(r, running)
            }
            Op::Valued(communicator, call, contribution) => {
                let running = self.start_collective(r, communicator, &call);
                let contribution = Some(contribution);
                self.begin_collective(r, running.map(|r| RunningCollective { contribution, ..r }))
            }
            Op::Icollective(communicator, call, request) => {
                self.ranks[r].requests.open(request)?;
                let running = self.start_collective(r, communicator, &call)?;
                self.start_background(r, running, request, now, wakes).map(|()| true)
            }
            Op::CommDup(id) => {
                let running = self.duplicate(r, id);
                self.begin_collective(r, running)
            }
            Op::CommSplit(id, table) => {
                let running = self.split(r, id, &table);
                self.begin_collective(r, running)
            }
            Op::CommCreate(id, group) => {
                let running = self.create(r, id, &group);
                self.begin_collective(r, running)
            }
            Op::CommJoin(context, group) => {
                let running = self.join_group(r, context, &group);
                self.begin_collective(r, running)
            }
            Op::Finalize(FinalizePart::Requests) => {
                self.ranks[r].finalizes = true;
                self.wait_or_test(r, &Op::WAITALL, now, wakes)
            }
            Op::Finalize(FinalizePart::Barrier) => {
                self.ranks[r].finalizes = true;
                let running = self.start_collective(r, COMM_WORLD, &Call::Barrier);
                self.begin_collective(r, running)
            }
            Op::CommFree(id) => self.ranks[r].leave(id).map(|()| true),
            Op::IterationStart(mark) => self.start_iteration(r, mark, now),
            Op::IterationEnd => self.end_iteration(r, now),
            Op::Abort(reason) => Err(OperationFault::Aborted { reason }),
        }
    }

    fn send(
        &mut self,
        r: usize,
        outgoing: &Outgoing,
        mode: Mode,
        now: Time,
        wakes: &mut Wakes,
    ) -> Continues {
        let outbound = Outbound { mode, ..self.outbound(r, outgoing)? };
        self.post_send(r, outbound, CALL, now, wakes)?;
        Ok(self.finish_call(r, CallKind::Send, now, wakes))
    }

    fn isend(
        &mut self,
        r: usize,
        outgoing: &Outgoing,
        mode: Mode,
        request: Request,
        now: Time,
        wakes: &mut Wakes,
    ) -> Continues {
        let outbound = Outbound { mode, ..self.outbound(r, outgoing)? };
        self.ranks[r].requests.open(request)?;
        self.post_send(r, outbound, request, now, wakes)?;
        Ok(true)
    }

    /// Starts a persistent request.
    fn start_request(
        &mut self,
        r: usize,
        request: Request,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<(), OperationFault> {
        match self.ranks[r].requests.start(request)? {
            PersistentOperation::Send(outbound) => self.post_send(r, outbound, request, now, wakes),
            PersistentOperation::Receive(expected) => {
                self.post_receive(r, expected, request, now, wakes)
            }
        }
    }

    /// Blocks if an operation of the call is not complete. Every call but a send ends a run of
    /// sends.
    fn finish_call(&mut self, r: usize, kind: CallKind, now: Time, wakes: &mut Wakes) -> bool {
        let rank = &mut self.ranks[r];
        let complete = rank.call_pending == 0;
        if kind != CallKind::Send {
            rank.ingress = 0;
        }
        if self.in_calls() {
            return self.attend(r, Some(BlockedUntil::Call), kind, now, wakes);
        }
        complete || self.block(r, BlockedUntil::Call, kind, now)
    }

    /// Starts a collective.
    pub(crate) fn start_collective(
        &mut self,
        r: usize,
        id: CommunicatorId,
        call: &Call,
    ) -> Result<RunningCollective, OperationFault> {
        let membership = self.ranks[r].membership(id)?;
        let size = membership.communicator.size();
        if let Some(fault) = call.fault(size) {
            return Err(fault);
        }
        let instance = CollectiveInstance { number: membership.calls, root: call.root() };
        membership.calls = membership.calls.wrapping_add(1);
        let machine = Collective::of(&self.setup.config.collectives, call, size);
        Ok(RunningCollective {
            machine,
            communicator: id,
            kind: call.kind(),
            instance,
            creation: None,
            contribution: None,
        })
    }

    fn begin_collective(
        &mut self,
        r: usize,
        running: Result<RunningCollective, OperationFault>,
    ) -> Continues {
        self.ranks[r].collective = Some(running?);
        Ok(true)
    }

    /// Executes one step of the rank's blocking collective.
    fn advance(&mut self, r: usize, now: Time, wakes: &mut Wakes) -> Continues {
        let rank = &mut self.ranks[r];
        let Some(running) = &mut rank.collective else {
            return Ok(true);
        };
        let Some(Some(Membership { communicator, .. })) =
            rank.memberships.get(usize::from(running.communicator))
        else {
            return Err(OperationFault::UnknownCommunicator { communicator: running.communicator });
        };
        match running.machine.next(communicator.me(), communicator.size()) {
            Some(Step::Waitall) => Ok(self.finish_call(r, CallKind::Collective, now, wakes)),
            Some(step) => {
                let envelope = CollectiveEnvelope::of(running, communicator);
                self.take_step(r, step, envelope, CALL, now, wakes)?;
                Ok(!self.in_calls() || self.attend(r, None, CallKind::Collective, now, wakes))
            }
            None => {
                let Some(mut running) = rank.collective.take() else { return Ok(true) };
                if !self.finish_steps(r, &mut running)? {
                    self.ranks[r].collective = Some(running);
                }
                Ok(true)
            }
        }
    }

    /// Starts the send or receive of a collective's step.
    pub(crate) fn take_step(
        &mut self,
        r: usize,
        step: Step,
        envelope: CollectiveEnvelope,
        owner: u32,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<(), OperationFault> {
        let CollectiveEnvelope { context, tag, instance, value, .. } = envelope;
        match step {
            Step::Isend { peer, bytes, .. } => {
                let destination = self.job_rank(r, envelope, peer)?;
                let mode = Mode::Standard;
                let outbound = Outbound { destination, context, tag, bytes, instance, value, mode };
                self.post_send(r, outbound, owner, now, wakes)
            }
            Step::Irecv { peer, bytes, .. } => {
                let source = self.job_rank(r, envelope, peer)?;
                debug_assert_ne!(source, NONE);
                let expected =
                    Expected { source, context, tag: TagSelect::Is(tag), bytes, instance };
                self.post_receive(r, expected, owner, now, wakes)
            }
            Step::Waitall => Ok(()),
        }
    }

    fn job_rank(
        &self,
        r: usize,
        envelope: CollectiveEnvelope,
        member: u32,
    ) -> Result<u32, OperationFault> {
        let communicator = self.ranks[r].communicator(envelope.communicator)?;
        communicator
            .rank(member)
            .ok_or(OperationFault::RankOutOfRange { rank: member, size: communicator.size() })
    }

    fn start_iteration(&mut self, r: usize, mark: IterationMark, now: Time) -> Continues {
        let rank = &mut self.ranks[r];
        if rank.iteration.is_some() {
            return Err(OperationFault::UnbalancedIteration);
        }
        rank.iteration = Some((mark, now, rank.totals.communication()));
        if self.setup.recording.starts {
            self.records.iteration_starts.push(IterationStart {
                time: now,
                rank: rank.number,
                job: self.jobs.list[rank.job as usize].id,
                mark,
                totals: rank.totals,
            });
        }
        Ok(true)
    }

    fn end_iteration(&mut self, r: usize, now: Time) -> Continues {
        let rank = &mut self.ranks[r];
        let (mark, start, before) =
            rank.iteration.take().ok_or(OperationFault::UnbalancedIteration)?;
        if self.setup.recording.iterations && mark.motif != IterationMark::UNSEEN {
            let communication = rank.totals.communication() - before;
            self.records.iteration_records.push(IterationRecord {
                start,
                end: now,
                communication,
                computation: self.setup.recording.rank_calls.then_some(now - start - communication),
                rank: rank.number,
                mark,
                job: self.jobs.list[rank.job as usize].id,
            });
        }
        Ok(true)
    }
}

/// The fields that all messages of a collective share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CollectiveEnvelope {
    communicator: CommunicatorId,
    context: u32,
    tag: i32,
    instance: CollectiveInstance,
    value: u64,
}

impl CollectiveEnvelope {
    pub(crate) const fn of(running: &RunningCollective, communicator: &Communicator) -> Self {
        let RunningCollective { communicator: id, kind, instance, .. } = running;
        Self {
            communicator: *id,
            context: communicator.collective_context(),
            tag: kind.tag(),
            instance: *instance,
            value: running.value(),
        }
    }
}
