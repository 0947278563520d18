//! Profiles of MPI calls: number of calls, bytes and time, by call.
//!
//! Profilers that stand between a program and MPI measure these numbers. Chunduri et al. (IPDPS
//! 2021, III.B) measured them with AutoPerf for every MPI call of an application.

use pantala_engine::Time;

use crate::collectives::call::Call;
use crate::program::identifiers::CommunicatorId;
use crate::program::operation::{INIT, Op};
use serde::Deserialize;
use serde::Serialize;

/// The calls of one name, of one rank or summed over all ranks of a job.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallReport {
    /// The job's number in the plan.
    pub job: u16,
    /// The rank of the job; `None` for all ranks.
    pub rank: Option<u32>,
    /// The call's name; see [`Op::name`].
    pub call: String,
    /// Number of calls.
    pub calls: u64,
    /// Payload in bytes: what a rank passes to a send or a collective, or the size of a receive
    /// buffer.
    pub bytes: u64,
    /// Time blocked in the call, in ps.
    pub time: Time,
}

impl CallReport {
    /// Sums the reports of several partitions to one per job, rank and call, in this order.
    #[must_use]
    pub fn summed(mut reports: Vec<Self>) -> Vec<Self> {
        reports.sort_unstable();
        reports.dedup_by(|next, sum| {
            let same = (next.job, next.rank, &next.call) == (sum.job, sum.rank, &sum.call);
            if same {
                sum.calls += next.calls;
                sum.bytes += next.bytes;
                sum.time += next.time;
            }
            same
        });
        reports
    }
}

#[derive(Clone, Copy, Debug)]
struct Row {
    call: &'static str,
    calls: u64,
    bytes: u64,
    time: Time,
}

/// The calls of a job or of a rank, one row per name. Programs use few names, so a linear search is fast.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    rows: Vec<Row>,
}

impl Profile {
    fn row(&mut self, call: &'static str) -> &mut Row {
        let at = self.rows.iter().position(|row| row.call == call).unwrap_or_else(|| {
            self.rows.push(Row { call, calls: 0, bytes: 0, time: 0 });
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }

    /// Counts a call of `MPI_Init`.
    pub(crate) fn initialized(&mut self) {
        self.row(INIT).calls += 1;
    }

    /// Counts a call, if the operation is one.
    pub(crate) fn called(&mut self, op: &Op, members: impl FnOnce(CommunicatorId) -> (u32, u32)) {
        if !op.is_call() {
            return;
        }
        let bytes = payload(op, members);
        let row = self.row(op.name());
        row.calls += 1;
        row.bytes += bytes;
    }

    /// Counts time in a call.
    pub(crate) fn took(&mut self, call: &'static str, time: Time) {
        self.row(call).time += time;
    }

    /// A report of every call of a rank of the job that the plan numbers `job`, or of all its ranks.
    pub(crate) fn reports(&self, job: u16, rank: Option<u32>) -> impl Iterator<Item = CallReport> {
        let report = move |row: &Row| CallReport {
            job,
            rank,
            call: row.call.to_owned(),
            calls: row.calls,
            bytes: row.bytes,
            time: row.time,
        };
        self.rows.iter().map(report)
    }
}

/// The payload of a call. `members` returns the own member number and the size of a communicator.
#[must_use]
pub fn payload(op: &Op, members: impl FnOnce(CommunicatorId) -> (u32, u32)) -> u64 {
    if let Some(message) = op.sent() {
        return message.bytes;
    }
    match op {
        Op::SendInit(message, _) => message.bytes,
        Op::Recv(message) | Op::Irecv(message, _) | Op::RecvInit(message, _) => message.bytes,
        Op::Collective(communicator, call)
        | Op::Icollective(communicator, call, _)
        | Op::Valued(communicator, call, _) => given(call, members(*communicator)),
        _ => 0,
    }
}

/// The bytes of the buffer that one rank passes to a collective.
fn given(call: &Call, (me, members): (u32, u32)) -> u64 {
    let own = |counts: &[u64]| counts.get(me as usize).copied().unwrap_or(0);
    match call {
        Call::Barrier => 0,
        Call::Bcast { bytes, .. }
        | Call::Reduce { bytes, .. }
        | Call::Allreduce { bytes }
        | Call::Scan { bytes }
        | Call::Exscan { bytes }
        | Call::Allgather { bytes }
        | Call::Gather { bytes, .. } => *bytes,
        Call::Scatter { root, bytes } if *root == me => bytes.saturating_mul(u64::from(members)),
        Call::ReduceScatterBlock { bytes } | Call::Alltoall { bytes } => {
            bytes.saturating_mul(u64::from(members))
        }
        Call::ReduceScatter { counts } => counts.iter().sum(),
        Call::Allgatherv { counts } | Call::Gatherv { counts, .. } => own(counts),
        Call::Scatterv { root, counts } if *root == me => counts.iter().sum(),
        Call::Scatter { .. } | Call::Scatterv { .. } => 0,
        Call::Alltoallv { pairs } => pairs.send.iter().sum(),
    }
}
