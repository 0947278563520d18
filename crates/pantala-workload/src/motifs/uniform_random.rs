//! Uniform random: in every iteration, each rank sends to its image under a permutation.
//!
//! UR of Kang et al. (SC 2022), section IV: SST's `Random` motif. A rank starts the send to its
//! image and the receive from its preimage, and waits for both. A rank that the permutation maps to
//! itself sends nothing in that iteration.
//!
//! The permutation is SST's. It depends only on the number of ranks plus the number of the
//! iteration plus `permutation_seed`, not on the plan's seed. It is not uniform: of 528 ranks, 0.9 are their own image on
//! average.

use std::cell::RefCell;

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Fault, MAX_REQUESTS, Op, Outgoing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::programs::Repeats;
use super::{IterationContext, Motif, Script, bounded, positive};

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformRandom {
    /// Number of iterations.
    pub iterations: u32,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Messages of a rank per iteration, all to the same image.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub messages: u32,
    /// Compute time per iteration, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Whether a rank waits for its messages only after the last iteration.
    #[serde(default)]
    pub no_wait: bool,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
    /// Number that is added to the seed of each permutation. 0 gives the permutations of SST.
    #[serde(default)]
    pub permutation_seed: u32,
}

const fn one() -> u32 {
    1
}

impl Motif for UniformRandom {
    fn check(&self, _ranks: u32) -> Result<(), Fault> {
        positive("message_bytes", self.message_bytes)?;
        positive("iterations", u64::from(self.iterations))?;
        positive("messages", u64::from(self.messages))?;
        let waited = if self.no_wait { u64::from(self.iterations) } else { 1 };
        let open = 2 * u64::from(self.messages) * waited;
        if open > u64::from(MAX_REQUESTS) {
            let message = format!("{open} requests of a rank are open at once");
            let remedy = format!("lower messages or iterations: at most {MAX_REQUESTS} requests");
            return Err(Fault::new("messages", self.messages, message, remedy));
        }
        bounded("start_delay_ps", self.start_delay_ps)?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn repeats(&self) -> Option<Repeats> {
        // Without a wait, the messages of all iterations stay open.
        (!self.no_wait).then_some(Repeats::ALL)
    }

    fn before(&self, _: &IterationContext, script: &mut Script) {
        script.compute(self.start_delay_ps);
    }

    fn after(&self, _: &IterationContext, script: &mut Script) {
        if self.no_wait {
            script.waitall();
        }
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let [source, destination] = partners(context, self.permutation_seed);
        script.compute(self.compute_ps);
        if destination == context.rank {
            return;
        }
        if self.no_wait {
            script.skip_requests(2 * self.messages * context.iteration);
        }
        for _ in 0..self.messages {
            script.isend(destination, 0, self.message_bytes);
        }
        for _ in 0..self.messages {
            script.irecv(source, 0, self.message_bytes);
        }
        if !self.no_wait {
            script.waitall();
        }
    }

    /// On average a rank is its own image about once in as many iterations as there are ranks.
    fn summary(&self, context: &IterationContext) -> Vec<(Op, u64)> {
        let ranks = u64::from(context.ranks);
        let sends = (u64::from(self.iterations) * (ranks - 1) + ranks / 2) / ranks;
        let destination = (context.rank + 1) % context.ranks;
        let somebody =
            Outgoing { communicator: COMM_WORLD, destination, tag: 0, bytes: self.message_bytes };
        vec![(Op::Isend(somebody, 1), sends * u64::from(self.messages))]
    }
}

/// The preimage and the image of a rank.
fn partners(context: &IterationContext, permutation_seed: u32) -> [u32; 2] {
    let seed = context.ranks.wrapping_add(context.iteration).wrapping_add(permutation_seed);
    let slots = (RECENT_ENTRIES / context.ranks).clamp(16, 4_096) as usize;
    RECENT.with_borrow_mut(|recent| {
        if recent.len() < slots {
            recent.resize_with(slots, Shuffle::default);
        }
        let known = &mut recent[seed as usize % slots];
        if (known.seed, known.partners.len()) != (seed, context.ranks as usize) {
            known.draw(seed, context.ranks);
        }
        known.partners[context.rank as usize]
    })
}

/// How many entries of permutations a thread keeps, of 8 bytes each. The ranks of a job that runs
/// need the same permutations at about the same time; a count of its messages needs those of all
/// iterations, rank by rank.
const RECENT_ENTRIES: u32 = 1 << 21;

thread_local! {
    static RECENT: RefCell<Vec<Shuffle>> = const { RefCell::new(Vec::new()) };
}

/// A permutation of SST's Random motif.
#[derive(Debug, Default)]
struct Shuffle {
    seed: u32,
    /// The preimage and the image of each rank.
    partners: Vec<[u32; 2]>,
}

impl Shuffle {
    /// Swaps every entry of the identity in turn with a drawn one, as SST does.
    fn draw(&mut self, seed: u32, ranks: u32) {
        self.seed = seed;
        self.partners.clear();
        self.partners.extend((0..ranks).map(|rank| [0, rank]));
        let mut draws = XorShift([seed, 0, 0, 0]);
        for entry in 0..ranks as usize {
            let other = (draws.next() % ranks) as usize;
            let swapped = self.partners[entry][1];
            self.partners[entry][1] = self.partners[other][1];
            self.partners[other][1] = swapped;
        }
        for rank in 0..ranks {
            let image = self.partners[rank as usize][1];
            self.partners[image as usize][0] = rank;
        }
    }
}

/// Marsaglia's xorshift generator with 128 bits of state (Journal of Statistical Software, 2003),
/// as in SST: the seed is its first word, the others are zero.
struct XorShift([u32; 4]);

impl XorShift {
    const fn next(&mut self) -> u32 {
        let [x, y, z, w] = self.0;
        let mixed = x ^ (x << 11);
        let drawn = w ^ (w >> 19) ^ mixed ^ (mixed >> 8);
        self.0 = [y, z, w, drawn];
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(ranks: u32, iterations: u32) -> usize {
        let fixed = |iteration: u32| {
            let mut shuffle = Shuffle::default();
            shuffle.draw(ranks + iteration, ranks);
            for (rank, [_, image]) in (0..).zip(&shuffle.partners) {
                assert_eq!(shuffle.partners[*image as usize][0], rank);
            }
            (0..).zip(&shuffle.partners).filter(|(rank, [_, image])| rank == image).count()
        };
        (0..iterations).map(fixed).sum()
    }

    /// The number of messages of Table I of Kang et al. (7,200 iterations of 528 ranks), and of a
    /// run of SST (50 iterations of 64 ranks: 3,162 messages).
    #[test]
    fn the_permutations_are_those_of_sst() {
        assert_eq!(fixed(64, 50), 50 * 64 - 3_162);
        assert_eq!(fixed(528, 7_200), 6_465);
    }
}
