//! Exchanges along the edges of a graph.
//!
//! Ember's Unstructured of SST elements. An iteration computes; then, for each neighbour in the
//! order of the list, a rank starts a receive and sends with a blocking call. At the end it waits
//! for the receives one after the other. An iteration moves one message per listed neighbour.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script, bounded, positive};

/// Parameters of the motif.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphExchange {
    /// The neighbours of each rank in ascending order. Neighbours are mutual.
    pub neighbours: Vec<Vec<u32>>,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time per iteration, in ps.
    #[serde(default)]
    pub compute_ps: Time,
}

impl Motif for GraphExchange {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        let vertices = self.neighbours.len();
        if vertices as u64 != u64::from(ranks) {
            let message =
                format!("the graph has {vertices} vertices, but the job has {ranks} ranks");
            let remedy = "give each rank a list of neighbours";
            return Err(Fault::new("neighbours", vertices, message, remedy));
        }
        for (rank, neighbours) in self.neighbours.iter().enumerate() {
            let key = format!("neighbours[{rank}]");
            if !neighbours.windows(2).all(|pair| pair[0] < pair[1]) {
                let shown = format!("{neighbours:?}");
                return Err(Fault::new(&key, shown, "is not in ascending order", "sort it"));
            }
            let mutual = |neighbour: u32| {
                neighbour < ranks
                    && self.neighbours[neighbour as usize].binary_search(&(rank as u32)).is_ok()
            };
            if let Some(neighbour) = neighbours.iter().find(|neighbour| !mutual(**neighbour)) {
                let message = format!("rank {neighbour} does not have {rank} as a neighbour");
                let remedy = "make the graph symmetric: each rank waits for a message back";
                return Err(Fault::new(&key, neighbour, message, remedy));
            }
        }
        positive("iterations", u64::from(self.iterations))?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        script.compute(self.compute_ps);
        for neighbour in &self.neighbours[context.rank as usize] {
            script.irecv(*neighbour, 0, self.message_bytes);
            script.send(*neighbour, 0, self.message_bytes);
        }
        script.wait_each();
    }
}
