//! Ordered exchanges: blocking messages with the neighbours along each dimension, in an order that
//! depends on the parity of the rank.
//!
//! Ember's Halo1D, Halo2D, Halo2DNBR, CMT1D and CMT3D of SST elements. An iteration computes, then
//! takes the dimensions one after the other. A rank executes the actions of its parity in order and
//! skips those for which it has no neighbour, since the grid is open. With `e` ranks along a
//! dimension of a grid of `N`, a list with one send each way moves `2 (N - N / e)` messages.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lattice::{Lattice, MAX_DIMENSIONS};
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderedExchange {
    /// The process grid, one to eight dimensions, the first fastest.
    pub grid: Vec<u32>,
    /// The exchanges of an iteration, in order.
    pub exchanges: Vec<DimensionExchange>,
    /// Number of iterations.
    pub iterations: u32,
}

/// The exchange with the neighbours along one dimension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DimensionExchange {
    /// The dimension, from 0.
    pub dimension: u32,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// Compute time before the exchange, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// The number whose parity selects the actions.
    pub parity: Parity,
    /// The actions of even ranks.
    pub even: Vec<Action>,
    /// The actions of odd ranks.
    pub odd: Vec<Action>,
}

/// The number of a rank that is even or odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Parity {
    /// The rank.
    Rank,
    /// The rank's coordinate along the dimension.
    Coordinate,
}

/// One or more calls for a neighbour. Up is towards larger coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A blocking send up.
    SendUp,
    /// A blocking send down.
    SendDown,
    /// A blocking receive from above.
    ReceiveUp,
    /// A blocking receive from below.
    ReceiveDown,
    /// The start of a receive from above, a blocking send up, and a wait.
    ExchangeUp,
    /// The start of a receive from below, a blocking send down, and a wait.
    ExchangeDown,
}

impl Action {
    const fn up(self) -> bool {
        matches!(self, Self::SendUp | Self::ReceiveUp | Self::ExchangeUp)
    }

    /// Ember's tag is 0.
    fn write(self, neighbour: u32, bytes: u64, script: &mut Script) {
        match self {
            Self::SendUp | Self::SendDown => script.send(neighbour, 0, bytes),
            Self::ReceiveUp | Self::ReceiveDown => script.recv(neighbour, 0, bytes),
            Self::ExchangeUp | Self::ExchangeDown => {
                script.irecv(neighbour, 0, bytes);
                script.send(neighbour, 0, bytes);
                script.wait_each();
            }
        }
    }
}

impl Motif for OrderedExchange {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, MAX_DIMENSIONS)?;
        positive("iterations", u64::from(self.iterations))?;
        positive("exchanges", self.exchanges.len() as u64)?;
        for (number, exchange) in self.exchanges.iter().enumerate() {
            if exchange.dimension as usize >= self.grid.len() {
                let message = format!("the grid has {} dimensions", self.grid.len());
                let key = format!("exchanges[{number}].dimension");
                let remedy = format!("name a dimension from 0 to {}", self.grid.len() - 1);
                return Err(Fault::new(&key, exchange.dimension, message, remedy));
            }
            bounded(&format!("exchanges[{number}].compute_ps"), exchange.compute_ps)?;
        }
        Ok(())
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let lattice = Lattice { extents: &self.grid, periodic: false };
        for exchange in &self.exchanges {
            script.compute(exchange.compute_ps);
            let dimension = exchange.dimension as usize;
            let stride: u32 = self.grid[..dimension].iter().product();
            let number = match exchange.parity {
                Parity::Rank => context.rank,
                Parity::Coordinate => context.rank / stride % self.grid[dimension],
            };
            let actions = if number % 2 == 0 { &exchange.even } else { &exchange.odd };
            for action in actions {
                if let Some(neighbour) = lattice.along(context.rank, dimension, action.up()) {
                    action.write(neighbour, exchange.message_bytes, script);
                }
            }
        }
    }
}
