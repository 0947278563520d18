//! What a job communicates, told from what its ranks will do, without a network and without time.

use std::collections::BTreeMap;
use std::sync::Arc;

use pantala_mpi::collectives::{Collective, Step};
use pantala_mpi::{Call, Collectives, Communicator, Op, Program};
use serde::Serialize;

use crate::motifs::MotifRank;
use crate::noise::Noise;
use crate::spec::WorkloadSpec;

/// What one rank sends and receives in a whole run, control messages left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RankVolume {
    /// How often it calls each operation that sends.
    pub calls: BTreeMap<&'static str, u64>,
    /// The least and the most bytes that each of them is called with, where it is called with a size.
    pub sizes: BTreeMap<&'static str, [u64; 2]>,
    /// Messages sent, those of collectives included.
    pub messages_sent: u64,
    /// Payload bytes sent.
    pub bytes_sent: u64,
    /// Messages received.
    pub messages_received: u64,
    /// Payload bytes received.
    pub bytes_received: u64,
    /// Of the bytes received, those of each kind of collective.
    pub collective_bytes_received: BTreeMap<&'static str, u64>,
}

/// The volume of every rank of a job; nothing for a pattern, which has no end.
#[must_use]
pub fn volume(workload: &WorkloadSpec, ranks: u32, collectives: &Collectives) -> Vec<RankVolume> {
    if workload.motif().is_none() {
        return Vec::new();
    }
    let shared = Arc::new(workload.clone());
    let mut volumes = vec![RankVolume::default(); ranks as usize];
    for rank in 0..ranks {
        let program = MotifRank::new(Arc::clone(&shared), rank, ranks, "", 0, Noise::default());
        let mut communicators = vec![Communicator::world(ranks, rank)];
        communicators.extend(program.communicators());
        for (op, times) in program.summary().unwrap_or_default() {
            count(&op, times, rank as usize, &communicators, collectives, &mut volumes);
        }
    }
    volumes
}

/// The bytes that a collective of one size is called with.
const fn size_of(call: &Call) -> Option<u64> {
    match call {
        Call::Bcast { bytes, .. }
        | Call::Reduce { bytes, .. }
        | Call::Allreduce { bytes }
        | Call::ReduceScatterBlock { bytes }
        | Call::Allgather { bytes }
        | Call::Gather { bytes, .. }
        | Call::Scatter { bytes, .. }
        | Call::Alltoall { bytes }
        | Call::Scan { bytes }
        | Call::Exscan { bytes } => Some(*bytes),
        _ => None,
    }
}

impl RankVolume {
    /// Counts the calls of an operation.
    fn called(&mut self, name: &'static str, bytes: Option<u64>, times: u64) {
        *self.calls.entry(name).or_default() += times;
        if let Some(bytes) = bytes {
            let [least, most] = self.sizes.entry(name).or_insert([bytes; 2]);
            (*least, *most) = ((*least).min(bytes), (*most).max(bytes));
        }
    }
}

/// Counts an operation of a rank.
fn count(
    op: &Op,
    times: u64,
    rank: usize,
    communicators: &[Communicator],
    collectives: &Collectives,
    volumes: &mut [RankVolume],
) {
    match op {
        Op::Send(outgoing)
        | Op::Isend(outgoing, _)
        | Op::Sendrecv(outgoing, _)
        | Op::Ssend(outgoing)
        | Op::Issend(outgoing, _)
        | Op::Rsend(outgoing)
        | Op::Bsend(outgoing) => {
            volumes[rank].called(op.name(), Some(outgoing.bytes), times);
            volumes[rank].messages_sent += times;
            volumes[rank].bytes_sent += times * outgoing.bytes;
            let there = communicators[usize::from(outgoing.communicator)].rank(outgoing.destination);
            if let Some(there) = there.and_then(|rank| volumes.get_mut(rank as usize)) {
                there.messages_received += times;
                there.bytes_received += times * outgoing.bytes;
            }
        }
        Op::Collective(id, call) | Op::Icollective(id, call, _) => {
            let communicator = &communicators[usize::from(*id)];
            let (me, size) = (communicator.me(), communicator.size());
            let volume = &mut volumes[rank];
            volume.called(call.kind().name(), size_of(call), times);
            let mut collective = Collective::of(collectives, call, size);
            while let Some(step) = collective.next(me, size) {
                match step {
                    Step::Isend { bytes, .. } => {
                        volume.messages_sent += times;
                        volume.bytes_sent += times * bytes;
                    }
                    Step::Irecv { bytes, .. } => {
                        volume.messages_received += times;
                        volume.bytes_received += times * bytes;
                        *volume.collective_bytes_received.entry(call.kind().name()).or_default() += times * bytes;
                    }
                    Step::Waitall => {}
                }
            }
        }
        _ => {}
    }
}
