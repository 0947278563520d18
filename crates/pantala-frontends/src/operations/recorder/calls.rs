//! The calls of a rank: messages, waits, collectives, communicators.

use std::io::Write;
use std::sync::Arc;

use pantala_mpi::collectives::layout::Exchange;
use pantala_mpi::{
    Call, CommunicatorId, Group, Incoming, Op, Outgoing, Request, SetCall, Source, Split, TagSelect,
};

use super::communicators::{Agreed, Membership};
use super::requests::slot;
use super::{CallFault, MAX_BYTES, Recorder};
use crate::trace::collectives::hashed;

/// How a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendMode {
    /// `MPI_Send`.
    Standard,
    /// `MPI_Ssend`.
    Synchronous,
    /// `MPI_Rsend`.
    Ready,
    /// `MPI_Bsend`.
    Buffered,
}

/// A message of a rank: the communicator, the other rank, the tag and the bytes. `None` stands for
/// any source or any tag of a receive.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The communicator.
    pub communicator: CommunicatorId,
    /// The other rank.
    pub peer: Option<u32>,
    /// The tag.
    pub tag: Option<i32>,
    /// Bytes of the payload or of the buffer.
    pub bytes: u64,
}

/// A new communicator of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewCommunicator {
    /// Its number.
    pub id: CommunicatorId,
    /// The rank in it.
    pub rank: u32,
    /// Number of its ranks.
    pub size: u32,
}

impl<W: Write> Recorder<W> {
    fn membership(&mut self, rank: u32, id: CommunicatorId) -> Result<&mut Membership, CallFault> {
        let found = self.state(rank)?.memberships.get_mut(usize::from(id));
        found.and_then(Option::as_mut).ok_or_else(|| "the communicator has been freed".into())
    }

    fn size(&mut self, rank: u32, id: CommunicatorId) -> Result<u32, CallFault> {
        let membership = self.membership(rank, id)?.clone();
        Ok(self.communicators.size(&membership))
    }

    fn checked(&mut self, rank: u32, message: &Message) -> Result<(), CallFault> {
        let size = self.size(rank, message.communicator)?;
        if let Some(peer) = message.peer.filter(|peer| *peer >= size) {
            return Err(format!("there is no rank {peer} in a communicator of {size}"));
        }
        if let Some(tag) = message.tag.filter(|tag| *tag < 0) {
            return Err(format!("the tag {tag} is negative"));
        }
        sized(message.bytes)
    }

    fn outgoing(&mut self, rank: u32, message: &Message) -> Result<Outgoing, CallFault> {
        self.checked(rank, message)?;
        let Message { communicator, peer, tag, bytes } = *message;
        let destination = peer.ok_or("a send needs a destination")?;
        let tag = tag.ok_or("a send needs a tag")?;
        Ok(Outgoing { communicator, destination, tag, bytes })
    }

    fn incoming(&mut self, rank: u32, message: &Message) -> Result<Incoming, CallFault> {
        self.checked(rank, message)?;
        let Message { communicator, peer, tag, bytes } = *message;
        let source = peer.map_or(Source::Any, Source::Rank);
        let tag = tag.map_or(TagSelect::Any, TagSelect::Is);
        Ok(Incoming { communicator, source, tag, bytes })
    }

    /// A blocking send.
    pub fn send(&mut self, rank: u32, mode: SendMode, message: &Message) -> Result<(), CallFault> {
        let outgoing = self.outgoing(rank, message)?;
        let op = match mode {
            SendMode::Standard => Op::Send(outgoing),
            SendMode::Synchronous => Op::Ssend(outgoing),
            SendMode::Ready => Op::Rsend(outgoing),
            SendMode::Buffered => Op::Bsend(outgoing),
        };
        self.push(rank, &op)
    }

    /// Starts a send. Returns its request.
    pub fn isend(
        &mut self,
        rank: u32,
        synchronous: bool,
        message: &Message,
    ) -> Result<u64, CallFault> {
        let outgoing = self.outgoing(rank, message)?;
        let handle = self.state(rank)?.requests.open()?;
        let request = slot(handle);
        let op =
            if synchronous { Op::Issend(outgoing, request) } else { Op::Isend(outgoing, request) };
        self.push(rank, &op).map(|()| handle)
    }

    /// A blocking receive.
    pub fn recv(&mut self, rank: u32, message: &Message) -> Result<(), CallFault> {
        let incoming = self.incoming(rank, message)?;
        self.push(rank, &Op::Recv(incoming))
    }

    /// Starts a receive. Returns its request.
    pub fn irecv(&mut self, rank: u32, message: &Message) -> Result<u64, CallFault> {
        let incoming = self.incoming(rank, message)?;
        let handle = self.state(rank)?.requests.open()?;
        self.push(rank, &Op::Irecv(incoming, slot(handle))).map(|()| handle)
    }

    /// A send and a receive at once.
    pub fn sendrecv(
        &mut self,
        rank: u32,
        send: &Message,
        receive: &Message,
    ) -> Result<(), CallFault> {
        let op = Op::Sendrecv(self.outgoing(rank, send)?, self.incoming(rank, receive)?);
        self.push(rank, &op)
    }

    /// Makes a persistent send or receive. Returns its request.
    pub fn init(&mut self, rank: u32, sends: bool, message: &Message) -> Result<u64, CallFault> {
        let (outgoing, incoming) = if sends {
            (Some(self.outgoing(rank, message)?), None)
        } else {
            (None, Some(self.incoming(rank, message)?))
        };
        let handle = self.state(rank)?.requests.open_persistent()?;
        let request = slot(handle);
        if let Some(outgoing) = outgoing {
            self.push(rank, &Op::SendInit(outgoing, request))?;
        }
        if let Some(incoming) = incoming {
            self.push(rank, &Op::RecvInit(incoming, request))?;
        }
        Ok(handle)
    }

    /// Starts a persistent request.
    pub fn start(&mut self, rank: u32, handle: u64) -> Result<(), CallFault> {
        self.state(rank)?.requests.start(handle)?;
        self.push(rank, &Op::Start(slot(handle)))
    }

    /// Frees a persistent request.
    pub fn free_request(&mut self, rank: u32, handle: u64) -> Result<(), CallFault> {
        self.state(rank)?.requests.free(handle)?;
        self.push(rank, &Op::Free(slot(handle)))
    }

    /// Waits for one request.
    pub fn wait(&mut self, rank: u32, handle: u64) -> Result<(), CallFault> {
        self.state(rank)?.requests.complete(handle)?;
        self.push(rank, &Op::Wait(slot(handle)))
    }

    /// Waits for these requests.
    pub fn wait_for(&mut self, rank: u32, handles: &[u64]) -> Result<(), CallFault> {
        if handles.is_empty() {
            return Ok(());
        }
        let requests = &mut self.state(rank)?.requests;
        handles.iter().try_for_each(|handle| requests.complete(*handle))?;
        if requests.active() == 0 {
            return self.push(rank, &Op::WAITALL);
        }
        let numbers: Vec<Request> = handles.iter().map(|handle| slot(*handle)).collect();
        let first = numbers.first().copied().unwrap_or(0);
        let op = if numbers.iter().zip(first..).all(|(number, next)| *number == next) {
            Op::Waitall { first, count: numbers.len() as u32 }
        } else {
            Op::Set(SetCall::Waitall, numbers.into())
        };
        self.push(rank, &op)
    }

    /// Waits for all requests of the rank.
    pub fn wait_for_all(&mut self, rank: u32) -> Result<(), CallFault> {
        self.state(rank)?.requests.complete_all();
        self.push(rank, &Op::WAITALL)
    }

    /// A collective. Returns its request if it is non-blocking.
    pub fn collective(
        &mut self,
        rank: u32,
        id: CommunicatorId,
        call: Call,
        blocking: bool,
    ) -> Result<Option<u64>, CallFault> {
        let size = self.size(rank, id)?;
        if let Some(fault) = call.fault(size) {
            return Err(fault.to_string());
        }
        let (bytes, counts) = agreed_bytes(&call)?;
        let name = if blocking { call.kind().name() } else { call.kind().non_blocking_name() };
        self.agree(rank, id, Agreed { name, root: call.root(), bytes, counts })?;
        if blocking {
            return self.push(rank, &Op::Collective(id, call)).map(|()| None);
        }
        let handle = self.state(rank)?.requests.open()?;
        self.push(rank, &Op::Icollective(id, call, slot(handle))).map(|()| Some(handle))
    }

    fn agree(&mut self, rank: u32, id: CommunicatorId, call: Agreed) -> Result<usize, CallFault> {
        let mut membership = self.membership(rank, id)?.clone();
        let number = self.communicators.call(&mut membership, call)?;
        *self.membership(rank, id)? = membership;
        Ok(number)
    }

    /// Stores a communicator under the lowest free number.
    fn join(
        &mut self,
        rank: u32,
        made: Option<Membership>,
    ) -> Result<Option<NewCommunicator>, CallFault> {
        let Some(made) = made else { return Ok(None) };
        let (me, size) = (made.me, self.communicators.size(&made));
        let memberships = &mut self.state(rank)?.memberships;
        let free = memberships.iter().position(Option::is_none).unwrap_or(memberships.len());
        let id = CommunicatorId::try_from(free).map_err(|_| "more than 65,536 communicators")?;
        if free == memberships.len() {
            memberships.push(None);
        }
        memberships[free] = Some(made);
        Ok(Some(NewCommunicator { id, rank: me, size }))
    }

    /// Duplicates a communicator.
    pub fn duplicate(
        &mut self,
        rank: u32,
        id: CommunicatorId,
    ) -> Result<Option<NewCommunicator>, CallFault> {
        let number = self.agree(rank, id, Agreed { name: "dup", ..Agreed::default() })?;
        let membership = self.membership(rank, id)?.clone();
        let size = self.communicators.size(&membership);
        let made = self.communicators.first_members(&membership, number, size);
        self.push(rank, &Op::CommDup(id))?;
        self.join(rank, made)
    }

    /// Makes a communicator of the first `size` ranks.
    pub fn create_of_first(
        &mut self,
        rank: u32,
        id: CommunicatorId,
        size: u32,
    ) -> Result<Option<NewCommunicator>, CallFault> {
        let has = self.size(rank, id)?;
        if size == 0 || size > has {
            return Err(format!("the communicator has {has} ranks, the grid has {size}"));
        }
        let call = Agreed { name: "create_cart", bytes: size.into(), ..Agreed::default() };
        let number = self.agree(rank, id, call)?;
        let membership = self.membership(rank, id)?.clone();
        let ranks = self.communicators.members(&membership)[..size as usize].to_vec();
        let made = self.communicators.first_members(&membership, number, size);
        let group = Group::new(ranks).ok_or("a rank is twice in the communicator")?;
        self.push(rank, &Op::CommCreate(id, group))?;
        self.join(rank, made)
    }

    /// A rank calls a split. Returns the number of the call.
    pub fn call_split(
        &mut self,
        rank: u32,
        id: CommunicatorId,
        color: Option<u32>,
        key: i32,
    ) -> Result<usize, CallFault> {
        if color == Some(u32::MAX) {
            return Err("the color is too large".into());
        }
        let number = self.agree(rank, id, Agreed { name: "split", ..Agreed::default() })?;
        let membership = self.membership(rank, id)?.clone();
        self.communicators.meet(&membership, number, Split { color, key });
        Ok(number)
    }

    /// Whether all ranks have called a split.
    #[must_use]
    pub fn split_is_complete(&self, rank: u32, id: CommunicatorId, number: usize) -> bool {
        let memberships = self.ranks.get(rank as usize).map(|state| &state.memberships);
        let membership = memberships.and_then(|all| all.get(usize::from(id))?.as_ref());
        membership.is_some_and(|membership| self.communicators.met(membership, number))
    }

    /// Ends a split that all ranks have called.
    pub fn finish_split(
        &mut self,
        rank: u32,
        id: CommunicatorId,
        number: usize,
    ) -> Result<Option<NewCommunicator>, CallFault> {
        let membership = self.membership(rank, id)?.clone();
        let (table, made) = self.communicators.split(&membership, number)?;
        self.push(rank, &Op::CommSplit(id, table))?;
        self.join(rank, made)
    }

    /// Frees a communicator.
    pub fn free(&mut self, rank: u32, id: CommunicatorId) -> Result<(), CallFault> {
        if id == pantala_mpi::COMM_WORLD {
            return Err("the communicator of all ranks cannot be freed".into());
        }
        self.membership(rank, id)?;
        self.state(rank)?.memberships[usize::from(id)] = None;
        self.push(rank, &Op::CommFree(id))
    }
}

fn sized(bytes: u64) -> Result<(), CallFault> {
    if bytes > MAX_BYTES {
        return Err(format!("{bytes} bytes are more than a message can have ({MAX_BYTES})"));
    }
    Ok(())
}

/// The bytes on which all ranks must agree, and a hash of those of each rank if there are several.
fn agreed_bytes(call: &Call) -> Result<(u64, u64), CallFault> {
    let sum = |list: &[u64]| {
        let sum = list.iter().try_fold(0u64, |sum, bytes| sum.checked_add(*bytes));
        let sum = sum.unwrap_or(u64::MAX);
        sized(sum).map(|()| (sum, list.iter().fold(0, |hash, bytes| hashed(hash, *bytes))))
    };
    if let Some(bytes) = call.bytes() {
        return sized(bytes).map(|()| (bytes, 0));
    }
    match call {
        Call::ReduceScatter { counts }
        | Call::Allgatherv { counts }
        | Call::Gatherv { counts, .. }
        | Call::Scatterv { counts, .. } => sum(counts),
        Call::Alltoallv { pairs } => sum(&pairs.send).and(sum(&pairs.receive)).map(|_| (0, 0)),
        _ => Ok((0, 0)),
    }
}

/// The call with this name; `None` if there is none. `bytes` holds one number, or one per rank;
/// `received` those from each rank of an alltoallv.
#[must_use]
pub fn call_of(name: &str, root: u32, bytes: &[u64], received: &[u64]) -> Option<Call> {
    let one = bytes.first().copied().unwrap_or(0);
    let counts = || Arc::from(bytes);
    Some(match name {
        "barrier" => Call::Barrier,
        "bcast" => Call::Bcast { root, bytes: one },
        "reduce" => Call::Reduce { root, bytes: one },
        "allreduce" => Call::Allreduce { bytes: one },
        "reduce_scatter_block" => Call::ReduceScatterBlock { bytes: one },
        "reduce_scatter" => Call::ReduceScatter { counts: counts() },
        "allgather" => Call::Allgather { bytes: one },
        "allgatherv" => Call::Allgatherv { counts: counts() },
        "gather" => Call::Gather { root, bytes: one },
        "gatherv" => Call::Gatherv { root, counts: counts() },
        "scatter" => Call::Scatter { root, bytes: one },
        "scatterv" => Call::Scatterv { root, counts: counts() },
        "alltoall" => Call::Alltoall { bytes: one },
        "alltoallv" => {
            let pairs = Exchange { send: bytes.to_vec(), receive: received.to_vec() };
            Call::Alltoallv { pairs: Arc::new(pairs) }
        }
        "scan" => Call::Scan { bytes: one },
        "exscan" => Call::Exscan { bytes: one },
        _ => return None,
    })
}
