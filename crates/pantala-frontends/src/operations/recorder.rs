//! The recorder of programs that call MPI one rank after another, such as Python programs.
//!
//! It checks each call as a run would, as far as the call can be checked without a run, and writes
//! it to an operation file. The text of a fault has no place: the caller adds the program's line.

mod calls;
mod communicators;
mod requests;

use std::collections::BTreeMap;
use std::io::Write;

use pantala_mpi::{IterationMark, Op, PhaseName};

use super::fault::WriteFault;
use super::rank_stream::RankStream;
use super::writer::{Writer, Written};
use communicators::{Communicators, Membership};
use requests::Requests;

pub use calls::{Message, NewCommunicator, SendMode, call_of};

/// The fault of a call, in words.
pub type CallFault = String;

/// The most bytes of one message: 256 TiB.
const MAX_BYTES: u64 = 1 << 48;

/// Records the calls of all ranks of a job.
#[derive(Debug)]
pub struct Recorder<W> {
    writer: Writer<W>,
    ranks: Vec<RankState>,
    communicators: Communicators,
    operations: u64,
    operations_limit: u64,
    /// The operations that end the programs of their ranks, each with its number in the rank.
    last: BTreeMap<u32, u64>,
}

/// The fault of an operation that ends the program of its rank ([`Recorder::end_at`]).
pub const LAST: &str = "this is the operation in question";

/// The state of a rank.
#[derive(Debug)]
struct RankState {
    /// The operations; `None` when the rank has ended.
    stream: Option<RankStream>,
    /// The communicators of the rank, by number.
    memberships: Vec<Option<Membership>>,
    requests: Requests,
    /// The mark of the iteration that has started.
    iteration: Option<IterationMark>,
    /// The phases of the last iteration.
    phases: Vec<Option<PhaseName>>,
    /// The number of the last iteration.
    number: Option<u32>,
}

impl<W: Write> Recorder<W> {
    /// Starts a job of `ranks` ranks that makes at most `operations_limit` operations.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(sink: W, ranks: u32, operations_limit: u64) -> Result<Self, WriteFault> {
        let state = |rank| RankState {
            stream: Some(RankStream::new(rank)),
            memberships: vec![Some(Membership::world(rank))],
            requests: Requests::default(),
            iteration: None,
            phases: Vec::new(),
            number: None,
        };
        Ok(Self {
            writer: Writer::new(sink, ranks)?,
            ranks: (0..ranks).map(state).collect(),
            communicators: Communicators::new(ranks),
            operations: 0,
            operations_limit,
            last: BTreeMap::new(),
        })
    }

    /// Fails with the fault [`LAST`] in the operation of this number of a rank, so that the caller
    /// learns where the program makes it.
    pub fn end_at(&mut self, rank: u32, operation: u64) {
        self.last.insert(rank, operation);
    }

    fn push(&mut self, rank: u32, op: &Op) -> Result<(), CallFault> {
        self.operations += 1;
        if self.operations > self.operations_limit {
            return Err(format!(
                "the program makes more than {} operations; it may never end, or set operations_limit",
                self.operations_limit
            ));
        }
        let state = self.ranks.get_mut(rank as usize);
        let stream = state.and_then(|state| state.stream.as_mut());
        let stream = stream.ok_or("the rank's program has ended")?;
        if !self.last.is_empty() && self.last.get(&rank) == Some(&stream.operations()) {
            return Err(LAST.to_owned());
        }
        stream.push(op, &mut self.writer).map_err(|fault| fault.to_string())
    }

    fn state(&mut self, rank: u32) -> Result<&mut RankState, CallFault> {
        self.ranks.get_mut(rank as usize).ok_or_else(|| format!("there is no rank {rank}"))
    }

    /// Computes for a time in ps.
    pub fn compute(&mut self, rank: u32, time: u64) -> Result<(), CallFault> {
        self.push(rank, &Op::Compute(duration(time)?))
    }

    /// Starts a computation beside the rank. Returns its request.
    pub fn icompute(&mut self, rank: u32, time: u64) -> Result<u64, CallFault> {
        let time = duration(time)?;
        let handle = self.state(rank)?.requests.open()?;
        self.push(rank, &Op::Icompute(time, requests::slot(handle)))?;
        Ok(handle)
    }

    /// Starts an iteration, or a phase of it. A phase with a name that the last iteration has had
    /// already starts the next iteration.
    pub fn start_iteration(&mut self, rank: u32, phase: Option<&str>) -> Result<(), CallFault> {
        let name = phase.map(phase_name).transpose()?;
        let state = self.state(rank)?;
        if state.iteration.is_some() {
            return Err("an iteration starts inside an iteration; close the other first".into());
        }
        let iteration = match state.number {
            Some(number) if !state.phases.contains(&name) => number,
            number => {
                state.phases.clear();
                number.map_or(0, |number| number.wrapping_add(1))
            }
        };
        state.phases.push(name);
        state.number = Some(iteration);
        let mark = IterationMark { iteration, motif: 0, phase: name };
        state.iteration = Some(mark);
        self.push(rank, &Op::IterationStart(mark))
    }

    /// Ends the iteration.
    pub fn end_iteration(&mut self, rank: u32) -> Result<(), CallFault> {
        if self.state(rank)?.iteration.take().is_none() {
            return Err("no iteration has started".into());
        }
        self.push(rank, &Op::IterationEnd)
    }

    /// Gives up memory of a rank that waits for others.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn park(&mut self, rank: u32) -> Result<(), CallFault> {
        let state = self.ranks.get_mut(rank as usize);
        match state.and_then(|state| state.stream.as_mut()) {
            Some(stream) => stream.park(&mut self.writer).map_err(|fault| fault.to_string()),
            None => Ok(()),
        }
    }

    /// Ends the program of a rank.
    ///
    /// # Errors
    /// If a request is left, or the file cannot be written.
    pub fn end(&mut self, rank: u32) -> Result<(), CallFault> {
        let state = self.state(rank)?;
        let left = state.requests.active();
        if left > 0 {
            let s = if left == 1 { "" } else { "s" };
            return Err(format!("the program ends with {left} request{s} that it never waits for"));
        }
        if state.iteration.is_some() {
            return Err("the program ends inside an iteration".into());
        }
        state.requests = Requests::default();
        let stream = state.stream.take().ok_or("the rank's program has ended")?;
        self.writer.end_rank(stream, &[]).map_err(|fault| fault.to_string())
    }

    /// Ends the job: checks that the ranks of every communicator have made the same collective
    /// calls, and finishes the file.
    ///
    /// # Errors
    /// If a rank lacks a call or has not ended, or the file cannot be written.
    pub fn finish(self) -> Result<Written, CallFault> {
        for (rank, state) in self.ranks.iter().enumerate() {
            for (id, membership) in state.memberships.iter().enumerate() {
                if let Some(fault) = membership.as_ref().and_then(|m| self.communicators.missing(m))
                {
                    let of = if id == 0 { String::new() } else { format!(" of communicator {id}") };
                    return Err(format!("rank {rank}{of} {fault}"));
                }
            }
        }
        self.writer.finish().map_err(|fault| fault.to_string())
    }
}

fn duration(time: u64) -> Result<u64, CallFault> {
    if time > pantala_engine::LONGEST_TIME {
        return Err(format!(
            "{time} ps is longer than any run; compute at most 10^18 ps (11 days)"
        ));
    }
    Ok(time)
}

fn phase_name(name: &str) -> Result<PhaseName, CallFault> {
    if name.is_empty() || name.len() > 8 || name.contains('\0') {
        return Err(format!("the phase '{name}' has no name of 1 to 8 bytes"));
    }
    Ok(PhaseName::new(name))
}
