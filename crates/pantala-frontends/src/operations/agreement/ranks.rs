//! The check of the operations of one rank.

use std::collections::BTreeMap;
use std::sync::Arc;

use pantala_mpi::{
    CommunicatorId, Incoming, Op, OperationStream, Outcome, Outgoing, RankContext, Request, Source,
    TagSelect,
};

use super::collectives::{Collective, Communicators, Origin, Progress};
use super::messages::OfRank;
use crate::operations::contents::Contents;
use crate::operations::fault::FileFault;
use crate::operations::prediction::{Prediction, Timing};
use crate::operations::replay::Replay;

/// A communicator that the rank has: its number in the job, and the collectives so far.
#[derive(Clone, Copy, Debug)]
struct Membership {
    number: u32,
    progress: Progress,
}

/// A persistent request.
#[derive(Clone, Copy, Debug)]
enum Persistent {
    Send(Outgoing),
    Receive(Incoming),
}

/// The check of a rank's operations, and what it collects.
pub(super) struct RankCheck<'a> {
    rank: u32,
    replay: Replay,
    prediction: Prediction,
    communicators: &'a mut Communicators,
    /// By the rank's own number.
    memberships: Vec<Option<Membership>>,
    persistent: BTreeMap<Request, Persistent>,
    messages: OfRank,
}

impl<'a> RankCheck<'a> {
    pub(super) fn new(
        contents: &Arc<Contents>,
        rank: u32,
        communicators: &'a mut Communicators,
    ) -> Self {
        let given = contents.communicators(rank).to_vec();
        let context = RankContext::new(rank, contents.job_ranks(), "", 0);
        let origins: Vec<Origin> = std::iter::once(Origin::World)
            .chain(given.iter().map(|of| Origin::Given {
                context: of.context(),
                first: of.rank(0).unwrap_or(rank),
            }))
            .collect();
        let prediction = Prediction::new(&context, given, Timing::Early);
        let mut check = Self {
            rank,
            replay: Replay::new(Arc::clone(contents), rank),
            prediction,
            communicators,
            memberships: Vec::new(),
            persistent: BTreeMap::new(),
            messages: OfRank::default(),
        };
        for (id, origin) in (0..).zip(origins) {
            check.joined(id, origin);
        }
        check
    }

    /// Checks all operations. Returns false if they are more than the limits allow.
    pub(super) fn run(&mut self, operations: &mut u64, kept: u64) -> Result<bool, FileFault> {
        while let Some(op) = self.replay.next(0, &Outcome::Done) {
            if *operations == 0 {
                return Ok(false);
            }
            *operations -= 1;
            self.check(&op)?;
            // The sum over all messages takes time, so it is asked for now and then.
            if *operations % (1 << 16) == 0
                && self.messages.kept() + self.communicators.kept() > kept
            {
                return Ok(false);
            }
        }
        for membership in self.memberships.iter().flatten() {
            self.communicators.left(membership.number, self.rank, &membership.progress)?;
        }
        Ok(true)
    }

    pub(super) fn into_messages(self) -> OfRank {
        self.messages
    }

    fn fault(&self, text: impl std::fmt::Display) -> FileFault {
        FileFault::Calls(format!("rank {} {text}", self.rank))
    }

    fn check(&mut self, op: &Op) -> Result<(), FileFault> {
        match op {
            Op::Abort(text) => return Err(self.fault(format!("stops: {text}"))),
            Op::Send(message)
            | Op::Ssend(message)
            | Op::Rsend(message)
            | Op::Bsend(message)
            | Op::Post(message)
            | Op::Isend(message, _)
            | Op::Issend(message, _)
            | Op::Ipost(message, _) => self.sent(message)?,
            Op::Recv(receive) | Op::Irecv(receive, _) => self.wanted(receive)?,
            Op::Sendrecv(message, receive) => {
                self.sent(message)?;
                self.wanted(receive)?;
            }
            Op::SendInit(message, request) => {
                self.persistent.insert(*request, Persistent::Send(*message));
            }
            Op::RecvInit(receive, request) => {
                self.persistent.insert(*request, Persistent::Receive(*receive));
            }
            Op::Start(request) => self.started(*request, 1)?,
            Op::Startall { first, count } => self.started(*first, *count)?,
            Op::Free(request) => {
                self.persistent.remove(request);
            }
            Op::CommFree(id) => {
                let membership = self.membership(*id)?;
                self.communicators.left(membership.number, self.rank, &membership.progress)?;
                self.memberships[usize::from(*id)] = None;
            }
            _ => {}
        }
        let made_from = self.collective(op)?;
        if let Outcome::Communicator(Some(id)) = self.prediction.outcome(op) {
            let of = self.prediction.communicator(id);
            let first = of.and_then(|of| of.rank(0)).unwrap_or(self.rank);
            if let Op::CommJoin(context, _) = op {
                self.joined(id, Origin::Given { context: *context, first });
            } else if let Some(parent) = made_from {
                let (parent, ordinal) = (parent.number, parent.progress.calls);
                self.joined(id, Origin::Made { parent, ordinal, first });
            }
        }
        Ok(())
    }

    /// Adds a communicator of the prediction.
    fn joined(&mut self, id: CommunicatorId, origin: Origin) {
        let Some(of) = self.prediction.communicator(id) else { return };
        let number = self.communicators.number(origin, of, self.rank);
        let place = usize::from(id);
        if self.memberships.len() <= place {
            self.memberships.resize(place + 1, None);
        }
        self.memberships[place] = Some(Membership { number, progress: Progress::default() });
    }

    fn membership(&self, id: CommunicatorId) -> Result<Membership, FileFault> {
        let membership = self.memberships.get(usize::from(id)).copied().flatten();
        membership
            .ok_or_else(|| self.fault(format!("uses communicator {id}, which it does not have")))
    }

    /// Checks a collective. Returns its communicator.
    fn collective(&mut self, op: &Op) -> Result<Option<Membership>, FileFault> {
        let Some((id, collective)) = Collective::of(op) else { return Ok(None) };
        let mut membership = self.membership(id)?;
        self.communicators.called(
            membership.number,
            self.rank,
            &mut membership.progress,
            collective,
        )?;
        self.memberships[usize::from(id)] = Some(membership);
        Ok(Some(membership))
    }

    /// A communicator's number in the job, and the rank of the job that is `rank` in it.
    fn partner(&self, id: CommunicatorId, rank: u32) -> Result<(u32, u32), FileFault> {
        let number = self.membership(id)?.number;
        let of = self.prediction.communicator(id);
        match of.and_then(|of| of.rank(rank)) {
            Some(partner) => Ok((number, partner)),
            None => {
                let size = of.map_or(0, pantala_mpi::Communicator::size);
                Err(self.fault(format!("names rank {rank} of a communicator of {size} ranks")))
            }
        }
    }

    fn sent(&mut self, message: &Outgoing) -> Result<(), FileFault> {
        let (number, to) = self.partner(message.communicator, message.destination)?;
        self.messages.sent.entry((number, to, message.tag)).or_default().push(message.bytes);
        Ok(())
    }

    fn wanted(&mut self, receive: &Incoming) -> Result<(), FileFault> {
        let Source::Rank(source) = receive.source else {
            let number = self.membership(receive.communicator)?.number;
            *self.messages.any_source.entry(number).or_default() += 1;
            return Ok(());
        };
        let (number, from) = self.partner(receive.communicator, source)?;
        match receive.tag {
            TagSelect::Is(tag) => {
                self.messages.wanted.entry((number, from, tag)).or_default().push(receive.bytes);
            }
            TagSelect::Any => *self.messages.any_tag.entry((number, from)).or_default() += 1,
        }
        Ok(())
    }

    fn started(&mut self, first: Request, count: u32) -> Result<(), FileFault> {
        let range = first..first.saturating_add(count);
        let started: Vec<Persistent> =
            self.persistent.range(range).map(|(_, request)| *request).collect();
        for request in started {
            match request {
                Persistent::Send(message) => {
                    self.sent(&message)?;
                }
                Persistent::Receive(receive) => self.wanted(&receive)?,
            }
        }
        Ok(())
    }
}
