//! The MPI calls that a program makes, without a network.
//!
//! Every operation takes a microsecond, and a computation takes its own time. So a program that
//! depends on time makes other calls in a simulation.

use std::collections::VecDeque;

use pantala_engine::Time;
use pantala_mpi::{
    Call, Communicator, CommunicatorId, Contribution, Fault, Op, OperationSource, OperationStream,
    Outcome, RankContext, SetCall, Source as Sender, TagSelect,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::spec::{NcptlOperations, NcptlSpec};

/// The duration of an operation.
const STEP: Time = 1_000_000;
/// The greatest number of listed calls.
pub const MAX_CALLS: usize = 1_000_000;
/// The greatest number of operations.
const MAX_OPERATIONS: u64 = 100_000_000;

/// MPI calls of one rank, one after another, that are all equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplainedCall {
    /// The rank.
    pub rank: u32,
    /// The name of the call, without `MPI_`.
    pub call: String,
    /// The partner of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<u32>,
    /// The root of a collective: its number in the communicator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<u32>,
    /// The tag of a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<i32>,
    /// The size in bytes: of the message, of the vector, or of the block for each rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The sizes of the blocks to each rank of the communicator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sends: Option<Vec<u64>>,
    /// The sizes of the blocks from each rank of the communicator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receives: Option<Vec<u64>>,
    /// Number of requests of a wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u32>,
    /// Number of ranks of the communicator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub communicator_size: Option<u32>,
    /// Number of equal calls one after another.
    pub count: u64,
}

/// The calls of all ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The calls, rank by rank.
    pub calls: Vec<ExplainedCall>,
    /// The lines that ranks print.
    pub outputs: Vec<(u32, String)>,
    /// The reasons for which ranks stop before the end of the program.
    pub errors: Vec<(u32, String)>,
    /// Whether the list ends before the program.
    pub truncated: bool,
}

/// The calls of a program on a number of ranks, of at most [`MAX_CALLS`] rows.
///
/// # Errors
/// The [`Fault`] of the program or of its arguments.
pub fn explain(spec: &NcptlSpec, ranks: u32) -> Result<Explanation, Fault> {
    explain_within(spec, ranks, MAX_OPERATIONS)
}

/// The calls of a program within a number of operations.
///
/// # Errors
/// As [`explain`].
pub fn explain_within(spec: &NcptlSpec, ranks: u32, operations: u64) -> Result<Explanation, Fault> {
    spec.check(ranks)?;
    let mut explained: Vec<Rank> = (0..ranks).map(|rank| Rank::new(spec, rank, ranks)).collect();
    let (mut budget, mut calls) = (operations, MAX_CALLS);
    loop {
        for rank in &mut explained {
            rank.run(&mut budget, &mut calls);
        }
        if !agree(&mut explained) {
            break;
        }
    }
    let mut explanation =
        Explanation { truncated: budget == 0 || calls == 0, ..Explanation::default() };
    for rank in explained {
        explanation.calls.extend(rank.calls);
        explanation.errors.extend(rank.error.map(|error| (rank.rank, error)));
        let log = rank.program.log().unwrap_or_default();
        explanation.outputs.extend(log.outputs.into_iter().map(|line| (rank.rank, line)));
    }
    Ok(explanation)
}

/// Gives all ranks the value on which they agree, a time after a barrier. Here ranks do not wait for
/// each other in a barrier, so the longest time is the one that all would have. Returns false if a
/// rank has nothing to agree on.
fn agree(ranks: &mut [Rank]) -> bool {
    let waiting: Vec<&mut Rank> = ranks.iter_mut().filter(|rank| rank.value.is_some()).collect();
    let Some(value) = waiting.iter().filter_map(|rank| rank.value).max() else { return false };
    let now = waiting.iter().map(|rank| rank.now).max().unwrap_or(0);
    for rank in waiting {
        (rank.now, rank.value, rank.outcome) = (now, None, Outcome::Value(value));
    }
    true
}

struct Rank {
    rank: u32,
    program: NcptlOperations,
    /// The sizes of its communicators.
    sizes: Vec<u32>,
    now: Time,
    outcome: Outcome,
    /// The value on which the ranks have to agree.
    value: Option<u64>,
    calls: VecDeque<ExplainedCall>,
    error: Option<String>,
}

impl Rank {
    fn new(spec: &NcptlSpec, rank: u32, ranks: u32) -> Self {
        let context = RankContext::new(rank, ranks, "explained", 0);
        let made = spec.communicators(&context);
        let sizes = std::iter::once(ranks).chain(made.iter().map(Communicator::size)).collect();
        Self {
            rank,
            program: spec.program(context),
            sizes,
            now: 0,
            outcome: Outcome::Done,
            value: None,
            calls: VecDeque::new(),
            error: None,
        }
    }

    fn run(&mut self, budget: &mut u64, calls: &mut usize) {
        while *budget > 0 && *calls > 0 {
            let outcome = std::mem::take(&mut self.outcome);
            let Some(op) = self.program.next(self.now, &outcome) else { return };
            *budget -= 1;
            self.now = self.now.saturating_add(STEP);
            match op {
                Op::Compute(time) => self.now = (self.now - STEP).saturating_add(time),
                Op::Abort(reason) => self.error = Some(reason.to_string()),
                Op::Valued(communicator, call, Contribution { value, .. }) => {
                    self.list(self.collective(communicator, &call), calls);
                    self.value = Some(value);
                    return;
                }
                op => {
                    if let Some(call) = self.call(&op) {
                        self.list(call, calls);
                    }
                }
            }
        }
    }

    fn list(&mut self, call: ExplainedCall, calls: &mut usize) {
        if let Some(last) = self.calls.back_mut() {
            if (ExplainedCall { count: 1, ..last.clone() }) == call {
                last.count += 1;
                return;
            }
        }
        self.calls.push_back(call);
        *calls -= 1;
    }

    fn named(&self, call: &str) -> ExplainedCall {
        ExplainedCall {
            rank: self.rank,
            call: call.to_owned(),
            peer: None,
            root: None,
            tag: None,
            bytes: None,
            sends: None,
            receives: None,
            requests: None,
            communicator_size: None,
            count: 1,
        }
    }

    fn message(&self, call: &str, peer: u32, tag: i32, bytes: u64) -> ExplainedCall {
        let (peer, tag, bytes) = (Some(peer), Some(tag), Some(bytes));
        ExplainedCall { peer, tag, bytes, ..self.named(call) }
    }

    fn call(&self, op: &Op) -> Option<ExplainedCall> {
        Some(match op {
            Op::Send(to) => self.message("Send", to.destination, to.tag, to.bytes),
            Op::Isend(to, _) => self.message("Isend", to.destination, to.tag, to.bytes),
            Op::Recv(from) | Op::Irecv(from, _) => {
                let (Sender::Rank(peer), TagSelect::Is(tag)) = (from.source, from.tag) else {
                    return None;
                };
                let name = if matches!(op, Op::Recv(_)) { "Recv" } else { "Irecv" };
                self.message(name, peer, tag, from.bytes)
            }
            Op::Waitall { count, .. } => {
                ExplainedCall { requests: Some(*count), ..self.named("Waitall") }
            }
            Op::Set(SetCall::Waitall, requests) => {
                ExplainedCall { requests: Some(requests.len() as u32), ..self.named("Waitall") }
            }
            Op::Collective(communicator, call) => self.collective(*communicator, call),
            _ => return None,
        })
    }

    fn collective(&self, communicator: CommunicatorId, call: &Call) -> ExplainedCall {
        let communicator_size = self.sizes.get(usize::from(communicator)).copied();
        let sized = |name: &str, root: Option<u32>, bytes: Option<u64>| ExplainedCall {
            root,
            bytes,
            communicator_size,
            ..self.named(name)
        };
        match call {
            Call::Bcast { root, bytes } => sized("Bcast", Some(*root), Some(*bytes)),
            Call::Reduce { root, bytes } => sized("Reduce", Some(*root), Some(*bytes)),
            Call::Allreduce { bytes } => sized("Allreduce", None, Some(*bytes)),
            Call::Alltoall { bytes } => sized("Alltoall", None, Some(*bytes)),
            Call::Alltoallv { pairs } => ExplainedCall {
                sends: Some(pairs.send.clone()),
                receives: Some(pairs.receive.clone()),
                ..sized("Alltoallv", None, None)
            },
            other => {
                let name = other.kind().name();
                let (first, rest) = name.split_at(1);
                sized(&(first.to_uppercase() + rest), None, None)
            }
        }
    }
}
