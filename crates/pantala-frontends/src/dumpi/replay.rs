//! The program of one rank: its records, as operations.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{
    COMM_WORLD, Call, CommunicatorId, FinalizePart, Incoming, Op, OperationStream, Outcome,
    Outgoing, Request, SetCall, Source, TagSelect,
};

use super::communicators::Creation;
use super::interpreter::Interpreter;
use super::rank_file::Records;
use super::record::Record;
use super::steps::{FIRST_MADE, Local, Mode, Receiving, Sending, Step};
use super::trace::DumpiTrace;
use crate::trace::{ComputeScale, TraceError};

/// The program of one rank of a DUMPI trace.
#[derive(Clone, Debug)]
pub struct DumpiRank {
    trace: Arc<DumpiTrace>,
    scale: ComputeScale,
    rank: u32,
    /// The reader; `None` before the first operation and after the last one.
    records: Option<Records>,
    interpreter: Interpreter,
    record: Record,
    steps: Vec<Step>,
    operations: VecDeque<Op>,
    /// The communicators of the simulation.
    communicators: Vec<Option<CommunicatorId>>,
    /// The communicator of each request.
    of_request: Vec<Local>,
    /// Number of active requests of each communicator.
    active: Vec<u32>,
    /// Communicators that the program has freed before their requests were complete.
    freed: BTreeSet<Local>,
    /// Whether the last operation makes a communicator.
    making: bool,
    /// Number of Gatherv and Scatterv calls by communicator.
    vector_calls: BTreeMap<Local, u32>,
    started: bool,
}

impl DumpiRank {
    pub(super) fn new(trace: Arc<DumpiTrace>, scale: ComputeScale, rank: u32) -> Self {
        let ranks = trace.files.len() as u32;
        let guide = Arc::clone(&trace.guides[rank as usize]);
        let interpreter = Interpreter::new(ranks, trace.sizes(rank), guide);
        let own = trace.uses_self.then_some(COMM_WORLD + 1);
        Self {
            trace,
            scale,
            rank,
            records: None,
            interpreter,
            record: Record::default(),
            steps: Vec::new(),
            operations: VecDeque::new(),
            communicators: vec![Some(COMM_WORLD), own],
            of_request: Vec::new(),
            active: Vec::new(),
            freed: BTreeSet::new(),
            making: false,
            vector_calls: BTreeMap::new(),
            started: false,
        }
    }

    /// Reads records until one has operations. Returns whether there was one.
    fn read(&mut self) -> Result<bool, TraceError> {
        if !self.started {
            self.started = true;
            self.records = Some(self.trace.files[self.rank as usize].records(self.trace.block)?);
        }
        while let Some(records) = &mut self.records {
            if records.read(&mut self.record)? {
                let mut steps = std::mem::take(&mut self.steps);
                let followed = self.interpreter.follow(&self.record, &mut steps);
                let translated = steps.drain(..).try_for_each(|step| self.translate(step));
                self.steps = steps;
                followed.and(translated).map_err(|message| {
                    let path = self.trace.files[self.rank as usize].path();
                    TraceError::new(path, message).at(self.record.position)
                })?;
            } else {
                self.finish();
            }
            if !self.operations.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Ends the program. `MPI_Finalize` waits for what is still active, such as freed sends.
    fn finish(&mut self) {
        self.records = None;
        if self.interpreter.is_active() {
            self.operations.push_back(Op::Finalize(FinalizePart::Requests));
        }
    }

    fn translate(&mut self, step: Step) -> Result<(), String> {
        let operation = match step {
            Step::Compute(time) => match self.scale.applied(time) {
                0 => return Ok(()),
                time => Op::Compute(time),
            },
            Step::Send(mode, sending, request) => {
                self.start(sending.communicator, request);
                let outgoing = self.outgoing(&sending)?;
                match (mode, request) {
                    (Mode::Synchronous, None) => Op::Ssend(outgoing),
                    (Mode::Synchronous, Some(request)) => Op::Issend(outgoing, request),
                    (Mode::Buffered, _) => Op::Bsend(outgoing),
                    (Mode::Ready, None) => Op::Rsend(outgoing),
                    (Mode::Standard, None) => Op::Send(outgoing),
                    (Mode::Ready | Mode::Standard, Some(request)) => Op::Isend(outgoing, request),
                }
            }
            Step::Receive(receiving, request) => {
                self.start(receiving.communicator, request);
                let incoming = self.incoming(&receiving)?;
                request.map_or(Op::Recv(incoming), |request| Op::Irecv(incoming, request))
            }
            Step::Sendrecv(sending, receiving) => {
                Op::Sendrecv(self.outgoing(&sending)?, self.incoming(&receiving)?)
            }
            Step::Probe(receiving) => Op::Probe(self.incoming(&receiving)?),
            Step::Wait(requests) => {
                let complete: Vec<Local> =
                    requests.iter().filter_map(|request| self.complete(*request)).collect();
                self.operations.extend(wait(requests));
                complete.into_iter().for_each(|local| self.free(local));
                return Ok(());
            }
            Step::Resolved(..) | Step::Cancelled(..) => return Ok(()),
            Step::Collective(local, call) => {
                if self.is_dropped(local) {
                    return Ok(());
                }
                Op::Collective(self.communicator(local)?, call)
            }
            Step::Vector { communicator, scatter, root, .. } => {
                let number = self.vector_calls.entry(communicator).or_default();
                let call = *number;
                *number += 1;
                if self.is_dropped(communicator) {
                    return Ok(());
                }
                let known = self.trace.communicators.number(self.rank, communicator);
                let counts = known.and_then(|known| self.trace.vectors.get(&(known, call)));
                let Some(counts) = counts.cloned() else {
                    return Err(format!("rank {root} of the communicator recorded no counts"));
                };
                let call = if scatter {
                    Call::Scatterv { root, counts }
                } else {
                    Call::Gatherv { root, counts }
                };
                Op::Collective(self.communicator(communicator)?, call)
            }
            Step::Communicator(event) => {
                let Some(old) = event.old() else { return Ok(()) };
                let old = self.communicator(old)?;
                let made = self.communicators.len() - FIRST_MADE as usize;
                let creations = &self.trace.communicators.ranks[self.rank as usize].creations;
                match creations.get(made).map(|creation| &**creation) {
                    Some(Creation::Dup) => Op::CommDup(old),
                    Some(Creation::Split(table)) => Op::CommSplit(old, Arc::clone(table)),
                    Some(Creation::Create(group)) => Op::CommCreate(old, group.clone()),
                    None => return Err("the file has changed since it was checked".to_owned()),
                }
            }
            Step::Free(local) => {
                // MPI keeps a communicator until its messages are complete.
                if self.active.get(local as usize).is_some_and(|active| *active > 0) {
                    self.freed.insert(local);
                } else {
                    self.free(local);
                }
                return Ok(());
            }
            Step::Finalize => {
                self.finish();
                return Ok(());
            }
        };
        self.operations.push_back(operation);
        Ok(())
    }

    /// Notes that a request of a communicator is active.
    fn start(&mut self, local: Local, request: Option<Request>) {
        let Some(request) = request else { return };
        let (request, place) = (request as usize, local as usize);
        self.of_request.resize(self.of_request.len().max(request + 1), local);
        self.active.resize(self.active.len().max(place + 1), 0);
        self.of_request[request] = local;
        self.active[place] += 1;
    }

    /// Notes that a request is complete. Returns its communicator if the program has freed it, and it
    /// has no other active request.
    fn complete(&mut self, request: Request) -> Option<Local> {
        let local = *self.of_request.get(request as usize)?;
        let active = self.active.get_mut(local as usize)?;
        *active -= 1;
        (*active == 0 && self.freed.remove(&local)).then_some(local)
    }

    fn free(&mut self, local: Local) {
        let freed = self.communicators.get_mut(local as usize).and_then(Option::take);
        self.operations.extend(freed.map(Op::CommFree));
    }

    fn is_dropped(&self, local: Local) -> bool {
        let dropped = &self.trace.dropped;
        !dropped.is_empty()
            && self
                .trace
                .communicators
                .number(self.rank, local)
                .is_some_and(|number| dropped.contains(&number))
    }

    fn communicator(&self, local: Local) -> Result<CommunicatorId, String> {
        self.communicators
            .get(local as usize)
            .copied()
            .flatten()
            .ok_or_else(|| "a call names a communicator that the rank is not in".to_owned())
    }

    fn outgoing(&self, sending: &Sending) -> Result<Outgoing, String> {
        let Sending { communicator, destination, tag, bytes, .. } = *sending;
        Ok(Outgoing { communicator: self.communicator(communicator)?, destination, tag, bytes })
    }

    fn incoming(&self, receiving: &Receiving) -> Result<Incoming, String> {
        let Receiving { communicator, source, tag, bytes, .. } = *receiving;
        Ok(Incoming {
            communicator: self.communicator(communicator)?,
            source: source.map_or(Source::Any, Source::Rank),
            tag: tag.map_or(TagSelect::Any, TagSelect::Is),
            bytes,
        })
    }
}

/// A wait for all of these requests; `None` if there are none.
fn wait(mut requests: Vec<Request>) -> Option<Op> {
    match requests[..] {
        [] => None,
        [request] => Some(Op::Wait(request)),
        _ => {
            requests.sort_unstable();
            let (first, last) = (requests[0], requests[requests.len() - 1]);
            let count = requests.len() as u32;
            Some(if last - first + 1 == count {
                Op::Waitall { first, count }
            } else {
                Op::Set(SetCall::Waitall, requests.into())
            })
        }
    }
}

impl OperationStream for DumpiRank {
    fn next(&mut self, _: Time, outcome: &Outcome) -> Option<Op> {
        if std::mem::take(&mut self.making) {
            let made = match outcome {
                Outcome::Communicator(made) => *made,
                _ => None,
            };
            self.communicators.push(made);
        }
        if self.operations.is_empty() {
            match self.read() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.records = None;
                    self.operations.clear();
                    return Some(Op::Abort(error.to_string().into()));
                }
            }
        }
        let operation = self.operations.pop_front()?;
        self.making = matches!(operation, Op::CommDup(_) | Op::CommSplit(..) | Op::CommCreate(..));
        Some(operation)
    }
}
