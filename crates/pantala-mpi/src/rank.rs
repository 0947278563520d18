//! The state of one rank: its program, its activity, its requests and its totals.

use pantala_engine::Time;

use crate::accounting::rank_totals::{CallKind, RankTotals};
use crate::arena::{Arena, NONE};
use crate::communicators::communicator::Communicator;
use crate::message::{Header, Message};
use crate::program::error::OperationFault;
use crate::program::identifiers::{CommunicatorId, MAX_REQUESTS, Request, TagSelect};
use crate::program::iteration_mark::IterationMark;
use crate::program::operation::{FINALIZE, Op, OperationStream};
use crate::program::outcome::{Arrived, Completion, Outcome, Status};
use crate::program::place::Place;
use crate::rank::collective::{BackgroundCollective, Membership, RunningCollective};
use crate::rank::matching::Matcher;
use crate::rank::requests::{Requests, Selection};

pub(crate) mod collective;
pub(crate) mod matching;
pub(crate) mod posting;
pub(crate) mod requests;

/// Owner of a send or receive: the rank's present call. Other owners are its requests.
pub(crate) const CALL: u32 = NONE;
/// Owner of a buffered send: nobody. The send is already complete for its rank.
pub(crate) const DETACHED: u32 = NONE - 1;
/// Owner of a send or receive of a background collective, with its index in [`Rank::background`].
pub(crate) const BACKGROUND: u32 = 1 << 30;

/// A send that is not complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingSend {
    pub(crate) bytes: u64,
    /// The rank's index in the layer.
    pub(crate) rank: u32,
    /// [`CALL`] or a request.
    pub(crate) owner: u32,
    /// The receiving rank of the job.
    pub(crate) destination: u32,
    pub(crate) tag: i32,
    /// Whether the receiver has asked for the payload. Always true for an eager message.
    pub(crate) matched: bool,
    /// Whether the send is synchronous: it waits for its receive at any size.
    pub(crate) synchronous: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// The job has not started.
    Waiting,
    /// The rank executes operations in the run loop.
    Running,
    /// The rank computes until [`Rank::until`].
    Computing,
    /// The host works on messages until [`Rank::until`].
    Busy,
    /// The rank is blocked in an MPI call until the condition holds.
    Blocked(BlockedUntil),
    /// The program has ended.
    Ended,
    /// The job's end has come before the end of the program.
    Stopped,
    /// The program made an error.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockedUntil {
    /// All sends and receives of the present call are complete.
    Call,
    /// As many of these requests are complete as the wait needs.
    Requests(Selection),
    /// A message has arrived that this source (the job's rank or [`NONE`]), context and tag accept.
    Message { source: u32, context: u32, tag: TagSelect },
    /// The host has handled the messages that have arrived. Only with progress in calls.
    Progress,
}

/// The outcome of the last operation, to be determined when the operation is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingOutcome {
    /// The operation is done.
    Done,
    /// [`Rank::outcome`] already holds the outcome.
    Known,
    /// The message received.
    Received,
    /// The message that a receive would take.
    Found { source: u32, context: u32, tag: TagSelect },
    /// Close all complete requests among these.
    CloseAll(Selection),
    /// Close the lowest complete request among these.
    CloseAny(Selection),
    /// Close all complete requests among these, and list them.
    CloseSome(Selection),
}

/// The state of a rank between the entry to a call and the return from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallState {
    /// The call that the rank enters.
    pub(crate) entered: Option<Op>,
    /// Whether the rank has to return from a call.
    pub(crate) returning: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Rank<P> {
    pub(crate) activity: Activity,
    /// The time since which the rank computes or is blocked.
    pub(crate) since: Time,
    /// The time until which the rank computes, or at which it starts.
    pub(crate) until: Time,
    /// Number of sends and receives of the present call that are not complete.
    pub(crate) call_pending: u32,
    /// Number of these that are sends.
    pub(crate) call_sends: u32,
    /// The time until which the rank is busy with messages that it sends.
    pub(crate) busy_until: Time,
    /// The time for which the rank will be busy with messages that it has received.
    pub(crate) host_work: Time,
    /// The message of the last receive of the present call.
    pub(crate) arrived: Option<Arrived>,
    /// How to determine the outcome of the present operation.
    pub(crate) pending_outcome: PendingOutcome,
    /// The outcome of the last operation.
    pub(crate) outcome: Outcome,
    /// Number of tests and probes in a row that have found nothing while no time passed.
    pub(crate) polls: u32,
    pub(crate) call: CallKind,
    /// The job's index in the layer.
    pub(crate) job: u32,
    /// The index of its profile in the layer.
    pub(crate) profile: u32,
    /// The rank of the job.
    pub(crate) number: u32,
    pub(crate) nic: u32,
    /// The next rank on the same NIC.
    pub(crate) next: u32,
    pub(crate) collective: Option<RunningCollective>,
    pub(crate) matcher: Matcher,
    pub(crate) totals: RankTotals,
    /// Payload of the present run of sends.
    pub(crate) ingress: u64,
    pub(crate) requests: Requests,
    /// By number; `None` if the communicator was freed.
    pub(crate) memberships: Vec<Option<Membership>>,
    /// Freed communicators of which a request may still have a message.
    pub(crate) freed: Vec<Communicator>,
    /// Collectives in the background.
    pub(crate) background: Vec<Option<BackgroundCollective>>,
    /// Number of background collectives that can continue.
    pub(crate) ready: u32,
    /// Computations beside the rank: the time of each one's end, and its request.
    pub(crate) computations: Vec<(Time, Request)>,
    /// The latest end of a computation beside the rank.
    pub(crate) computing_until: Time,
    /// The name of the latest operation.
    pub(crate) operation: &'static str,
    /// The mark and the start of the present iteration, and the communication time until then.
    pub(crate) iteration: Option<(IterationMark, Time, Time)>,
    pub(crate) start: Option<Time>,
    pub(crate) end: Option<Time>,
    /// Whether the rank is in `MPI_Finalize`, and whether in its barrier.
    pub(crate) finalizes: bool,
    pub(crate) in_final_barrier: bool,
    pub(crate) program: P,
}

impl<P: OperationStream> Rank<P> {
    /// The place of the call that the rank is in.
    pub(crate) fn place(&self) -> Option<Place> {
        if self.operation == FINALIZE { None } else { self.program.place() }
    }
}

impl<P> Rank<P> {
    pub(crate) fn new(
        job: u32,
        profile: u32,
        number: u32,
        nic: u32,
        start: Time,
        communicators: Vec<Communicator>,
        program: P,
    ) -> Self {
        Self {
            activity: Activity::Waiting,
            since: start,
            until: start,
            call_pending: 0,
            call_sends: 0,
            busy_until: 0,
            host_work: 0,
            arrived: None,
            pending_outcome: PendingOutcome::Done,
            outcome: Outcome::Done,
            polls: 0,
            call: CallKind::Wait,
            job,
            profile,
            number,
            nic,
            next: NONE,
            collective: None,
            matcher: Matcher::new(),
            totals: RankTotals::default(),
            ingress: 0,
            requests: Requests::default(),
            memberships: communicators
                .into_iter()
                .map(|communicator| Some(Membership::new(communicator)))
                .collect(),
            freed: Vec::new(),
            background: Vec::new(),
            ready: 0,
            computations: Vec::new(),
            computing_until: 0,
            operation: "start",
            iteration: None,
            start: None,
            end: None,
            finalizes: false,
            in_final_barrier: false,
            program,
        }
    }

    /// Notes that the rank is in a call of this kind. Every call at the end is part of
    /// `MPI_Finalize`.
    pub(crate) const fn in_call(&mut self, kind: CallKind) {
        self.call = if self.finalizes { CallKind::Finalize } else { kind };
    }

    pub(crate) fn communicator(&self, id: CommunicatorId) -> Result<&Communicator, OperationFault> {
        let found = self.memberships.get(usize::from(id)).and_then(Option::as_ref);
        found
            .map(|m| &m.communicator)
            .ok_or(OperationFault::UnknownCommunicator { communicator: id })
    }

    pub(crate) fn membership(
        &mut self,
        id: CommunicatorId,
    ) -> Result<&mut Membership, OperationFault> {
        let found = self.memberships.get_mut(usize::from(id)).and_then(Option::as_mut);
        found.ok_or(OperationFault::UnknownCommunicator { communicator: id })
    }

    /// The fault that an unexpected message shows, if another rank calls another collective than
    /// this rank. Slow: for reports only.
    pub(crate) fn mismatch(&self, messages: &Arena<Message>) -> Option<OperationFault> {
        let background = self.background.iter().flatten().map(|background| &background.running);
        let mut running = self.collective.iter().chain(background);
        running.find_map(|running| self.mismatch_of(running, messages))
    }

    fn mismatch_of(
        &self,
        running: &RunningCollective,
        messages: &Arena<Message>,
    ) -> Option<OperationFault> {
        let RunningCollective { communicator, kind, instance, .. } = running;
        let context = self.communicator(*communicator).ok()?.collective_context();
        let mut calls = self.matcher.unexpected(messages).filter(|header| {
            let Header { context: there, tag, instance: other, .. } = header;
            *there == context
                && other.number == instance.number
                && (*tag, other) != (kind.tag(), instance)
        });
        calls.next().map(|header| OperationFault::mismatch((*kind, instance.root), header))
    }

    /// Counts a send or receive of `owner` as started.
    pub(crate) fn begin(&mut self, owner: u32) {
        if owner == CALL {
            self.call_pending += 1;
        } else if let Some(background) = self.background_of(owner) {
            background.pending += 1;
        }
    }

    /// Accounts for a message that `owner` posts to another rank.
    pub(crate) fn post(&mut self, owner: u32, bytes: u64) {
        let ingress = self.ingress_of(owner);
        *ingress += bytes;
        let ingress = *ingress;
        self.totals.sent(bytes, ingress);
    }

    /// Ends the run of sends of `owner`, which posts a receive.
    pub(crate) fn end_run_of_sends(&mut self, owner: u32) {
        *self.ingress_of(owner) = 0;
    }

    /// The payload of the present run of sends of `owner`.
    fn ingress_of(&mut self, owner: u32) -> &mut u64 {
        let background = owner & BACKGROUND != 0 && self.background_of(owner).is_some();
        match self.background.get_mut((owner & !BACKGROUND) as usize) {
            Some(Some(collective)) if background => &mut collective.ingress,
            _ => &mut self.ingress,
        }
    }

    /// Counts a send or receive of `owner` as complete.
    pub(crate) fn complete(&mut self, owner: u32) {
        if owner == CALL {
            self.call_pending -= 1;
        } else if owner < MAX_REQUESTS {
            let waited = match self.activity {
                Activity::Blocked(BlockedUntil::Requests(selection)) => Some(selection),
                _ => None,
            };
            self.requests.complete(owner, waited);
        } else if let Some(background) = self.background_of(owner) {
            background.pending -= 1;
            self.ready += u32::from(background.ready());
        }
    }

    /// Notes the message that `owner` has received, and the time for which the rank will be busy
    /// with it.
    pub(crate) fn receive(&mut self, owner: u32, header: &Header, work: Time) {
        let arrived = Arrived { work, ..Arrived::of(header) };
        if owner < MAX_REQUESTS {
            self.requests.receive(owner, arrived);
        } else if owner == CALL {
            self.host_work = self.host_work.saturating_add(arrived.work);
            if !header.is_collective() {
                self.arrived = Some(arrived);
            } else if let Some(running) = &mut self.collective {
                running.take_value(header.value);
            }
        }
    }

    /// Lets a rank that waits for several messages work on those that are here, one after the other.
    pub(crate) fn works_on_arrivals(&mut self, until: BlockedUntil, now: Time) {
        let work = match (until, &self.pending_outcome) {
            (BlockedUntil::Call, _) => std::mem::take(&mut self.host_work),
            (BlockedUntil::Requests(selection), PendingOutcome::CloseAll(_)) => {
                self.requests.take_work(selection)
            }
            _ => 0,
        };
        if work > 0 {
            self.busy_until = self.busy_until.max(now).saturating_add(work);
        }
    }

    /// The background collective of an owner, if the owner is one.
    fn background_of(&mut self, owner: u32) -> Option<&mut BackgroundCollective> {
        if owner & !BACKGROUND >= MAX_REQUESTS || owner & BACKGROUND == 0 {
            return None;
        }
        self.background.get_mut((owner & !BACKGROUND) as usize)?.as_mut()
    }

    /// The request of an owner: its own, or that of a background collective.
    pub(crate) fn request_of(&self, owner: u32) -> Option<Request> {
        match owner {
            CALL | DETACHED => None,
            request if request < MAX_REQUESTS => Some(request),
            _ => Some(self.background.get((owner & !BACKGROUND) as usize)?.as_ref()?.request),
        }
    }

    /// Whether a condition holds, whatever the rank does.
    pub(crate) fn holds(&mut self, until: BlockedUntil, messages: &Arena<Message>) -> bool {
        match until {
            BlockedUntil::Call => self.call_pending == 0,
            BlockedUntil::Requests(selection) => match self.pending_outcome {
                PendingOutcome::CloseAll(_) => !self.requests.await_all(selection),
                _ => !self.requests.await_any(selection),
            },
            BlockedUntil::Message { source, context, tag } => {
                self.matcher.peek(source, context, tag, messages).is_some()
            }
            BlockedUntil::Progress => true,
        }
    }

    /// Whether the rank is blocked and its condition holds.
    pub(crate) fn satisfied(&self, messages: &Arena<Message>) -> bool {
        match self.activity {
            Activity::Blocked(BlockedUntil::Call) => self.call_pending == 0,
            Activity::Blocked(BlockedUntil::Requests(_)) => self.requests.satisfied(),
            Activity::Blocked(BlockedUntil::Message { source, context, tag }) => {
                self.matcher.peek(source, context, tag, messages).is_some()
            }
            _ => false,
        }
    }

    /// Closes the requests of the last operation, and determines the outcome for the program.
    pub(crate) fn determine_outcome(&mut self, messages: &Arena<Message>) {
        let (selection, most) =
            match std::mem::replace(&mut self.pending_outcome, PendingOutcome::Known) {
                PendingOutcome::Known => return,
                PendingOutcome::Done => {
                    self.outcome = Outcome::Done;
                    return;
                }
                PendingOutcome::Received => {
                    let status = self.arrived.take().and_then(|arrived| self.status(arrived));
                    self.outcome = status.map_or(Outcome::Done, Outcome::Received);
                    return;
                }
                PendingOutcome::Found { source, context, tag } => {
                    let arrived =
                        self.matcher.peek(source, context, tag, messages).map(Arrived::of);
                    self.outcome = arrived
                        .and_then(|a| self.status(a))
                        .map_or(Outcome::Done, Outcome::Received);
                    return;
                }
                PendingOutcome::CloseAll(selection) => {
                    let (mut received, mut host_work) = (None, 0);
                    self.requests.close(selection, usize::MAX, |_, arrived| {
                        host_work += arrived.map_or(0, |arrived| arrived.work);
                        received = arrived;
                    });
                    self.host_work = self.host_work.saturating_add(host_work);
                    let one = self.requests.named(selection) == 1;
                    let status = received.filter(|_| one).and_then(|arrived| self.status(arrived));
                    self.outcome = status.map_or(Outcome::Done, Outcome::Received);
                    return;
                }
                PendingOutcome::CloseAny(selection) => (selection, 1),
                PendingOutcome::CloseSome(selection) => (selection, usize::MAX),
            };
        let mut closed = Vec::new();
        self.requests.close(selection, most, |request, arrived| closed.push((request, arrived)));
        let host_work: Time =
            closed.iter().filter_map(|(_, arrived)| arrived.map(|arrived| arrived.work)).sum();
        self.host_work = self.host_work.saturating_add(host_work);
        let completion = |(request, arrived): (Request, Option<Arrived>)| Completion {
            request,
            status: arrived.and_then(|arrived| self.status(arrived)),
        };
        self.outcome = Outcome::Completed(closed.into_iter().map(completion).collect());
    }

    /// The status of an arrived message, in ranks of its communicator.
    pub(crate) fn status(
        &self,
        Arrived { bytes, source, context, tag, .. }: Arrived,
    ) -> Option<Status> {
        let present = self.memberships.iter().flatten().map(|membership| &membership.communicator);
        let communicator = present
            .chain(self.freed.iter().rev())
            .find(|communicator| communicator.user_context() == context)?;
        Some(Status { source: communicator.member(source)?, tag, bytes })
    }
}
