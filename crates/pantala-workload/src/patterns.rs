//! Patterns: synthetic traffic, one file a law of destinations.
//!
//! A pattern is endless: every rank of the job sends packets of the plan's size at an offered load,
//! without regard to what the network takes. A law says where a packet goes, in ranks of the job;
//! [`crate::injection`] says when it comes to be. To add one: a file, a variant of [`PatternKind`]
//! and of [`DestinationDistribution`].

mod self_destination;

pub mod bit_complement;
pub mod hotspot;
pub mod neighbor_3d;
pub mod next_group;
pub mod shift;
pub mod uniform;

use pantala_engine::Stream;
use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::injection::{Injection, Phase, check_load};
use bit_complement::BitComplement;
use hotspot::Hotspot;
use neighbor_3d::Neighbor3d;
use next_group::NextGroup;
use shift::Shift;
use uniform::Uniform;

/// Synthetic traffic at an offered load, without end: every rank sends packet after packet to the
/// others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// Which rank each packet goes to.
    pub pattern: PatternKind,
    /// Offered load, as a fraction of the terminal bandwidth; above 0 and at most 1, to nine
    /// decimals.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub load: f64,
    /// When packets are created.
    #[serde(default)]
    pub injection: Injection,
    /// When the ranks of periodic traffic send.
    #[serde(default)]
    #[schemars(extend("x-effect" = {"injection": ["periodic"]}))]
    pub phase: Phase,
    /// Whether a rank may be its own destination. Such a packet goes through its router as any
    /// other.
    #[serde(default)]
    pub include_self: bool,
    /// Distance between sender and receiver, in ranks; it wraps around.
    #[serde(default = "one")]
    #[schemars(extend("x-effect" = {"pattern": ["shift"]}))]
    pub offset: u32,
    /// The ranks that receive more than their share.
    #[serde(default = "rank_zero")]
    #[schemars(extend("x-effect" = {"pattern": ["hotspot"]}))]
    pub hotspots: Vec<u32>,
    /// The share of packets that goes to the hotspots.
    #[serde(default = "tenth")]
    #[schemars(range(min = 0, max = 1), extend("x-effect" = {"pattern": ["hotspot"]}))]
    pub hotspot_share: f64,
    /// The process grid x, y, z, x fastest; the product is the job's ranks. If not given, the grid
    /// nearest to a cube, the longest side first, so that the last dimension is the most remote
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-effect" = {"pattern": ["neighbor_3d"]}))]
    pub grid: Option<[u32; 3]>,
    /// The dimension of the grid along which ranks exchange: 0 is x, 1 is y, 2 is z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 2), extend("x-effect" = {"pattern": ["neighbor_3d"]}))]
    pub dimension: Option<u8>,
    /// Bytes that a rank sends to one neighbour before it turns to the other, in whole packets; one
    /// packet if not given, so that both exchanges go on at once. Prisacari et al. (2015) have 256
    /// KB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-effect" = {"pattern": ["neighbor_3d"]}))]
    pub message_bytes: Option<u64>,
    /// Whether the first and the last rank along the dimension are neighbours. If not, a rank at
    /// the edge sends to its only neighbour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-effect" = {"pattern": ["neighbor_3d"]}))]
    pub periodic: Option<bool>,
}

const fn one() -> u32 {
    1
}
fn rank_zero() -> Vec<u32> {
    vec![0]
}
const fn tenth() -> f64 {
    0.1
}

/// Which rank each packet goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PatternKind {
    /// Any other rank, at random.
    Uniform,
    /// Rank + offset.
    Shift,
    /// The rank with all bits flipped.
    BitComplement,
    /// Any rank of the next group, at random: the worst case of minimal routing.
    NextGroup,
    /// As uniform, but a share of the packets goes to a few ranks.
    Hotspot,
    /// In turn the two neighbours along one dimension of a process grid (Prisacari et al., 2015,
    /// IV.A).
    #[serde(rename = "neighbor_3d")]
    Neighbor3d,
}

/// What `neighbor_3d` has when its keys are left out.
const LAST_DIMENSION: u8 = 2;
const ONE_PACKET: u64 = 1;

impl Pattern {
    /// Checks the parameters for a job of `ranks`.
    ///
    /// # Errors
    /// A [`Fault`] that names the key.
    pub fn check(&self, ranks: u32) -> Result<(), Fault> {
        check_load(self.load)?;
        match self.pattern {
            PatternKind::Uniform => uniform::check(ranks, self.include_self),
            PatternKind::Shift => shift::check(ranks, self.offset, self.include_self),
            PatternKind::BitComplement => bit_complement::check(ranks, self.include_self),
            PatternKind::NextGroup => next_group::check(ranks),
            PatternKind::Hotspot => {
                hotspot::check(ranks, &self.hotspots, self.hotspot_share, self.include_self)
            }
            PatternKind::Neighbor3d => {
                let (grid, dimension, message_bytes) = self.neighbours(ranks);
                neighbor_3d::check(ranks, grid, dimension, message_bytes)
            }
        }
    }

    /// The grid, the dimension and the message of `neighbor_3d`.
    fn neighbours(&self, ranks: u32) -> ([u32; 3], u8, u64) {
        (
            self.grid.unwrap_or_else(|| neighbor_3d::default_grid(ranks)),
            self.dimension.unwrap_or(LAST_DIMENSION),
            self.message_bytes.unwrap_or(ONE_PACKET),
        )
    }

    /// Fills in what depends on the number of ranks and was left open: the grid of `neighbor_3d`.
    pub fn complete(&mut self, ranks: u32) {
        if self.pattern == PatternKind::Neighbor3d {
            let (grid, dimension, message_bytes) = self.neighbours(ranks);
            self.grid = Some(grid);
            self.dimension = Some(dimension);
            self.message_bytes = Some(message_bytes);
            self.periodic = Some(self.periodic.unwrap_or(false));
        }
    }

    /// The law for a job whose rank `r` sits in group `groups[r]` and whose packets are of
    /// `packet_bytes`.
    ///
    /// # Errors
    /// A [`Fault`] if the ranks' groups do not allow it; what [`Pattern::check`] finds must have
    /// been checked.
    pub fn destination_distribution(
        &self,
        groups: &[u32],
        packet_bytes: u32,
    ) -> Result<DestinationDistribution, Fault> {
        let ranks = groups.len() as u32;
        Ok(match self.pattern {
            PatternKind::Uniform => {
                DestinationDistribution::Uniform(Uniform::new(ranks, self.include_self))
            }
            PatternKind::Shift => DestinationDistribution::Shift(Shift::new(ranks, self.offset)),
            PatternKind::BitComplement => {
                DestinationDistribution::BitComplement(BitComplement::new(ranks, self.include_self))
            }
            PatternKind::NextGroup => DestinationDistribution::NextGroup(NextGroup::new(groups)?),
            PatternKind::Hotspot => DestinationDistribution::Hotspot(Hotspot::new(
                ranks,
                self.hotspots.clone(),
                self.hotspot_share,
                self.include_self,
            )),
            PatternKind::Neighbor3d => {
                let (grid, dimension, message_bytes) = self.neighbours(ranks);
                let periodic = self.periodic.unwrap_or(false);
                DestinationDistribution::Neighbor3d(Neighbor3d::new(
                    grid,
                    dimension,
                    periodic,
                    message_bytes,
                    packet_bytes,
                ))
            }
        })
    }
}

/// A law of destinations, ready for draws.
#[derive(Clone, Debug)]
pub enum DestinationDistribution {
    /// Any rank.
    Uniform(Uniform),
    /// The rank at a fixed distance.
    Shift(Shift),
    /// The mirror image.
    BitComplement(BitComplement),
    /// A rank in the next group.
    NextGroup(NextGroup),
    /// Few ranks more often than others.
    Hotspot(Hotspot),
    /// The neighbours along one dimension of a grid, in turn.
    Neighbor3d(Neighbor3d),
}

impl DestinationDistribution {
    /// The destination of the next packet of `rank`.
    #[inline]
    pub fn destination(&self, rank: u32, draws: &mut Stream) -> u32 {
        match self {
            Self::Uniform(distribution) => distribution.destination(rank, draws),
            Self::Shift(distribution) => distribution.destination(rank),
            Self::BitComplement(distribution) => distribution.destination(rank),
            Self::NextGroup(distribution) => distribution.destination(rank, draws),
            Self::Hotspot(distribution) => distribution.destination(rank, draws),
            Self::Neighbor3d(distribution) => distribution.destination(rank, draws),
        }
    }

    /// Whether `rank` never sends.
    #[must_use]
    pub fn silent(&self, rank: u32) -> bool {
        matches!(self, Self::BitComplement(distribution) if distribution.silent(rank))
    }
}
