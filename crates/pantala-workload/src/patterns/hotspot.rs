//! Hotspot: a share of all packets goes to a few ranks, the rest to any rank.
//!
//! With the given probability the destination is a hotspot, each with equal chance. Otherwise the
//! destination is drawn as in [`super::uniform`], and can also be a hotspot. If ranks may not send
//! to themselves, a hotspot that draws itself draws again among all others.

use pantala_engine::Stream;
use pantala_mpi::Fault;

use super::uniform::Uniform;

/// The destination distribution.
#[derive(Clone, Debug)]
pub struct Hotspot {
    hotspots: Vec<u32>,
    /// The share, as a bound on 64 random bits.
    bound: u128,
    include_self: bool,
    others: Uniform,
}

pub(super) fn check(
    ranks: u32,
    hotspots: &[u32],
    share: f64,
    include_self: bool,
) -> Result<(), Fault> {
    let show = || format!("{hotspots:?}");
    if hotspots.is_empty() {
        return Err(Fault::new(
            "hotspots",
            "[]",
            "there is no hotspot",
            "name at least one rank, as in hotspots = [0]",
        ));
    }
    if let Some(rank) = hotspots.iter().find(|rank| **rank >= ranks) {
        return Err(Fault::new(
            "hotspots",
            show(),
            format!("there is no rank {rank} in a job of {ranks}"),
            format!("name ranks from 0 to {}", ranks - 1),
        ));
    }
    if let Some(i) = (1..hotspots.len()).find(|i| hotspots[..*i].contains(&hotspots[*i])) {
        return Err(Fault::new(
            "hotspots",
            show(),
            format!("rank {} is named twice", hotspots[i]),
            "name each rank once",
        ));
    }
    if !(0.0..=1.0).contains(&share) {
        return Err(Fault::new(
            "hotspot_share",
            share,
            "a share is between 0 and 1",
            "write 0.1 for a tenth of all packets",
        ));
    }
    if include_self { Ok(()) } else { super::self_destination::need_a_peer(ranks, "hotspot") }
}

impl Hotspot {
    pub(super) fn new(ranks: u32, hotspots: Vec<u32>, share: f64, include_self: bool) -> Self {
        let bound = (share * 2.0f64.powi(64)) as u128;
        Self { hotspots, bound, include_self, others: Uniform::new(ranks, include_self) }
    }

    #[inline]
    pub(super) fn destination(&self, rank: u32, draws: &mut Stream) -> u32 {
        if u128::from(draws.bits()) < self.bound {
            let hotspot = self.hotspots[draws.below(self.hotspots.len() as u32) as usize];
            if self.include_self || hotspot != rank {
                return hotspot;
            }
        }
        self.others.destination(rank, draws)
    }
}
