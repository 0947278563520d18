//! Order and wildcards on networks that reorder packets.

use pantala_mpi::{Call, Communicator, Incoming, MpiConfig, Op, Outgoing, Source, TagSelect};
use pantala_testing::ideal_network::{
    Ideal, finish, firefly, from, from_any, layer, layer_with, reports, to,
};
use proptest::prelude::*;

#[test]
fn any_source_takes_what_comes_first() {
    let scripts = vec![
        vec![Op::Recv(from_any(TagSelect::Any, 300)), Op::Recv(from_any(TagSelect::Is(5), 300))],
        vec![Op::Compute(10_000), Op::Send(to(0, 4, 100))],
        vec![Op::Compute(90_000), Op::Send(to(0, 5, 200))],
    ];
    let mut layer = layer(MpiConfig::default(), scripts);
    finish(&mut layer, &mut Ideal::new(1_000, 10));
    // 10,000 + 1,000 + 1,000, then 90,000 + 2,000 + 1,000.
    assert_eq!(reports(&layer)[0].end, Some(93_000));
}

#[test]
fn tags_choose() {
    // Tag 2 is received first although tag 1 was sent first. Tag 1 waits as an unexpected message.
    let scripts = vec![
        vec![Op::Send(to(1, 1, 100)), Op::Send(to(1, 2, 50))],
        vec![Op::Recv(from(0, 2, 50)), Op::Recv(from(0, 1, 100))],
    ];
    let mut layer = layer(MpiConfig::default(), scripts);
    finish(&mut layer, &mut Ideal::new(0, 10));
    let report = reports(&layer)[1];
    assert_eq!((report.end, report.totals.recv), (Some(1_500), 1_500));
}

#[test]
fn communicators_do_not_mix() {
    let pair = |context| move |r: u32| Communicator::strided(context, 0, 1, 2, r);
    let on = |communicator, bytes| {
        (
            Outgoing { communicator, destination: 1, tag: 0, bytes },
            Incoming { communicator, source: Source::Rank(0), tag: TagSelect::Is(0), bytes },
        )
    };
    let ((out_a, in_a), (out_b, in_b)) = (on(1, 700), on(2, 300));
    let scripts =
        vec![vec![Op::Send(out_a), Op::Send(out_b)], vec![Op::Recv(in_b), Op::Recv(in_a)]];
    let mut layer = layer_with(MpiConfig::default(), scripts, |r| vec![pair(1)(r), pair(2)(r)]);
    // The sizes are exact, so a match across communicators would truncate.
    finish(&mut layer, &mut Ideal::new(1_000, 10));
}

#[test]
fn collectives_do_not_take_user_messages() {
    let scripts = vec![
        vec![
            Op::Isend(to(1, 0, 8), 0),
            Op::Collective(0, Call::Allreduce { bytes: 8 }),
            Op::Wait(0),
        ],
        vec![
            Op::Irecv(from_any(TagSelect::Any, 8), 0),
            Op::Collective(0, Call::Allreduce { bytes: 8 }),
            Op::Wait(0),
        ],
    ];
    let mut layer = layer(MpiConfig::default(), scripts);
    finish(&mut layer, &mut Ideal::new(1_000, 10));
}

/// Messages 0, 1, 2, ... of one tag have different sizes. Each receive has room for its own message
/// only, and a longer one would be an error. So a run without errors and with the right totals has
/// matched in order.
fn in_order(sizes: &[u64], threshold: u64, seed: u64, any: bool, nonblocking: bool) {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    let config = MpiConfig { eager_threshold_bytes: threshold, ..MpiConfig::default() };
    let incoming = |bytes| {
        if any { from_any(TagSelect::Any, bytes) } else { from(0, 0, bytes) }
    };
    let mut sender: Vec<Op> =
        sizes.iter().enumerate().map(|(i, b)| Op::Isend(to(1, 0, *b), i as u32)).collect();
    sender.push(Op::WAITALL);
    let mut receiver: Vec<Op> = Vec::new();
    for (i, bytes) in sizes.iter().enumerate() {
        receiver.push(if nonblocking {
            Op::Irecv(incoming(*bytes), i as u32)
        } else {
            Op::Recv(incoming(*bytes))
        });
    }
    receiver.push(Op::WAITALL);
    let mut layer = layer(config, vec![sender, receiver]);
    finish(&mut layer, &mut Ideal::reordering(100, 1, 1_000_000, seed));
    let report = reports(&layer)[1].totals;
    assert_eq!(
        (report.messages_received, report.bytes_received),
        (sizes.len() as u64, sizes.iter().sum())
    );
    let held = layer.holdings();
    assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
}

proptest! {
    #![proptest_config(pantala_testing::cases(200))]

    /// Messages of one source never overtake each other, however the network reorders their
    /// packets.
    #[test]
    fn messages_do_not_overtake(
        sizes in proptest::collection::vec(0u64..5_000, 1..40),
        threshold in 0u64..5_000, seed: u64, any: bool, nonblocking: bool,
    ) {
        in_order(&sizes, threshold, seed, any, nonblocking);
    }

    /// Every rank sends to every rank with random sizes and tags on a reordering network. All
    /// messages are received, and nothing remains.
    #[test]
    fn random_exchanges_complete(
        ranks in 2u32..9, rounds in 1u32..6, seed: u64, threshold in 0u64..3_000, wildcard: bool, injected: bool, in_calls: bool,
    ) {
        // A receive from any source may take a message of the next round. With progress in calls a
        // message of a rank to itself is no earlier than others, and would wait for ever.
        let wildcard = wildcard && !in_calls;
        let mut stream = pantala_engine::Stream::new(seed, 1, 1);
        let mut scripts = vec![Vec::new(); ranks as usize];
        let mut sent = vec![0u64; ranks as usize];
        for _ in 0..rounds {
            let mut request = vec![0u32; ranks as usize];
            for from_rank in 0..ranks {
                for to_rank in 0..ranks {
                    let (bytes, tag) = (u64::from(stream.below(4_000)), stream.below(3) as i32);
                    let incoming = if wildcard { from_any(TagSelect::Any, 4_000) } else { from(from_rank, tag, bytes) };
                    for (rank, op) in [(to_rank, Op::Irecv(incoming, 0)), (from_rank, Op::Isend(to(to_rank, tag, bytes), 0))] {
                        let slot = &mut request[rank as usize];
                        scripts[rank as usize].push(match op {
                            Op::Irecv(i, _) => Op::Irecv(i, *slot),
                            Op::Isend(o, _) => Op::Isend(o, *slot),
                            other => other,
                        });
                        *slot += 1;
                    }
                    if from_rank != to_rank {
                        sent[from_rank as usize] += bytes;
                    }
                }
            }
            for script in &mut scripts {
                script.push(Op::WAITALL);
            }
        }
        let completion = if injected { pantala_mpi::EagerCompletion::Injected } else { pantala_mpi::EagerCompletion::Posted };
        let stack = if in_calls { firefly() } else { MpiConfig::default() };
        let config = MpiConfig { eager_threshold_bytes: threshold, eager_completion: completion, ..stack };
        let mut layer = layer(config, scripts);
        finish(&mut layer, &mut Ideal::reordering(50, 1, 20_000, seed));
        let reports = reports(&layer);
        for (report, sent) in reports.iter().zip(&sent) {
            prop_assert_eq!(report.totals.bytes_sent, *sent);
            let time = report.end.unwrap() - report.start.unwrap();
            prop_assert_eq!(time, report.totals.compute + report.totals.communication());
        }
        let total: u64 = sent.iter().sum();
        prop_assert_eq!(reports.iter().map(|r| r.totals.bytes_received).sum::<u64>(), total);
        let held = layer.holdings();
        prop_assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
    }
}
