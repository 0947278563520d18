//! Which router of a group owns which global link.

use std::fmt;
use std::str::FromStr;

use crate::TopologyError;

/// Which router, and which of its global ports, owns global index `k` of a group of `a` routers with `h` global ports each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Spread {
    /// One router after the other: local router `k / h`, global port `k % h`. BookSim2, SST/merlin, CAMINOS.
    #[default]
    Consecutive,
    /// One port of every router, then the next of every router: local router `k % a`, global port `k / a`. A group that uses
    /// only some of its global ports has as many on one router as on another, to within one: the optical cables of a partly
    /// populated Cray XC.
    RoundRobin,
}

impl Spread {
    /// Every spread, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Consecutive, Self::RoundRobin];

    /// Its name in a scenario and in a plan.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consecutive => "consecutive",
            Self::RoundRobin => "round_robin",
        }
    }

    /// The local router and the global port, from 0, that own global index `k` below `a*h`.
    pub(crate) fn owner(self, routers: u32, global_ports: u32, k: u32) -> (u32, u32) {
        debug_assert!(k < routers * global_ports);
        match self {
            Self::Consecutive => (k / global_ports, k % global_ports),
            Self::RoundRobin => (k % routers, k / routers),
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Spread {
    type Err = TopologyError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|spread| spread.name() == name).ok_or_else(|| {
            TopologyError::unknown_name("spread", name, "there is no such spread", &Self::ALL.map(Self::name))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn names_are_read_back() {
        for spread in Spread::ALL {
            assert_eq!(spread.to_string().parse(), Ok(spread));
        }
        let error = "random".parse::<Spread>().expect_err("an unknown name was accepted");
        assert_eq!(
            error.to_string(),
            "spread = random: there is no such spread; use one of \"consecutive\", \"round_robin\""
        );
    }

    #[test]
    fn six_indices_on_three_routers() {
        let owners = |spread: Spread| (0..6).map(|k| spread.owner(3, 2, k)).collect::<Vec<_>>();
        assert_eq!(owners(Spread::Consecutive), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
        assert_eq!(owners(Spread::RoundRobin), [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]);
    }
}
