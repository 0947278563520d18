//! Collectives on real data: the final data of each member, and the numbers of messages, bytes and
//! steps against closed forms.

mod data;
mod semantics;

use std::sync::Arc;

use pantala_mpi::collectives::{BATCH, Call, Collective, Exchange, Layout, Step};
use pantala_mpi::{
    AllgatherAlgorithm, AllreduceAlgorithm, AlltoallAlgorithm, AlltoallvAlgorithm,
    BarrierAlgorithm, BcastAlgorithm, Collectives, ReduceAlgorithm, ReduceScatterAlgorithm,
    RootedAlgorithm, ScanAlgorithm,
};
use proptest::prelude::*;

use semantics::{Cost, check};

fn sizes() -> impl Iterator<Item = u32> {
    (1..=17).chain([31, 33, 64, 100])
}

/// The sizes, each with every root; of the larger sizes only some roots.
fn rooted() -> impl Iterator<Item = (u32, u32)> {
    sizes().flat_map(|n| {
        (0..n).filter(move |root| n <= 17 || root % 13 == 5).map(move |root| (n, root))
    })
}

fn ceil_log(n: u32) -> u32 {
    n.next_power_of_two().ilog2()
}

/// The largest power of two not above `n`, its logarithm, and the rest.
fn power(n: u32) -> (u64, u64, u64) {
    let log = n.ilog2();
    (1 << log, u64::from(log), u64::from(n - (1 << log)))
}

/// Number of set bits in all numbers below `n`.
fn bits(n: u32) -> u64 {
    (0..n).map(|i| u64::from(i.count_ones())).sum()
}

/// Bytes of block `block` of a vector of `bytes`, divided into `of` blocks.
fn cut(bytes: u64, block: u64, of: u64) -> u64 {
    (block + 1) * bytes / of - block * bytes / of
}

fn with(change: impl FnOnce(&mut Collectives)) -> Collectives {
    let mut choice = Collectives::default();
    change(&mut choice);
    choice
}

#[test]
fn barriers() {
    use BarrierAlgorithm::*;
    for n in sizes() {
        let cost = |algorithm| {
            let cost = check(&with(|c| c.barrier = algorithm), n, |_| Call::Barrier);
            assert_eq!(cost.bytes, 0);
            (cost.messages, cost.depth)
        };
        let (edges, log) = (u64::from(n - 1), ceil_log(n));
        let (p, log_p, r) = power(n);
        assert_eq!(cost(BinaryTree), (2 * edges, 2 * n.ilog2()));
        assert_eq!(cost(BinomialTree), (2 * edges, 2 * n.ilog2()));
        assert_eq!(cost(Linear), (2 * edges, if n > 1 { 2 } else { 0 }));
        assert_eq!(cost(Dissemination), (u64::from(n * log), log));
        assert_eq!(cost(Mpich), cost(Dissemination));
        assert_eq!(cost(RecursiveDoubling).0, p * log_p + 2 * r);
    }
}

#[test]
fn broadcasts() {
    use BcastAlgorithm::*;
    let bytes = 100_003;
    for (n, root) in rooted() {
        let cost =
            |algorithm| check(&with(|c| c.bcast = algorithm), n, |_| Call::Bcast { root, bytes });
        let edges = u64::from(n - 1);
        let whole = |depth, waits| Cost { messages: edges, bytes: edges * bytes, depth, waits };
        assert_eq!(cost(BinaryTree), whole(n.ilog2(), if n > 3 { 2 } else { n.min(2) - 1 }));
        assert_eq!(cost(BinomialTree), whole(n.ilog2(), ceil_log(n)));
        assert_eq!(cost(Linear), whole(n.min(2) - 1, n.min(2) - 1));
        // A block travels over as many edges as its member's number, counted from the root, has set
        // bits.
        let owner = |place: u32| u64::from((root + place) % n);
        let scatter: u64 = (0..n)
            .map(|place| u64::from(place.count_ones()) * cut(bytes, owner(place), n.into()))
            .sum();
        let ring = cost(ScatterRing);
        assert_eq!(
            (ring.messages, ring.bytes),
            (edges + edges * u64::from(n), scatter + edges * bytes)
        );
        let (p, log_p, r) = power(n);
        let doubling = cost(ScatterRecursiveDoubling);
        assert_eq!(doubling.messages, edges + p * log_p + 2 * r);
        if r == 0 {
            assert_eq!(doubling.bytes, scatter + edges * bytes);
        }
        check(&Collectives::MPICH, n, |_| Call::Bcast { root, bytes });
    }
}

#[test]
fn reductions() {
    use ReduceAlgorithm::*;
    let bytes = 100_003;
    for (n, root) in rooted() {
        let cost =
            |algorithm| check(&with(|c| c.reduce = algorithm), n, |_| Call::Reduce { root, bytes });
        let edges = u64::from(n - 1);
        let whole = |depth| (edges, edges * bytes, depth);
        let of = |Cost { messages, bytes, depth, .. }| (messages, bytes, depth);
        assert_eq!(of(cost(BinaryTree)), whole(n.ilog2()));
        assert_eq!(of(cost(BinomialTree)), whole(n.ilog2()));
        assert_eq!(of(cost(Linear)), whole(n.min(2) - 1));
        let (p, log_p, r) = power(n);
        let cost = cost(Rabenseifner);
        // Place v holds the block whose number is v with reversed bits. Both have equally many set
        // bits.
        let collected: u64 =
            (0..p).map(|block| u64::from(block.count_ones()) * cut(bytes, block, p)).sum();
        assert_eq!(cost.messages, r + p * log_p + p - 1);
        assert_eq!(cost.bytes, r * bytes + (p - 1) * bytes + collected);
        assert_eq!(u64::from(cost.depth), 2 * log_p + u64::from(r > 0));
    }
}

#[test]
fn allreductions() {
    use AllreduceAlgorithm::*;
    let bytes = 100_003;
    for n in sizes() {
        let cost =
            |algorithm| check(&with(|c| c.allreduce = algorithm), n, |_| Call::Allreduce { bytes });
        let (m, edges) = (u64::from(n), u64::from(n - 1));
        let (p, log_p, r) = power(n);
        let fold = if r > 0 { 2 } else { 0 };
        for tree in [BinaryTree, BinomialTree] {
            let Cost { messages, bytes: moved, depth, .. } = cost(tree);
            assert_eq!((messages, moved, depth), (2 * edges, 2 * edges * bytes, 2 * n.ilog2()));
        }
        let doubling = cost(RecursiveDoubling);
        let messages = p * log_p + 2 * r;
        assert_eq!((doubling.messages, doubling.bytes), (messages, messages * bytes));
        assert_eq!(u64::from(doubling.waits), log_p + fold);
        let ring = cost(Ring);
        assert_eq!(
            (ring.messages, ring.bytes, ring.waits),
            (2 * m * edges, 2 * edges * bytes, 2 * (n - 1))
        );
        let rabenseifner = cost(Rabenseifner);
        assert_eq!(rabenseifner.messages, 2 * p * log_p + 2 * r);
        assert_eq!(rabenseifner.bytes, 2 * (p - 1) * bytes + 2 * r * bytes);
        assert_eq!(u64::from(rabenseifner.waits), 2 * log_p + fold);
        let mpich = |bytes| check(&Collectives::MPICH, n, |_| Call::Allreduce { bytes });
        assert_eq!((mpich(2_048).messages, mpich(bytes)), (doubling.messages, rabenseifner));
    }
}

#[test]
fn reduce_scatters() {
    use ReduceScatterAlgorithm::*;
    let bytes = 101;
    for n in sizes() {
        let cost = |algorithm| {
            check(&with(|c| c.reduce_scatter = algorithm), n, |_| Call::ReduceScatterBlock {
                bytes,
            })
        };
        let (m, edges) = (u64::from(n), u64::from(n - 1));
        let vector = m * bytes;
        let (p, log_p, r) = power(n);
        let tree = cost(BinomialTree);
        assert_eq!((tree.messages, tree.bytes), (2 * edges, edges * vector + bits(n) * bytes));
        let halving = cost(RecursiveHalving);
        assert_eq!(
            (halving.messages, halving.bytes),
            (p * log_p + 2 * r, r * vector + (p - 1) * vector + r * bytes)
        );
        for around in [Pairwise, Ring] {
            let Cost { messages, bytes: moved, waits, .. } = cost(around);
            assert_eq!((messages, moved, waits), (m * edges, edges * vector, n - 1));
        }
        assert_eq!(cost(Ring).depth, n - 1);
        assert_eq!(cost(Mpich), halving);
    }
}

#[test]
fn allgathers() {
    use AllgatherAlgorithm::*;
    let bytes = 101;
    for n in sizes() {
        let cost =
            |algorithm| check(&with(|c| c.allgather = algorithm), n, |_| Call::Allgather { bytes });
        let (m, edges) = (u64::from(n), u64::from(n - 1));
        let moved = m * edges * bytes;
        let ring = cost(Ring);
        assert_eq!(
            (ring.messages, ring.bytes, ring.depth, ring.waits),
            (m * edges, moved, n - 1, n - 1)
        );
        let log = ceil_log(n);
        assert_eq!(
            cost(Bruck),
            Cost { messages: m * u64::from(log), bytes: moved, depth: log, waits: log }
        );
        let ready = u32::from(n > 1);
        assert_eq!(
            cost(BruckReady),
            Cost {
                messages: m * u64::from(log + ready),
                bytes: moved,
                depth: log + ready,
                waits: log + ready
            }
        );
        let (p, log_p, r) = power(n);
        let doubling = cost(RecursiveDoubling);
        assert_eq!(doubling.messages, p * log_p + 2 * r);
        if r == 0 {
            assert_eq!((doubling.bytes, doubling.waits), (moved, log));
        } else {
            assert_eq!(doubling.waits, n.ilog2() + 2);
        }
        assert_eq!(cost(Mpich), if r == 0 { doubling } else { cost(Bruck) });
    }
}

#[test]
fn gathers_and_scatters() {
    use RootedAlgorithm::*;
    let bytes = 101;
    for (n, root) in rooted() {
        let cost = |algorithm| {
            let choice = with(|c| (c.gather, c.scatter) = (algorithm, algorithm));
            let [gather, scatter] = [Call::Gather { root, bytes }, Call::Scatter { root, bytes }]
                .map(|call| check(&choice, n, |_| call.clone()));
            assert_eq!(
                (gather.messages, gather.bytes, gather.depth),
                (scatter.messages, scatter.bytes, scatter.depth)
            );
            assert_eq!(gather.messages, u64::from(n - 1));
            (scatter.bytes, scatter.depth, scatter.waits)
        };
        let once = n.min(2) - 1;
        assert_eq!(cost(Linear), (bytes * u64::from(n - 1), once, once));
        assert_eq!(cost(BinomialTree), (bytes * bits(n), n.ilog2(), ceil_log(n)));
        assert_eq!(cost(Mpich), cost(BinomialTree));
    }
}

/// The trees of SST's firefly: three messages for each edge of a gather, two of a scatter. The
/// numbers of 8 and 64 ranks are counted by hand from its source.
#[test]
fn gathers_and_scatters_after_the_sizes() {
    let bytes = 101;
    for (n, root) in rooted() {
        let choice = with(|c| {
            (c.gather, c.scatter) = (RootedAlgorithm::SizedTree, RootedAlgorithm::SizedTree);
        });
        let [gather, scatter] = [Call::Gather { root, bytes }, Call::Scatter { root, bytes }]
            .map(|call| check(&choice, n, |_| call.clone()));
        let edges = u64::from(n - 1);
        assert_eq!((gather.messages, scatter.messages), (3 * edges, 2 * edges));
        // A block passes an edge for each member above its own.
        let above = |member: u32| (u64::from(member) + 1).ilog2();
        let passed: u64 = (0..n).map(|member| u64::from(above(member))).sum();
        assert_eq!(gather.bytes, 4 * edges + passed * bytes);
        assert_eq!(scatter.bytes % (4 + bytes), 0);
        match n {
            8 => assert_eq!(scatter.bytes, 10 * (4 + bytes)),
            64 => assert_eq!(scatter.bytes, 165 * (4 + bytes)),
            _ => {}
        }
    }
}

#[test]
fn alltoalls() {
    use AlltoallAlgorithm::*;
    let bytes = 101;
    for n in sizes() {
        let cost =
            |algorithm| check(&with(|c| c.alltoall = algorithm), n, |_| Call::Alltoall { bytes });
        let (m, pairs) = (u64::from(n), u64::from(n) * u64::from(n - 1));
        for around in [Ring, Pairwise] {
            let Cost { messages, bytes: moved, waits, .. } = cost(around);
            assert_eq!((messages, moved, waits), (pairs, pairs * bytes, n - 1));
        }
        let linear = cost(Linear);
        let batches = if n == 1 { 0 } else { n.div_ceil(BATCH) };
        assert_eq!((linear.messages, linear.bytes, linear.waits), (pairs, pairs * bytes, batches));
        let (bruck, log) = (cost(Bruck), ceil_log(n));
        assert_eq!((bruck.messages, bruck.bytes), (m * u64::from(log), m * bits(n) * bytes));
        assert_eq!((bruck.depth, bruck.waits), (log, log));
        assert_eq!(cost(Mpich), if n >= 8 { bruck } else { linear });
    }
}

#[test]
fn scans() {
    let bytes = 101;
    for n in sizes() {
        for call in [Call::Scan { bytes }, Call::Exscan { bytes }] {
            let cost = |algorithm| check(&with(|c| c.scan = algorithm), n, |_| call.clone());
            let edges = u64::from(n - 1);
            let chain = cost(ScanAlgorithm::Linear);
            assert_eq!((chain.messages, chain.bytes, chain.depth), (edges, edges * bytes, n - 1));
            let doubling = cost(ScanAlgorithm::RecursiveDoubling);
            let exchanges = |bit: u32| (0..n).filter(|m| m ^ 1 << bit < n).count() as u64;
            let messages = (0..ceil_log(n)).map(exchanges).sum();
            assert_eq!((doubling.messages, doubling.bytes), (messages, messages * bytes));
            assert_eq!(doubling.waits, ceil_log(n));
            assert_eq!(cost(ScanAlgorithm::Mpich), doubling);
        }
    }
}

#[test]
fn vector_variants_of_one_size_cost_the_same() {
    for n in sizes() {
        let counts: Arc<[u64]> = vec![101; n as usize].into();
        let pairs = Arc::new(Exchange { send: counts.to_vec(), receive: counts.to_vec() });
        let choice = with(|c| {
            c.gatherv = c.gather;
            c.scatterv = c.scatter;
            c.alltoallv = AlltoallvAlgorithm::Ring;
        });
        let (root, bytes) = (n / 2, 101);
        let both = [
            (Call::Gather { root, bytes }, Call::Gatherv { root, counts: Arc::clone(&counts) }),
            (Call::Scatter { root, bytes }, Call::Scatterv { root, counts: Arc::clone(&counts) }),
            (Call::Allgather { bytes }, Call::Allgatherv { counts: Arc::clone(&counts) }),
            (
                Call::ReduceScatterBlock { bytes },
                Call::ReduceScatter { counts: Arc::clone(&counts) },
            ),
            (Call::Alltoall { bytes }, Call::Alltoallv { pairs }),
        ];
        for (even, vector) in both {
            assert_eq!(
                check(&choice, n, |_| even.clone()),
                check(&choice, n, |_| vector.clone()),
                "{vector:?}"
            );
        }
    }
}

/// All choices that depend on sizes.
fn choices() -> impl Strategy<Value = Collectives> {
    let reduce_scatter = prop::sample::select(vec![
        ReduceScatterAlgorithm::BinomialTree,
        ReduceScatterAlgorithm::RecursiveHalving,
        ReduceScatterAlgorithm::Pairwise,
        ReduceScatterAlgorithm::Ring,
        ReduceScatterAlgorithm::Mpich,
    ]);
    let allgather = prop::sample::select(vec![
        AllgatherAlgorithm::RecursiveDoubling,
        AllgatherAlgorithm::Bruck,
        AllgatherAlgorithm::BruckReady,
        AllgatherAlgorithm::Ring,
        AllgatherAlgorithm::Mpich,
    ]);
    let rooted = prop::sample::select(vec![
        RootedAlgorithm::Linear,
        RootedAlgorithm::BinomialTree,
        RootedAlgorithm::SizedTree,
        RootedAlgorithm::Mpich,
    ]);
    let alltoallv = prop::sample::select(vec![
        AlltoallvAlgorithm::Ring,
        AlltoallvAlgorithm::Pairwise,
        AlltoallvAlgorithm::Linear,
        AlltoallvAlgorithm::Mpich,
    ]);
    (reduce_scatter, allgather, rooted, alltoallv).prop_map(
        |(reduce_scatter, allgatherv, rooted, alltoallv)| {
            let (gatherv, scatterv) = (rooted, rooted);
            Collectives {
                reduce_scatter,
                allgatherv,
                gatherv,
                scatterv,
                alltoallv,
                ..Collectives::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(pantala_testing::cases(300))]

    /// Data reach the right members for any sizes. Linear algorithms move every byte once.
    #[test]
    fn vectors_of_any_sizes(choice in choices(), counts in prop::collection::vec(prop_oneof![Just(0), 0u64..10_000], 1..40), root: u32) {
        let n = counts.len() as u32;
        let root = root % n;
        let counts: Arc<[u64]> = counts.into();
        let total: u64 = counts.iter().sum();
        let others = total - counts[root as usize];
        let given = || Arc::clone(&counts);
        check(&choice, n, |_| Call::ReduceScatter { counts: given() });
        let allgather = check(&choice, n, |_| Call::Allgatherv { counts: given() });
        prop_assert!(allgather.bytes >= total * u64::from(n - 1), "everybody gets all that he has not");
        for call in [Call::Gatherv { root, counts: given() }, Call::Scatterv { root, counts: given() }] {
            let cost = check(&choice, n, |_| call.clone());
            prop_assert!(cost.bytes >= others);
            let once = matches!(choice.gatherv, RootedAlgorithm::Linear | RootedAlgorithm::Mpich);
            prop_assert!(!once || cost.bytes == others);
        }
    }

    #[test]
    fn exchanges_of_any_sizes(choice in choices(), n in 1u32..40, seed: u64) {
        let bytes = |from: u32, to: u32| {
            let drawn = ((u64::from(from) * 31 + u64::from(to) * 17) ^ seed) % 20_000;
            drawn.saturating_sub(10_000)
        };
        let cost = check(&choice, n, |me| {
            let send = (0..n).map(|to| bytes(me, to)).collect();
            let receive = (0..n).map(|from| bytes(from, me)).collect();
            Call::Alltoallv { pairs: Arc::new(Exchange { send, receive }) }
        });
        let pairs = (0..n).flat_map(|from| (0..n).filter(move |to| *to != from).map(move |to| bytes(from, to)));
        prop_assert_eq!(cost.bytes, pairs.sum::<u64>());
    }

    /// The blocks of a vector of any length add up to it.
    #[test]
    fn blocks_of_any_vector(n in 1u32..40, bytes in 0u64..100_000, root: u32) {
        let root = root % n;
        for allreduce in [AllreduceAlgorithm::Ring, AllreduceAlgorithm::Rabenseifner, AllreduceAlgorithm::Mpich] {
            check(&with(|c| c.allreduce = allreduce), n, |_| Call::Allreduce { bytes });
        }
        for call in [Call::Bcast { root, bytes }, Call::Reduce { root, bytes }] {
            check(&Collectives::MPICH, n, |_| call.clone());
        }
        let whole = Layout::Vector(bytes);
        prop_assert_eq!((0..n).map(|block| whole.bytes_to(block, n)).sum::<u64>(), bytes);
    }
}

/// MPICH sends nothing for an empty block (`alltoallv_intra_scattered.c`,
/// `gatherv_allcomm_linear.c`, `scatterv_allcomm_linear.c`, `bcast_intra_binomial.c`). The other
/// algorithms send an empty message.
#[test]
fn mpich_sends_no_empty_message() {
    use RootedAlgorithm::Mpich;
    let n = 40;
    let mpich = with(|c| {
        (c.bcast, c.gatherv, c.scatterv) = (BcastAlgorithm::Mpich, Mpich, Mpich);
        c.alltoallv = AlltoallvAlgorithm::Mpich;
    });
    let counts: Arc<[u64]> = (0..n).map(|i| u64::from(i % 3 == 1) * 100).collect();
    let ring = |me: u32| {
        let only = |peer: u32| (0..n).map(|i| u64::from(i == peer) * 1_000).collect();
        let pairs = Exchange { send: only((me + 1) % n), receive: only((me + n - 1) % n) };
        Call::Alltoallv { pairs: Arc::new(pairs) }
    };
    let full = u64::from(n - 1);
    type ByMember<'a> = &'a dyn Fn(u32) -> Call;
    let cases: [(ByMember<'_>, u64, u64); 4] = [
        (&|_| Call::Bcast { root: 3, bytes: 0 }, 0, full),
        (&|_| Call::Gatherv { root: 3, counts: Arc::clone(&counts) }, 13, full),
        (&|_| Call::Scatterv { root: 3, counts: Arc::clone(&counts) }, 13, full),
        (&ring, n.into(), full * u64::from(n)),
    ];
    for (call, few, all) in cases {
        let linear = with(|c| {
            (c.gatherv, c.scatterv) = (RootedAlgorithm::Linear, RootedAlgorithm::Linear);
            c.alltoallv = AlltoallvAlgorithm::Linear;
        });
        for (choice, expected) in [(&mpich, few), (&linear, all)] {
            let mut messages = [0, 0];
            for me in 0..n {
                let mut collective = Collective::of(choice, &call(me), n);
                while let Some(step) = collective.next(me, n) {
                    match step {
                        Step::Isend { .. } => messages[0] += 1,
                        Step::Irecv { .. } => messages[1] += 1,
                        Step::Waitall => {}
                    }
                }
            }
            assert_eq!(messages, [expected; 2], "{:?}", call(0));
        }
    }
}
