//! From a record to its operation, and the check of a record when a file is opened.

use std::borrow::Cow;
use std::sync::Arc;

use pantala_engine::LONGEST_TIME;
use pantala_mpi::collectives::layout::Exchange;
use pantala_mpi::{
    Call, Communicator, Group, Incoming, IterationMark, Op, Outgoing, PhaseName, SetCall, Source,
    Split, TagSelect,
};

use super::contents::{Contents, List};
use super::format::{
    ANY_SOURCE, ANY_TAG, EXPLICIT, NEXT, NON_BLOCKING, Record, SAME, SET, TIMED, code,
};
use crate::trace::bounds::MAX_BYTES;

/// The reason why a record is wrong.
pub(super) type Reason = Cow<'static, str>;

impl Contents {
    /// Decodes a record, but not [`code::RUN`] and not the second half of a sendrecv. `last` is the
    /// number of the rank's last iteration.
    #[inline]
    pub(super) fn decode(&self, record: &Record, last: &mut Option<u32>) -> Result<Op, Reason> {
        let Record { request, peer, first, .. } = *record;
        Ok(match record.code {
            code::COMPUTE => Op::Compute(first),
            code::ICOMPUTE => Op::Icompute(first, request),
            code::SEND => Op::Send(outgoing(record)),
            code::SSEND => Op::Ssend(outgoing(record)),
            code::RSEND => Op::Rsend(outgoing(record)),
            code::BSEND => Op::Bsend(outgoing(record)),
            code::ISEND => Op::Isend(outgoing(record), request),
            code::ISSEND => Op::Issend(outgoing(record), request),
            code::RECV => Op::Recv(incoming(record)),
            code::IRECV => Op::Irecv(incoming(record), request),
            code::WAIT => Op::Wait(request),
            code::WAITALL if record.flags & SET == 0 => Op::Waitall { first: request, count: peer },
            code::ITERATION_START => Op::IterationStart(mark(record, last)?),
            code::ITERATION_END => Op::IterationEnd,
            code::BARRIER..=code::EXSCAN => {
                let call = self.call(record)?;
                if record.flags & NON_BLOCKING == 0 {
                    Op::Collective(record.communicator, call)
                } else {
                    Op::Icollective(record.communicator, call, request)
                }
            }
            _ => return self.rare(record),
        })
    }

    /// Operations that few programs use often.
    #[cold]
    fn rare(&self, record: &Record) -> Result<Op, Reason> {
        let Record { request, peer: count, communicator, first: bytes, second, .. } = *record;
        let first = request;
        Ok(match record.code {
            code::POST => Op::Post(outgoing(record)),
            code::IPOST => Op::Ipost(outgoing(record), request),
            code::PROBE => Op::Probe(incoming(record)),
            code::IPROBE => Op::Iprobe(incoming(record)),
            code::SEND_INIT => Op::SendInit(outgoing(record), request),
            code::RECV_INIT => Op::RecvInit(incoming(record), request),
            code::START => Op::Start(request),
            code::STARTALL => Op::Startall { first, count },
            code::FREE => Op::Free(request),
            code::TEST => Op::Test(request),
            code::WAITALL..=code::TESTSOME if record.flags & SET != 0 => {
                let call = match record.code {
                    code::WAITALL => SetCall::Waitall,
                    code::WAITANY => SetCall::Waitany,
                    code::WAITSOME => SetCall::Waitsome,
                    code::TESTALL => SetCall::Testall,
                    code::TESTANY => SetCall::Testany,
                    _ => SetCall::Testsome,
                };
                let requests = self.listed(second)?.numbers();
                Op::Set(call, requests.ok_or("a request is above 4,294,967,295")?)
            }
            code::WAITANY => Op::Waitany { first, count },
            code::WAITSOME => Op::Waitsome { first, count },
            code::TESTALL => Op::Testall { first, count },
            code::TESTANY => Op::Testany { first, count },
            code::TESTSOME => Op::Testsome { first, count },
            code::COMM_DUP => Op::CommDup(communicator),
            code::COMM_SPLIT => {
                let table = self.listed(second)?.words.iter().map(|word| split(*word));
                let table: Option<Arc<[Split]>> = table.collect();
                Op::CommSplit(communicator, table.ok_or("a color is above 4,294,967,294")?)
            }
            code::COMM_CREATE => Op::CommCreate(communicator, self.group(second)?),
            code::COMM_JOIN => {
                let context = u32::try_from(bytes).unwrap_or(0);
                if context == 0 || context > Communicator::MAX_CONTEXT / 2 {
                    return Err(format!("there is no context {bytes}").into());
                }
                Op::CommJoin(context, self.group(second)?)
            }
            code::COMM_FREE => Op::CommFree(communicator),
            code::ABORT => {
                let words = &self.listed(second)?.words;
                let text: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let end = usize::try_from(bytes).unwrap_or(usize::MAX).min(text.len());
                Op::Abort(String::from_utf8_lossy(&text[..end]).into())
            }
            code::SENDRECV_RECEIVE => {
                return Err("the receive of a sendrecv follows no send".into());
            }
            other => return Err(format!("there is no operation {other}").into()),
        })
    }

    /// The operation of the two records of a sendrecv.
    pub(super) fn sendrecv(send: &Record, receive: &Record) -> Result<Op, Reason> {
        if receive.code != code::SENDRECV_RECEIVE {
            return Err("a sendrecv lacks its receive".into());
        }
        Ok(Op::Sendrecv(outgoing(send), incoming(receive)))
    }

    fn group(&self, list: u64) -> Result<Group, Reason> {
        let ranks = self.listed(list)?.numbers().ok_or("a rank is above 4,294,967,295")?;
        Ok(Group::new(ranks).ok_or("a rank is twice in a group")?)
    }

    fn listed(&self, index: u64) -> Result<&List, Reason> {
        self.list(index).ok_or_else(|| format!("there is no list {index}").into())
    }

    fn call(&self, record: &Record) -> Result<Call, Reason> {
        let Record { peer: root, first: bytes, second, .. } = *record;
        let counts = || self.listed(second).map(List::counts);
        Ok(match record.code {
            code::BARRIER => Call::Barrier,
            code::BCAST => Call::Bcast { root, bytes },
            code::REDUCE => Call::Reduce { root, bytes },
            code::ALLREDUCE => Call::Allreduce { bytes },
            code::REDUCE_SCATTER_BLOCK => Call::ReduceScatterBlock { bytes },
            code::REDUCE_SCATTER => Call::ReduceScatter { counts: counts()? },
            code::ALLGATHER => Call::Allgather { bytes },
            code::ALLGATHERV => Call::Allgatherv { counts: counts()? },
            code::GATHER => Call::Gather { root, bytes },
            code::GATHERV => Call::Gatherv { root, counts: counts()? },
            code::SCATTER => Call::Scatter { root, bytes },
            code::SCATTERV => Call::Scatterv { root, counts: counts()? },
            code::ALLTOALL => Call::Alltoall { bytes },
            code::ALLTOALLV => {
                let (send, receive) = (self.listed(bytes)?, self.listed(second)?);
                let pairs = Exchange { send: send.words.clone(), receive: receive.words.clone() };
                Call::Alltoallv { pairs: Arc::new(pairs) }
            }
            code::SCAN => Call::Scan { bytes },
            _ => Call::Exscan { bytes },
        })
    }

    /// Checks a record by itself.
    pub(super) fn verify(&self, record: &Record) -> Result<(), Reason> {
        let Record { request, first, second, .. } = *record;
        match record.code {
            code::RUN => {
                let empty = self.block(request).is_none_or(|block| block.count == 0);
                return if empty || first == 0 {
                    Err(format!("block {request} is not there or empty, or runs 0 times").into())
                } else {
                    Ok(())
                };
            }
            code::COMPUTE if record.flags & TIMED != 0 && (first != 0 || self.times() == 0) => {
                return Err("a computing has a time, or there are no times in the file".into());
            }
            code::COMPUTE | code::ICOMPUTE if first > LONGEST_TIME => {
                return Err(format!("{first} ps is longer than any run").into());
            }
            code::SEND..=code::ISSEND
            | code::SEND_INIT
            | code::SENDRECV
            | code::BCAST..=code::ALLTOALL
            | code::SCAN
            | code::EXSCAN
                if first > MAX_BYTES =>
            {
                return Err(format!("{first} bytes are more than {MAX_BYTES}").into());
            }
            code::ALLTOALLV => {
                self.small(first)?;
                return self.small(second);
            }
            code::REDUCE_SCATTER | code::ALLGATHERV | code::GATHERV | code::SCATTERV => {
                return self.small(second);
            }
            code::SENDRECV | code::SENDRECV_RECEIVE => return Ok(()),
            _ => {}
        }
        self.decode(record, &mut None).map(|_| ())
    }

    /// Checks that a list holds sizes whose sum a number can hold.
    fn small(&self, index: u64) -> Result<(), Reason> {
        let words = &self.listed(index)?.words;
        let sum = words.iter().try_fold(0u64, |sum, word| sum.checked_add(*word));
        if sum.is_none_or(|sum| sum > MAX_BYTES) {
            return Err(format!("the sizes of list {index} are more than {MAX_BYTES} bytes").into());
        }
        Ok(())
    }
}

fn outgoing(record: &Record) -> Outgoing {
    let Record { communicator, peer, tag, first, .. } = *record;
    Outgoing { communicator, destination: peer, tag, bytes: first }
}

fn incoming(record: &Record) -> Incoming {
    let Record { communicator, peer, tag, first, flags, .. } = *record;
    let source = if flags & ANY_SOURCE == 0 { Source::Rank(peer) } else { Source::Any };
    let tag = if flags & ANY_TAG == 0 { TagSelect::Is(tag) } else { TagSelect::Any };
    Incoming { communicator, source, tag, bytes: first }
}

/// The color and the key of a word; `None` if the color is too large.
fn split(word: u64) -> Option<Split> {
    let color = match word >> 32 {
        0 => None,
        color => Some(u32::try_from(color - 1).ok()?),
    };
    Some(Split { color, key: word as u32 as i32 })
}

fn mark(record: &Record, last: &mut Option<u32>) -> Result<IterationMark, Reason> {
    let iteration = match record.tag {
        EXPLICIT => record.request,
        NEXT => last.map_or(0, |last| last.wrapping_add(1)),
        SAME => last.unwrap_or(0),
        other => return Err(format!("there is no way {other} to number an iteration").into()),
    };
    *last = Some(iteration);
    let motif = u16::try_from(record.peer).map_err(|_| "a motif's number is above 65,535")?;
    Ok(IterationMark { iteration, motif, phase: phase(record.second)? })
}

fn phase(word: u64) -> Result<Option<PhaseName>, Reason> {
    if word == 0 {
        return Ok(None);
    }
    let bytes = word.to_le_bytes();
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(8);
    let name = std::str::from_utf8(&bytes[..end]).ok().filter(|name| !name.is_empty());
    let name = name.filter(|_| bytes[end..].iter().all(|byte| *byte == 0));
    name.map(|name| Some(PhaseName::new(name)))
        .ok_or_else(|| "the name of a phase is no text of 8 bytes".into())
}
