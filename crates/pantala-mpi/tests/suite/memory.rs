//! Several ranks per node: messages through memory, one shared NIC.

use pantala_engine::{Time, transfer_time};
use pantala_mpi::{
    COMM_WORLD, Call, GetService, MessageRecord, MpiConfig, MpiLayer, NicOrder, Op,
    OperationStream, Progress, Protocol, ReceiveRegistration, TagSelect,
};
use pantala_testing::ideal_network::{
    Ideal, finish, from, from_any, layer, reports, shared_layer, to,
};
use proptest::prelude::*;

const LATENCY: Time = 1_000_000;
const PER_BYTE: Time = 40;

fn network() -> Ideal {
    Ideal::new(LATENCY, PER_BYTE)
}

/// Runs a layer of `nodes` nodes until nothing happens any more.
fn run<P: OperationStream>(layer: &mut MpiLayer<P>, nodes: u32) -> Ideal {
    let mut network = network();
    network.run(layer, nodes, Time::MAX);
    assert_eq!(layer.errors(), []);
    assert!(layer.finished(), "{:#?}", layer.blocked_report());
    network
}

fn ends(config: MpiConfig, per_node: u32, scripts: Vec<Vec<Op>>) -> Vec<Time> {
    let nodes = (scripts.len() as u32).div_ceil(per_node);
    let mut layer = shared_layer(config, per_node, scripts);
    run(&mut layer, nodes);
    reports(&layer).iter().map(|report| report.end.unwrap()).collect()
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    /// An eager message pays overheads and copies as usual, and the latency and bandwidth of memory
    /// in between. By rendezvous, request, answer, data and acknowledgement each take the latency.
    /// Memory needs no registration.
    #[test]
    fn one_message(bytes in 0..30_000_u64, latency in 0..100_000_u64, bandwidth in 1_000_000_000..50_000_000_000_u64) {
        let config = MpiConfig {
            memory_latency_ps: latency,
            memory_bandwidth_bytes_per_s: bandwidth,
            send_overhead_ps: 300,
            receive_overhead_ps: 500,
            send_copy_per_byte_fs: 1_000,
            receive_copy_per_byte_fs: 1_000,
            match_delay_ps: 70,
            registration_ps: 1_000_000_000,
            host_to_nic_ps: 1_000_000_000,
            nic_to_host_ps: 1_000_000_000,
            gap_ps: 1_000_000_000,
            ..MpiConfig::default()
        };
        let ends = ends(config, 2, vec![vec![Op::Send(to(1, 0, bytes))], vec![Op::Recv(from(0, 0, bytes))]]);
        let data = latency + transfer_time(bytes, bandwidth);
        if bytes <= 12_000 {
            prop_assert_eq!(ends, [300 + bytes, 300 + bytes + data + 70 + bytes + 500]);
        } else {
            let there = 300 + latency + 70 + latency + data;
            prop_assert_eq!(ends, [there + latency, there + 500]);
        }
    }

    /// The later and shorter of two messages overtakes the first, but is received after it.
    #[test]
    fn order(first in 1..12_000_u64, second in 0..12_000_u64) {
        let config = MpiConfig { memory_bandwidth_bytes_per_s: 1_000_000_000, ..MpiConfig::default() };
        let send = vec![Op::Send(to(1, 1, first)), Op::Send(to(1, 2, second))];
        let any = || Op::Recv(from_any(TagSelect::Any, 20_000));
        let mut layer = shared_layer(config, 2, vec![send, vec![any(), any()]]);
        run(&mut layer, 1);
        prop_assert_eq!(reports(&layer)[1].end, Some(first.max(second) * 1_000));
    }
}

/// None of their bytes are on the network, but they count as messages.
#[test]
fn nothing_is_on_the_network() {
    let pair = |peer, bytes| {
        vec![Op::Isend(to(peer, 0, bytes), 0), Op::Recv(from(peer, 0, bytes)), Op::Wait(0)]
    };
    for (bytes, protocol) in [(100, Protocol::Eager), (50_000, Protocol::Rendezvous)] {
        let mut layer = shared_layer(MpiConfig::default(), 2, vec![pair(1, bytes), pair(0, bytes)]);
        assert_eq!(run(&mut layer, 1).packets, 0);
        let mut records: Vec<MessageRecord> = Vec::new();
        layer.take_messages(&mut records);
        assert_eq!(
            records.iter().map(|r| (r.protocol, r.bytes)).collect::<Vec<_>>(),
            [(protocol, bytes); 2]
        );
        assert!(
            reports(&layer)
                .iter()
                .all(|r| (r.totals.messages_sent, r.totals.bytes_received) == (1, bytes))
        );
        let held = layer.holdings();
        assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
    }
}

/// A synchronous send returns when a receive has matched, through memory as on the network.
#[test]
fn a_synchronous_send_waits() {
    let ends = ends(
        MpiConfig::default(),
        2,
        vec![vec![Op::Ssend(to(1, 0, 8))], vec![Op::Compute(5_000), Op::Recv(from(0, 0, 8))]],
    );
    assert_eq!(ends, [5_000; 2]);
}

/// A rank's messages to itself also take the time of memory.
#[test]
fn to_itself() {
    let config = MpiConfig {
        memory_latency_ps: 40,
        memory_bandwidth_bytes_per_s: 1_000_000_000,
        ..MpiConfig::default()
    };
    for bytes in [100, 20_000] {
        let script = vec![Op::Isend(to(0, 0, bytes), 0), Op::Recv(from(0, 0, bytes)), Op::Wait(0)];
        assert_eq!(ends(config, 1, vec![script]), [40 + bytes * 1_000]);
    }
}

/// The ranks of a node share its NIC. Their messages leave in the order of their handover.
#[test]
fn one_nic() {
    let bytes = 500;
    let scripts = vec![
        vec![Op::Compute(10), Op::Send(to(2, 0, bytes))],
        vec![Op::Send(to(2, 0, bytes))],
        vec![Op::Recv(from(0, 0, bytes))],
        vec![],
    ];
    let mut scripts_of_both = scripts;
    scripts_of_both[2].push(Op::Recv(from(1, 0, bytes)));
    let mut layer = shared_layer(MpiConfig::default(), 2, scripts_of_both);
    let network = run(&mut layer, 2);
    let offers: Vec<(Time, Time)> =
        network.offered.iter().map(|(time, _, packet)| (*time, packet.created)).collect();
    assert_eq!(offers, [(0, 0), (bytes * PER_BYTE, 10)]);
    assert_eq!(reports(&layer)[2].end, Some(2 * bytes * PER_BYTE + LATENCY));
    // A rank that is busy with a long copy does not delay the other.
    let config = MpiConfig {
        send_copy_per_byte_fs: 1_000_000,
        receive_copy_per_byte_fs: 1_000_000,
        ..MpiConfig::default()
    };
    let scripts = vec![
        vec![Op::Send(to(2, 0, 500))],
        vec![Op::Send(to(2, 0, 5))],
        vec![Op::Recv(from(1, 0, 5)), Op::Recv(from(0, 0, 500))],
        vec![],
    ];
    let mut layer = shared_layer(config, 2, scripts);
    let offers: Vec<u32> =
        run(&mut layer, 2).offered.iter().map(|(_, _, packet)| packet.bytes).collect();
    assert_eq!(offers, [5, 500]);
}

/// Collectives give the same result if ranks share nodes. Fewer bytes are on the network, and none
/// are lost.
#[test]
fn collectives() {
    let calls = || {
        vec![
            Op::Collective(COMM_WORLD, Call::Allreduce { bytes: 8 }),
            Op::Collective(COMM_WORLD, Call::Alltoall { bytes: 20_000 }),
        ]
    };
    let whole = |config, per_node: u32| {
        let mut layer = shared_layer(config, per_node, vec![calls(); 12]);
        let network = run(&mut layer, 12_u32.div_ceil(per_node));
        let sent: u64 = reports(&layer).iter().map(|report| report.totals.bytes_sent).sum();
        let received: u64 = reports(&layer).iter().map(|report| report.totals.bytes_received).sum();
        assert_eq!(sent, received);
        (network.bytes, sent)
    };
    let (alone, sent) = whole(MpiConfig::default(), 1);
    for per_node in [2, 5, 12] {
        let config = MpiConfig { memory_latency_ps: 7, ..MpiConfig::default() };
        let (bytes, the_same) = whole(config, per_node);
        assert!(bytes < alone && (bytes == 0) == (per_node == 12), "{per_node}: {bytes}");
        assert_eq!(the_same, sent);
    }
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    /// For all costs, all numbers of ranks per node and all orders of packets: everything is
    /// received in order, nothing remains, and a second run is equal.
    #[test]
    fn everything_at_once(
        costs in prop::collection::vec(prop_oneof![Just(0), 0..100_000_u64], 11),
        per_node in 1..7_u32,
        habits: [bool; 4],
        seed in 0..1_000_u64,
    ) {
        let [in_calls, posted, by_nic, apart] = habits;
        let config = MpiConfig {
            send_overhead_ps: costs[0],
            receive_overhead_ps: costs[1],
            gap_ps: if apart { 0 } else { costs[2] },
            gap_per_byte_fs: if apart { 0 } else { costs[3] },
            nic_read_ps: costs[2],
            nic_transmit_ps: costs[3],
            nic_match_ps: costs[4],
            deregistration_ps: costs[5],
            match_per_entry_ps: costs[6],
            progress: if in_calls { Progress::InCalls } else { Progress::Independent },
            receive_registration: if posted { ReceiveRegistration::Posted } else { ReceiveRegistration::Matched },
            get_service: if by_nic { GetService::Nic } else { GetService::Host },
            nic_order: if apart { NicOrder::GetsApart } else { NicOrder::Fifo },
            call_overhead_ps: costs[4],
            send_copy_per_byte_fs: costs[5],
            receive_copy_per_byte_fs: costs[5],
            registration_ps: costs[6],
            match_delay_ps: costs[7],
            host_to_nic_ps: costs[8],
            nic_to_host_ps: costs[9],
            memory_latency_ps: costs[10],
            memory_bandwidth_bytes_per_s: 3_000_000_000,
            ..MpiConfig::default()
        };
        let ranks = 6;
        let script = |me: u32| {
            let (left, right) = ((me + ranks - 1) % ranks, (me + 1) % ranks);
            let sizes = [20, 30_000, 0, 9_000, 700];
            let mut script = vec![Op::Icollective(COMM_WORLD, Call::Allreduce { bytes: 3_000 }, 90)];
            script.extend((0..).zip(sizes).map(|(i, bytes)| Op::Isend(to(right, 1, bytes), i)));
            // A receive is too small for a later message, so it would fail if order were lost.
            script.extend(sizes.map(|bytes| Op::Recv(from(left, 1, bytes))));
            script.extend([Op::Compute(5_000), Op::WAITALL]);
            script.push(Op::Collective(COMM_WORLD, Call::Alltoall { bytes: 13_000 }));
            script.extend([Op::Issend(to(me, 2, 5), 0), Op::Recv(from(me, 2, 5)), Op::Wait(0)]);
            script
        };
        let nodes = ranks.div_ceil(per_node);
        let once = || {
            let mut layer = shared_layer(config, per_node, (0..ranks).map(script).collect());
            Ideal::reordering(LATENCY, PER_BYTE, 5_000_000, seed).run(&mut layer, nodes, Time::MAX);
            assert_eq!(layer.errors(), []);
            assert!(layer.finished(), "{:#?}", layer.blocked_report());
            let held = layer.holdings();
            assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
            reports(&layer)
        };
        let reports = once();
        for report in &reports {
            let totals = report.totals;
            prop_assert_eq!(report.end.unwrap(), totals.compute + totals.communication());
        }
        prop_assert_eq!(&reports, &once());
    }
}

/// The diagnosis also covers two ranks of one node that wait for each other.
#[test]
fn deadlocks_are_told() {
    let script = |peer| vec![Op::Send(to(peer, 3, 20_000)), Op::Recv(from(peer, 3, 20_000))];
    let mut layer = shared_layer(MpiConfig::default(), 2, vec![script(1), script(0)]);
    network().run(&mut layer, 1, Time::MAX);
    let told: Vec<String> = layer.blocked_report().iter().map(ToString::to_string).collect();
    assert_eq!(
        told[0],
        "job 0 rank 0 is blocked in send since 0 ps: 20000 bytes to rank 1, tag 3, no receive matches"
    );
    assert_eq!(told.len(), 2);
}

/// With one rank per node, this driver and the driver of the other tests agree.
#[test]
fn one_rank_a_node() {
    let scripts = || vec![vec![Op::Collective(COMM_WORLD, Call::Allgather { bytes: 700 })]; 6];
    let mut usual = layer(MpiConfig::default(), scripts());
    let end = finish(&mut usual, &mut network());
    assert_eq!(ends(MpiConfig::default(), 1, scripts()).into_iter().max(), Some(end));
}
