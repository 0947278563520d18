//! Eager and rendezvous protocols, to the picosecond, on an ideal network of 1,000 ps latency and
//! 10 ps per byte.

use pantala_mpi::{EagerCompletion, MessageRecord, MpiConfig, MpiLayer, Op, Protocol};
use pantala_testing::ideal_network::{
    Ideal, Script, finish, from, layer, reports, shared_layer, to,
};

const LATENCY: u64 = 1_000;
const PER_BYTE: u64 = 10;
/// Time of a control message of 64 bytes, from post to arrival.
const CONTROL: u64 = 64 * PER_BYTE + LATENCY;

fn network() -> Ideal {
    Ideal::new(LATENCY, PER_BYTE)
}

fn records(layer: &mut MpiLayer<Script>) -> Vec<MessageRecord> {
    let mut records = Vec::new();
    layer.take_messages(&mut records);
    records
}

#[test]
fn an_eager_send_returns_at_once() {
    let mut layer = layer(
        MpiConfig::default(),
        vec![vec![Op::Send(to(1, 7, 1_000))], vec![Op::Recv(from(0, 7, 1_000))]],
    );
    let end = finish(&mut layer, &mut network());
    assert_eq!(end, 1_000 * PER_BYTE + LATENCY);
    let ranks = reports(&layer);
    assert_eq!((ranks[0].end, ranks[1].end), (Some(0), Some(end)));
    assert_eq!((ranks[0].totals.send, ranks[1].totals.recv), (0, end));
    let record = records(&mut layer)[0];
    assert_eq!((record.posted, record.delivered, record.bytes), (0, end, 1_000));
    assert_eq!((record.source, record.destination, record.tag), (0, 1, 7));
    assert_eq!(record.protocol, Protocol::Eager);
}

#[test]
fn an_eager_send_can_wait_for_its_injection() {
    let config = MpiConfig { eager_completion: EagerCompletion::Injected, ..MpiConfig::default() };
    let script = vec![Op::Send(to(1, 0, 1_200)), Op::Compute(50), Op::Send(to(1, 0, 100))];
    let mut layer =
        layer(config, vec![script, vec![Op::Recv(from(0, 0, 1_200)), Op::Recv(from(0, 0, 100))]]);
    let mut network = network();
    finish(&mut layer, &mut network);
    // Three packets: 512, 512 and 176 bytes. The NIC takes the third when the second has left. Then
    // the rank computes 50 ps while it leaves.
    let taken = 1_024 * PER_BYTE;
    let ranks = reports(&layer);
    assert_eq!(ranks[0].totals.compute, 50);
    let second = network.offered.iter().find(|(_, _, packet)| packet.bytes == 100).unwrap();
    assert_eq!((second.0, second.2.created), (1_200 * PER_BYTE, taken + 50));
    assert_eq!(ranks[0].end, Some(1_200 * PER_BYTE));
    assert_eq!(ranks[0].totals.send, 1_200 * PER_BYTE - 50);
}

#[test]
fn an_injected_send_can_be_the_last_operation() {
    let config = MpiConfig { eager_completion: EagerCompletion::Injected, ..MpiConfig::default() };
    let script = vec![Op::Isend(to(1, 0, 600), 0), Op::Isend(to(1, 1, 600), 1), Op::WAITALL];
    let mut layer =
        layer(config, vec![script, vec![Op::Recv(from(0, 1, 600)), Op::Recv(from(0, 0, 600))]]);
    finish(&mut layer, &mut network());
    assert_eq!(reports(&layer)[0].end, Some((600 + 512) * PER_BYTE));
}

#[test]
fn a_rendezvous_asks_first() {
    let bytes = 20_000;
    let mut layer = layer(
        MpiConfig::default(),
        vec![vec![Op::Send(to(1, 0, bytes))], vec![Op::Recv(from(0, 0, bytes))]],
    );
    let mut network = network();
    let end = finish(&mut layer, &mut network);
    let data = bytes * PER_BYTE + LATENCY;
    let ranks = reports(&layer);
    // Request to send, get, data: the receiver continues. The acknowledgement completes the send.
    assert_eq!(ranks[1].end, Some(2 * CONTROL + data));
    assert_eq!(ranks[0].end, Some(3 * CONTROL + data));
    assert_eq!(end, 3 * CONTROL + data);
    assert_eq!((ranks[0].totals.send, ranks[1].totals.recv), (end, 2 * CONTROL + data));
    let record = records(&mut layer)[0];
    assert_eq!(
        (record.posted, record.delivered, record.protocol),
        (0, 2 * CONTROL + data, Protocol::Rendezvous)
    );
    assert_eq!(network.bytes, bytes + 3 * 64);
    // The packets of a payload are created when the payload enters the NIC's queue, not at the send
    // call.
    let first = network.offered.iter().find(|(_, _, packet)| packet.bytes == 512).unwrap();
    assert_eq!(first.2.created, 2 * CONTROL);
}

#[test]
fn a_rendezvous_waits_for_its_receive() {
    let bytes = 12_001;
    let late = 1_000_000;
    let receiver = vec![Op::Compute(late), Op::Recv(from(0, 0, bytes))];
    let mut layer = layer(MpiConfig::default(), vec![vec![Op::Send(to(1, 0, bytes))], receiver]);
    finish(&mut layer, &mut network());
    let ranks = reports(&layer);
    let data = bytes * PER_BYTE + LATENCY;
    assert_eq!(ranks[1].end, Some(late + CONTROL + data));
    assert_eq!(ranks[0].end, Some(late + 2 * CONTROL + data));
    assert_eq!(ranks[1].totals.recv, CONTROL + data);
    assert_eq!(ranks[1].totals.compute, late);
}

#[test]
fn the_threshold_itself_is_eager() {
    for (bytes, protocol) in [(12_000, Protocol::Eager), (12_001, Protocol::Rendezvous)] {
        let mut layer = layer(
            MpiConfig::default(),
            vec![vec![Op::Send(to(1, 0, bytes))], vec![Op::Recv(from(0, 0, bytes))]],
        );
        finish(&mut layer, &mut network());
        assert_eq!(records(&mut layer)[0].protocol, protocol);
    }
}

#[test]
fn nothing_travels_as_one_packet() {
    let mut layer = layer(
        MpiConfig::default(),
        vec![vec![Op::Send(to(1, 0, 0))], vec![Op::Recv(from(0, 0, 0))]],
    );
    let mut network = network();
    assert_eq!(finish(&mut layer, &mut network), CONTROL);
    assert_eq!((network.packets, network.bytes), (1, 64));
    let ranks = reports(&layer);
    assert_eq!((ranks[1].totals.messages_received, ranks[1].totals.bytes_received), (1, 0));
}

#[test]
fn control_messages_may_be_longer_than_packets() {
    let config = MpiConfig { control_bytes: 1_300, ..MpiConfig::default() };
    let mut layer = layer(config, vec![vec![Op::Send(to(1, 0, 0))], vec![Op::Recv(from(0, 0, 0))]]);
    let mut network = network();
    finish(&mut layer, &mut network);
    assert_eq!(
        network.offered.iter().map(|(_, _, packet)| packet.bytes).collect::<Vec<_>>(),
        [512, 512, 276]
    );
}

#[test]
fn a_queue_is_first_in_first_out() {
    let script = vec![Op::Isend(to(1, 0, 2_000), 0), Op::Isend(to(1, 1, 10), 1), Op::WAITALL];
    let receiver = vec![Op::Recv(from(0, 1, 10)), Op::Recv(from(0, 0, 2_000))];
    let mut layer = layer(MpiConfig::default(), vec![script, receiver]);
    let mut network = network();
    finish(&mut layer, &mut network);
    let sizes: Vec<u32> = network.offered.iter().map(|(_, _, packet)| packet.bytes).collect();
    assert_eq!(sizes, [512, 512, 512, 464, 10]);
    assert!(network.offered.iter().all(|(_, _, packet)| packet.created == 0));
}

#[test]
fn messages_to_oneself_never_touch_the_nic() {
    for bytes in [0, 100, 50_000] {
        let script = vec![
            Op::Irecv(from(0, 3, bytes), 0),
            Op::Send(to(0, 3, bytes)),
            Op::Wait(0),
            Op::Sendrecv(to(0, 1, bytes), from(0, 1, bytes)),
        ];
        let mut layer = layer(MpiConfig::default(), vec![script]);
        let mut network = network();
        assert_eq!(finish(&mut layer, &mut network), 0);
        assert_eq!((network.packets, reports(&layer)[0].totals.bytes_sent), (0, 0));
        assert!(records(&mut layer).is_empty());
        let held = layer.holdings();
        assert_eq!((held.messages, held.receives, held.sends), (0, 0, 0));
    }
}

#[test]
fn both_ways_at_once() {
    let bytes = 30_000;
    let exchange = |peer| vec![Op::Sendrecv(to(peer, 0, bytes), from(peer, 0, bytes))];
    let mut layer = layer(MpiConfig::default(), vec![exchange(1), exchange(0)]);
    finish(&mut layer, &mut network());
    let ranks = reports(&layer);
    assert_eq!(ranks[0].totals, ranks[1].totals);
    assert_eq!(ranks[0].totals.recv, ranks[0].end.unwrap());
}

/// A send through memory has no NIC that its message could leave. It is complete when the message
/// has arrived.
#[test]
fn an_injected_send_through_memory_is_complete_when_it_arrives() {
    let config = MpiConfig {
        eager_completion: EagerCompletion::Injected,
        memory_latency_ps: 700,
        ..MpiConfig::default()
    };
    for one_sided in [false, true] {
        let (bytes, send): (u64, fn(_) -> Op) =
            if one_sided { (50_000, Op::Post) } else { (1_000, Op::Send) };
        let scripts = vec![
            vec![send(to(1, 7, bytes)), Op::Compute(10)],
            vec![Op::Compute(2_000), Op::Recv(from(0, 7, bytes))],
        ];
        let mut layer = shared_layer(config, 2, scripts);
        let end = network().run(&mut layer, 1, u64::MAX);
        assert!(layer.finished(), "{:#?}", layer.blocked_report());
        assert_eq!((end, reports(&layer)[0].end), (2_000, Some(710)));
    }
}

/// A one-sided message is eager at any size. A long one is complete when its last packet has left
/// the queue, and pays no copy.
#[test]
fn a_one_sided_send_is_eager_at_any_size() {
    let config = MpiConfig { send_copy_per_byte_fs: 1_000, ..MpiConfig::default() };
    let bytes = 51_200;
    let mut layer = layer(
        config,
        vec![
            vec![Op::Post(to(1, 7, bytes)), Op::Ipost(to(1, 8, 100), 0), Op::Wait(0)],
            vec![Op::Recv(from(0, 7, bytes)), Op::Recv(from(0, 8, 100))],
        ],
    );
    let end = finish(&mut layer, &mut network());
    // The short message pays its copy while the long one is still on the link.
    assert_eq!(reports(&layer)[0].end, Some((bytes - 512) * PER_BYTE + 100));
    assert_eq!(end, (bytes + 100) * PER_BYTE + LATENCY);
    assert!(records(&mut layer).iter().all(|record| record.protocol == Protocol::Eager));
}
