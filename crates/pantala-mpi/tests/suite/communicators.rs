//! Communicators that programs create: their members, their numbers, and the cost of their
//! creation.

use std::cell::RefCell;
use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{
    COMM_WORLD, Call, Cartesian, Communicator, Group, Incoming, MpiConfig, MpiLayer, Op,
    OperationFault, OperationStream, Outcome, Outgoing, RankSetup, Recording, Source, Split,
    Status, TagSelect,
};
use pantala_testing::ideal_network::{Ideal, finish, layer, layer_with, reports};

fn table(n: u32, of: impl Fn(u32) -> (Option<u32>, i32)) -> Arc<[Split]> {
    (0..n).map(&of).map(|(color, key)| Split { color, key }).collect()
}

/// A script that records its outcomes.
struct Heard<'a> {
    script: std::vec::IntoIter<Op>,
    rank: u32,
    outcomes: &'a RefCell<Vec<(u32, Outcome)>>,
}

impl OperationStream for Heard<'_> {
    fn next(&mut self, _: Time, outcome: &Outcome) -> Option<Op> {
        self.outcomes.borrow_mut().push((self.rank, outcome.clone()));
        self.script.next()
    }
}

/// The communicators in the outcomes of each rank.
fn told(n: u32, script: impl Fn(u32) -> Vec<Op>) -> Vec<Vec<Option<u16>>> {
    let mut all = vec![Vec::new(); n as usize];
    for (rank, outcome) in outcomes(n, script) {
        if let Outcome::Communicator(id) = outcome {
            all[rank as usize].push(id);
        }
    }
    all
}

/// The outcomes of all ranks, each with its rank.
fn outcomes(n: u32, script: impl Fn(u32) -> Vec<Op>) -> Vec<(u32, Outcome)> {
    let outcomes = RefCell::new(Vec::new());
    let mut layer = MpiLayer::new(MpiConfig::default(), Recording::default(), 512);
    let ranks: Vec<_> = (0..n)
        .map(|rank| RankSetup {
            nic: layer.add_nic(rank),
            program: Heard { script: script(rank).into_iter(), rank, outcomes: &outcomes },
            communicators: Vec::new(),
        })
        .collect();
    layer.add_job(0, 0, ranks).unwrap();
    finish(&mut layer, &mut Ideal::reordering(1_000, 1, 100_000, 8));
    drop(layer);
    outcomes.into_inner()
}

/// A message around the ring of a communicator of `size` in which this rank is `me`.
fn around(communicator: u16, me: u32, size: u32) -> Op {
    let bytes = 10;
    let outgoing = Outgoing { communicator, destination: (me + 1) % size, tag: 0, bytes };
    let source = Source::Rank((me + size - 1) % size);
    Op::Sendrecv(outgoing, Incoming { communicator, source, tag: TagSelect::Is(0), bytes })
}

#[test]
fn a_split_makes_one_for_each_colour() {
    let n = 10;
    // Rank 9 stays out. The other ranks are grouped by their number modulo three, in descending
    // order.
    let table = table(n, |m| ((m < 9).then_some(m % 3), -(m as i32)));
    let script = |me: u32| {
        let mut script = vec![Op::CommSplit(COMM_WORLD, Arc::clone(&table))];
        if me < 9 {
            script.extend([
                around(1, 2 - me / 3, 3),
                Op::Collective(1, Call::Alltoall { bytes: 50 }),
            ]);
            script.push(Op::Collective(1, Call::Bcast { root: 2, bytes: 30 }));
        }
        script.push(Op::Collective(COMM_WORLD, Call::Barrier));
        script
    };
    let expected: Vec<_> = (0..n).map(|me| vec![(me < 9).then_some(1)]).collect();
    assert_eq!(told(n, script), expected);
}

#[test]
fn numbers_are_given_again() {
    let n = 4;
    let script = |_| {
        vec![
            Op::CommDup(COMM_WORLD),
            Op::CommDup(1),
            Op::CommFree(1),
            Op::CommDup(2),
            Op::Collective(1, Call::Barrier),
            Op::Collective(2, Call::Allreduce { bytes: 8 }),
        ]
    };
    assert_eq!(told(n, script), vec![vec![Some(1), Some(2), Some(1)]; 4]);
}

/// MPI 4.1, 7.4.3: what is pending on a freed communicator goes on as usual.
#[test]
fn a_receive_outlives_its_communicator() {
    let reversed = table(3, |m| (Some(0), -(m as i32)));
    let script = |me: u32, persistent: bool| {
        let mut script = vec![Op::CommSplit(COMM_WORLD, Arc::clone(&reversed))];
        if me == 0 {
            let (source, tag) = (Source::Any, TagSelect::Any);
            let incoming = Incoming { communicator: 1, source, tag, bytes: 10 };
            if persistent {
                script.extend([Op::RecvInit(incoming, 0), Op::CommFree(1), Op::Start(0)]);
            } else {
                script.extend([Op::Irecv(incoming, 0), Op::CommFree(1)]);
            }
            script.extend([Op::CommDup(COMM_WORLD), Op::Wait(0)]);
        } else if me == 2 {
            let outgoing = Outgoing { communicator: 1, destination: 2, tag: 7, bytes: 10 };
            script.extend([Op::Compute(50_000), Op::Send(outgoing), Op::CommFree(1)]);
            script.push(Op::CommDup(COMM_WORLD));
        } else {
            script.extend([Op::CommFree(1), Op::CommDup(COMM_WORLD)]);
        }
        script
    };
    let received = Outcome::Received(Status { source: 0, tag: 7, bytes: 10 });
    for persistent in [false, true] {
        assert!(outcomes(3, |me| script(me, persistent)).contains(&(0, received.clone())));
    }
}

#[test]
fn a_creation_takes_a_group() {
    let n = 6;
    let everybody = Group::of(&Communicator::comm_world(n, 0));
    let group = everybody.include(&[5, 1, 3]).unwrap();
    let script = |me: u32| {
        let mut script = vec![Op::CommCreate(COMM_WORLD, group.clone())];
        if let Some(place) = group.place(me) {
            script.extend([
                around(1, place, 3),
                Op::Collective(1, Call::Gather { root: 0, bytes: 9 }),
            ]);
        }
        script
    };
    let told = told(n, script);
    assert_eq!(told.concat(), [None, Some(1), None, Some(1), None, Some(1)]);
}

#[test]
fn slices_of_a_grid() {
    let grid = Cartesian::new([3, 4]).unwrap();
    let (rows, columns) = (grid.sub(&[false, true]).unwrap(), grid.sub(&[true, false]).unwrap());
    let script = |me: u32| {
        let at = grid.coordinates(me).unwrap();
        vec![
            Op::CommSplit(COMM_WORLD, rows.1.clone().into()),
            Op::CommSplit(COMM_WORLD, columns.1.clone().into()),
            around(1, at[1], rows.0.size()),
            around(2, at[0], columns.0.size()),
            Op::Collective(1, Call::Alltoall { bytes: 100 }),
            Op::Collective(2, Call::Allreduce { bytes: 100 }),
        ]
    };
    assert_eq!(told(12, script), vec![vec![Some(1), Some(2)]; 12]);
}

/// A split is an allgather of 8 bytes and an allreduce of 260 bytes. A duplication is the allreduce
/// alone.
#[test]
fn creation_costs() {
    for n in [1u32, 2, 5, 8] {
        let cost = |op: Op| {
            let mut layer = layer(MpiConfig::default(), vec![vec![op]; n as usize]);
            finish(&mut layer, &mut Ideal::new(1_000, 1));
            let sent = reports(&layer)
                .iter()
                .fold((0, 0), |s, r| (s.0 + r.totals.messages_sent, s.1 + r.totals.bytes_sent));
            assert!(reports(&layer).iter().all(|r| Some(r.totals.collective) == r.end));
            sent
        };
        let (m, edges) = (u64::from(n), u64::from(n - 1));
        let rounds = u64::from(n.next_power_of_two().ilog2());
        assert_eq!(cost(Op::CommDup(COMM_WORLD)), (2 * edges, 2 * edges * 260));
        let split = cost(Op::CommSplit(COMM_WORLD, table(n, |_| (Some(0), 0))));
        assert_eq!(split, (2 * edges + m * rounds, 2 * edges * 260 + m * edges * 8));
    }
}

#[test]
fn what_cannot_be_made_is_told() {
    let cases = [
        (
            Op::CommSplit(COMM_WORLD, table(3, |_| (None, 0))),
            OperationFault::NoPartition { size: 2 },
        ),
        (
            Op::CommCreate(COMM_WORLD, Group::new(vec![0, 2]).unwrap()),
            OperationFault::NoPartition { size: 2 },
        ),
        (Op::CommDup(3), OperationFault::UnknownCommunicator { communicator: 3 }),
        (Op::CommFree(3), OperationFault::UnknownCommunicator { communicator: 3 }),
        (Op::CommFree(COMM_WORLD), OperationFault::CommunicatorInUse { communicator: COMM_WORLD }),
    ];
    for (op, fault) in cases {
        let mut layer = layer(MpiConfig::default(), vec![vec![op], Vec::new()]);
        Ideal::new(1_000, 1).run(&mut layer, 2, Time::MAX);
        assert_eq!(layer.errors().iter().map(|e| e.fault.clone()).collect::<Vec<_>>(), [fault]);
    }
    let mut layer =
        layer_with(MpiConfig::default(), vec![vec![Op::CommFree(1), around(1, 0, 1)]], |_| {
            vec![Communicator::strided(1, 0, 1, 1, 0)]
        });
    Ideal::new(1_000, 1).run(&mut layer, 1, Time::MAX);
    assert_eq!(layer.errors()[0].fault, OperationFault::UnknownCommunicator { communicator: 1 });
}

/// Ranks that create different communicators, or at different times, get an error, as in any other
/// collective.
#[test]
fn creations_must_agree() {
    let scripts = vec![
        vec![Op::CommDup(COMM_WORLD)],
        vec![Op::Collective(COMM_WORLD, Call::Allreduce { bytes: 260 })],
    ];
    let mut layer = layer(MpiConfig::default(), scripts);
    Ideal::new(1_000, 1).run(&mut layer, 2, Time::MAX);
    let text = layer.errors()[0].to_string();
    assert!(
        text.contains("this rank calls communicator creation where rank 1 calls allreduce"),
        "{text}"
    );
}
