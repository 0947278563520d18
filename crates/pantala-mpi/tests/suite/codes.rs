//! The host of CODES' MPI replay: each message is late by a constant and a time per byte, and no
//! rank and no NIC is busy meanwhile; an injected payload completes a rendezvous.

use pantala_engine::Time;
use pantala_mpi::{
    EagerCompletion, GetService, MpiConfig, NicOrder, Op, Progress, RendezvousCompletion,
};
use pantala_testing::ideal_network::{Ideal, finish, from, layer, reports, shared_layer, to};
use proptest::prelude::*;

const LATENCY: Time = 1_000_000;
const PER_BYTE: Time = 40;
/// A software delay of 2,500 ns, a NIC's delay of 1,000 ns and 10 ns.
const HOST: Time = 3_510_000;
/// The copy of a byte, in fs: 0.55 ns.
const COPY: u64 = 550_000;
/// Bytes of a packet of the ideal network.
const PACKET: u64 = 512;
const CONTROL: Time = HOST + 64 * PER_BYTE + LATENCY;

fn codes() -> MpiConfig {
    MpiConfig {
        eager_threshold_bytes: 8_191,
        eager_completion: EagerCompletion::Injected,
        rendezvous_completion: RendezvousCompletion::Injected,
        host_to_nic_ps: HOST,
        host_to_nic_per_byte_fs: COPY,
        ..MpiConfig::default()
    }
}

/// The time at which an eager message of `bytes`, sent at 0, is in the queue of its NIC.
const fn queued(bytes: u64) -> Time {
    HOST + bytes * COPY / 1_000
}

fn network() -> Ideal {
    Ideal::new(LATENCY, PER_BYTE)
}

/// The ends of the ranks, and the packets that the NICs sent: time, sender and bytes.
fn run(config: MpiConfig, scripts: Vec<Vec<Op>>) -> (Vec<Time>, Vec<(Time, u32, u32)>) {
    let (mut layer, mut network) = (layer(config, scripts), network());
    finish(&mut layer, &mut network);
    let held = layer.holdings();
    assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
    let ends = reports(&layer).iter().map(|report| report.end.unwrap()).collect();
    (
        ends,
        network.offered.iter().map(|(time, node, packet)| (*time, *node, packet.bytes)).collect(),
    )
}

fn pair(bytes: u64) -> Vec<Vec<Op>> {
    vec![vec![Op::Send(to(1, 0, bytes))], vec![Op::Recv(from(0, 0, bytes))]]
}

/// The last packet of a payload leaves the queue when the packets before it have left the NIC.
const fn before_the_last(bytes: u64) -> Time {
    (bytes - 1) / PACKET * PACKET * PER_BYTE
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    /// An eager message takes host + copy b + b B + L. Its send is over when the last packet leaves.
    #[test]
    fn an_eager_message(bytes in 1..8_192_u64) {
        let (ends, packets) = run(codes(), pair(bytes));
        prop_assert_eq!(packets[0].0, queued(bytes));
        prop_assert_eq!(ends, [
            queued(bytes) + before_the_last(bytes),
            queued(bytes) + bytes * PER_BYTE + LATENCY,
        ]);
        let posted = MpiConfig { eager_completion: EagerCompletion::Posted, ..codes() };
        prop_assert_eq!(run(posted, pair(bytes)).0[0], 0, "the rank is not busy");
    }

    /// A rendezvous has a request, an answer and the payload. Each passes the host, none is copied,
    /// and there is no acknowledgement.
    #[test]
    fn a_rendezvous(bytes in 8_192..100_000_u64) {
        let (ends, packets) = run(codes(), pair(bytes));
        let handed = 2 * CONTROL + HOST;
        prop_assert_eq!(ends, [
            handed + before_the_last(bytes),
            handed + bytes * PER_BYTE + LATENCY,
        ]);
        let sent: u64 = packets.iter().map(|(_, _, bytes)| u64::from(*bytes)).sum();
        prop_assert_eq!(sent, bytes + 2 * 64);
    }

    /// The latency of the host is that of each message alone: messages of one size leave one behind
    /// the other as if there were no host. Without the key nothing changes.
    #[test]
    fn messages_do_not_wait_for_each_other(n in 1..6_u32, bytes in 1..8_192_u64) {
        let scripts = || {
            let mut send: Vec<Op> = (0..n).map(|i| Op::Isend(to(1, 0, bytes), i)).collect();
            let mut receive: Vec<Op> = (0..n).map(|i| Op::Irecv(from(0, 0, bytes), i)).collect();
            send.push(Op::WAITALL);
            receive.push(Op::WAITALL);
            vec![send, receive]
        };
        let (ends, _) = run(codes(), scripts());
        prop_assert_eq!(ends[1], queued(bytes) + u64::from(n) * bytes * PER_BYTE + LATENCY);
        let none = MpiConfig { host_to_nic_ps: 0, host_to_nic_per_byte_fs: 0, ..codes() };
        prop_assert_eq!(run(none, scripts()).0[1] + queued(bytes), ends[1]);
    }
}

/// A short message that is sent later is in the queue first. It still matches the second receive.
#[test]
fn a_short_message_passes_a_long_one() {
    let (long, short) = (8_000, 10);
    let send = [Op::Isend(to(1, 0, long), 0), Op::Isend(to(1, 0, short), 1), Op::WAITALL];
    let receive = [Op::Recv(from(0, 0, long)), Op::Compute(77), Op::Recv(from(0, 0, long))];
    let (ends, packets) = run(codes(), vec![send.to_vec(), receive.to_vec()]);
    assert_eq!((packets[0].0, packets[0].2), (queued(short), 10));
    assert_eq!((packets[1].0, packets[1].2), (queued(long), 512));
    assert_eq!(ends[1], queued(long) + long * PER_BYTE + LATENCY + 77);
    // A message that has begun to leave is not overtaken.
    let later = HOST + long * COPY / 1_000 + 1_000 - queued(short);
    let send = [Op::Isend(to(1, 0, long), 0), Op::Compute(later), Op::Send(to(1, 0, short))];
    let (_, packets) = run(codes(), vec![send.to_vec(), receive.to_vec()]);
    assert_eq!(packets.last().unwrap().2, 10);
}

/// A one-sided message above the threshold is eager but not copied.
#[test]
fn a_long_one_sided_message_is_not_copied() {
    let bytes = 51_200;
    let scripts = vec![vec![Op::Post(to(1, 0, bytes))], vec![Op::Recv(from(0, 0, bytes))]];
    assert_eq!(run(codes(), scripts).0[1], HOST + bytes * PER_BYTE + LATENCY);
}

/// Also a NIC with two engines, and a host that makes progress in calls, complete a rendezvous with
/// the last packet of its payload.
#[test]
fn every_nic_and_host_completes_at_injection() {
    let bytes = 51_200;
    let plain = MpiConfig { host_to_nic_ps: 0, host_to_nic_per_byte_fs: 0, ..codes() };
    for nic_order in [NicOrder::Fifo, NicOrder::GetsApart] {
        for progress in [Progress::Independent, Progress::InCalls] {
            for get_service in [GetService::Host, GetService::Nic] {
                let config = MpiConfig { nic_order, progress, get_service, ..plain };
                let scripts = vec![
                    vec![Op::Isend(to(1, 0, bytes), 0), Op::Wait(0), Op::Compute(5)],
                    vec![Op::Irecv(from(0, 0, bytes), 0), Op::Compute(10), Op::Wait(0)],
                ];
                let (ends, packets) = run(config, scripts);
                let asked = 2 * (64 * PER_BYTE + LATENCY);
                let [sent, received] = [before_the_last(bytes) + 5, bytes * PER_BYTE + LATENCY];
                assert_eq!(ends, [asked + sent, asked + received], "{config:?}");
                assert_eq!(packets.len() as u64, 2 + bytes / PACKET);
            }
        }
    }
}

/// Memory has no NIC: request, answer and payload take the latency each, and the send is complete
/// when the payload arrives.
#[test]
fn a_rendezvous_through_memory() {
    let config = MpiConfig { memory_latency_ps: 700, ..codes() };
    let mut layer = shared_layer(config, 2, pair(50_000));
    assert_eq!(network().run(&mut layer, 1, u64::MAX), 2_100);
    let ends: Vec<_> = reports(&layer).iter().map(|report| report.end).collect();
    assert_eq!(ends, [Some(2_100); 2]);
}

/// The peer of a send that is complete may receive long after the sender's program has ended.
#[test]
fn a_sender_may_end_before_the_payload_arrives() {
    let scripts = vec![
        vec![Op::Send(to(1, 0, 9_000)), Op::Send(to(1, 1, 9_000))],
        vec![Op::Recv(from(0, 0, 9_000)), Op::Compute(90_000_000), Op::Recv(from(0, 1, 9_000))],
    ];
    let (ends, _) = run(codes(), scripts);
    assert!(ends[0] < ends[1]);
}
