//! Phases: an iteration is a list of exchanges and compute phases of ranks on a grid, in order.
//!
//! Such lists describe applications that mix patterns: MILC, Nek5000, HACC, Qbox and Rayleigh in
//! Chunduri et al. (IPDPS 2021), Table I. The table gives for each application the sizes of
//! messages and collectives, and the calls that take most of the MPI time. The phases use these
//! calls. With `n` ranks, and `l` ranks on a line along a dimension, one iteration moves for each
//! phase
//!
//! | phase | messages | bytes |
//! | --- | --- | --- |
//! | `faces`, periodic | `2 n` per dimension | the dimension's `message_bytes` each |
//! | `around`, periodic | `3^d - 1` per rank: `2d` faces, edges, corners | the kind's `message_bytes` each |
//! | `pairs` | `2 floor(n / 2)` per round | `message_bytes` each |
//! | `all_to_all` | `n (l - 1)` | `n (l - 1) / l` of `bytes` |
//! | `shift` | `n` per step, if `l > 1` | `message_bytes` each |
//! | `tree` | `2 (n - 1)` | `message_bytes` each |
//! | `collect` | `n (l - 1) / l` | `message_bytes` each |
//! | `allreduce`, `barrier` | depends on the algorithm | |

mod arrangement;
mod steps;

use pantala_engine::Time;
use pantala_mpi::{Communicator, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lattice::MAX_DIMENSIONS;
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;
use crate::random_streams::Purpose;
use arrangement::Arrangement;

/// Parameters of the motif.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// The process grid, one to eight dimensions, the first fastest.
    pub grid: Vec<u32>,
    /// Extents of the blocks in which ranks fill the grid. They divide the grid's extents. Empty:
    /// ranks fill the grid without blocks.
    #[serde(default)]
    pub block: Vec<u32>,
    /// Number of iterations.
    pub iterations: u32,
    /// The phases of an iteration, in order.
    pub phases: Vec<Phase>,
}

/// One phase of an iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "phase", rename_all = "snake_case", deny_unknown_fields)]
pub enum Phase {
    /// Compute.
    Compute {
        /// Compute time, in ps.
        time_ps: Time,
    },
    /// An exchange with the neighbours along every dimension.
    Faces {
        /// Bytes to each neighbour along each dimension; 0 for none.
        message_bytes: Vec<u64>,
        /// Compute time between the start of all sends and receives and the waits, in ps.
        #[serde(default)]
        overlap_ps: Time,
        /// The calls that wait for the messages.
        wait: WaitBy,
        /// Whether opposite faces of the grid are neighbours.
        periodic: bool,
    },
    /// An exchange with all neighbours, including diagonal ones.
    Around {
        /// Bytes to a neighbour that differs in one dimension, in two, and so on: one size per
        /// dimension of the grid.
        message_bytes: Vec<u64>,
        /// Compute time between the start of all sends and receives and the waits, in ps.
        #[serde(default)]
        overlap_ps: Time,
        /// The calls that wait for the messages.
        wait: WaitBy,
        /// Whether opposite faces of the grid are neighbours.
        periodic: bool,
    },
    /// An exchange of every rank with a random partner. If the number of ranks is odd, one rank has
    /// none.
    Pairs {
        /// Bytes in each direction.
        message_bytes: u64,
        /// Number of exchanges, each with new partners.
        rounds: u32,
        /// The calls that wait for the messages.
        wait: WaitBy,
    },
    /// `MPI_Alltoallv` among the ranks of every line along a dimension.
    AllToAll {
        /// The dimension, from 0.
        dimension: u32,
        /// Bytes that a rank passes to the call, including its own part. They are divided as evenly
        /// as possible.
        bytes: u64,
    },
    /// A send to the next rank along a dimension, in a ring, and a blocking receive from the
    /// previous one.
    Shift {
        /// The dimension, from 0.
        dimension: u32,
        /// Bytes of a message.
        message_bytes: u64,
        /// Number of steps.
        steps: u32,
    },
    /// Blocking messages up a binomial tree of all ranks, and down again.
    Tree {
        /// Bytes of a message.
        message_bytes: u64,
    },
    /// Blocking sends to the first rank of every line along a dimension. It receives them one after
    /// the other.
    Collect {
        /// The dimension, from 0.
        dimension: u32,
        /// Bytes of a message.
        message_bytes: u64,
    },
    /// Allreduces among all ranks.
    Allreduce {
        /// Bytes of the allreduce.
        message_bytes: u64,
        /// Number of allreduces.
        times: u32,
    },
    /// A barrier of all ranks.
    Barrier,
}

/// The calls that wait for started messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitBy {
    /// One `MPI_Wait` per request, receives first.
    Each,
    /// One `MPI_Waitall`.
    All,
}

impl Phases {
    fn arrangement(&self) -> Arrangement<'_> {
        Arrangement { grid: &self.grid, block: &self.block }
    }

    /// The dimensions of all lines that communicate, each once.
    fn lines(&self) -> Vec<u32> {
        let dimension = |phase: &Phase| match phase {
            Phase::AllToAll { dimension, .. } => Some(*dimension),
            _ => None,
        };
        let mut lines: Vec<u32> = self.phases.iter().filter_map(dimension).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    fn check_block(&self) -> Result<(), Fault> {
        let fits = self.block.len() == self.grid.len()
            && self
                .grid
                .iter()
                .zip(&self.block)
                .all(|(extent, block)| *block > 0 && extent % block == 0);
        if self.block.is_empty() || fits {
            return Ok(());
        }
        let (shown, message) =
            (format!("{:?}", self.block), format!("blocks do not fill the grid {:?}", self.grid));
        Err(Fault::new(
            "block",
            shown,
            message,
            "give extents that divide the grid's, or [] for none",
        ))
    }
}

impl Motif for Phases {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, MAX_DIMENSIONS)?;
        self.check_block()?;
        positive("iterations", u64::from(self.iterations))?;
        positive("phases", self.phases.len() as u64)?;
        self.phases
            .iter()
            .enumerate()
            .try_for_each(|(number, phase)| phase.check(number, self.grid.len()))
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    /// The rank's lines along all dimensions with an all-to-all, in their order.
    fn communicators(&self, context: &IterationContext) -> Vec<Communicator> {
        let arrangement = self.arrangement();
        let communicator = |dimension: u32| {
            let line = arrangement.line(context.rank, dimension as usize);
            let member = |number| arrangement.member(&line, number);
            let context = dimension + 1;
            if arrangement.is_plain() {
                let stride = self.grid[..dimension as usize].iter().product();
                Communicator::strided(context, member(0), stride, line.count, line.at)
            } else {
                Communicator::list(context, (0..line.count).map(member).collect(), line.at)
            }
        };
        self.lines().into_iter().map(communicator).collect()
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let (arrangement, lines) = (self.arrangement(), self.lines());
        let mut draws = context.common_draws(Purpose::Permutation);
        for phase in &self.phases {
            phase.write(context, &arrangement, &lines, &mut draws, script);
        }
    }
}

impl Phase {
    fn check(&self, number: usize, dimensions: usize) -> Result<(), Fault> {
        let key = |name: &str| format!("phases[{number}].{name}");
        let count = |name: &str, value: u64| positive(&key(name), value);
        let sizes = |sizes: &[u64]| {
            if sizes.len() == dimensions {
                return Ok(());
            }
            let message = format!("{} sizes for {dimensions} dimensions", sizes.len());
            Err(Fault::new(
                &key("message_bytes"),
                sizes.len(),
                message,
                "give one size for each dimension of the grid",
            ))
        };
        let along = |dimension: u32| {
            if (dimension as usize) < dimensions {
                return Ok(());
            }
            let remedy = format!("name a dimension from 0 to {}", dimensions - 1);
            Err(Fault::new(
                &key("dimension"),
                dimension,
                format!("the grid has {dimensions} dimensions"),
                remedy,
            ))
        };
        match self {
            Self::Compute { time_ps } => bounded(&key("time_ps"), *time_ps),
            Self::Faces { message_bytes, overlap_ps, .. } => {
                sizes(message_bytes)?;
                bounded(&key("overlap_ps"), *overlap_ps)
            }
            Self::Around { message_bytes, overlap_ps, .. } => {
                sizes(message_bytes)?;
                bounded(&key("overlap_ps"), *overlap_ps)
            }
            Self::Pairs { message_bytes, rounds, .. } => {
                count("message_bytes", *message_bytes)?;
                count("rounds", u64::from(*rounds))
            }
            Self::AllToAll { dimension, bytes } => {
                along(*dimension)?;
                count("bytes", *bytes)
            }
            Self::Shift { dimension, message_bytes, steps } => {
                along(*dimension)?;
                count("message_bytes", *message_bytes)?;
                count("steps", u64::from(*steps))
            }
            Self::Collect { dimension, message_bytes } => {
                along(*dimension)?;
                count("message_bytes", *message_bytes)
            }
            Self::Tree { message_bytes } => count("message_bytes", *message_bytes),
            Self::Allreduce { message_bytes, times } => {
                count("message_bytes", *message_bytes)?;
                count("times", u64::from(*times))
            }
            Self::Barrier => Ok(()),
        }
    }
}
