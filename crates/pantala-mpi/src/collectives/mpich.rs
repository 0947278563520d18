//! MPICH's choice of algorithms by size and number of members.
//!
//! Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH,
//! International Journal of High Performance Computing Applications 19(1), 2005. The thresholds are
//! the documented defaults of MPICH's control variables (`MPIR_CVAR_*`, named at each constant).
//! Operations are assumed to commute, and elements may be as small as a byte.

use crate::config::{
    AllgatherAlgorithm, AllreduceAlgorithm, AlltoallAlgorithm, BcastAlgorithm, ReduceAlgorithm,
    ReduceScatterAlgorithm,
};

/// Smaller broadcasts use a binomial tree (`BCAST_SHORT_MSG_SIZE`).
const BCAST_SHORT: u64 = 12_288;
/// Broadcasts of at least this size scatter and then use a ring (`BCAST_LONG_MSG_SIZE`).
const BCAST_LONG: u64 = 524_288;
/// Broadcasts among fewer members use a binomial tree (`BCAST_MIN_PROCS`).
const BCAST_MEMBERS: u32 = 8;
/// Reductions up to this size use a binomial tree (`REDUCE_SHORT_MSG_SIZE`).
const REDUCE_SHORT: u64 = 2_048;
/// Allreduces up to this size use recursive doubling (`ALLREDUCE_SHORT_MSG_SIZE`).
const ALLREDUCE_SHORT: u64 = 2_048;
/// Allgathers with a smaller total use recursive doubling or Bruck's algorithm
/// (`ALLGATHER_SHORT_MSG_SIZE`).
const ALLGATHER_SHORT: u64 = 81_920;
/// Allgathers with a smaller total use recursive doubling if the number of members is a power of
/// two (`ALLGATHER_LONG_MSG_SIZE`).
const ALLGATHER_LONG: u64 = 524_288;
/// Alltoalls with blocks up to this size use Bruck's algorithm (`ALLTOALL_SHORT_MSG_SIZE`).
const ALLTOALL_SHORT: u64 = 256;
/// Alltoalls with blocks up to this size use the linear algorithm (`ALLTOALL_MEDIUM_MSG_SIZE`).
const ALLTOALL_MEDIUM: u64 = 32_768;
/// Alltoalls among fewer members never use Bruck's algorithm.
const ALLTOALL_MEMBERS: u32 = 8;
/// Reduce-scatters with a smaller total use recursive halving
/// (`REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE`).
const REDUCE_SCATTER_LONG: u64 = 524_288;

pub(super) const fn bcast(bytes: u64, size: u32) -> BcastAlgorithm {
    if bytes < BCAST_SHORT || size < BCAST_MEMBERS {
        BcastAlgorithm::BinomialTree
    } else if bytes < BCAST_LONG && size.is_power_of_two() {
        BcastAlgorithm::ScatterRecursiveDoubling
    } else {
        BcastAlgorithm::ScatterRing
    }
}

pub(super) const fn reduce(bytes: u64, size: u32) -> ReduceAlgorithm {
    if bytes > REDUCE_SHORT && has_blocks(bytes, size) {
        ReduceAlgorithm::Rabenseifner
    } else {
        ReduceAlgorithm::BinomialTree
    }
}

/// Returns whether each member has an element, of a byte at least. Members are counted down to a
/// power of two, as in Rabenseifner's algorithm.
const fn has_blocks(bytes: u64, size: u32) -> bool {
    bytes >= 1 << size.ilog2()
}

pub(super) const fn allreduce(bytes: u64, size: u32) -> AllreduceAlgorithm {
    if bytes > ALLREDUCE_SHORT && has_blocks(bytes, size) {
        AllreduceAlgorithm::Rabenseifner
    } else {
        AllreduceAlgorithm::RecursiveDoubling
    }
}

pub(super) const fn reduce_scatter(total: u64) -> ReduceScatterAlgorithm {
    if total < REDUCE_SCATTER_LONG {
        ReduceScatterAlgorithm::RecursiveHalving
    } else {
        ReduceScatterAlgorithm::Pairwise
    }
}

pub(super) const fn allgather(total: u64, size: u32) -> AllgatherAlgorithm {
    if total < ALLGATHER_LONG && size.is_power_of_two() {
        AllgatherAlgorithm::RecursiveDoubling
    } else if total < ALLGATHER_SHORT {
        AllgatherAlgorithm::Bruck
    } else {
        AllgatherAlgorithm::Ring
    }
}

pub(super) const fn alltoall(bytes: u64, size: u32) -> AlltoallAlgorithm {
    if bytes <= ALLTOALL_SHORT && size >= ALLTOALL_MEMBERS {
        AlltoallAlgorithm::Bruck
    } else if bytes <= ALLTOALL_MEDIUM {
        AlltoallAlgorithm::Linear
    } else {
        AlltoallAlgorithm::Pairwise
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_decide() {
        assert_eq!(bcast(12_287, 64), BcastAlgorithm::BinomialTree);
        assert_eq!(bcast(1 << 30, 7), BcastAlgorithm::BinomialTree);
        assert_eq!(bcast(12_288, 64), BcastAlgorithm::ScatterRecursiveDoubling);
        assert_eq!(bcast(12_288, 63), BcastAlgorithm::ScatterRing);
        assert_eq!(bcast(524_288, 64), BcastAlgorithm::ScatterRing);
        assert_eq!(
            (reduce(2_048, 64), reduce(2_049, 64)),
            (ReduceAlgorithm::BinomialTree, ReduceAlgorithm::Rabenseifner)
        );
        assert_eq!(allreduce(2_048, 64), AllreduceAlgorithm::RecursiveDoubling);
        assert_eq!(allreduce(2_049, 64), AllreduceAlgorithm::Rabenseifner);
        assert_eq!(
            (reduce(4_095, 5_000), reduce(4_096, 5_000)),
            (ReduceAlgorithm::BinomialTree, ReduceAlgorithm::Rabenseifner)
        );
        assert_eq!(
            (allreduce(4_095, 4_096), allreduce(4_096, 4_096)),
            (AllreduceAlgorithm::RecursiveDoubling, AllreduceAlgorithm::Rabenseifner)
        );
        assert_eq!(reduce_scatter(524_287), ReduceScatterAlgorithm::RecursiveHalving);
        assert_eq!(reduce_scatter(524_288), ReduceScatterAlgorithm::Pairwise);
        assert_eq!(allgather(524_287, 16), AllgatherAlgorithm::RecursiveDoubling);
        assert_eq!(
            (allgather(524_288, 16), allgather(81_920, 17)),
            (AllgatherAlgorithm::Ring, AllgatherAlgorithm::Ring)
        );
        assert_eq!(allgather(81_919, 17), AllgatherAlgorithm::Bruck);
        assert_eq!(
            (alltoall(256, 8), alltoall(256, 7)),
            (AlltoallAlgorithm::Bruck, AlltoallAlgorithm::Linear)
        );
        assert_eq!(
            (alltoall(257, 8), alltoall(32_768, 8)),
            (AlltoallAlgorithm::Linear, AlltoallAlgorithm::Linear)
        );
        assert_eq!(alltoall(32_769, 8), AlltoallAlgorithm::Pairwise);
    }
}
