//! The summary of an operation file: the result of `pantala trace info`.

use std::collections::BTreeMap;
use std::sync::Arc;

use pantala_mpi::{Op, OperationStream, Outcome, Outgoing, RankContext, payload};
use serde::Serialize;

use super::contents::Contents;
use super::prediction::{Prediction, Timing};
use super::replay::Replay;
use crate::trace::{PairSummary, RankSummary};

/// An operation file at a glance, with the keys of
/// [`TraceSummary`](crate::trace::TraceSummary) and more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileSummary {
    /// The name of the format.
    pub format: &'static str,
    /// Number of ranks in the file.
    pub ranks: u32,
    /// Size of the file, in bytes.
    pub file_bytes: u64,
    /// Number of records. Equal iterations share records.
    pub records: u64,
    /// Number of operations, computing and marks included.
    pub operations: u64,
    /// 0: a file has no times of calls.
    pub duration_ps: u64,
    /// `None`: a file has no times of calls.
    pub compute_share: Option<f64>,
    /// Number of iterations of a rank, the largest of all.
    pub iterations: u64,
    /// Number of calls by name, over all ranks.
    pub calls: BTreeMap<&'static str, u64>,
    /// Bytes by name: those of sends, of the buffers of receives, of the send buffers of
    /// collectives.
    pub call_bytes: BTreeMap<&'static str, u64>,
    /// The communicators of the ranks, by size.
    pub communicators: Vec<CommunicatorSummary>,
    /// Each rank, in order.
    pub by_rank: Vec<FileRank>,
    /// The pairs of ranks with messages, by source and destination.
    pub matrix: Vec<PairSummary>,
    /// What the replay leaves out or cannot know, one line each.
    pub warnings: Vec<String>,
}

/// Communicators of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CommunicatorSummary {
    /// Number of ranks of each.
    pub size: u32,
    /// Number of communicators, `MPI_COMM_WORLD` included.
    pub number: u64,
}

/// A rank of an operation file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileRank {
    /// What all traces have.
    #[serde(flatten)]
    pub of_traces: RankSummary,
    /// Number of iterations.
    pub iterations: u64,
    /// The computing before the first iteration, in ps; all of it if there is none.
    pub compute_before_ps: u64,
}

/// Sums of all ranks.
#[derive(Debug, Default)]
struct Sums {
    /// Number of calls and bytes.
    calls: BTreeMap<&'static str, (u64, u64)>,
    /// Number of memberships of ranks in communicators, by size.
    memberships: BTreeMap<u32, u64>,
    pairs: BTreeMap<(u32, u32), (u64, u64)>,
    operations: u64,
}

/// The summary of a file of `file_bytes` bytes.
#[must_use]
pub fn summary(contents: &Arc<Contents>, file_bytes: u64) -> FileSummary {
    let mut sums = Sums::default();
    let by_rank: Vec<FileRank> =
        contents.ranks().map(|rank| of_rank(contents, rank, &mut sums)).collect();
    let communicators = sums.memberships.iter().filter(|(size, _)| **size > 0);
    let pair = |((source, destination), (messages, bytes))| PairSummary {
        source,
        destination,
        messages,
        bytes,
    };
    FileSummary {
        format: "operations",
        ranks: by_rank.len() as u32,
        file_bytes,
        records: contents.records(),
        operations: sums.operations,
        duration_ps: 0,
        compute_share: None,
        iterations: by_rank.iter().map(|rank| rank.iterations).max().unwrap_or(0),
        calls: sums.calls.iter().map(|(name, (calls, _))| (*name, *calls)).collect(),
        call_bytes: sums.calls.iter().map(|(name, (_, bytes))| (*name, *bytes)).collect(),
        communicators: communicators
            .map(|(size, members)| CommunicatorSummary {
                size: *size,
                number: members.div_ceil(u64::from(*size)),
            })
            .collect(),
        by_rank,
        matrix: sums.pairs.into_iter().map(pair).collect(),
        warnings: Vec::new(),
    }
}

fn of_rank(contents: &Arc<Contents>, rank: u32, sums: &mut Sums) -> FileRank {
    let given = contents.communicators(rank).to_vec();
    let context = RankContext::new(rank, contents.job_ranks(), "", 0);
    *sums.memberships.entry(contents.job_ranks()).or_default() += 1;
    for communicator in &given {
        *sums.memberships.entry(communicator.size()).or_default() += 1;
    }
    let mut prediction = Prediction::new(&context, given, Timing::Early);
    let mut replay = Replay::new(Arc::clone(contents), rank);
    let mut found = RankSummary { rank, ..RankSummary::default() };
    let mut calls: BTreeMap<&'static str, u64> = BTreeMap::new();
    let (mut iterations, mut before) = (0, None);
    while let Some(op) = replay.next(0, &Outcome::Done) {
        found.records += 1;
        match &op {
            Op::Compute(time) | Op::Icompute(time, _) => {
                found.compute_ps = found.compute_ps.saturating_add(*time);
            }
            Op::IterationStart(mark) => {
                before.get_or_insert(found.compute_ps);
                iterations = u64::from(mark.iteration) + 1;
            }
            _ => {}
        }
        if op.is_call() {
            let members =
                |id| prediction.communicator(id).map_or((0, 0), |of| (of.me(), of.size()));
            let bytes = payload(&op, members);
            *calls.entry(op.name()).or_default() += 1;
            let sum = sums.calls.entry(op.name()).or_default();
            (sum.0, sum.1) = (sum.0 + 1, sum.1.saturating_add(bytes));
            if matches!(op, Op::Collective(..) | Op::Icollective(..)) {
                found.collective_bytes = found.collective_bytes.saturating_add(bytes);
            }
        }
        let outcome = prediction.outcome(&op);
        if let Outcome::Communicator(Some(id)) = outcome {
            let size = prediction.communicator(id).map_or(0, |made| made.size());
            *sums.memberships.entry(size).or_default() += 1;
        }
        let mut send = |message: &Outgoing| {
            found.messages += 1;
            found.bytes = found.bytes.saturating_add(message.bytes);
            let members = prediction.communicator(message.communicator);
            if let Some(to) = members.and_then(|members| members.rank(message.destination)) {
                let pair = sums.pairs.entry((rank, to)).or_default();
                (pair.0, pair.1) = (pair.0 + 1, pair.1.saturating_add(message.bytes));
            }
        };
        op.sent().into_iter().for_each(&mut send);
        prediction.started(&op).for_each(|message| send(&message));
    }
    sums.operations += found.records;
    found.calls = calls.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    let compute_before_ps = before.unwrap_or(found.compute_ps);
    FileRank { of_traces: found, iterations, compute_before_ps }
}
