//! One rank: its program, where it stands, its requests and its account.

use pantala_engine::Time;

use crate::collectives::{Collective, CollectiveKind};
use crate::communicator::Communicator;
use crate::error::ProgramFault;
use crate::matching::Matcher;
use crate::message::{Header, Message, Occasion};
use crate::op::{CommunicatorId, MAX_REQUESTS, Request};
use crate::record::{Account, CallKind};
use crate::slab::{NONE, Slab};

/// Who is told when a send or a receive completes: the rank's present call, or one of its requests.
pub(crate) const CALL: u32 = NONE;

/// A send that is not complete yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingSend {
    pub(crate) bytes: u64,
    /// The rank (an index of the world).
    pub(crate) rank: u32,
    /// [`CALL`] or a request.
    pub(crate) owner: u32,
    /// The job's rank that it goes to.
    pub(crate) destination: u32,
    pub(crate) tag: i32,
    /// Whether the receiver has asked for the payload (always, for an eager message).
    pub(crate) matched: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// The job has not started.
    Waiting,
    /// Inside the world's run loop.
    Running,
    /// Computes until [`Rank::until`].
    Computing,
    /// Blocked in an MPI call until this comes about.
    Blocked(Until),
    /// The program has ended.
    Ended,
    /// The program has asked for what cannot be.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// All that the present call has started is complete.
    Call,
    /// The active requests among these are complete.
    Requests(Request, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Free,
    Active,
    Complete,
}

/// A collective that the rank is in.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    pub(crate) machine: Collective,
    pub(crate) communicator: CommunicatorId,
    pub(crate) kind: CollectiveKind,
    pub(crate) occasion: Occasion,
}

/// A communicator that the rank is in.
#[derive(Clone, Debug)]
pub(crate) struct Membership {
    pub(crate) communicator: Communicator,
    /// Collectives called on it so far.
    pub(crate) calls: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Rank<P> {
    pub(crate) activity: Activity,
    /// Since when it computes or is blocked.
    pub(crate) since: Time,
    /// Until when it computes, or when it starts.
    pub(crate) until: Time,
    /// Sends and receives of the present call that are not complete.
    pub(crate) call_pending: u32,
    /// Requests being waited for that are not complete.
    wait_pending: u32,
    pub(crate) call: CallKind,
    /// The job (an index of the world).
    pub(crate) job: u32,
    /// The rank of the job.
    pub(crate) number: u32,
    pub(crate) nic: u32,
    /// The next rank on the same NIC.
    pub(crate) next: u32,
    pub(crate) collective: Option<Running>,
    pub(crate) matcher: Matcher,
    pub(crate) account: Account,
    slots: Vec<Slot>,
    pub(crate) memberships: Vec<Membership>,
    /// The name of the latest operation.
    pub(crate) operation: &'static str,
    pub(crate) iterations: u32,
    /// When the iteration under way started, and the communication time by then.
    pub(crate) iteration: Option<(Time, Time)>,
    pub(crate) start: Option<Time>,
    pub(crate) end: Option<Time>,
    pub(crate) program: P,
}

impl<P> Rank<P> {
    pub(crate) fn new(
        job: u32,
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
            wait_pending: 0,
            call: CallKind::Wait,
            job,
            number,
            nic,
            next: NONE,
            collective: None,
            matcher: Matcher::new(),
            account: Account::default(),
            slots: Vec::new(),
            memberships: communicators.into_iter().map(|communicator| Membership { communicator, calls: 0 }).collect(),
            operation: "start",
            iterations: 0,
            iteration: None,
            start: None,
            end: None,
            program,
        }
    }

    pub(crate) fn communicator(&self, id: CommunicatorId) -> Result<&Communicator, ProgramFault> {
        let found = self.memberships.get(usize::from(id)).map(|membership| &membership.communicator);
        found.ok_or(ProgramFault::UnknownCommunicator { communicator: id })
    }

    /// What an unexpected message says against a collective that the rank is in. Slow: for reports only.
    pub(crate) fn mismatch(&self, running: &Running, messages: &Slab<Message>) -> Option<ProgramFault> {
        let Running { communicator, kind, occasion, .. } = running;
        let context = self.communicator(*communicator).ok()?.collective_context();
        let mut calls = self.matcher.unexpected(messages).filter(|header| {
            let Header { context: there, tag, occasion: other, .. } = header;
            *there == context && other.number == occasion.number && (*tag, other) != (kind.tag(), occasion)
        });
        calls.next().map(|header| ProgramFault::mismatch((*kind, occasion.root), header))
    }

    /// Counts a send or receive of `owner` that has started and is not complete.
    pub(crate) fn begin(&mut self, owner: u32) {
        if owner == CALL {
            self.call_pending += 1;
        }
    }

    /// Counts a send or receive of `owner` as complete.
    pub(crate) fn complete(&mut self, owner: u32) {
        if owner == CALL {
            self.call_pending -= 1;
            return;
        }
        self.slots[owner as usize] = Slot::Complete;
        match self.activity {
            Activity::Blocked(Until::Requests(first, count)) if owner >= first && owner - first < count => {
                self.wait_pending -= 1;
            }
            _ => {}
        }
    }

    /// Whether the rank is blocked and what it waits for has come about.
    pub(crate) const fn satisfied(&self) -> bool {
        match self.activity {
            Activity::Blocked(Until::Call) => self.call_pending == 0,
            Activity::Blocked(Until::Requests(..)) => self.wait_pending == 0,
            _ => false,
        }
    }

    /// Makes a request active.
    pub(crate) fn open(&mut self, request: Request) -> Result<(), ProgramFault> {
        if request >= MAX_REQUESTS {
            return Err(ProgramFault::RequestOutOfRange { request });
        }
        let index = request as usize;
        if index >= self.slots.len() {
            self.slots.resize(index + 1, Slot::Free);
        }
        if self.slots[index] != Slot::Free {
            return Err(ProgramFault::RequestInUse { request });
        }
        self.slots[index] = Slot::Active;
        Ok(())
    }

    /// Whether a request could be waited for alone.
    pub(crate) fn check_active(&self, request: Request) -> Result<(), ProgramFault> {
        match self.slots.get(request as usize) {
            Some(Slot::Active | Slot::Complete) => Ok(()),
            _ => Err(ProgramFault::RequestNotActive { request }),
        }
    }

    /// Starts to wait for the active requests among `count` from `first`; false if all are complete.
    pub(crate) fn await_requests(&mut self, first: Request, count: u32) -> bool {
        let range = self.range(first, count);
        self.wait_pending = self.slots[range].iter().filter(|slot| **slot == Slot::Active).count() as u32;
        self.wait_pending > 0
    }

    /// Frees the requests that were waited for.
    pub(crate) fn close(&mut self, first: Request, count: u32) {
        let range = self.range(first, count);
        self.slots[range].fill(Slot::Free);
    }

    fn range(&self, first: Request, count: u32) -> std::ops::Range<usize> {
        let length = self.slots.len();
        let end = (first as usize).saturating_add(count as usize).min(length);
        (first as usize).min(end)..end
    }
}
