//! From an operation to its records.

use pantala_mpi::{
    Call, CommunicatorId, FinalizePart, Incoming, IterationMark, Op, Outgoing, Request, SetCall,
    Source, Split, TagSelect,
};

use super::format::{ANY_SOURCE, ANY_TAG, EXPLICIT, NEXT, NON_BLOCKING, Record, SAME, SET, code};
use super::lists::Lists;

/// The records of an operation: one, or two for a sendrecv.
pub(super) type Encoded = (Record, Option<Record>);

/// Encodes an operation. `last` is the number of the rank's last iteration.
pub(super) fn encode(
    op: &Op,
    lists: &mut Lists,
    last: &mut Option<u32>,
) -> Result<Encoded, &'static str> {
    let range = |code, first, count| record(code, first, count);
    let one = match op {
        Op::Compute(time) => Record { first: *time, ..of(code::COMPUTE) },
        Op::Icompute(time, request) => {
            Record { first: *time, request: *request, ..of(code::ICOMPUTE) }
        }
        Op::Send(message) => outgoing(code::SEND, message, 0),
        Op::Ssend(message) => outgoing(code::SSEND, message, 0),
        Op::Rsend(message) => outgoing(code::RSEND, message, 0),
        Op::Bsend(message) => outgoing(code::BSEND, message, 0),
        Op::Post(message) => outgoing(code::POST, message, 0),
        Op::Ipost(message, request) => outgoing(code::IPOST, message, *request),
        Op::Isend(message, request) => outgoing(code::ISEND, message, *request),
        Op::Issend(message, request) => outgoing(code::ISSEND, message, *request),
        Op::Recv(message) => incoming(code::RECV, message, 0),
        Op::Irecv(message, request) => incoming(code::IRECV, message, *request),
        Op::Probe(message) => incoming(code::PROBE, message, 0),
        Op::Iprobe(message) => incoming(code::IPROBE, message, 0),
        Op::SendInit(message, request) => outgoing(code::SEND_INIT, message, *request),
        Op::RecvInit(message, request) => incoming(code::RECV_INIT, message, *request),
        Op::Start(request) => range(code::START, *request, 0),
        Op::Startall { first, count } => range(code::STARTALL, *first, *count),
        Op::Free(request) => range(code::FREE, *request, 0),
        Op::Wait(request) => range(code::WAIT, *request, 0),
        Op::Waitall { first, count } => range(code::WAITALL, *first, *count),
        Op::Waitany { first, count } => range(code::WAITANY, *first, *count),
        Op::Waitsome { first, count } => range(code::WAITSOME, *first, *count),
        Op::Test(request) => range(code::TEST, *request, 0),
        Op::Testall { first, count } => range(code::TESTALL, *first, *count),
        Op::Testany { first, count } => range(code::TESTANY, *first, *count),
        Op::Testsome { first, count } => range(code::TESTSOME, *first, *count),
        Op::Set(call, requests) => {
            let code = match call {
                SetCall::Waitall => code::WAITALL,
                SetCall::Waitany => code::WAITANY,
                SetCall::Waitsome => code::WAITSOME,
                SetCall::Testall => code::TESTALL,
                SetCall::Testany => code::TESTANY,
                SetCall::Testsome => code::TESTSOME,
            };
            let second = lists.index(requests.iter().map(|request| u64::from(*request)));
            Record { flags: SET, second, ..of(code) }
        }
        Op::Sendrecv(send, receive) => {
            let receive = incoming(code::SENDRECV_RECEIVE, receive, 0);
            return Ok((outgoing(code::SENDRECV, send, 0), Some(receive)));
        }
        Op::Collective(communicator, call) => collective(*communicator, call, lists),
        Op::Icollective(communicator, call, request) => Record {
            flags: NON_BLOCKING,
            request: *request,
            ..collective(*communicator, call, lists)
        },
        Op::Valued(..) => return Err("a value goes along with it, which only a run knows"),
        Op::CommDup(communicator) => Record { communicator: *communicator, ..of(code::COMM_DUP) },
        Op::CommSplit(communicator, table) => {
            let words: Option<Vec<u64>> = table.iter().map(split_word).collect();
            let words = words.ok_or("a color is above 4,294,967,294")?;
            let second = lists.index(words);
            Record { communicator: *communicator, second, ..of(code::COMM_SPLIT) }
        }
        Op::CommCreate(communicator, group) => {
            let second = lists.index(group.ranks().iter().map(|rank| u64::from(*rank)));
            Record { communicator: *communicator, second, ..of(code::COMM_CREATE) }
        }
        Op::CommJoin(context, group) => {
            let second = lists.index(group.ranks().iter().map(|rank| u64::from(*rank)));
            Record { first: u64::from(*context), second, ..of(code::COMM_JOIN) }
        }
        Op::CommFree(communicator) => Record { communicator: *communicator, ..of(code::COMM_FREE) },
        // The format has no MPI_Finalize: its wait becomes a wait.
        Op::Finalize(FinalizePart::Requests) => range(code::WAITALL, 0, u32::MAX),
        Op::Finalize(FinalizePart::Barrier) => {
            return Err("the MPI layer calls it at the end of every program");
        }
        Op::IterationStart(mark) => iteration(mark, last),
        Op::IterationEnd => of(code::ITERATION_END),
        Op::Abort(reason) => {
            let (second, first) = lists.text(reason);
            Record { first, second, ..of(code::ABORT) }
        }
    };
    Ok((one, None))
}

fn of(code: u8) -> Record {
    Record { code, ..Record::default() }
}

fn record(code: u8, request: Request, peer: u32) -> Record {
    Record { request, peer, ..of(code) }
}

fn outgoing(code: u8, message: &Outgoing, request: Request) -> Record {
    let Outgoing { communicator, destination, tag, bytes } = *message;
    Record { code, communicator, request, peer: destination, tag, first: bytes, ..of(code) }
}

fn incoming(code: u8, message: &Incoming, request: Request) -> Record {
    let Incoming { communicator, source, tag, bytes } = *message;
    let (peer, any_source) = match source {
        Source::Rank(rank) => (rank, 0),
        Source::Any => (0, ANY_SOURCE),
    };
    let (tag, any_tag) = match tag {
        TagSelect::Is(tag) => (tag, 0),
        TagSelect::Any => (0, ANY_TAG),
    };
    let flags = any_source | any_tag;
    Record { code, flags, communicator, request, peer, tag, first: bytes, second: 0 }
}

fn collective(communicator: CommunicatorId, call: &Call, lists: &mut Lists) -> Record {
    let peer = call.root();
    let (code, first, second) = match call {
        Call::Barrier => (code::BARRIER, 0, 0),
        Call::Bcast { bytes, .. } => (code::BCAST, *bytes, 0),
        Call::Reduce { bytes, .. } => (code::REDUCE, *bytes, 0),
        Call::Allreduce { bytes } => (code::ALLREDUCE, *bytes, 0),
        Call::ReduceScatterBlock { bytes } => (code::REDUCE_SCATTER_BLOCK, *bytes, 0),
        Call::Allgather { bytes } => (code::ALLGATHER, *bytes, 0),
        Call::Gather { bytes, .. } => (code::GATHER, *bytes, 0),
        Call::Scatter { bytes, .. } => (code::SCATTER, *bytes, 0),
        Call::Alltoall { bytes } => (code::ALLTOALL, *bytes, 0),
        Call::Scan { bytes } => (code::SCAN, *bytes, 0),
        Call::Exscan { bytes } => (code::EXSCAN, *bytes, 0),
        Call::ReduceScatter { counts } => (code::REDUCE_SCATTER, 0, list(counts, lists)),
        Call::Allgatherv { counts } => (code::ALLGATHERV, 0, list(counts, lists)),
        Call::Gatherv { counts, .. } => (code::GATHERV, 0, list(counts, lists)),
        Call::Scatterv { counts, .. } => (code::SCATTERV, 0, list(counts, lists)),
        Call::Alltoallv { pairs } => {
            (code::ALLTOALLV, list(&pairs.send, lists), list(&pairs.receive, lists))
        }
    };
    Record { communicator, peer, first, second, ..of(code) }
}

fn list(counts: &[u64], lists: &mut Lists) -> u64 {
    lists.index(counts.iter().copied())
}

/// Color and key in one word; `None` for the largest color.
fn split_word(split: &Split) -> Option<u64> {
    let color = split.color.map_or(Some(0), |color| color.checked_add(1))?;
    Some(u64::from(color) << 32 | u64::from(split.key as u32))
}

fn iteration(mark: &IterationMark, last: &mut Option<u32>) -> Record {
    let IterationMark { iteration, motif, phase } = *mark;
    let (tag, request) = if Some(iteration) == last.map_or(Some(0), |last| last.checked_add(1)) {
        (NEXT, 0)
    } else if Some(iteration) == *last {
        (SAME, 0)
    } else {
        (EXPLICIT, iteration)
    };
    *last = Some(iteration);
    let mut name = [0; 8];
    if let Some(phase) = &phase {
        let text = phase.as_str().as_bytes();
        name[..text.len()].copy_from_slice(text);
    }
    let second = u64::from_le_bytes(name);
    Record { request, peer: motif.into(), tag, second, ..of(code::ITERATION_START) }
}
