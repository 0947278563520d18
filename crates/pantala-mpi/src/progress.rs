//! The run loop: a rank executes operations until one blocks.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::collectives::{Call, Collective, Step};
use crate::error::{ProgramError, ProgramFault};
use crate::message::Occasion;
use crate::op::{CommunicatorId, Op, Program, TagSelect};
use crate::protocol::{Expected, Outbound};
use crate::rank::{Activity, CALL, Running, Until};
use crate::record::{CallKind, IterationRecord};
use crate::slab::NONE;
use crate::world::World;

/// Whether the rank goes on at once.
type Goes = Result<bool, ProgramFault>;

impl<P: Program> World<P> {
    /// If the rank was blocked and is not any more, closes the call's account and runs on.
    pub(crate) fn proceed(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        let rank = &mut self.ranks[r];
        if !rank.satisfied() {
            return;
        }
        rank.account.blocked(rank.call, now - rank.since);
        if let Activity::Blocked(Until::Requests(first, count)) = rank.activity {
            rank.close(first, count);
        }
        self.run(r, now, wakes);
    }

    /// Runs a rank until it blocks, computes or ends.
    pub(crate) fn run(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        self.ranks[r].activity = Activity::Running;
        loop {
            let rank = &mut self.ranks[r];
            let goes = if rank.collective.is_some() {
                self.advance(r, now, wakes)
            } else if let Some(op) = rank.program.next() {
                rank.operation = op.name();
                self.execute(r, op, now, wakes)
            } else {
                rank.activity = Activity::Ended;
                rank.end = Some(now);
                self.ended += 1;
                return;
            };
            match goes {
                Ok(true) => {}
                Ok(false) => return,
                Err(fault) => return self.fail(r, fault, now),
            }
        }
    }

    /// A rank has asked for what cannot be: it stops.
    pub(crate) fn fail(&mut self, r: usize, fault: ProgramFault, now: Time) {
        let rank = &mut self.ranks[r];
        let job = &self.jobs[rank.job as usize];
        if !matches!(rank.activity, Activity::Ended | Activity::Failed) {
            rank.activity = Activity::Failed;
            self.ended += 1;
        }
        self.errors.push(ProgramError { job: job.id, rank: rank.number, operation: rank.operation, time: now, fault });
    }

    fn execute(&mut self, r: usize, op: Op, now: Time, wakes: &mut Wakes) -> Goes {
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
            Op::Send(outgoing) => {
                let outbound = self.outbound(r, &outgoing)?;
                self.post_send(r, outbound, CALL, now, wakes)?;
                Ok(self.finish_call(r, CallKind::Send, now))
            }
            Op::Recv(incoming) => {
                let expected = self.expected(r, &incoming)?;
                self.post_receive(r, expected, CALL, now, wakes)?;
                Ok(self.finish_call(r, CallKind::Recv, now))
            }
            Op::Sendrecv(outgoing, incoming) => {
                let (outbound, expected) = (self.outbound(r, &outgoing)?, self.expected(r, &incoming)?);
                self.post_receive(r, expected, CALL, now, wakes)?;
                self.post_send(r, outbound, CALL, now, wakes)?;
                Ok(self.finish_call(r, CallKind::Recv, now))
            }
            Op::Isend(outgoing, request) => {
                let outbound = self.outbound(r, &outgoing)?;
                self.ranks[r].open(request)?;
                self.post_send(r, outbound, request, now, wakes)?;
                Ok(true)
            }
            Op::Irecv(incoming, request) => {
                let expected = self.expected(r, &incoming)?;
                self.ranks[r].open(request)?;
                self.post_receive(r, expected, request, now, wakes)?;
                Ok(true)
            }
            Op::Wait(request) => {
                self.ranks[r].check_active(request)?;
                Ok(self.wait(r, request, 1, now))
            }
            Op::Waitall { first, count } => Ok(self.wait(r, first, count, now)),
            Op::Collective(communicator, call) => {
                let running = self.enter(r, communicator, &call)?;
                self.ranks[r].collective = Some(running);
                Ok(true)
            }
            Op::IterationStart => self.start_iteration(r, now),
            Op::IterationEnd => self.end_iteration(r, now),
        }
    }

    /// Blocks if something that the call has started is not complete.
    fn finish_call(&mut self, r: usize, kind: CallKind, now: Time) -> bool {
        let rank = &mut self.ranks[r];
        if rank.call_pending == 0 {
            return true;
        }
        rank.activity = Activity::Blocked(Until::Call);
        rank.call = kind;
        rank.since = now;
        false
    }

    fn wait(&mut self, r: usize, first: u32, count: u32, now: Time) -> bool {
        let rank = &mut self.ranks[r];
        if !rank.await_requests(first, count) {
            rank.close(first, count);
            return true;
        }
        rank.activity = Activity::Blocked(Until::Requests(first, count));
        rank.call = CallKind::Wait;
        rank.since = now;
        false
    }

    /// The beginning of a collective.
    fn enter(&mut self, r: usize, id: CommunicatorId, call: &Call) -> Result<Running, ProgramFault> {
        let rank = &mut self.ranks[r];
        let size = rank.communicator(id)?.size();
        if let Some(fault) = call.fault(size) {
            return Err(fault);
        }
        let membership = &mut rank.memberships[usize::from(id)];
        let occasion = Occasion { number: membership.calls, root: call.root() };
        membership.calls = membership.calls.wrapping_add(1);
        let machine = Collective::of(&self.config.collectives, call, size);
        Ok(Running { machine, communicator: id, kind: call.kind(), occasion })
    }

    /// One step of the collective that the rank is in.
    fn advance(&mut self, r: usize, now: Time, wakes: &mut Wakes) -> Goes {
        let rank = &mut self.ranks[r];
        let Some(running) = &mut rank.collective else {
            return Ok(true);
        };
        let communicator = &rank.memberships[usize::from(running.communicator)].communicator;
        let (size, context) = (communicator.size(), communicator.collective_context());
        let (tag, occasion) = (running.kind.tag(), running.occasion);
        let peer = |member: u32| communicator.rank(member).ok_or(ProgramFault::RankOutOfRange { rank: member, size });
        match running.machine.next(communicator.me(), size) {
            None => {
                rank.collective = None;
                Ok(true)
            }
            Some(Step::Isend { peer: member, bytes, .. }) => {
                let outbound = Outbound { destination: peer(member)?, context, tag, bytes, occasion };
                self.post_send(r, outbound, CALL, now, wakes).map(|()| true)
            }
            Some(Step::Irecv { peer: member, bytes, .. }) => {
                let expected = Expected { source: peer(member)?, context, tag: TagSelect::Is(tag), bytes, occasion };
                debug_assert_ne!(expected.source, NONE);
                self.post_receive(r, expected, CALL, now, wakes).map(|()| true)
            }
            Some(Step::Waitall) => Ok(self.finish_call(r, CallKind::Collective, now)),
        }
    }

    fn start_iteration(&mut self, r: usize, now: Time) -> Goes {
        let rank = &mut self.ranks[r];
        if rank.iteration.is_some() {
            return Err(ProgramFault::UnbalancedIteration);
        }
        rank.iteration = Some((now, rank.account.communication()));
        Ok(true)
    }

    fn end_iteration(&mut self, r: usize, now: Time) -> Goes {
        let rank = &mut self.ranks[r];
        let (start, before) = rank.iteration.take().ok_or(ProgramFault::UnbalancedIteration)?;
        let iteration = rank.iterations;
        rank.iterations += 1;
        if self.recording.iterations {
            self.iteration_records.push(IterationRecord {
                start,
                end: now,
                communication: rank.account.communication() - before,
                rank: rank.number,
                iteration,
                job: self.jobs[rank.job as usize].id,
            });
        }
        Ok(true)
    }
}
