//! The biases of Aries: which loads leave the minimal path, by mode and by the links crossed.

use crate::support::{Queues, dragonfly, packet};
use pantala_routing::{Algorithm, AriesConfig, Phase, RoutingConfig};

/// One candidate of each kind, levels of ten flits.
fn aries(shift: &[u8], add: u8) -> RoutingConfig {
    let mut routing = RoutingConfig::new(Algorithm::Aries);
    (routing.ugal.candidates_minimal, routing.ugal.candidates_nonminimal) = (1, 1);
    routing.aries = AriesConfig { shift: shift.to_vec(), add, levels: 16, full: 160 };
    routing
}

/// Whether the two candidates' queues, in flits, turn packets that have crossed `hops` links away:
/// where they leave by two ports, the same for all.
fn diverts(routing: &RoutingConfig, hops: u8, q_min: i64, q_non: i64) -> bool {
    let topology = dragonfly(2, 4, 2, 9);
    let mut answers = Vec::new();
    for draw in 0..100 {
        let decide = |routing: &RoutingConfig, queues: &mut Queues| {
            let mut packet = packet(&topology, 70, draw);
            packet.hops = hops;
            packet.phase = if hops == 0 { Phase::Undecided } else { Phase::Revisable };
            routing.decide(&topology, 0, &mut packet, queues);
            (packet.nonminimal, routing.follow(&topology, 0, 0, &mut packet).port)
        };
        let (diverted, minimal) = decide(routing, &mut Queues::default());
        assert!(!diverted, "idle ports are equal, and ties are minimal");
        let (diverted, other) =
            decide(&aries(&[0], 0), &mut Queues([((minimal, 0), 1_000)].into()));
        if diverted && other != minimal {
            answers.push(
                decide(routing, &mut Queues([((minimal, 2), q_min), ((other, 3), q_non)].into())).0,
            );
        }
    }
    assert!(answers.len() > 20 && answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
    answers[0]
}

/// Load in levels from 1: minimal iff `load_min <= (load_nonmin << shift) + add`.
#[test]
fn modes_leave_the_minimal_path_at_their_bias() {
    let modes = [(0, 0), (0, 4), (2, 0), (1, 1), (15, 15)];
    for (shift, add) in modes {
        let routing = aries(&[shift], add);
        for level in [1, 2, 3, 16] {
            let line = ((level << shift) + i64::from(add)).min(16);
            // Flits of a level's first and last; the highest has no last.
            let (q_non, q_min) = (10 * level - 1, 10 * line - 1);
            assert!(!diverts(&routing, 0, q_min, q_non), "({shift},{add}) at {level}");
            if line < 16 {
                assert!(diverts(&routing, 0, q_min + 1, q_non), "({shift},{add}) at {level}");
                assert!(diverts(&routing, 0, 1_000, q_non), "({shift},{add}) at {level}");
            } else {
                assert!(!diverts(&routing, 0, 1_000, q_non), "nothing is fuller than full");
            }
        }
    }
}

/// On an idle machine AD3, the strong bias, holds on to the minimal path up to four times the load;
/// AD0 does not.
#[test]
fn a_shift_counts_where_nothing_is_queued() {
    assert!(diverts(&aries(&[0], 0), 0, 10, 0));
    assert!(!diverts(&aries(&[2], 0), 0, 39, 0));
    assert!(diverts(&aries(&[2], 0), 0, 40, 0));
}

/// AD1's bias grows with the links crossed, and its last value holds on.
#[test]
fn a_schedule_goes_by_the_links_crossed() {
    let routing = aries(&[0, 1, 2], 0);
    for (hops, line) in [(0, 1), (1, 2), (2, 4), (3, 4), (7, 4)] {
        assert!(!diverts(&routing, hops, 10 * line - 1, 0), "after {hops}");
        assert!(diverts(&routing, hops, 10 * line, 0), "after {hops}");
    }
}
