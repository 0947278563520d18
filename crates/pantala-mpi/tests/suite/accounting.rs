//! Accounts, iterations, collectives in a whole layer, memory, several jobs.

use pantala_engine::Time;
use pantala_mpi::{
    AllreduceAlgorithm, Call, Collectives, Communicator, IterationRecord, MpiConfig, MpiLayer, Op,
    OperationStream, Outcome, RankSetup, Recording, SetupError,
};
use pantala_testing::ideal_network::{
    Ideal, Script, finish, from, iteration, layer, layer_with, reports, to,
};

const LATENCY: Time = 1_000;

fn network() -> Ideal {
    Ideal::new(LATENCY, 10)
}

#[test]
fn communication_time_is_split_by_kind_of_call() {
    let scripts = vec![
        vec![
            Op::Compute(5_000),
            Op::Send(to(1, 0, 13_000)),
            Op::Irecv(from(1, 0, 100), 4),
            Op::Wait(4),
            Op::Collective(0, Call::Barrier),
        ],
        vec![
            Op::Recv(from(0, 0, 13_000)),
            Op::Compute(70_000),
            Op::Send(to(0, 0, 100)),
            Op::Collective(0, Call::Barrier),
        ],
    ];
    let mut layer = layer(MpiConfig::default(), scripts);
    finish(&mut layer, &mut network());
    for report in reports(&layer) {
        let totals = report.totals;
        let elapsed = report.end.unwrap() - report.start.unwrap();
        assert_eq!(
            elapsed,
            totals.compute + totals.send + totals.recv + totals.wait + totals.collective
        );
        assert_eq!(totals.communication(), elapsed - totals.compute);
    }
    let [zero, one] = [0, 1].map(|r| reports(&layer)[r].totals);
    assert_eq!((zero.compute, one.compute), (5_000, 70_000));
    assert!(zero.send > 0 && zero.wait > 0 && zero.collective > 0 && zero.recv == 0);
    assert!(one.recv > 0 && one.collective > 0 && one.send == 0 && one.wait == 0);
    // Rank 0 sends one message of 13,000 bytes and an empty one (the barrier's broadcast). Rank 1
    // sends 100 bytes and the barrier's reduction.
    assert_eq!(
        (zero.messages_sent, zero.bytes_sent, zero.messages_received, zero.bytes_received),
        (2, 13_000, 2, 100)
    );
}

/// The peak is the largest payload of sends with neither a receive nor a wait between them.
#[test]
fn the_peak_of_ingress_is_a_run_of_sends() {
    let receives =
        |sizes: &[u64]| sizes.iter().map(|&bytes| Op::Recv(from(0, 0, bytes))).collect::<Vec<_>>();
    let peak = |sender: Vec<Op>, sizes: &[u64]| {
        let mut layer = layer(MpiConfig::default(), vec![sender, receives(sizes)]);
        finish(&mut layer, &mut network());
        reports(&layer)[0].totals.peak_ingress
    };
    let (small, long) = (1_000, 20_000);
    let isend = |request, bytes| Op::Isend(to(1, 0, bytes), request);
    let send = |bytes| Op::Send(to(1, 0, bytes));
    assert_eq!(
        peak(vec![isend(0, long), isend(1, small), Op::WAITALL], &[long, small]),
        long + small
    );
    assert_eq!(
        peak(vec![isend(0, long), Op::WAITALL, isend(0, small), Op::WAITALL], &[long, small]),
        long
    );
    // Neither compute nor a blocking send ends a run.
    assert_eq!(
        peak(vec![send(small), Op::Compute(9_000_000), send(small)], &[small; 2]),
        2 * small
    );
    assert_eq!(
        peak(vec![send(long), send(long), isend(0, small), Op::WAITALL], &[long, long, small]),
        2 * long + small
    );
    // A receive ends it when it is posted.
    let receive = Op::Irecv(from(0, 5, 1), 1);
    let received = [Op::Isend(to(0, 5, 1), 2), Op::WAITALL];
    let mut script = vec![send(long), receive, send(small), send(long)];
    script.extend(received);
    assert_eq!(peak(script, &[long, small, long]), long + small);
    // A test is not a wait.
    assert_eq!(
        peak(vec![isend(0, small), Op::Test(0), isend(1, small), Op::WAITALL], &[small; 2]),
        2 * small
    );
    // Messages to itself do not enter the network.
    let own = vec![
        Op::Irecv(from(0, 0, 9_000), 1),
        Op::Isend(to(0, 0, 9_000), 2),
        Op::WAITALL,
        send(small),
    ];
    assert_eq!(peak(own, &[small]), small);
}

/// A node of a tree sends to two children; a member of a ring sends one message per round. The same
/// holds in the background.
#[test]
fn the_peak_of_ingress_of_collectives_is_that_of_a_round() {
    for (call, peak) in
        [(Call::Allreduce { bytes: 50_000 }, 100_000), (Call::Alltoall { bytes: 700 }, 700)]
    {
        for script in [
            vec![Op::Collective(0, call.clone()), Op::Collective(0, call.clone())],
            vec![Op::Icollective(0, call.clone(), 0), Op::Compute(1_000), Op::WAITALL],
        ] {
            let mut layer = layer(MpiConfig::default(), vec![script; 7]);
            finish(&mut layer, &mut network());
            assert_eq!(
                reports(&layer).iter().map(|r| r.totals.peak_ingress).max(),
                Some(peak),
                "{call:?}"
            );
        }
    }
}

/// Calls, their payload and their time are summed over all ranks. The sum of times equals the
/// accounts.
#[test]
fn calls_are_counted_by_name() {
    let rank = |peer: u32| {
        vec![
            Op::Compute(5_000),
            Op::Irecv(from(peer, 0, 13_000), 0),
            Op::Isend(to(peer, 0, 13_000), 1),
            Op::Wait(0),
            Op::Wait(1),
            Op::Collective(0, Call::Allreduce { bytes: 8 }),
            Op::Collective(0, Call::Allreduce { bytes: 16 }),
            Op::Collective(0, Call::Alltoall { bytes: 100 }),
            Op::Collective(0, Call::Barrier),
        ]
    };
    let mut layer = layer(MpiConfig::default(), vec![rank(1), rank(0)]);
    finish(&mut layer, &mut network());
    let calls = layer.call_reports(0);
    let found: Vec<_> = calls.iter().map(|c| (c.call.as_str(), c.calls, c.bytes)).collect();
    let expected = [
        ("allreduce", 4, 48),
        ("alltoall", 2, 400),
        ("barrier", 2, 0),
        ("irecv", 2, 26_000),
        ("isend", 2, 26_000),
        ("wait", 4, 0),
    ];
    assert_eq!(found, expected);
    let spent: Time = reports(&layer).iter().map(|report| report.totals.communication()).sum();
    assert_eq!(calls.iter().map(|c| c.time).sum::<Time>(), spent);
    assert!(calls.iter().all(|c| (c.time > 0) != c.call.starts_with('i')));
}

#[test]
fn a_call_under_way_counts_up_to_now() {
    let mut layer =
        layer(MpiConfig::default(), vec![vec![Op::Compute(10_000)], vec![Op::Recv(from(0, 0, 1))]]);
    network().run(&mut layer, 2, 0);
    let calls = layer.call_reports(4_000);
    assert_eq!(
        calls.iter().map(|c| (c.call.as_str(), c.calls, c.time)).collect::<Vec<_>>(),
        [("recv", 1, 4_000)]
    );
}

#[test]
fn a_phase_under_way_counts_up_to_now() {
    let mut layer =
        layer(MpiConfig::default(), vec![vec![Op::Compute(10_000)], vec![Op::Recv(from(0, 0, 1))]]);
    network().run(&mut layer, 2, 0);
    let now: Vec<_> = layer.rank_reports(4_000).map(|r| r.totals).collect();
    assert_eq!((now[0].compute, now[1].recv), (4_000, 4_000));
}

#[test]
fn iterations_have_their_marks() {
    let script = |peer: u32, send: bool| {
        (0..3).flat_map(move |number| {
            let talk = if send { Op::Send(to(peer, 0, 100)) } else { Op::Recv(from(peer, 0, 100)) };
            [iteration(number), Op::Compute(1_000), talk, Op::IterationEnd]
        })
    };
    let mut layer =
        layer(MpiConfig::default(), vec![script(1, true).collect(), script(0, false).collect()]);
    finish(&mut layer, &mut network());
    let mut records = Vec::new();
    layer.take_iterations(&mut records);
    let receiver: Vec<IterationRecord> = records.iter().filter(|r| r.rank == 1).copied().collect();
    assert_eq!(receiver.iter().map(|r| r.mark.iteration).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!((receiver[0].start, receiver[0].end, receiver[0].communication), (0, 3_000, 2_000));
    let blocked: Time = receiver.iter().map(|r| r.communication).sum();
    assert_eq!(blocked, reports(&layer)[1].totals.communication());
    layer.take_iterations(&mut records);
    assert_eq!(records.len(), 6, "taking twice gives nothing twice");
}

#[test]
fn recording_can_be_off() {
    let mut layer = MpiLayer::new(
        MpiConfig::default(),
        Recording { messages: false, iterations: false, ..Recording::default() },
        512,
    );
    let nics = [0, 1].map(|node| layer.add_nic(node));
    let scripts = [
        vec![iteration(0), Op::Send(to(1, 0, 9)), Op::IterationEnd],
        vec![Op::Recv(from(0, 0, 9))],
    ];
    let ranks = scripts
        .into_iter()
        .zip(nics)
        .map(|(s, nic)| RankSetup {
            nic,
            program: Script(s.into_iter()),
            communicators: Vec::new(),
        })
        .collect();
    layer.add_job(3, 0, ranks).unwrap();
    finish(&mut layer, &mut network());
    let (mut messages, mut iterations) = (Vec::new(), Vec::new());
    layer.take_messages(&mut messages);
    layer.take_iterations(&mut iterations);
    assert!(messages.is_empty() && iterations.is_empty());
    let statistics = layer.message_statistics(3).unwrap();
    assert_eq!((statistics.count(), statistics.mean()), (1, Some(1_090.0)));
    assert!(layer.message_statistics(0).is_none());
}

#[test]
fn collectives_move_their_closed_form() {
    for n in [1u32, 2, 3, 7, 16, 17] {
        for (algorithm, allreduce) in [(AllreduceAlgorithm::BinaryTree, 2 * (n - 1)), {
            let power = 1 << n.ilog2();
            (AllreduceAlgorithm::RecursiveDoubling, power * n.ilog2() + 2 * (n - power))
        }] {
            let collectives = Collectives { allreduce: algorithm, ..Collectives::default() };
            let config = MpiConfig { collectives, ..MpiConfig::default() };
            let script = vec![
                Op::Collective(0, Call::Barrier),
                Op::Collective(0, Call::Bcast { root: n - 1, bytes: 100 }),
                Op::Collective(0, Call::Reduce { root: n / 2, bytes: 20_000 }),
                Op::Collective(0, Call::Allreduce { bytes: 300 }),
                Op::Collective(0, Call::Alltoall { bytes: 13_000 }),
            ];
            let mut layer = layer(config, vec![script; n as usize]);
            finish(&mut layer, &mut Ideal::reordering(LATENCY, 1, 50_000, u64::from(n)));
            let sums = reports(&layer).iter().fold((0, 0, 0, 0), |s, r| {
                let a = r.totals;
                (
                    s.0 + a.messages_sent,
                    s.1 + a.bytes_sent,
                    s.2 + a.messages_received,
                    s.3 + a.bytes_received,
                )
            });
            let (edges, all) = (u64::from(n - 1), u64::from(n * (n - 1)));
            let allreduce = u64::from(allreduce);
            let messages = 2 * edges + edges + edges + allreduce + all;
            let bytes = 100 * edges + 20_000 * edges + 300 * allreduce + 13_000 * all;
            assert_eq!(sums, (messages, bytes, messages, bytes), "{n} {algorithm:?}");
        }
    }
}

#[test]
fn a_barrier_holds_all_back() {
    let n = 13;
    let scripts = (0..n)
        .map(|r| vec![Op::Compute(1_000 * r + 1), Op::Collective(0, Call::Barrier)])
        .collect();
    let mut layer = layer(MpiConfig::default(), scripts);
    finish(&mut layer, &mut network());
    let slowest = 1_000 * (n - 1) + 1;
    assert!(reports(&layer).iter().all(|r| r.end.unwrap() >= slowest));
}

#[test]
fn sub_communicators_work_side_by_side() {
    // 3 rows of 4 ranks: an alltoall in rows, then in columns. Rows share a context, and so do
    // columns.
    let split = |r: u32| {
        let (row, column) = (r / 4, r % 4);
        vec![
            Communicator::strided(1, row * 4, 1, 4, column),
            Communicator::list(2, (0..3).map(|i| i * 4 + column).collect(), row),
        ]
    };
    let script = vec![
        Op::Collective(1, Call::Alltoall { bytes: 100 }),
        Op::Collective(2, Call::Alltoall { bytes: 20_000 }),
        Op::Collective(2, Call::Bcast { root: 2, bytes: 7 }),
    ];
    let mut layer = layer_with(MpiConfig::default(), vec![script; 12], split);
    finish(&mut layer, &mut Ideal::reordering(LATENCY, 1, 100_000, 5));
    for report in reports(&layer) {
        let down = if report.rank / 4 == 2 { 14 } else { 0 };
        assert_eq!(report.totals.bytes_sent, 3 * 100 + 2 * 20_000 + down);
    }
}

/// Two ranks that exchange messages for a long time.
struct Exchange {
    peer: u32,
    left: u32,
    at: u8,
}

impl OperationStream for Exchange {
    fn next(&mut self, _: Time, _: &Outcome) -> Option<Op> {
        if self.left == 0 {
            return None;
        }
        self.at = (self.at + 1) % 4;
        Some(match self.at {
            1 => Op::Irecv(from(self.peer, 0, 20_000), 0),
            2 => Op::Isend(to(self.peer, 0, if self.left % 2 == 0 { 20_000 } else { 40 }), 1),
            3 => Op::WAITALL,
            _ => {
                self.left -= 1;
                Op::Collective(0, Call::Allreduce { bytes: 8 })
            }
        })
    }
}

#[test]
fn memory_does_not_grow_with_iterations() {
    let peaks = [10, 5_000].map(|left| {
        let mut layer = MpiLayer::new(
            MpiConfig::default(),
            Recording { messages: false, iterations: false, ..Recording::default() },
            512,
        );
        let ranks = (0..2).map(|r| RankSetup {
            nic: layer.add_nic(r),
            program: Exchange { peer: 1 - r, left, at: 0 },
            communicators: Vec::new(),
        });
        let ranks = ranks.collect();
        layer.add_job(0, 0, ranks).unwrap();
        let mut network = network();
        network.keep_offers = false;
        finish(&mut layer, &mut network);
        let held = layer.holdings();
        assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
        held
    });
    assert_eq!(peaks[0], peaks[1]);
    assert!(peaks[0].messages_peak < 10);
}

#[test]
fn jobs_start_when_they_should_and_do_not_meet() {
    let mut layer = MpiLayer::new(MpiConfig::default(), Recording::default(), 512);
    let nics: Vec<u32> = (0..4).map(|node| layer.add_nic(node)).collect();
    for (job, start) in [(7u16, 0), (2, 50_000)] {
        let mine = if job == 7 { [nics[0], nics[2]] } else { [nics[3], nics[1]] };
        let ranks = [vec![Op::Send(to(1, 0, 10))], vec![Op::Recv(from(0, 0, 10))]];
        let ranks = ranks
            .into_iter()
            .zip(mine)
            .map(|(s, nic)| RankSetup {
                nic,
                program: Script(s.into_iter()),
                communicators: Vec::new(),
            })
            .collect();
        layer.add_job(job, start, ranks).unwrap();
    }
    assert_eq!(layer.add_job(2, 0, Vec::new()), Err(SetupError::NoRanks));
    assert!(!layer.finished());
    finish(&mut layer, &mut network());
    let reports = reports(&layer);
    assert_eq!(
        reports.iter().map(|r| (r.job, r.rank, r.node)).collect::<Vec<_>>(),
        [(7, 0, 0), (7, 1, 2), (2, 0, 3), (2, 1, 1)]
    );
    assert_eq!((reports[2].start, reports[3].end), (Some(50_000), Some(51_100)));
    assert_eq!(layer.ranks_ended(), (4, 4));
}

#[test]
fn bad_set_ups_are_refused() {
    let rank = |nic, communicators| RankSetup {
        nic,
        program: Script(Vec::new().into_iter()),
        communicators,
    };
    let mut layer = MpiLayer::new(MpiConfig::default(), Recording::default(), 512);
    layer.add_nic(0);
    let other =
        |context, first, count, me| vec![Communicator::strided(context, first, 1, count, me)];
    assert_eq!(
        layer.add_job(0, 0, vec![rank(1, Vec::new())]),
        Err(SetupError::UnknownNic { rank: 0, nic: 1 })
    );
    let bad = Err(SetupError::BadCommunicator { rank: 0, communicator: 1 });
    assert_eq!(layer.add_job(0, 0, vec![rank(0, other(0, 0, 1, 0))]), bad, "COMM_WORLD's context");
    assert_eq!(
        layer.add_job(0, 0, vec![rank(0, other(1, 0, 2, 0))]),
        bad,
        "a member outside the job"
    );
    assert_eq!(layer.add_job(0, 0, vec![rank(0, other(1, 0, 1, 1))]), bad, "not a member");
    layer.add_job(0, 0, vec![rank(0, other(1, 0, 1, 0))]).unwrap();
    assert_eq!(
        layer.add_job(0, 0, vec![rank(0, Vec::new())]),
        Err(SetupError::JobExists { job: 0 })
    );
}

#[test]
fn ranks_can_share_a_nic() {
    let mut layer = MpiLayer::new(MpiConfig::default(), Recording::default(), 512);
    let nics = [layer.add_nic(0), layer.add_nic(1)];
    let script = vec![
        Op::Collective(0, Call::Alltoall { bytes: 1_000 }),
        Op::Collective(0, Call::Allreduce { bytes: 50_000 }),
    ];
    let ranks = (0..6).map(|r| RankSetup {
        nic: nics[r / 3],
        program: Script(script.clone().into_iter()),
        communicators: Vec::new(),
    });
    layer.add_job(0, 0, ranks.collect()).unwrap();
    network().run(&mut layer, 2, Time::MAX);
    assert!(layer.finished(), "{:#?}", layer.blocked_report());
}

/// A script that gives a summary of its sends.
struct Foreseen(std::vec::IntoIter<Op>);

impl OperationStream for Foreseen {
    fn next(&mut self, _: Time, _: &Outcome) -> Option<Op> {
        self.0.next()
    }
    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        Some(self.0.clone().map(|op| (op, 1)).collect())
    }
}

#[test]
fn progress_is_the_share_of_bytes_that_have_arrived() {
    let scripts = || {
        let collective = Op::Collective(0, Call::Alltoall { bytes: 20_000 });
        [
            vec![
                Op::Send(to(1, 0, 9_000)),
                Op::Irecv(from(0, 1, 5), 0),
                Op::Isend(to(0, 1, 5), 1),
                Op::WAITALL,
                collective.clone(),
            ],
            vec![
                Op::Recv(from(0, 0, 9_000)),
                Op::Compute(1_000_000_000),
                Op::Send(to(2, 0, 0)),
                collective.clone(),
            ],
            vec![Op::Recv(from(1, 0, 9_000)), collective],
        ]
    };
    let mut last = 0.0;
    for end in [0, 100_000, 900_000_000, 1_000_200_000, Time::MAX] {
        let mut layer = MpiLayer::new(MpiConfig::default(), Recording::default(), 512);
        let ranks: Vec<_> = (scripts().into_iter().enumerate())
            .map(|(r, script)| RankSetup {
                nic: layer.add_nic(r as u32),
                program: Foreseen(script.into_iter()),
                communicators: Vec::new(),
            })
            .collect();
        assert_eq!(layer.progress(), None, "nobody does anything");
        layer.add_job(0, 0, ranks).unwrap();
        assert_eq!(layer.progress(), Some(0.0));
        let mut network = network();
        network.run(&mut layer, 3, end);
        let progress = layer.progress().unwrap();
        assert!(progress >= last, "{progress} after {last}");
        last = progress;
        if end == 900_000_000 {
            // 9,000 bytes and rank 0's first request of the alltoall (64 bytes) have arrived. An
            // empty message (64 bytes) and most of six rendezvous messages are still to come.
            assert_eq!(progress, 9_064.0 / (9_000.0 + 64.0 + 6.0 * (20_000.0 + 3.0 * 64.0)));
        }
        if end == Time::MAX {
            assert_eq!(network.bytes, 9_000 + 64 + 6 * (20_000 + 3 * 64));
        }
    }
    assert_eq!(last, 1.0);
    let silent = layer(MpiConfig::default(), vec![vec![Op::Compute(1)]]);
    assert_eq!(silent.progress(), None, "a script cannot tell");
}
