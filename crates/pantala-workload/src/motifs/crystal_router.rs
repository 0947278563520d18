//! The crystal router: an all-to-all exchange in as many rounds as recursive halving of the ranks
//! takes.
//!
//! CrystalRouter of Yang et al. (SC 2016), section 3.2, a kernel of Nek5000. Fox et al., *Solving
//! Problems on Concurrent Processors*, vol. 1, Prentice Hall, 1988, chapter 22, describe it for
//! hypercubes. For other numbers of ranks this file follows Nek5000.
//!
//! A block of ranks is split in two halves; the lower half gets the extra rank of an odd number.
//! Every rank sends the data for the other half to its mirror image there, lowest to highest. If
//! there is an extra rank (the last of the lower half), it sends to the first rank of the upper
//! half and receives nothing; that rank receives from two ranks. Then each half is a block. The
//! length of the data, an integer of four bytes, precedes the data.
//!
//! Every rank has `pair_bytes` for every other rank, in a message with a header of `header_bytes`,
//! and forwards data that it has received. With `N = 2^k` ranks an iteration moves `N k (N / 2)
//! (pair_bytes + header_bytes)` bytes of data.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script, bounded, positive};

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrystalRouter {
    /// Bytes from each rank to each other rank.
    pub pair_bytes: u64,
    /// Bytes of the header of each of these messages: source, destination, length.
    pub header_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time per iteration, in ps.
    #[serde(default)]
    pub compute_ps: Time,
}

/// Bytes of the message that holds a length.
const LENGTH: u64 = 4;

/// A block of `count` ranks from `first` on, to be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    first: u32,
    count: u32,
}

impl Block {
    /// The first rank of the upper half.
    const fn upper(self) -> u32 {
        self.first + self.count.div_ceil(2)
    }

    /// The half that contains a rank.
    const fn half(self, rank: u32) -> Self {
        let upper = self.upper();
        if rank < upper {
            Self { first: self.first, count: upper - self.first }
        } else {
            Self { first: upper, count: self.first + self.count - upper }
        }
    }

    /// The rank to which a rank sends.
    const fn to(self, rank: u32) -> u32 {
        let image = self.first + (self.first + self.count - 1 - rank);
        if image == rank { self.upper() } else { image }
    }

    /// The ranks from which a rank receives: its mirror image, and the extra rank.
    fn from(self, rank: u32) -> impl Iterator<Item = u32> {
        let image = self.first + (self.first + self.count - 1 - rank);
        let extra = self.count % 2 == 1 && rank == self.upper();
        [(image != rank).then_some(image), extra.then(|| rank - 1)].into_iter().flatten()
    }
}

/// The blocks that contain a rank, from all ranks down to two.
fn blocks(rank: u32, ranks: u32) -> impl Iterator<Item = Block> {
    let whole = Block { first: 0, count: ranks };
    std::iter::successors(Some(whole), move |block| Some(block.half(rank)))
        .take_while(|block| block.count > 1)
}

/// The number of ranks whose data a rank holds after `rounds` rounds.
fn carried(rank: u32, ranks: u32, rounds: usize) -> u64 {
    let Some(before) = rounds.checked_sub(1) else { return 1 };
    let own = carried(rank, ranks, before);
    match blocks(rank, ranks).nth(before) {
        Some(block) => {
            own + block.from(rank).map(|source| carried(source, ranks, before)).sum::<u64>()
        }
        None => own,
    }
}

impl Motif for CrystalRouter {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        positive("pair_bytes", self.pair_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        let message = self.pair_bytes.checked_add(self.header_bytes);
        if message
            .and_then(|bytes| bytes.checked_mul(u64::from(ranks) * u64::from(ranks)))
            .is_none()
        {
            return Err(Fault::new(
                "pair_bytes",
                self.pair_bytes,
                "a rank's bytes exceed 64 bits",
                "give fewer bytes",
            ));
        }
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let &IterationContext { rank, ranks, .. } = context;
        let message = self.pair_bytes + self.header_bytes;
        script.compute(self.compute_ps);
        for (round, block) in blocks(rank, ranks).enumerate() {
            let kept = u64::from(block.half(rank).count);
            let other = u64::from(block.count) - kept;
            let tag = 2 * round as i32;
            for source in block.from(rank) {
                script.irecv(source, tag, LENGTH);
            }
            script.isend(block.to(rank), tag, LENGTH);
            script.waitall();
            for source in block.from(rank) {
                script.irecv(source, tag + 1, carried(source, ranks, round) * kept * message);
            }
            script.isend(block.to(rank), tag + 1, carried(rank, ranks, round) * other * message);
            script.waitall();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The data from every rank to every rank arrive exactly once, for any number of ranks.
    #[test]
    fn everything_arrives() {
        for ranks in 1..70 {
            let mut held: Vec<Vec<(u32, u32)>> =
                (0..ranks).map(|rank| (0..ranks).map(|target| (rank, target)).collect()).collect();
            let rounds = (0..ranks).map(|rank| blocks(rank, ranks).count()).max().unwrap();
            assert_eq!(rounds as u32, ranks.next_power_of_two().trailing_zeros());
            for round in 0..rounds {
                let mut sent: Vec<Vec<(u32, u32)>> = vec![Vec::new(); ranks as usize];
                for rank in 0..ranks {
                    let Some(block) = blocks(rank, ranks).nth(round) else { continue };
                    let mine = block.half(rank);
                    assert_eq!(
                        held[rank as usize].len() as u64,
                        carried(rank, ranks, round) * u64::from(block.count)
                    );
                    let (keep, send): (Vec<_>, Vec<_>) =
                        held[rank as usize].iter().copied().partition(|(_, target)| {
                            (mine.first..mine.first + mine.count).contains(target)
                        });
                    held[rank as usize] = keep;
                    let to = block.to(rank);
                    assert!(block.from(to).any(|source| source == rank));
                    sent[to as usize].extend(send);
                }
                for (held, sent) in held.iter_mut().zip(sent) {
                    held.extend(sent);
                }
            }
            for (rank, held) in held.iter().enumerate() {
                assert!(held.iter().all(|(_, target)| *target == rank as u32));
                let sources: BTreeSet<u32> = held.iter().map(|(source, _)| *source).collect();
                assert_eq!((sources.len(), held.len()), (ranks as usize, ranks as usize));
            }
        }
    }
}
