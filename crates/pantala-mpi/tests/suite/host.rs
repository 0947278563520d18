//! The costs of messages on hosts: closed forms, to the picosecond.

use pantala_engine::{Time, time_per_byte};
use pantala_mpi::{COMM_WORLD, Call, MpiConfig, Op};
use pantala_testing::ideal_network::{Ideal, finish, from, iteration, layer, reports, to};
use proptest::prelude::*;

const LATENCY: Time = 1_000_000;
const PER_BYTE: Time = 40;
const CONTROL: u64 = 64;

/// The values of SST's SC22 fork.
fn sst() -> MpiConfig {
    MpiConfig {
        call_overhead_ps: 30_000,
        send_overhead_ps: 13_000,
        receive_overhead_ps: 10_000,
        send_copy_per_byte_fs: 344_000,
        receive_copy_per_byte_fs: 344_000,
        registration_ps: 300_000,
        registration_per_page_ps: 10_000,
        match_delay_ps: 15_000,
        host_to_nic_ps: 10_000,
        nic_to_host_ps: 15_000,
        ..MpiConfig::default()
    }
}

/// A network that is slower than any host here, so that receives are posted before messages arrive.
fn network() -> Ideal {
    Ideal::new(LATENCY, PER_BYTE)
}

/// The end times of the ranks of these scripts. Their accounts must add up.
fn ends(config: MpiConfig, scripts: Vec<Vec<Op>>) -> Vec<Time> {
    let mut layer = layer(config, scripts);
    finish(&mut layer, &mut network());
    let reports = reports(&layer);
    for report in &reports {
        let totals = report.totals;
        assert_eq!(
            report.end.unwrap() - report.start.unwrap(),
            totals.compute + totals.communication()
        );
    }
    reports.iter().map(|report| report.end.unwrap()).collect()
}

/// Time from the call of a send to the message's arrival at its receiver, and to the return of the
/// sender's call. The receive is already posted.
fn one_way(c: &MpiConfig, bytes: u64) -> (Time, Time) {
    let cross = |size: u64| c.host_to_nic_ps + size * PER_BYTE + LATENCY + c.nic_to_host_ps;
    let copy = time_per_byte(bytes, c.send_copy_per_byte_fs);
    let start = c.call_overhead_ps + c.send_overhead_ps;
    let finish = c.receive_overhead_ps + c.call_overhead_ps;
    if bytes <= c.eager_threshold_bytes {
        let there = start + copy + cross(if bytes == 0 { CONTROL } else { bytes });
        return (there + c.match_delay_ps + copy + finish, start + copy + c.call_overhead_ps);
    }
    let pages = if bytes > 4_096 { bytes / 4_096 } else { 0 };
    let registration = c.registration_ps + pages * c.registration_per_page_ps;
    let there = start
        + registration
        + cross(CONTROL)
        + c.match_delay_ps
        + registration
        + cross(CONTROL)
        + cross(bytes);
    (there + finish, there + cross(CONTROL) + c.call_overhead_ps)
}

/// SST's values, written out: 1,000 B eager, 20,000 B by rendezvous (four whole pages).
#[test]
fn the_numbers_of_sst() {
    let eager = 30_000
        + 13_000
        + 344_000
        + (10_000 + 40_000 + 1_000_000 + 15_000)
        + 15_000
        + 344_000
        + 10_000
        + 30_000;
    assert_eq!(one_way(&sst(), 1_000).0, eager);
    assert_eq!(
        ends(sst(), vec![vec![Op::Send(to(1, 0, 1_000))], vec![Op::Recv(from(0, 0, 1_000))]])[1],
        eager
    );
    let control = 10_000 + 2_560 + 1_000_000 + 15_000;
    let data = 10_000 + 800_000 + 1_000_000 + 15_000;
    let long =
        30_000 + 13_000 + 340_000 + control + 15_000 + 340_000 + control + data + 10_000 + 30_000;
    let ends =
        ends(sst(), vec![vec![Op::Send(to(1, 0, 20_000))], vec![Op::Recv(from(0, 0, 20_000))]]);
    assert_eq!(ends, [long - 10_000 + control, long]);
}

fn any_config() -> impl Strategy<Value = MpiConfig> {
    let time = || prop_oneof![Just(0), 0..50_000_u64];
    let overheads = (time(), time(), time(), time(), time());
    let host = (prop_oneof![Just(0), 0..400_000_u64], time(), time(), time(), 0..20_000_u64);
    (overheads, host).prop_map(
        |((call, send, receive, matching, page), (copy, registration, there, back, threshold))| {
            MpiConfig {
                eager_threshold_bytes: threshold,
                call_overhead_ps: call,
                send_overhead_ps: send,
                receive_overhead_ps: receive,
                match_delay_ps: matching,
                send_copy_per_byte_fs: copy,
                receive_copy_per_byte_fs: copy,
                registration_ps: registration,
                registration_per_page_ps: page,
                host_to_nic_ps: there,
                nic_to_host_ps: back,
                ..MpiConfig::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    /// A ping-pong takes the sum of all terms, there and back, times the number of rounds; blocking
    /// and non-blocking.
    #[test]
    fn ping_pong(config in any_config(), bytes in 0..20_000_u64, rounds in 1..4_usize) {
        let (send, recv) = (|peer| Op::Send(to(peer, 0, bytes)), |peer| Op::Recv(from(peer, 0, bytes)));
        let repeat = |ops: [Op; 2]| (0..rounds).flat_map(|_| ops.clone()).collect::<Vec<_>>();
        let (ping, pong) = (repeat([send(1), recv(1)]), repeat([recv(0), send(0)]));
        let (leg, sent) = one_way(&config, bytes);
        let ends = self::ends(config, vec![ping, pong]);
        // The request of a rendezvous may wait for the previous acknowledgement.
        let pages = if bytes > 4_096 { bytes / 4_096 } else { 0 };
        let registration = config.registration_ps + pages * config.registration_per_page_ps;
        let between = config.receive_overhead_ps + 2 * config.call_overhead_ps + config.send_overhead_ps + registration;
        let eager = bytes <= config.eager_threshold_bytes;
        let wait = if eager { 0 } else { (CONTROL * PER_BYTE).saturating_sub(between) };
        let turns = 2 * rounds as Time - 1;
        prop_assert_eq!(&ends, &[leg * (turns + 1) + wait * turns, (leg + wait) * turns + sent]);
        // One way, non-blocking: the time of the calls overlaps with the message.
        let isend = vec![Op::Isend(to(1, 0, bytes), 0), Op::Wait(0)];
        let irecv = vec![Op::Irecv(from(0, 0, bytes), 0), Op::Wait(0)];
        let alone = self::ends(config, vec![isend, irecv]);
        let sent = sent + if bytes <= config.eager_threshold_bytes { 2 * config.call_overhead_ps } else { 0 };
        prop_assert_eq!(alone, vec![sent, leg]);
    }

    /// A message that arrives before its receive costs only the receiver's work.
    #[test]
    fn unexpected(config in any_config(), bytes in 1..12_000_u64) {
        let late = 1_000_000_000;
        let config = MpiConfig { eager_threshold_bytes: 12_000, ..config };
        let script = vec![Op::Compute(late), Op::Recv(from(0, 0, bytes))];
        let ends = ends(config, vec![vec![Op::Send(to(1, 0, bytes))], script]);
        let work = config.match_delay_ps + time_per_byte(bytes, config.send_copy_per_byte_fs) + config.receive_overhead_ps;
        prop_assert_eq!(ends[1], late + work + 2 * config.call_overhead_ps);
    }
}

/// Several messages are copied one after the other, at both ends, each when it is there.
#[test]
fn copies_take_turns() {
    let config = MpiConfig {
        send_copy_per_byte_fs: 1_000_000,
        receive_copy_per_byte_fs: 1_000_000,
        ..MpiConfig::default()
    };
    let (n, bytes) = (4, 500);
    let mut send: Vec<Op> = (0..n).map(|i| Op::Isend(to(1, 0, bytes), i)).collect();
    send.push(Op::WAITALL);
    let mut receive: Vec<Op> = (0..n).map(|i| Op::Irecv(from(0, 0, bytes), i)).collect();
    receive.push(Op::WAITALL);
    let copies = Time::from(n) * bytes * 1_000;
    assert_eq!(
        ends(config, vec![send, receive]),
        [copies, bytes * 1_000 + bytes * PER_BYTE + LATENCY + copies]
    );
}

/// Compute lies between two calls. The call pays for entry and return, compute does not.
#[test]
fn calls_cost_and_computing_does_not() {
    let config = MpiConfig { call_overhead_ps: 7, ..MpiConfig::default() };
    let script = vec![
        Op::Compute(100),
        iteration(0),
        Op::Collective(COMM_WORLD, Call::Barrier),
        Op::IterationEnd,
    ];
    let mut layer = layer(config, vec![script]);
    finish(&mut layer, &mut network());
    let report = reports(&layer)[0];
    assert_eq!((report.end, report.totals.compute, report.totals.collective), (Some(114), 100, 14));
}

/// In the background the costs are delays. A bcast between two ranks costs a copy at the root, and
/// matching and a copy at the other rank.
#[test]
fn the_background_waits_and_keeps_nobody_busy() {
    let config = MpiConfig { call_overhead_ps: 0, ..sst() };
    let bytes = 1_000;
    let script = |compute| {
        vec![
            Op::Icollective(COMM_WORLD, Call::Bcast { root: 0, bytes }, 0),
            Op::Compute(compute),
            Op::Wait(0),
        ]
    };
    let there = 344_000 + (10_000 + 40_000 + 1_000_000 + 15_000) + 15_000 + 344_000;
    assert_eq!(ends(config, vec![script(0); 2])[1], there);
    assert_eq!(ends(config, vec![script(there + 1); 2]), [there + 1; 2]);
}

/// A message of a rank to itself costs as much as any message, except for the network.
#[test]
fn to_itself() {
    let bytes = 1_000;
    let script = vec![Op::Isend(to(0, 0, bytes), 0), Op::Recv(from(0, 0, bytes)), Op::Wait(0)];
    let calls = 6 * 30_000;
    assert_eq!(ends(sst(), vec![script]), [calls + 13_000 + 344_000 + 15_000 + 344_000 + 10_000]);
}
