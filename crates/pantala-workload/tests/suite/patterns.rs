//! Destination distributions, rates, and sources that lag.

use crate::support::{Ideal, endpoints, job, run, workload_of};
use pantala_engine::{Stream, Time};
use pantala_fabric::{Host, Pull, Wakes};
use pantala_workload::patterns::DestinationDistribution;
use pantala_workload::{Endpoints, WorkloadSpec};

fn distribution(text: &str, groups: &[u32]) -> DestinationDistribution {
    let WorkloadSpec::Pattern(pattern) =
        workload_of(&format!("kind: pattern, load: 0.5, pattern: {text}"))
    else {
        panic!()
    };
    pattern.check(groups.len() as u32).unwrap();
    pattern.destination_distribution(groups, 64).unwrap()
}

/// Checks the shares of destinations of `rank` against `expected` (five standard deviations).
fn check_shares(distribution: &DestinationDistribution, rank: u32, expected: &[f64]) {
    const DRAWS: u32 = 200_000;
    let mut draws = Stream::new(3, 1, u64::from(rank));
    let mut counts = vec![0u32; expected.len()];
    for _ in 0..DRAWS {
        counts[distribution.destination(rank, &mut draws) as usize] += 1;
    }
    for (destination, (count, share)) in counts.iter().zip(expected).enumerate() {
        let (mean, deviation) =
            (f64::from(DRAWS) * share, (f64::from(DRAWS) * share * (1.0 - share)).sqrt());
        assert!(
            (f64::from(*count) - mean).abs() <= 5.0 * deviation,
            "{rank} to {destination}: {count}, not {mean}"
        );
    }
    assert!((expected.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

fn even(n: usize, of: impl Fn(usize) -> bool) -> Vec<f64> {
    let count = (0..n).filter(|i| of(*i)).count() as f64;
    (0..n).map(|i| if of(i) { 1.0 / count } else { 0.0 }).collect()
}

#[test]
fn uniform_draws_all_others() {
    for rank in [0u32, 4, 9] {
        check_shares(&distribution("uniform", &[0; 10]), rank, &even(10, |i| i != rank as usize));
        check_shares(
            &distribution("uniform, include_self: true", &[0; 10]),
            rank,
            &even(10, |_| true),
        );
    }
}

#[test]
fn shift_goes_round() {
    for (offset, n) in [(1u32, 5u32), (3, 5), (7, 5), (4, 5), (1, 2)] {
        let distribution = distribution(&format!("shift, offset: {offset}"), &vec![0; n as usize]);
        for rank in 0..n {
            assert_eq!(
                distribution.destination(rank, &mut Stream::new(0, 0, 0)),
                (rank + offset) % n
            );
        }
    }
}

#[test]
fn bit_complement_mirrors() {
    let complement = distribution("bit_complement", &[0; 16]);
    for rank in 0..16 {
        assert_eq!(complement.destination(rank, &mut Stream::new(0, 0, 0)), !rank & 15);
        assert!(!complement.silent(rank));
    }
    let odd = distribution("bit_complement", &[0; 5]);
    assert_eq!(
        (0..5).map(|r| odd.silent(r)).collect::<Vec<_>>(),
        [false, false, true, false, false]
    );
    assert!(!distribution("bit_complement, include_self: true", &[0; 5]).silent(2));
}

/// The destinations of the first packets of a rank.
fn first(distribution: &DestinationDistribution, rank: u32, packets: usize) -> Vec<u32> {
    let mut draws = Stream::new(0, 0, 0);
    (0..packets).map(|_| distribution.destination(rank, &mut draws)).collect()
}

#[test]
fn neighbours_take_turns_message_by_message() {
    // Two by three by four ranks; rank 8 is at x = 0, y = 1, z = 1.
    let turns = |text: &str| distribution(&format!("neighbor_3d, grid: [2,3,4], {text}"), &[0; 24]);
    assert_eq!(first(&turns("message_bytes: 64"), 8, 4), [14, 2, 14, 2]);
    assert_eq!(first(&turns("message_bytes: 65"), 8, 6), [14, 14, 2, 2, 14, 14]);
    assert_eq!(first(&turns("periodic: true"), 8, 2), [14, 2]);
    assert_eq!(first(&turns("dimension: 1"), 8, 2), [10, 6]);
    assert_eq!(first(&turns("dimension: 0, periodic: true"), 8, 2), [9, 9]);
    assert_eq!(first(&turns("dimension: 0"), 9, 2), [8, 8]);
}

#[test]
fn edges_have_one_neighbour_or_the_far_side() {
    let last = |text: &str| distribution(&format!("neighbor_3d, grid: [2,3,4], {text}"), &[0; 24]);
    assert_eq!(first(&last("dimension: 2"), 1, 2), [7, 7]);
    assert_eq!(first(&last("dimension: 2"), 19, 2), [13, 13]);
    assert_eq!(first(&last("periodic: true"), 1, 2), [7, 19]);
    assert_eq!(first(&last("periodic: true"), 19, 2), [1, 13]);
    for rank in 0..24 {
        let [ahead, behind] = first(&last("periodic: true"), rank, 2)[..] else { panic!() };
        assert_eq!(first(&last("periodic: true"), ahead, 2)[1], rank);
        assert_eq!(first(&last("periodic: true"), behind, 2)[0], rank);
    }
}

#[test]
fn the_default_grid_is_nearly_a_cube_with_its_short_side_last() {
    let WorkloadSpec::Pattern(mut pattern) =
        workload_of("kind: pattern, load: 0.5, pattern: neighbor_3d")
    else {
        panic!()
    };
    pattern.complete(1056);
    assert_eq!((pattern.grid, pattern.dimension), (Some([12, 11, 8]), Some(2)));
    assert_eq!(
        first(&pattern.destination_distribution(&[0; 1056], 64).unwrap(), 200, 2),
        [332, 68]
    );
    for (keys, key) in [
        ("grid: [2,2,2]", "grid"),
        ("grid: [24,1,1]", "dimension"),
        ("dimension: 3", "dimension"),
        ("message_bytes: 0", "message_bytes"),
    ] {
        let WorkloadSpec::Pattern(wrong) =
            workload_of(&format!("kind: pattern, load: 0.5, pattern: neighbor_3d, {keys}"))
        else {
            panic!()
        };
        assert_eq!(wrong.check(24).unwrap_err().key, key);
    }
}

#[test]
fn next_group_is_the_next_that_has_ranks() {
    // Groups 0, 2, 5 in any order: 0 sends to 2, 2 to 5, 5 to 0.
    let groups = [5, 0, 2, 2, 0, 2, 5];
    let distribution = distribution("next_group", &groups);
    for (rank, group) in groups.iter().enumerate() {
        let next = match group {
            0 => 2,
            2 => 5,
            _ => 0,
        };
        check_shares(&distribution, rank as u32, &even(7, |i| groups[i] == next));
    }
}

#[test]
fn hotspots_draw_their_share() {
    let distribution = distribution("hotspot, hotspots: [2,7], hotspot_share: 0.4", &[0; 10]);
    let other = 0.6 / 9.0;
    let mut expected = [other; 10];
    expected[0] = 0.0;
    expected[2] += 0.2;
    expected[7] += 0.2;
    check_shares(&distribution, 0, &expected);
    // A hotspot that draws itself draws again among all others.
    let mut expected = [other + 0.2 / 9.0; 10];
    expected[2] = 0.0;
    expected[7] += 0.2;
    check_shares(&distribution, 2, &expected);
    check_shares(
        &self::distribution("hotspot, hotspots: [3], hotspot_share: 1", &[0; 4]),
        0,
        &[0.0, 0.0, 0.0, 1.0],
    );
    check_shares(
        &self::distribution(
            "hotspot, hotspots: [3], hotspot_share: 0, include_self: true",
            &[0; 4],
        ),
        0,
        &[0.25; 4],
    );
}

fn pattern(text: &str) -> Endpoints {
    endpoints(&[job("p", 0..16, &format!("kind: pattern, {text}"))], 16)
}

#[test]
fn the_offered_load_is_met() {
    for (text, tolerance) in [
        ("injection: bernoulli", 0.01),
        ("injection: periodic", 1e-3),
        ("injection: periodic, phase: random", 1e-3),
    ] {
        for load in [0.1, 0.5, 0.95] {
            let mut endpoints = pattern(&format!("pattern: uniform, load: {load}, {text}"));
            let mut network = Ideal::new(1_000, 40);
            network.keep_offers = false;
            let end = 400_000_000;
            run(&mut endpoints, &mut network, 16, end);
            let offered = network.bytes as f64 * 40.0 / 16.0 / end as f64;
            assert!((offered / load - 1.0).abs() < tolerance, "{text} {load} {offered}");
            assert!(!endpoints.finished(), "patterns are endless");
        }
    }
}

#[test]
fn a_source_that_lags_keeps_its_clock() {
    // The NIC of node 0 stops for a while. Packets pulled later have the creation times that they
    // would have had.
    let text = "pattern: uniform, load: 0.5, injection: bernoulli";
    let mut wakes = Wakes::default();
    let mut pulled = |late: Time| -> Vec<(Time, u32)> {
        let mut endpoints = pattern(text);
        let mut now = late;
        let mut packets = Vec::new();
        while packets.len() < 1_000 {
            match endpoints.pull(0, now, &mut wakes) {
                Pull::Packet(packet) => packets.push((packet.created, packet.destination)),
                Pull::Later(time) => now = time,
                Pull::Idle => panic!("a source never idles"),
            }
        }
        packets
    };
    let served = pulled(0);
    assert_eq!(served, pulled(1_000_000_000));
    assert!(served.is_sorted() && served[999].0 > 1_000_000);
}

#[test]
fn in_phase_sources_tick_together() {
    let mut endpoints = pattern("pattern: shift, load: 0.25, injection: periodic, phase: in");
    let mut network = Ideal::new(1_000, 40);
    run(&mut endpoints, &mut network, 16, 1_000_000);
    let of = |node| {
        network.offered.iter().filter(|o| o.1 == node).map(|o| o.2.created).collect::<Vec<_>>()
    };
    assert_eq!(of(0)[..4], [0, 81_920, 163_840, 245_760]);
    assert!((1..16).all(|node| of(node) == of(0)));
    let packet = network.offered[0].2;
    assert_eq!((packet.bytes, packet.job), (512, 0));
}

#[test]
fn sources_start_with_their_job() {
    let mut spec =
        job("p", 3..7, "kind: pattern, pattern: uniform, load: 1, injection: periodic, phase: in");
    spec.start = 123_456;
    let mut endpoints = endpoints(&[spec], 16);
    let mut network = Ideal::new(1_000, 40);
    run(&mut endpoints, &mut network, 16, 300_000);
    assert_eq!(network.offered.iter().map(|o| o.0).min(), Some(123_456));
    assert!(
        network.offered.iter().all(|o| (3..7).contains(&o.1) && (3..7).contains(&o.2.destination))
    );
}

#[test]
fn a_silent_rank_is_idle() {
    let mut endpoints =
        endpoints(&[job("p", 0..5, "kind: pattern, pattern: bit_complement, load: 1")], 8);
    let mut wakes = Wakes::default();
    assert_eq!(endpoints.pull(2, 5_000_000, &mut wakes), Pull::Idle);
    assert_eq!(endpoints.pull(7, 5_000_000, &mut wakes), Pull::Idle, "nobody is there");
    assert!(matches!(endpoints.pull(0, 5_000_000, &mut wakes), Pull::Packet(_)));
}
