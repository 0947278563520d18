//! The choice of algorithms: from the configuration, a call and the number of members to a running
//! collective.

use super::call::Call;
use super::layout::Task;
use super::{Algorithm, Collective, mpich};
use crate::config::{
    AllgatherAlgorithm, AllreduceAlgorithm, AlltoallAlgorithm, AlltoallvAlgorithm,
    BarrierAlgorithm, BcastAlgorithm, Collectives, ReduceAlgorithm, ReduceScatterAlgorithm,
    RootedAlgorithm, ScanAlgorithm,
};

use Algorithm as A;

impl Collective {
    /// The collective that `call` starts among `size` members.
    #[must_use]
    pub fn of(choice: &Collectives, call: &Call, size: u32) -> Self {
        let task = call.task();
        let parts = match call {
            Call::Barrier => barrier(choice.barrier),
            Call::Bcast { bytes, .. } => bcast(choice.bcast, *bytes, size),
            Call::Reduce { bytes, .. } => reduce(choice.reduce, *bytes, size),
            Call::Allreduce { bytes } => allreduce(choice.allreduce, *bytes, size),
            Call::ReduceScatterBlock { .. } | Call::ReduceScatter { .. } => {
                reduce_scatter(choice.reduce_scatter, &task, size)
            }
            Call::Allgather { .. } => allgather(choice.allgather, &task, size),
            Call::Allgatherv { .. } => allgather(choice.allgatherv, &task, size),
            Call::Gather { .. } => gather(choice.gather, RootedAlgorithm::BinomialTree),
            Call::Gatherv { .. } => gather(choice.gatherv, RootedAlgorithm::Linear),
            Call::Scatter { .. } => scatter(choice.scatter, RootedAlgorithm::BinomialTree),
            Call::Scatterv { .. } => scatter(choice.scatterv, RootedAlgorithm::Linear),
            Call::Alltoall { bytes } => alltoall(choice.alltoall, *bytes, size),
            Call::Alltoallv { .. } => alltoallv(choice.alltoallv),
            Call::Scan { .. } | Call::Exscan { .. } => scan(choice.scan),
        };
        // MPICH sends no message for an empty block of these, and none for an empty Bcast.
        let skips_empty = match call {
            Call::Bcast { .. } => choice.bcast == BcastAlgorithm::Mpich,
            Call::Gatherv { .. } => choice.gatherv == RootedAlgorithm::Mpich,
            Call::Scatterv { .. } => choice.scatterv == RootedAlgorithm::Mpich,
            Call::Alltoallv { .. } => choice.alltoallv == AlltoallvAlgorithm::Mpich,
            _ => false,
        };
        Self { skips_empty, ..Self::new(task, parts) }
    }
}

type Parts = [Option<Algorithm>; 2];

const fn one(algorithm: Algorithm) -> Parts {
    [Some(algorithm), None]
}

const fn two(first: Algorithm, second: Algorithm) -> Parts {
    [Some(first), Some(second)]
}

const fn barrier(choice: BarrierAlgorithm) -> Parts {
    match choice {
        BarrierAlgorithm::BinaryTree => two(A::BinaryTreeUp, A::BinaryTreeDown),
        BarrierAlgorithm::BinomialTree => two(A::BinomialReduce, A::BinomialBcast),
        BarrierAlgorithm::Linear => two(A::LinearReduce, A::LinearBcast),
        BarrierAlgorithm::RecursiveDoubling => one(A::RecursiveDoubling),
        BarrierAlgorithm::Dissemination | BarrierAlgorithm::Mpich => one(A::Dissemination),
    }
}

const fn bcast(choice: BcastAlgorithm, bytes: u64, size: u32) -> Parts {
    match choice {
        BcastAlgorithm::BinaryTree => one(A::BinaryTreeDown),
        BcastAlgorithm::BinomialTree => one(A::BinomialBcast),
        BcastAlgorithm::Linear => one(A::LinearBcast),
        BcastAlgorithm::ScatterRecursiveDoubling => two(A::BinomialScatter, A::DoublingAllgather),
        BcastAlgorithm::ScatterRing => two(A::BinomialScatter, A::RingAllgather),
        BcastAlgorithm::Mpich => bcast(mpich::bcast(bytes, size), bytes, size),
    }
}

const fn reduce(choice: ReduceAlgorithm, bytes: u64, size: u32) -> Parts {
    match choice {
        ReduceAlgorithm::BinaryTree => one(A::BinaryTreeUp),
        ReduceAlgorithm::BinomialTree => one(A::BinomialReduce),
        ReduceAlgorithm::Linear => one(A::LinearReduce),
        ReduceAlgorithm::Rabenseifner => two(A::RabenseifnerHalve, A::RabenseifnerCollect),
        ReduceAlgorithm::Mpich => reduce(mpich::reduce(bytes, size), bytes, size),
    }
}

const fn allreduce(choice: AllreduceAlgorithm, bytes: u64, size: u32) -> Parts {
    match choice {
        AllreduceAlgorithm::BinaryTree => two(A::BinaryTreeUp, A::BinaryTreeDown),
        AllreduceAlgorithm::BinomialTree => two(A::BinomialReduce, A::BinomialBcast),
        AllreduceAlgorithm::RecursiveDoubling => one(A::RecursiveDoubling),
        AllreduceAlgorithm::Ring => two(A::RingReduceScatter, A::RingAllgather),
        AllreduceAlgorithm::Rabenseifner => two(A::RabenseifnerHalve, A::RabenseifnerDouble),
        AllreduceAlgorithm::Mpich => allreduce(mpich::allreduce(bytes, size), bytes, size),
    }
}

fn reduce_scatter(choice: ReduceScatterAlgorithm, task: &Task, size: u32) -> Parts {
    match choice {
        ReduceScatterAlgorithm::BinomialTree => two(A::BinomialReduce, A::BinomialScatter),
        ReduceScatterAlgorithm::RecursiveHalving => one(A::RecursiveHalving),
        ReduceScatterAlgorithm::Pairwise => one(A::PairwiseReduceScatter),
        ReduceScatterAlgorithm::Ring => one(A::RingReduceScatter),
        ReduceScatterAlgorithm::Mpich => {
            reduce_scatter(mpich::reduce_scatter(task.total(size)), task, size)
        }
    }
}

fn allgather(choice: AllgatherAlgorithm, task: &Task, size: u32) -> Parts {
    match choice {
        AllgatherAlgorithm::RecursiveDoubling => one(A::DoublingAllgather),
        AllgatherAlgorithm::Bruck => one(A::BruckAllgather),
        AllgatherAlgorithm::BruckReady => two(A::Ready, A::MirroredBruckAllgather),
        AllgatherAlgorithm::Ring => one(A::RingAllgather),
        AllgatherAlgorithm::Mpich => {
            allgather(mpich::allgather(task.total(size), size), task, size)
        }
    }
}

const fn gather(choice: RootedAlgorithm, mpich: RootedAlgorithm) -> Parts {
    match choice {
        RootedAlgorithm::Linear => one(A::LinearGather),
        RootedAlgorithm::SizedTree => one(A::SizedGather),
        RootedAlgorithm::BinomialTree => one(A::BinomialGather),
        RootedAlgorithm::Mpich => gather(mpich, RootedAlgorithm::BinomialTree),
    }
}

const fn scatter(choice: RootedAlgorithm, mpich: RootedAlgorithm) -> Parts {
    match choice {
        RootedAlgorithm::Linear => one(A::LinearScatter),
        RootedAlgorithm::SizedTree => one(A::SizedScatter),
        RootedAlgorithm::BinomialTree => one(A::BinomialScatter),
        RootedAlgorithm::Mpich => scatter(mpich, RootedAlgorithm::BinomialTree),
    }
}

const fn alltoall(choice: AlltoallAlgorithm, bytes: u64, size: u32) -> Parts {
    match choice {
        AlltoallAlgorithm::Ring => one(A::RingAlltoall),
        AlltoallAlgorithm::Pairwise => one(A::PairwiseAlltoall),
        AlltoallAlgorithm::Linear => one(A::LinearAlltoall),
        AlltoallAlgorithm::Bruck => one(A::BruckAlltoall),
        AlltoallAlgorithm::Mpich => alltoall(mpich::alltoall(bytes, size), bytes, size),
    }
}

const fn alltoallv(choice: AlltoallvAlgorithm) -> Parts {
    match choice {
        AlltoallvAlgorithm::Ring => one(A::RingAlltoall),
        AlltoallvAlgorithm::Pairwise => one(A::PairwiseAlltoall),
        AlltoallvAlgorithm::Linear | AlltoallvAlgorithm::Mpich => one(A::LinearAlltoall),
    }
}

const fn scan(choice: ScanAlgorithm) -> Parts {
    match choice {
        ScanAlgorithm::Linear => one(A::ScanChain),
        ScanAlgorithm::RecursiveDoubling | ScanAlgorithm::Mpich => one(A::ScanDoubling),
    }
}
