//! A stencil: every rank of a grid exchanges a message with each neighbour along every dimension.
//!
//! Halo3D and Stencil5D of Kang et al. (SC 2022), section IV, after SST's motifs Halo3D and
//! StencilNd. One iteration: compute, the exchange, and an allreduce if `reduction_bytes` is above
//! zero. SST's Halo3DSV has several exchanges per iteration, and allreduces in some iterations only. `exchange` orders the calls ([`Order`]). With `N` ranks, one exchange moves `2 (N - N / e)`
//! messages along a dimension of extent `e` of an open grid, and `2 N` of a periodic grid if `e` is
//! above one.
//!
//! The first dimension varies fastest. In a periodic dimension of extent two, both neighbours are
//! the same rank and get one message each. In a dimension of extent one, there is no message.

use pantala_engine::Time;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::programs::Repeats;
use super::lattice::{Lattice, MAX_DIMENSIONS};
use super::{IterationContext, Motif, Script, bounded, positive};
use crate::process_grid;

/// Parameters of the motif.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stencil {
    /// The process grid: one to eight dimensions, the first fastest.
    pub grid: Vec<u32>,
    /// Bytes to each neighbour along each dimension.
    pub message_bytes: Vec<u64>,
    /// Number of iterations.
    pub iterations: u32,
    /// Compute time before each exchange, in ps.
    #[serde(default)]
    pub compute_ps: Time,
    /// Whether opposite faces of the grid are neighbours.
    #[serde(default)]
    pub periodic: bool,
    /// The order of the calls of an exchange.
    #[serde(default)]
    pub exchange: Order,
    /// Compute time after the exchange along each dimension, in ps. Only with `exchange =
    /// "by_dimension"`.
    #[serde(default)]
    pub copy_ps: Time,
    /// Number of exchanges per iteration, each after its own compute time.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub exchanges: u32,
    /// Bytes of an allreduce at the end of an iteration; 0 for none.
    #[serde(default)]
    pub reduction_bytes: u64,
    /// Number of iterations from one allreduce to the next. The first iteration has one.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub reduction_interval: u32,
    /// Compute time before the first iteration, in ps.
    #[serde(default)]
    pub start_delay_ps: Time,
}

/// The order of the calls of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// All receives start, all sends start, one wait for all.
    #[default]
    AtOnce,
    /// One dimension after another, as SST's Halo3D: the receives from below and above start,
    /// blocking sends down and up, one wait per receive.
    ByDimension,
    /// As SST's StencilNd: the receives from all neighbours above start, blocking sends to all of
    /// them, the same for the neighbours below, one wait per receive. Only on an open grid.
    UpperThenLower,
}

const fn one() -> u32 {
    1
}

impl Motif for Stencil {
    fn check(&self, ranks: u32) -> Result<(), Fault> {
        process_grid::check(&self.grid, ranks, MAX_DIMENSIONS)?;
        if self.message_bytes.len() != self.grid.len() {
            let (sizes, dimensions) = (self.message_bytes.len(), self.grid.len());
            let message = format!("{sizes} sizes for {dimensions} dimensions");
            return Err(Fault::new(
                "message_bytes",
                sizes,
                message,
                "give one size for each dimension of the grid",
            ));
        }
        for bytes in &self.message_bytes {
            positive("message_bytes", *bytes)?;
        }
        positive("iterations", u64::from(self.iterations))?;
        positive("exchanges", u64::from(self.exchanges))?;
        positive("reduction_interval", u64::from(self.reduction_interval))?;
        if self.periodic && self.exchange == Order::UpperThenLower {
            return Err(Fault::new(
                "periodic",
                "true",
                "the blocking sends of exchange = upper_then_lower wait for each other in a ring",
                "set periodic to false, or another exchange",
            ));
        }
        if self.copy_ps > 0 && self.exchange != Order::ByDimension {
            let message = "has no effect without exchange = by_dimension";
            return Err(Fault::new("copy_ps", self.copy_ps, message, "set it to 0"));
        }
        bounded("copy_ps", self.copy_ps)?;
        bounded("start_delay_ps", self.start_delay_ps)?;
        bounded("compute_ps", self.compute_ps)
    }

    fn iterations(&self) -> u32 {
        self.iterations
    }

    fn repeats(&self) -> Option<Repeats> {
        let reduces = self.reduction_bytes > 0;
        Some(Repeats { first: 0, period: if reduces { self.reduction_interval } else { 1 } })
    }

    fn before(&self, _: &IterationContext, script: &mut Script) {
        script.compute(self.start_delay_ps);
    }

    fn iteration(&self, context: &IterationContext, script: &mut Script) {
        let lattice = Lattice { extents: &self.grid, periodic: self.periodic };
        for _ in 0..self.exchanges {
            script.compute(self.compute_ps);
            match self.exchange {
                Order::AtOnce => exchange(&lattice, context.rank, &self.message_bytes, script),
                Order::ByDimension => self.by_dimension(&lattice, context.rank, script),
                Order::UpperThenLower => self.upper_then_lower(&lattice, context.rank, script),
            }
        }
        if self.reduction_bytes > 0 && context.iteration % self.reduction_interval == 0 {
            script.allreduce(self.reduction_bytes);
        }
    }
}

impl Stencil {
    fn by_dimension(&self, lattice: &Lattice<'_>, rank: u32, script: &mut Script) {
        for (dimension, &bytes) in self.message_bytes.iter().enumerate() {
            let neighbours =
                || [false, true].into_iter().filter_map(|up| lattice.along(rank, dimension, up));
            for neighbour in neighbours() {
                script.irecv(neighbour, 0, bytes);
            }
            for neighbour in neighbours() {
                script.send(neighbour, 0, bytes);
            }
            script.wait_each();
            script.compute(self.copy_ps);
        }
    }

    fn upper_then_lower(&self, lattice: &Lattice<'_>, rank: u32, script: &mut Script) {
        for up in [true, false] {
            let neighbours = || {
                self.message_bytes.iter().enumerate().filter_map(|(dimension, &bytes)| {
                    lattice.along(rank, dimension, up).map(|neighbour| (neighbour, bytes))
                })
            };
            for (neighbour, bytes) in neighbours() {
                script.irecv(neighbour, 0, bytes);
            }
            for (neighbour, bytes) in neighbours() {
                script.send(neighbour, 0, bytes);
            }
        }
        script.wait_each();
    }
}

/// The exchange of a rank with its neighbours along all dimensions, `bytes` for each: all receives,
/// all sends, one wait.
///
/// A message's tag is its direction of travel: a message from below travels up.
pub(crate) fn exchange(lattice: &Lattice<'_>, rank: u32, bytes: &[u64], script: &mut Script) {
    let faces =
        || (0..lattice.extents.len()).flat_map(|dimension| [(dimension, false), (dimension, true)]);
    let tag = |dimension: usize, up: bool| (2 * dimension + usize::from(up)) as i32;
    for (dimension, up) in faces() {
        if let Some(neighbour) = lattice.along(rank, dimension, up) {
            script.irecv(neighbour, tag(dimension, !up), bytes[dimension]);
        }
    }
    for (dimension, up) in faces() {
        if let Some(neighbour) = lattice.along(rank, dimension, up) {
            script.isend(neighbour, tag(dimension, up), bytes[dimension]);
        }
    }
    script.waitall();
}
