//! The diagnosis of an MPI deadlock: who waits for whom.

use pantala_engine::{Time, counted};

use crate::arena::NONE;
use crate::layer::MpiLayer;
use crate::program::identifiers::TagSelect;
use crate::program::operation::OperationStream;
use crate::program::place::{At, Place};
use crate::rank::{Activity, BlockedUntil, CALL};
use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::Serialize;

/// Whether a rank waits to send or to receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Waits {
    /// The rank waits for a message.
    ToReceive,
    /// The rank waits until its message is received.
    ToSend,
}

/// One operation for which a blocked rank waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// The job's number in the plan.
    pub job: u16,
    /// The rank of the job.
    pub rank: u32,
    /// The call in which the rank is blocked ("send", "waitall", "allreduce").
    pub call: Cow<'static, str>,
    /// The place of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The time at which the rank blocked, in ps.
    pub since: Time,
    /// Whether the rank waits to send or to receive.
    pub waits: Waits,
    /// The peer (rank of the job); `None` for any.
    pub peer: Option<u32>,
    /// The tag; `None` for any. Negative inside collectives.
    pub tag: Option<i32>,
    /// Bytes to send, or the size of the receive buffer.
    pub bytes: u64,
    /// Whether send and receive have matched, so that the payload is on its way.
    pub matched: bool,
    /// Whether the send is synchronous: it waits for its receive at any size.
    #[serde(default)]
    pub synchronous: bool,
    /// Number of messages for the rank that wait in its NIC for a buffer.
    #[serde(default)]
    pub unbuffered: u32,
    /// Whether the peer's program has ended, so that the peer will never answer. A layer of one
    /// partition knows this of its own ranks only.
    pub peer_ended: bool,
    /// The difference in words, if the rank is in a collective and a message shows that another
    /// rank calls another one.
    pub mismatch: Option<String>,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, rank, call, since, .. } = self;
        let bytes = counted(self.bytes, "byte");
        let at = At(&self.place);
        write!(f, "job {job} rank {rank} is blocked in {call}{at} since {since} ps: ")?;
        match (self.waits, self.peer) {
            (Waits::ToReceive, Some(peer)) if call == "probe" => {
                write!(f, "a message from rank {peer}")?;
            }
            (Waits::ToReceive, None) if call == "probe" => write!(f, "a message from any rank")?,
            (Waits::ToSend, Some(peer)) => write!(f, "{bytes} to rank {peer}")?,
            (Waits::ToSend, None) => write!(f, "{bytes} to send")?,
            (Waits::ToReceive, Some(peer)) => write!(f, "up to {bytes} from rank {peer}")?,
            (Waits::ToReceive, None) => write!(f, "up to {bytes} from any rank")?,
        }
        match self.tag {
            Some(tag) if tag >= 0 => write!(f, ", tag {tag}")?,
            Some(_) => {}
            None => write!(f, ", any tag")?,
        }
        f.write_str(match (self.matched, self.waits) {
            (true, _) => ", matched and on its way",
            (false, Waits::ToSend) => ", no receive matches",
            (false, Waits::ToReceive) => ", no message matches",
        })?;
        if self.peer_ended {
            f.write_str(" (that rank has ended)")?;
        }
        if self.unbuffered > 0 {
            let messages = counted(self.unbuffered.into(), "message");
            write!(
                f,
                "; {messages} for it in its NIC without a buffer (mpi.short_buffers, mpi.extra_buffers)"
            )?;
        }
        self.mismatch.as_ref().map_or(Ok(()), |mismatch| write!(f, "; {mismatch}"))
    }
}

impl<P: OperationStream> MpiLayer<P> {
    /// Returns every operation for which a rank is blocked, by job, rank and operation. If the
    /// network is idle and no timer is pending, these are the arcs of an MPI deadlock. Otherwise
    /// they are a snapshot.
    #[must_use]
    pub fn blocked_report(&self) -> Vec<Blocked> {
        let mut report = Vec::new();
        let mut add = |rank: u32,
                       owner: u32,
                       waits,
                       peer: u32,
                       tag: TagSelect,
                       bytes,
                       (matched, synchronous): (bool, bool)| {
            let index = rank as usize;
            let rank = &self.ranks[index];
            let waited_for = match rank.activity {
                Activity::Blocked(BlockedUntil::Call) => owner == CALL,
                Activity::Blocked(BlockedUntil::Requests(selection)) => rank
                    .request_of(owner)
                    .is_some_and(|request| rank.requests.selects(selection, request)),
                _ => false,
            };
            if !waited_for {
                return;
            }
            let job = &self.jobs.list[rank.job as usize];
            report.push(Blocked {
                job: job.id,
                rank: rank.number,
                call: rank.operation.into(),
                place: rank.place(),
                since: rank.since,
                waits,
                peer: (peer != NONE).then_some(peer),
                tag: match tag {
                    TagSelect::Is(tag) => Some(tag),
                    TagSelect::Any => None,
                },
                bytes,
                matched,
                synchronous,
                unbuffered: self.waits_for_buffers(index) as u32,
                mismatch: rank.mismatch(&self.transfers.messages).map(|fault| fault.to_string()),
                peer_ended: peer != NONE && self.has_ended(job.id, peer),
            });
        };
        for receive in self.transfers.receives.iter() {
            let (source, tag) = (receive.source, receive.tag);
            add(
                receive.rank,
                receive.owner,
                Waits::ToReceive,
                source,
                tag,
                receive.bytes,
                (receive.matched, false),
            );
        }
        for send in self.transfers.sends.iter() {
            let tag = TagSelect::Is(send.tag);
            add(
                send.rank,
                send.owner,
                Waits::ToSend,
                send.destination,
                tag,
                send.bytes,
                (send.matched, send.synchronous),
            );
        }
        report.extend(self.probes());
        report.sort_by_key(|b| (b.job, b.rank, b.waits, b.peer, b.tag, b.bytes));
        report
    }

    /// The probes in which ranks are blocked.
    fn probes(&self) -> impl Iterator<Item = Blocked> {
        self.ranks.iter().enumerate().filter_map(|(index, rank)| {
            let Activity::Blocked(BlockedUntil::Message { source, tag, .. }) = rank.activity else {
                return None;
            };
            let job = self.jobs.list[rank.job as usize].id;
            Some(Blocked {
                job,
                rank: rank.number,
                call: rank.operation.into(),
                place: rank.place(),
                since: rank.since,
                waits: Waits::ToReceive,
                peer: (source != NONE).then_some(source),
                tag: match tag {
                    TagSelect::Is(tag) => Some(tag),
                    TagSelect::Any => None,
                },
                bytes: 0,
                matched: false,
                synchronous: false,
                unbuffered: self.waits_for_buffers(index) as u32,
                mismatch: None,
                peer_ended: source != NONE && self.has_ended(job, source),
            })
        })
    }
}
