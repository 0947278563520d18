//! Patterns: synthetic traffic, one destination distribution per file.
//!
//! A pattern is endless. Every rank of the job offers packets of the plan's size at a given load,
//! whether or not the network accepts them. A destination distribution chooses the destination rank
//! of each packet. [`crate::injection`] chooses its creation time. To add a pattern, add a file, a
//! variant of [`PatternKind`] and a variant of [`DestinationDistribution`].

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

/// Synthetic traffic at an offered load, without end. Every rank sends packets to other ranks of
/// the job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// The destination distribution.
    pub pattern: PatternKind,
    /// Offered load, as a fraction of the terminal bandwidth: above 0, at most 1, with at most nine
    /// decimals.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub load: f64,
    /// The creation times of packets.
    #[serde(default)]
    pub injection: Injection,
    /// The offsets of the ranks of periodic traffic.
    #[serde(default)]
    #[schemars(extend("x-effect" = {"injection": ["periodic"]}))]
    pub phase: Phase,
    /// Whether a rank may send to itself. Such a packet goes through the rank's router.
    #[serde(default)]
    pub include_self: bool,
    /// Distance from sender to receiver in ranks, modulo the number of ranks.
    #[serde(default = "one")]
    #[schemars(extend("x-effect" = {"pattern": ["shift"]}))]
    pub offset: u32,
    /// The ranks that receive more than their share.
    #[serde(default = "rank_zero")]
    #[schemars(extend("x-effect" = {"pattern": ["hotspot"]}))]
    pub hotspots: Vec<u32>,
    /// The share of packets whose destination is a hotspot.
    #[serde(default = "tenth")]
    #[schemars(range(min = 0, max = 1), extend("x-effect" = {"pattern": ["hotspot"]}))]
    pub hotspot_share: f64,
    /// The process grid (x, y, z), with x fastest. The product is the number of ranks. The default
    /// is the grid closest to a cube, with the longest side first, so that neighbours along the
    /// last dimension are farthest apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-effect" = {"pattern": ["neighbor_3d"]}))]
    pub grid: Option<[u32; 3]>,
    /// The dimension of the grid along which ranks exchange: 0 is x, 1 is y, 2 is z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 2), extend("x-effect" = {"pattern": ["neighbor_3d"]}))]
    pub dimension: Option<u8>,
    /// Bytes that a rank sends to one neighbour before it switches to the other, rounded up to
    /// whole packets. The default is one packet, so that both exchanges proceed at once. Prisacari
    /// et al. (2015) use 256 KB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-effect" = {"pattern": ["neighbor_3d"]}))]
    pub message_bytes: Option<u64>,
    /// Whether the first and the last rank along the dimension are neighbours. If not, a rank at
    /// the edge sends only to its one neighbour.
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

/// Destination distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PatternKind {
    /// Any other rank, uniformly at random.
    Uniform,
    /// The rank plus `offset`, modulo the number of ranks.
    Shift,
    /// The rank with all bits flipped: n - 1 - rank.
    BitComplement,
    /// A random rank of the next group: the adversarial pattern of minimal routing.
    NextGroup,
    /// As `uniform`, but a share of the packets goes to a few ranks.
    Hotspot,
    /// The two neighbours along one dimension of a process grid, in turn (Prisacari et al., 2015,
    /// IV.A).
    #[serde(rename = "neighbor_3d")]
    Neighbor3d,
}

/// The defaults of `neighbor_3d`.
const LAST_DIMENSION: u8 = 2;
const ONE_PACKET: u64 = 1;

impl Pattern {
    /// Checks the parameters for a job of `ranks` ranks.
    ///
    /// # Errors A [`Fault`] that names the key.
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

    /// Fills in the defaults of `neighbor_3d`, which depend on the number of ranks.
    pub fn complete(&mut self, ranks: u32) {
        if self.pattern == PatternKind::Neighbor3d {
            let (grid, dimension, message_bytes) = self.neighbours(ranks);
            self.grid = Some(grid);
            self.dimension = Some(dimension);
            self.message_bytes = Some(message_bytes);
            self.periodic = Some(self.periodic.unwrap_or(false));
        }
    }

    /// The destination distribution of a job whose rank `r` is in group `groups[r]`, with packets
    /// of `packet_bytes`.
    ///
    /// # Errors A [`Fault`] if the groups of the ranks do not allow it. [`Pattern::check`] must
    /// have been called before.
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

/// A destination distribution of a job.
#[derive(Clone, Debug)]
pub enum DestinationDistribution {
    /// Any rank, uniformly.
    Uniform(Uniform),
    /// The rank at a fixed distance.
    Shift(Shift),
    /// The rank `n - 1 - r`.
    BitComplement(BitComplement),
    /// A rank of the next group.
    NextGroup(NextGroup),
    /// A few ranks more often than others.
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
