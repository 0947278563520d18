//! Outcomes of operations without a run: certain ones, and a guess for those that a run decides.

use std::collections::{BTreeMap, BTreeSet};

use pantala_engine::Time;
use pantala_mpi::{
    Communicator, CommunicatorId, Completion, Incoming, Op, Operator, Outcome, Outgoing,
    RankContext, Request, SetCall, Source, Split, Status, TagSelect,
};

/// The guess of outcomes that a run decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Tests succeed, the first request is complete, the lowest rank has sent, no time passes.
    Early,
    /// Tests fail, the last request is complete, the highest rank has sent, time passes.
    Late,
}

/// The state of a rank as far as outcomes depend on it: its communicators and requests.
#[derive(Clone, Debug)]
pub struct Prediction {
    timing: Timing,
    rank: u32,
    now: Time,
    communicators: Vec<Option<Communicator>>,
    active: BTreeSet<Request>,
    persistent: BTreeMap<Request, Option<Outgoing>>,
}

impl Prediction {
    /// The state before the first operation. `communicators` are those given at setup.
    #[must_use]
    pub fn new(rank: &RankContext, communicators: Vec<Communicator>, timing: Timing) -> Self {
        let world = Communicator::comm_world(rank.ranks, rank.rank);
        Self {
            timing,
            rank: rank.rank,
            now: 0,
            communicators: std::iter::once(world).chain(communicators).map(Some).collect(),
            active: BTreeSet::new(),
            persistent: BTreeMap::new(),
        }
    }

    /// The time at which the last operation returned.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// A communicator that the rank has now.
    #[must_use]
    pub fn communicator(&self, id: CommunicatorId) -> Option<&Communicator> {
        self.communicators.get(usize::from(id))?.as_ref()
    }

    /// The messages that starts of persistent requests send.
    pub fn started(&self, op: &Op) -> impl Iterator<Item = Outgoing> + '_ {
        let (first, count) = match *op {
            Op::Start(request) => (request, 1),
            Op::Startall { first, count } => (first, count),
            _ => (0, 0),
        };
        let range = first..first.saturating_add(count);
        self.persistent.range(range).filter_map(|(_, message)| *message)
    }

    /// Takes in an operation. Returns its outcome.
    pub fn outcome(&mut self, op: &Op) -> Outcome {
        if self.timing == Timing::Late {
            // 1 ms per operation.
            self.now = self.now.saturating_add(1_000_000_000);
        }
        match op {
            Op::Isend(_, request)
            | Op::Issend(_, request)
            | Op::Ipost(_, request)
            | Op::Irecv(_, request)
            | Op::Icompute(_, request)
            | Op::Icollective(_, _, request)
            | Op::Start(request) => {
                self.active.insert(*request);
                Outcome::Done
            }
            Op::SendInit(message, request) => {
                self.persistent.insert(*request, Some(*message));
                Outcome::Done
            }
            Op::RecvInit(_, request) => {
                self.persistent.insert(*request, None);
                Outcome::Done
            }
            Op::Startall { first, count } => {
                let range = *first..first.saturating_add(*count);
                self.active.extend(self.persistent.range(range).map(|(request, _)| *request));
                Outcome::Done
            }
            Op::Free(request) => {
                self.persistent.remove(request);
                Outcome::Done
            }
            Op::Recv(incoming) | Op::Sendrecv(_, incoming) | Op::Probe(incoming) => {
                Outcome::Received(self.status(incoming))
            }
            Op::Iprobe(incoming) => match self.timing {
                Timing::Early => Outcome::Received(self.status(incoming)),
                Timing::Late => Outcome::NotYet,
            },
            Op::Valued(_, _, contribution) => {
                Outcome::Value(match (self.timing, contribution.operator) {
                    (Timing::Early, _) => contribution.value,
                    (Timing::Late, Operator::Min) => 0,
                    (Timing::Late, Operator::Max) => u64::MAX,
                })
            }
            Op::CommDup(id) => {
                let made = self.communicator(*id).cloned();
                self.joined(made)
            }
            Op::CommSplit(id, table) => {
                let made = self.communicator(*id).and_then(|old| split(old, table));
                self.joined(made)
            }
            Op::CommCreate(_, group) => {
                let ranks = || group.ranks().clone();
                let made = group.place(self.rank).map(|me| Communicator::list(0, ranks(), me));
                self.joined(made)
            }
            Op::CommJoin(context, group) => {
                let ranks = || group.ranks().clone();
                let made =
                    group.place(self.rank).map(|me| Communicator::list(*context, ranks(), me));
                self.joined(made)
            }
            Op::CommFree(id) => {
                if let Some(place) = self.communicators.get_mut(usize::from(*id)) {
                    *place = None;
                }
                Outcome::Done
            }
            _ => self.waited(op),
        }
    }

    fn waited(&mut self, op: &Op) -> Outcome {
        let range = |first: Request, count: u32| first..first.saturating_add(count);
        let (call, set): (SetCall, Vec<Request>) = match op {
            Op::Wait(request) => {
                (SetCall::Waitall, self.active.get(request).copied().into_iter().collect())
            }
            Op::Test(request) => {
                (SetCall::Testall, self.active.get(request).copied().into_iter().collect())
            }
            Op::Waitall { first, count } => (SetCall::Waitall, self.among(range(*first, *count))),
            Op::Waitany { first, count } => (SetCall::Waitany, self.among(range(*first, *count))),
            Op::Waitsome { first, count } => (SetCall::Waitsome, self.among(range(*first, *count))),
            Op::Testall { first, count } => (SetCall::Testall, self.among(range(*first, *count))),
            Op::Testany { first, count } => (SetCall::Testany, self.among(range(*first, *count))),
            Op::Testsome { first, count } => (SetCall::Testsome, self.among(range(*first, *count))),
            Op::Set(call, requests) => {
                (*call, requests.iter().filter(|r| self.active.contains(r)).copied().collect())
            }
            _ => return Outcome::Done,
        };
        let late = self.timing == Timing::Late;
        let complete: &[Request] = match call {
            SetCall::Waitall => &set,
            SetCall::Testall | SetCall::Testany | SetCall::Testsome if late => {
                return Outcome::NotYet;
            }
            SetCall::Testall => &set,
            SetCall::Waitsome if late => &set,
            _ if late => set.last_chunk::<1>().map_or(&[], |last| last),
            _ => set.first_chunk::<1>().map_or(&[], |first| first),
        };
        for request in complete {
            self.active.remove(request);
        }
        match call {
            SetCall::Waitall | SetCall::Testall => Outcome::Done,
            _ => {
                let completion = |request: &Request| Completion { request: *request, status: None };
                Outcome::Completed(complete.iter().map(completion).collect())
            }
        }
    }

    fn among(&self, range: std::ops::Range<Request>) -> Vec<Request> {
        self.active.range(range).copied().collect()
    }

    fn status(&self, incoming: &Incoming) -> Status {
        let size = self.communicator(incoming.communicator).map_or(1, Communicator::size);
        let late = self.timing == Timing::Late;
        Status {
            source: match incoming.source {
                Source::Rank(rank) => rank,
                Source::Any if late => size.saturating_sub(1),
                Source::Any => 0,
            },
            tag: match incoming.tag {
                TagSelect::Is(tag) => tag,
                TagSelect::Any if late => i32::MAX,
                TagSelect::Any => 0,
            },
            bytes: if late { 0 } else { incoming.bytes },
        }
    }

    /// Stores a communicator under the lowest free number.
    fn joined(&mut self, made: Option<Communicator>) -> Outcome {
        let Some(made) = made else { return Outcome::Communicator(None) };
        let free = self.communicators.iter().position(Option::is_none);
        let place = free.unwrap_or_else(|| {
            self.communicators.push(None);
            self.communicators.len() - 1
        });
        self.communicators[place] = Some(made);
        Outcome::Communicator(CommunicatorId::try_from(place).ok())
    }
}

/// The communicator that a split gives a rank.
fn split(old: &Communicator, table: &[Split]) -> Option<Communicator> {
    let members = Split::members(table, old.me())?;
    let me = members.iter().position(|member| *member == old.me())?;
    let ranks: Option<Vec<u32>> = members.iter().map(|member| old.rank(*member)).collect();
    Some(Communicator::list(0, ranks?.into(), me as u32))
}
