//! The gaps g and G of LogGP: the rate of message streams, to the picosecond.

use pantala_engine::Time;
use pantala_mpi::{MpiConfig, Op};
use pantala_testing::ideal_network::{Ideal, finish, from, layer, reports, to};
use proptest::prelude::*;

const LATENCY: Time = 1_000;

/// The time at which a stream of `n` messages of `bytes` has been received, on a network of one ps
/// per byte.
fn stream(config: MpiConfig, n: u32, bytes: u64) -> Time {
    let mut send: Vec<Op> = (0..n).map(|i| Op::Isend(to(1, 0, bytes), i)).collect();
    send.push(Op::WAITALL);
    let mut receive: Vec<Op> = (0..n).map(|i| Op::Irecv(from(0, 0, bytes), i)).collect();
    receive.push(Op::WAITALL);
    let mut layer = layer(config, vec![send, receive]);
    finish(&mut layer, &mut Ideal::new(LATENCY, 1));
    reports(&layer)[1].end.unwrap()
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    /// Short messages leave one per g, or at the rate of the link.
    #[test]
    fn messages_by_the_gap(n in 1..20_u32, bytes in 1..513_u64, gap in 0..3_000_u64) {
        let config = MpiConfig { gap_ps: gap, ..MpiConfig::default() };
        let starts = Time::from(n - 1) * gap.max(bytes);
        prop_assert_eq!(stream(config, n, bytes), starts + bytes + LATENCY);
    }

    /// Bytes reach the NIC one per G, slower than the link. A message of k bytes occupies the NIC
    /// for max(g, (k - 1) G), and its last packet leaves with its last byte.
    #[test]
    fn bytes_by_the_gap(n in 1..8_u32, bytes in 1..2_000_u64, gap in 0..3_000_u64, per_byte in 2..9_u64) {
        let config = MpiConfig { gap_ps: gap, gap_per_byte_fs: per_byte * 1_000, ..MpiConfig::default() };
        let fed = (bytes - 1) * per_byte;
        // The link needs a picosecond for each byte of the last packet, and may be busy with the
        // previous message.
        let last = if bytes % 512 == 0 { 512 } else { bytes % 512 };
        let begin = Time::from(n - 1) * fed.max(gap);
        let end = begin + fed + last + LATENCY;
        let found = stream(config, n, bytes);
        // A packet can occupy the link longer than the feed of the next one takes.
        prop_assert!(found >= end && found < end + 512, "{} {}", found, end);
        if last >= 512 || bytes <= 512 && fed >= bytes {
            prop_assert_eq!(found, end);
        }
    }

    /// A feed that is faster than the link costs only the feed of the first packet.
    #[test]
    fn a_faster_feeding_goes_ahead(n in 1..8_u32, packets in 1..5_u64) {
        let config = MpiConfig { gap_per_byte_fs: 500, ..MpiConfig::default() };
        let bytes = packets * 512;
        prop_assert_eq!(stream(config, n, bytes), 256 + Time::from(n) * bytes + LATENCY);
    }
}

/// Control messages use the same NIC. A receiver's answers to many requests leave one per g.
#[test]
fn control_messages_keep_the_gap() {
    let (gap, bytes) = (10_000, 20_000);
    let config = MpiConfig { gap_ps: gap, ..MpiConfig::default() };
    let mut layer = layer(
        config,
        vec![
            vec![Op::Irecv(from(1, 0, bytes), 0), Op::Irecv(from(2, 0, bytes), 1), Op::WAITALL],
            vec![Op::Send(to(0, 0, bytes))],
            vec![Op::Send(to(0, 0, bytes))],
        ],
    );
    let mut network = Ideal::new(LATENCY, 1);
    finish(&mut layer, &mut network);
    let answers: Vec<Time> =
        network.offered.iter().filter(|(_, node, _)| *node == 0).map(|(time, ..)| *time).collect();
    let asked = 64 + LATENCY;
    assert_eq!(answers[..2], [asked, asked + gap]);
}
