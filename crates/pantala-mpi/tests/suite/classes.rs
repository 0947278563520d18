//! Traffic classes: packets of all-to-all collectives have a class of their own, for every
//! protocol.

use pantala_fabric::TrafficClass;
use pantala_mpi::collectives::{CollectiveKind, Exchange};
use pantala_mpi::{COMM_WORLD, Call, MpiConfig, Op};
use pantala_testing::ideal_network::{Ideal, finish, from, layer, to};

/// Bytes offered per class (point-to-point, all-to-all), and the number of packets, of four ranks
/// that each execute `operation`.
fn offered(
    operation: impl Fn(u32) -> Vec<Op>,
) -> ([u64; TrafficClass::COUNT], [usize; TrafficClass::COUNT]) {
    let mut layer = layer(MpiConfig::default(), (0..4).map(operation).collect());
    let mut network = Ideal::new(1_000, 10);
    finish(&mut layer, &mut network);
    let (mut bytes, mut packets) = ([0; TrafficClass::COUNT], [0; TrafficClass::COUNT]);
    for (_, _, packet) in &network.offered {
        bytes[packet.class as usize] += u64::from(packet.bytes);
        packets[packet.class as usize] += 1;
    }
    (bytes, packets)
}

/// The class covers eager and rendezvous messages, payload and control.
#[test]
fn all_to_all_is_a_class_of_its_own() {
    for (bytes, control) in [(1_000, 0), (50_000, 3 * 64)] {
        let (offered, packets) =
            offered(|_| vec![Op::Collective(COMM_WORLD, Call::Alltoall { bytes })]);
        assert_eq!(offered, [0, 4 * 3 * (bytes + control)]);
        assert_eq!(packets[0], 0);
    }
}

#[test]
fn everything_else_is_point_to_point() {
    // A program's tag may equal the collective's tag; the contexts differ.
    let tag = CollectiveKind::Alltoall.tag();
    let exchange = |rank: u32| {
        vec![Op::Sendrecv(to(rank ^ 1, tag.abs(), 20_000), from(rank ^ 1, tag.abs(), 20_000))]
    };
    assert_eq!(offered(exchange).0, [4 * (20_000 + 3 * 64), 0]);

    for call in [
        Call::Barrier,
        Call::Bcast { root: 1, bytes: 9_000 },
        Call::Reduce { root: 1, bytes: 9_000 },
        Call::Allreduce { bytes: 9_000 },
    ] {
        let ([point_to_point, all_to_all], _) =
            offered(|_| vec![Op::Collective(COMM_WORLD, call.clone())]);
        assert!(point_to_point > 0 && all_to_all == 0, "{}", call.kind().name());
    }
}

/// The class also covers blocks of different sizes and background collectives.
#[test]
fn all_to_all_in_any_form() {
    let blocks = || vec![100; 4];
    let pairs = std::sync::Arc::new(Exchange { send: blocks(), receive: blocks() });
    let calls = [Call::Alltoall { bytes: 100 }, Call::Alltoallv { pairs }];
    for call in calls {
        let (offered, _) =
            offered(|_| vec![Op::Icollective(COMM_WORLD, call.clone(), 0), Op::Wait(0)]);
        assert_eq!(offered, [0, 4 * 3 * 100]);
    }
}

/// If a program sends both, each packet has its own class.
#[test]
fn a_program_can_have_both() {
    let both = |rank: u32| {
        vec![
            Op::Sendrecv(to(rank ^ 1, 0, 3_000), from(rank ^ 1, 0, 3_000)),
            Op::Collective(COMM_WORLD, Call::Alltoall { bytes: 700 }),
            Op::Sendrecv(to(rank ^ 1, 0, 500), from(rank ^ 1, 0, 500)),
        ]
    };
    assert_eq!(offered(both), ([4 * 3_500, 4 * 3 * 700], [4 * (6 + 1), 4 * 3 * 2]));
}
