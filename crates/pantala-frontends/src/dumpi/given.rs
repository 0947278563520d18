//! The bytes that a rank gives to collectives: those of its send buffers.

use std::collections::BTreeMap;

use pantala_mpi::Call;

use super::communicators::Communicators;
use super::steps::{Local, WORLD};

/// Stands for a root if every rank gives bytes.
const EVERY_RANK: u32 = u32::MAX;

/// Bytes given in one communicator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bytes {
    /// Of whole vectors.
    whole: u64,
    /// Of blocks, one for each rank of the communicator.
    per_rank: u64,
}

/// What a rank's collectives give, by communicator and root. Sizes of communicators are not known
/// before all files are read.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    bytes: BTreeMap<(Local, u32), Bytes>,
    /// The bytes of each rank's block in all Allgatherv calls of a communicator.
    blocks: BTreeMap<Local, Vec<u64>>,
}

impl Given {
    /// Adds a call.
    pub(super) fn add(&mut self, local: Local, call: &Call) {
        let sum =
            |counts: &[u64]| counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
        let (root, whole, per_rank) = match call {
            Call::Barrier => return,
            Call::Bcast { root, bytes } => (*root, *bytes, 0),
            Call::Scatter { root, bytes } => (*root, 0, *bytes),
            Call::Scatterv { root, counts } => (*root, sum(counts), 0),
            Call::Reduce { bytes, .. }
            | Call::Allreduce { bytes }
            | Call::Allgather { bytes }
            | Call::Gather { bytes, .. }
            | Call::Scan { bytes }
            | Call::Exscan { bytes } => (EVERY_RANK, *bytes, 0),
            Call::ReduceScatterBlock { bytes } | Call::Alltoall { bytes } => {
                (EVERY_RANK, 0, *bytes)
            }
            Call::ReduceScatter { counts } => (EVERY_RANK, sum(counts), 0),
            Call::Alltoallv { pairs } => (EVERY_RANK, sum(&pairs.send), 0),
            Call::Allgatherv { counts } => {
                let blocks = self.blocks.entry(local).or_default();
                blocks.resize(blocks.len().max(counts.len()), 0);
                for (block, count) in blocks.iter_mut().zip(counts.iter()) {
                    *block = block.saturating_add(*count);
                }
                return;
            }
            // Only the root knows the sizes; see `vector`.
            Call::Gatherv { .. } => return,
        };
        self.note(local, root, whole, per_rank);
    }

    /// Adds bytes that the rank gives in a call with a size for each rank.
    pub(super) fn vector(&mut self, local: Local, bytes: u64) {
        self.note(local, EVERY_RANK, bytes, 0);
    }

    fn note(&mut self, local: Local, root: u32, whole: u64, per_rank: u64) {
        let bytes = self.bytes.entry((local, root)).or_default();
        bytes.whole = bytes.whole.saturating_add(whole);
        bytes.per_rank = bytes.per_rank.saturating_add(per_rank);
    }

    /// The bytes that the rank gives. `ranks` is the number of ranks of the trace.
    pub(super) fn total(&self, communicators: &Communicators, rank: u32, ranks: u32) -> u64 {
        // The communicators of a single file are unknown, except the world.
        let place_and_size = |local| match communicators.members(rank, local) {
            Some(members) => {
                let place = members.iter().position(|member| *member == rank);
                (place.map(|place| place as u32), members.len() as u64)
            }
            None if local == WORLD => (Some(rank), u64::from(ranks)),
            None => (None, 1),
        };
        let mut total = 0_u64;
        for (local, blocks) in &self.blocks {
            let place = place_and_size(*local).0;
            let block = place.and_then(|place| blocks.get(place as usize));
            total = total.saturating_add(block.copied().unwrap_or(0));
        }
        for ((local, root), bytes) in &self.bytes {
            let (place, size) = place_and_size(*local);
            if *root == EVERY_RANK || place == Some(*root) {
                let blocks = bytes.per_rank.saturating_mul(size);
                total = total.saturating_add(bytes.whole).saturating_add(blocks);
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pantala_mpi::collectives::Exchange;

    use super::super::steps::Event;
    use super::*;

    #[test]
    fn calls_give_their_send_buffers() {
        // Communicator 2 has the ranks 0 and 2, in this order; `local` 0 is the world.
        let split = |rank: u32| Event::Split { old: WORLD, color: Some(rank % 2), key: 0 };
        let events = (0..4).map(|rank| vec![split(rank)]).collect();
        let communicators = Communicators::rebuild(events).unwrap();
        let total = |rank: u32, local: Local, calls: &[Call]| {
            let mut given = Given::default();
            calls.iter().for_each(|call| given.add(local, call));
            given.total(&communicators, rank, 4)
        };
        let counts: Arc<[u64]> = Arc::new([10, 30]);
        for (call, of_zero, of_two) in [
            (Call::Barrier, 0, 0),
            (Call::Bcast { root: 1, bytes: 7 }, 0, 7),
            (Call::Scatter { root: 1, bytes: 7 }, 0, 14),
            (Call::Allreduce { bytes: 7 }, 7, 7),
            (Call::Alltoall { bytes: 7 }, 14, 14),
            (Call::Allgatherv { counts: Arc::clone(&counts) }, 10, 30),
            (Call::ReduceScatter { counts: Arc::clone(&counts) }, 40, 40),
        ] {
            assert_eq!(total(0, 2, std::slice::from_ref(&call)), of_zero, "{call:?}");
            assert_eq!(total(2, 2, &[call]), of_two);
        }
        let pairs = Exchange { send: vec![1, 2, 3, 4], receive: vec![9; 4] };
        let calls = [Call::Alltoallv { pairs: Arc::new(pairs) }, Call::Alltoall { bytes: 5 }];
        assert_eq!(total(3, WORLD, &calls), 10 + 20);
        let mut given = Given::default();
        given.vector(WORLD, 6);
        assert_eq!(given.total(&communicators, 1, 4), 6);
    }
}
