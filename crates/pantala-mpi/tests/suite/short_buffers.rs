//! Buffers for short messages, to the picosecond, on an ideal network of 1,000 ps latency and 10 ps
//! per byte.

use pantala_engine::Time;
use pantala_mpi::{MessageRecord, MpiConfig, MpiLayer, Op, Progress};
use pantala_testing::ideal_network::{Ideal, Script, firefly, from, layer, to};
use proptest::prelude::*;

const LATENCY: Time = 1_000;
const PER_BYTE: Time = 10;
/// The receiver computes until then.
const LATE: Time = 1_000_000;

/// Short messages of 100 B arrive this long after each other.
const STEP: Time = 100 * PER_BYTE;

fn config(short_buffers: u32, extra_buffers: u32) -> MpiConfig {
    MpiConfig { short_buffers, extra_buffers, ..MpiConfig::default() }
}

/// Runs scripts. Returns the time of arrival of each message, by source and tag.
fn arrivals(config: MpiConfig, scripts: Vec<Vec<Op>>) -> Vec<(u32, i32, Time)> {
    arrivals_over(Ideal::new(LATENCY, PER_BYTE), config, scripts)
}

fn arrivals_over(
    mut network: Ideal,
    config: MpiConfig,
    scripts: Vec<Vec<Op>>,
) -> Vec<(u32, i32, Time)> {
    let nodes = scripts.len() as u32;
    let mut layer: MpiLayer<Script> = layer(config, scripts);
    network.run(&mut layer, nodes, Time::MAX);
    assert_eq!(layer.errors(), []);
    assert!(layer.finished(), "{:#?}", layer.blocked_report());
    let mut records: Vec<MessageRecord> = Vec::new();
    layer.take_messages(&mut records);
    let mut found: Vec<_> = records.iter().map(|r| (r.source, r.tag, r.delivered)).collect();
    found.sort_unstable();
    found
}

fn sends(count: i32, bytes: u64) -> Vec<Op> {
    (0..count).map(|tag| Op::Send(to(1, tag, bytes))).collect()
}

/// A receive of each tag, with 500 ps of computing after each, from [`LATE`] on.
fn late_receives(tags: std::ops::Range<i32>, bytes: u64) -> Vec<Op> {
    let receive = |tag| [Op::Recv(from(0, tag, bytes)), Op::Compute(500)];
    std::iter::once(Op::Compute(LATE)).chain(tags.flat_map(receive)).collect()
}

/// Messages take the buffers of the start. The next one waits in the NIC, and the later ones of its
/// sender behind it, until each receive posts a buffer.
#[test]
fn a_message_without_a_buffer_waits_for_the_next_receive() {
    let scripts = vec![sends(4, 100), late_receives(0..4, 100)];
    let found = arrivals(config(2, 0), scripts.clone());
    let first = STEP + LATENCY;
    assert_eq!(found, [(0, 0, first), (0, 1, first + STEP), (0, 2, LATE), (0, 3, LATE + 500)]);
    let unlimited = arrivals(config(0, 0), scripts);
    assert_eq!(unlimited[3], (0, 3, first + 3 * STEP));
}

/// The messages to a rank share one queue: the next buffer goes to the one that has waited longest.
#[test]
fn the_oldest_blocked_message_takes_the_next_buffer() {
    let first = vec![Op::Send(to(1, 0, 100)), Op::Compute(5 * STEP), Op::Send(to(1, 1, 100))];
    let receiver = vec![
        Op::Compute(LATE),
        Op::Recv(from(0, 0, 100)),
        Op::Compute(500),
        Op::Irecv(from(0, 1, 100), 0),
        Op::Recv(from(2, 2, 100)),
        Op::Wait(0),
    ];
    let second = vec![Op::Compute(2 * STEP), Op::Send(to(1, 2, 100))];
    let found = arrivals(config(1, 0), vec![first, receiver, second]);
    assert_eq!(found, [(0, 0, STEP + LATENCY), (0, 1, LATE + 500), (2, 2, LATE)]);
}

/// A message without a buffer asks for an extra one, here one at most. Each receive pays it back and
/// posts none of its own; then the host posts one for the next request.
#[test]
fn extra_buffers_are_paid_back() {
    let found = arrivals(config(1, 1), vec![sends(4, 100), late_receives(0..4, 100)]);
    let first = STEP + LATENCY;
    assert_eq!(found, [(0, 0, first), (0, 1, first + STEP), (0, 2, LATE), (0, 3, LATE + 500)]);
}

/// With progress in calls the host posts extra buffers only while its rank waits in a call.
#[test]
fn the_host_posts_extra_buffers_in_calls() {
    let config = MpiConfig { progress: Progress::InCalls, ..config(1, 32) };
    let mut receiver = vec![Op::Compute(LATE), Op::Recv(from(0, 2, 100))];
    receiver.extend([Op::Recv(from(0, 0, 100)), Op::Recv(from(0, 1, 100))]);
    let found = arrivals(config, vec![sends(3, 100), receiver]);
    assert_eq!(found, [(0, 0, STEP + LATENCY), (0, 1, LATE), (0, 2, LATE)]);
}

/// At the limit the NIC takes in no packet of any sender. The network does not back up.
#[test]
fn a_full_nic_takes_no_packet() {
    let config = MpiConfig { nic_pending: 3, ..config(1, 0) };
    // One message takes the buffer. Of the next, three of four packets stay in the NIC.
    let first = vec![Op::Send(to(1, 0, 100)), Op::Send(to(1, 1, 2_048))];
    let other = vec![Op::Compute(50 * STEP), Op::Send(to(1, 2, 100))];
    let receiver = vec![
        Op::Compute(LATE),
        Op::Recv(from(0, 0, 100)),
        Op::Recv(from(0, 1, 2_048)),
        Op::Recv(from(2, 2, 100)),
    ];
    let found = arrivals(config, vec![first, receiver, other]);
    assert_eq!(found, [(0, 0, STEP + LATENCY), (0, 1, LATE), (2, 2, LATE)]);
}

/// At most `nic_streams` messages are received at the same time.
#[test]
fn a_message_begins_when_another_is_complete() {
    let config = MpiConfig { nic_streams: 1, ..config(8, 0) };
    let long = vec![Op::Send(to(1, 0, 5_120))];
    let short = vec![Op::Compute(10 * STEP), Op::Send(to(1, 1, 100))];
    let receiver = vec![Op::Recv(from(0, 0, 5_120)), Op::Recv(from(2, 1, 100))];
    let found = arrivals(config, vec![long, receiver, short]);
    let end = 5_120 * PER_BYTE + LATENCY;
    assert_eq!(found, [(0, 0, end), (2, 1, end)]);
}

/// Messages that wait for a buffer count, so many of them keep out the data of a rendezvous.
#[test]
fn messages_without_a_buffer_keep_out_data() {
    let bytes = 10_000;
    let data = |nic_streams| {
        // The request takes a buffer, and its receive posts another one.
        let config = MpiConfig { nic_streams, eager_threshold_bytes: 1_000, ..config(1, 0) };
        let receives = (0..3).map(|tag| Op::Recv(from(0, tag, 100)));
        let receiver = [Op::Irecv(from(2, 9, bytes), 0), Op::Compute(LATE)]
            .into_iter()
            .chain(receives)
            .chain([Op::Wait(0)])
            .collect();
        // A short message takes the other. Two are left, before the data begin to arrive.
        let found =
            arrivals(config, vec![sends(3, 100), receiver, vec![Op::Send(to(1, 9, bytes))]]);
        found[3].2
    };
    assert!(data(3) < LATE / 2, "{}", data(3));
    assert!(data(2) >= LATE, "{}", data(2));
}

/// Packets that overtake each other wait for those before them.
#[test]
fn a_message_is_complete_in_its_turn() {
    let jitter = 50 * STEP as u32;
    let network = || Ideal::reordering(LATENCY, PER_BYTE, jitter, 5);
    let receiver: Vec<Op> = (0..40).map(|tag| Op::Recv(from(0, tag, 2_048))).collect();
    let scripts = vec![sends(40, 2_048), receiver];
    let times = |config| -> Vec<Time> {
        arrivals_over(network(), config, scripts.clone()).iter().map(|found| found.2).collect()
    };
    let (early, ordered) = (times(config(0, 0)), times(config(500, 0)));
    assert!(!early.is_sorted(), "the network reorders messages");
    // Each is there when it and all before it are.
    let mut latest = 0;
    for (time, alone) in ordered.iter().zip(&early) {
        latest = latest.max(*alone);
        assert_eq!(*time, latest);
    }
}

/// A message that its receiver never receives is an error, also if it waits for a buffer.
#[test]
fn a_message_without_a_buffer_is_told_at_the_end() {
    let mut layer = layer(config(1, 0), vec![sends(2, 100), vec![Op::Recv(from(0, 0, 100))]]);
    Ideal::new(LATENCY, PER_BYTE).run(&mut layer, 2, Time::MAX);
    let lines: Vec<String> = layer.errors().iter().map(ToString::to_string).collect();
    assert!(lines[0].ends_with("the message of 100 bytes from rank 0 (tag 1) is never received"));
}

/// A message that waits for a buffer behind messages that are not received is a deadlock, and the
/// diagnosis says so.
#[test]
fn a_deadlock_names_the_messages_without_a_buffer() {
    let receiver = vec![Op::Recv(from(0, 3, 100))];
    let mut layer = layer(config(1, 0), vec![sends(4, 100), receiver]);
    Ideal::new(LATENCY, PER_BYTE).run(&mut layer, 2, Time::MAX);
    let lines: Vec<String> = layer.blocked_report().iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1);
    assert!(
        lines[0].contains(
            "; 2 messages for it in its NIC without a buffer (mpi.short_buffers, mpi.extra_buffers)"
        ),
        "{lines:?}"
    );
}

proptest! {
    #![proptest_config(pantala_testing::cases(200))]

    /// Programs that post all their receives before they wait end with any limits, and get the same
    /// messages.
    #[test]
    fn programs_that_post_their_receives_end(
        messages in prop::collection::vec((0u32..4, 0u32..4, 1u64..4_000, 0u64..9_000), 1..60),
        limits in (1u32..4, 0u32..3, 1u32..4, 1u32..6),
        in_calls: bool,
        jitter in 0u32..100_000,
    ) {
        let (short_buffers, extra_buffers, nic_streams, nic_pending) = limits;
        let base = if in_calls { firefly() } else { MpiConfig::default() };
        let limited = MpiConfig {
            short_buffers, extra_buffers, nic_streams, nic_pending, eager_threshold_bytes: 3_000,
            ..base
        };
        let unlimited = MpiConfig { short_buffers: 0, ..limited };
        let mut scripts = vec![Vec::new(); 4];
        for (tag, (source, destination, bytes, _)) in (0..).zip(&messages) {
            scripts[*destination as usize].push(Op::Irecv(from(*source, tag, *bytes), 2 * tag as u32));
        }
        for (tag, (source, destination, bytes, pause)) in (0..).zip(&messages) {
            let script = &mut scripts[*source as usize];
            script.push(Op::Compute(*pause));
            script.push(Op::Isend(to(*destination, tag, *bytes), 2 * tag as u32 + 1));
        }
        scripts.iter_mut().for_each(|script| script.push(Op::WAITALL));
        let names = |found: Vec<(u32, i32, Time)>| -> Vec<(u32, i32)> {
            found.into_iter().map(|(source, tag, _)| (source, tag)).collect()
        };
        let network = Ideal::reordering(LATENCY, PER_BYTE, jitter, 7);
        let found = arrivals_over(network, limited, scripts.clone());
        // Eager messages between two ranks keep their order: tags rise with time.
        for (source, destination) in (0..4).flat_map(|s| (0..4).map(move |d| (s, d))) {
            let times: Vec<Time> = found
                .iter()
                .filter(|(_, tag, _)| {
                    let (from, to, bytes, _) = messages[*tag as usize];
                    (from, to) == (source, destination) && source != destination && bytes <= 3_000
                })
                .map(|(.., time)| *time)
                .collect();
            prop_assert!(times.is_sorted(), "{source} -> {destination}: {times:?}");
        }
        let other = names(arrivals(unlimited, scripts));
        prop_assert_eq!(names(found), other);
    }
}
