//! Packets that contend. Every time is computed by hand.

use crate::common::{dragonfly, packet, run};
use pantala_oracle::{LateFlits, LinkTimes, OracleConfig, OraclePacket, zero_load_latency};

/// Two NICs of a router send to a third: `count` packets each, all at time zero.
fn two_into_one(config: &OracleConfig, count: usize) -> (Vec<OraclePacket>, Vec<u64>) {
    let topology = dragonfly(3, 1, 0, 1);
    let packets: Vec<_> =
        (0..2 * count).map(|i| packet(&topology, (i % 2) as u32, 2, 0, 4)).collect();
    let run = run(&topology, config, &packets);
    assert_eq!(run.output_flits[0], [0, 0, 8 * count as u64]);
    let delivered = run.deliveries.iter().map(|delivery| delivery.delivered).collect();
    (packets, delivered)
}

#[test]
fn a_saturated_link_carries_a_flit_each_flit_time_in_turns() {
    for late_flits in [LateFlits::Pass, LateFlits::Queue] {
        let config = OracleConfig { late_flits, ..OracleConfig::kang() };
        let (packets, delivered) = two_into_one(&config, 50);
        let topology = dragonfly(3, 1, 0, 1);
        let first = zero_load_latency(&topology, &config, &packets[0]);
        let expected: Vec<u64> = (0..100).map(|i| first + i * 4 * 5_120).collect();
        assert_eq!(delivered, expected, "{late_flits:?}");
    }
}

#[test]
fn a_slow_crossbar_sets_the_pace() {
    // 9 ns per flit through the crossbar, 5.12 ns on the links.
    let config = OracleConfig { crossbar_flit_time: 9_000, ..OracleConfig::kang() };
    let (packets, delivered) = two_into_one(&config, 50);
    let first = zero_load_latency(&dragonfly(3, 1, 0, 1), &config, &packets[0]);
    let expected: Vec<u64> = (0..100).map(|i| first + i * 4 * 9_000).collect();
    assert_eq!(delivered, expected);
}

#[test]
fn a_buffer_of_one_packet_gives_one_packet_a_round_trip() {
    let topology = dragonfly(1, 2, 0, 1);
    let config =
        OracleConfig { input_buffer_flits: 4, output_buffer_flits: 4, ..OracleConfig::kang() };
    let packets: Vec<_> = (0..20).map(|_| packet(&topology, 0, 1, 0, 4)).collect();
    let run = run(&topology, &config, &packets);
    // Forward: latency, flit time, input latency, the four flits through the crossbar as they
    // arrive. Back: latency.
    let round_trip = 30_000 + 5_120 + 10_000 + 3 * 5_120 + 1_280 + 30_000;
    let first = zero_load_latency(&topology, &config, &packets[0]);
    for (i, delivery) in run.deliveries.iter().enumerate() {
        assert_eq!(delivery.delivered, first + i as u64 * round_trip);
    }
}

#[test]
fn a_packet_waits_for_the_one_ahead_in_its_virtual_channel_only() {
    // NIC 0 keeps the path to NIC 3 busy. NIC 1 also sends there, and then to the idle NIC 2.
    let topology = dragonfly(4, 1, 0, 1);
    let config = OracleConfig { output_buffer_flits: 4, ..OracleConfig::kang() };
    let arrival = |vc: u8| {
        let mut packets: Vec<_> = (0..30).map(|_| packet(&topology, 0, 3, 0, 4)).collect();
        packets.extend((0..4).map(|_| packet(&topology, 1, 3, 0, 4)));
        packets.push(OraclePacket { injection_vc: vc, ..packet(&topology, 1, 2, 0, 4) });
        let run = run(&topology, &config, &packets);
        let undisturbed = zero_load_latency(&topology, &config, &packets[34]);
        run.deliveries[34].delivered - run.deliveries[34].injected - undisturbed
    };
    assert_eq!(arrival(1), 0, "another virtual channel is a way past");
    assert!(arrival(0) > 20_480, "a blocked head blocks its virtual channel");
}

#[test]
fn virtual_channels_take_turns_on_a_link() {
    // The local link is four times slower than the terminal links. NIC 0 fills its output buffer
    // on VC 0; NIC 1 follows later on VC 1.
    let topology = dragonfly(2, 2, 0, 1);
    let config = OracleConfig {
        local: LinkTimes { flit_time: 20_480, latency: 30_000 },
        ..OracleConfig::kang()
    };
    let order = |vc| {
        let mut packets: Vec<_> = (0..10).map(|_| packet(&topology, 0, 2, 0, 4)).collect();
        for _ in 0..3 {
            let mut late = packet(&topology, 1, 3, 220_000, 4);
            late.route[0].vc = vc;
            packets.push(late);
        }
        let run = run(&topology, &config, &packets);
        let mut heads: Vec<_> =
            (run.deliveries.iter().map(|delivery| delivery.head_arrival)).zip(0..).collect();
        heads.sort_unstable();
        for pair in heads.windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, 4 * 20_480, "the link is never idle");
        }
        let senders = heads.iter().map(|&(_, index)| if index < 10 { '0' } else { '1' });
        senders.collect::<String>()
    };
    assert_eq!(order(1), "0001010100000");
    assert_eq!(order(0), "0000000000111");
}

#[test]
fn a_late_flit_passes_or_waits() {
    // Slow terminal links (8 ns per flit) feed a fast local link (2 ns). So the second flit of each
    // packet arrives after its hold of the link has ended. NIC 0's packet starts on the link. NIC
    // 1's packet follows before the first packet's tail has arrived.
    let topology = dragonfly(2, 2, 0, 1);
    let link = |flit_time| LinkTimes { flit_time, latency: 0 };
    let times = |late_flits, vc| {
        let config = OracleConfig {
            terminal: link(8),
            local: link(2),
            global: link(2),
            input_latency: 0,
            output_latency: 0,
            crossbar_flit_time: 0,
            late_flits,
            ..OracleConfig::kang()
        };
        let mut second = packet(&topology, 1, 3, 7, 2);
        second.route[0].vc = vc;
        let packets = [packet(&topology, 0, 2, 0, 2), second];
        let run = run(&topology, &config, &packets);
        [run.deliveries[0].delivered, run.deliveries[1].delivered]
    };
    // On the local link: 8..10 the first head, 15..17 the second head, 16..18 the first tail,
    // 23..25 the second tail.
    assert_eq!(times(LateFlits::Pass, 1), [16 + 2 + 8, 23 + 2 + 8]);
    // The first tail waits for the second head: 17..19.
    assert_eq!(times(LateFlits::Queue, 1), [17 + 2 + 8, 23 + 2 + 8]);
    // In one VC the second packet waits until the first has left, 18..20. Its tail follows at
    // 23..25 and is ejected after the head.
    assert_eq!(times(LateFlits::Pass, 0), [16 + 2 + 8, 18 + 2 + 2 * 8]);
    assert_eq!(times(LateFlits::Queue, 0), [16 + 2 + 8, 18 + 2 + 2 * 8]);
}

#[test]
fn a_terminal_gives_its_buffer_back_with_the_tail() {
    // NICs have room for one packet: one packet per round trip on the ejection link, whose latency
    // is long.
    let topology = dragonfly(2, 1, 0, 1);
    let config = OracleConfig {
        terminal: LinkTimes { flit_time: 5_120, latency: 90_000 },
        input_buffer_flits: 4,
        ..OracleConfig::kang()
    };
    let packets: Vec<_> = (0..10).map(|_| packet(&topology, 0, 1, 0, 4)).collect();
    let run = run(&topology, &config, &packets);
    // The injection link has the longer round trip, because it includes the path through the
    // router.
    let injection = 90_000 + 5_120 + 10_000 + 3 * 5_120 + 1_280 + 90_000;
    let first = zero_load_latency(&topology, &config, &packets[0]);
    for (i, delivery) in run.deliveries.iter().enumerate() {
        assert_eq!(delivery.delivered, first + i as u64 * injection);
    }
    // With two sources at once, ejection is the bottleneck.
    let topology = dragonfly(5, 1, 0, 1);
    let packets: Vec<_> = (0..40).map(|i| packet(&topology, i % 4, 4, 0, 4)).collect();
    let run = crate::common::run(&topology, &config, &packets);
    let ejection = 90_000 + 4 * 5_120 + 90_000;
    let mut delivered: Vec<_> =
        (run.deliveries.iter()).map(|delivery| delivery.delivered).collect();
    delivered.sort_unstable();
    for pair in delivered.windows(2) {
        assert_eq!(pair[1] - pair[0], ejection);
    }
}

#[test]
fn an_output_buffer_has_room_again_as_a_head_starts_on_the_link() {
    // Room for one packet and a long time from the crossbar to the buffer: one packet per crossbar
    // and output latency.
    let topology = dragonfly(2, 1, 0, 1);
    let config =
        OracleConfig { output_buffer_flits: 4, output_latency: 50_000, ..OracleConfig::kang() };
    let packets: Vec<_> = (0..10).map(|_| packet(&topology, 0, 1, 0, 4)).collect();
    let first = zero_load_latency(&topology, &config, &packets[0]);
    let period = |config: &OracleConfig| {
        let run = run(&topology, config, &packets);
        assert_eq!(run.deliveries[0].delivered, first);
        (run.deliveries[9].delivered - first) / 9
    };
    // The head starts 51.28 ns after its grant. Then the next packet gets a grant.
    assert_eq!(period(&config), 51_280);
    let unlimited = OracleConfig { output_buffer_flits: 0, ..config };
    assert_eq!(period(&unlimited), 4 * 5_120);
}

#[test]
fn a_packet_holds_its_input_port_against_other_virtual_channels() {
    // NIC 0 sends two packets on two virtual channels to two NICs, through a slow crossbar.
    let topology = dragonfly(3, 1, 0, 1);
    let config = OracleConfig { crossbar_flit_time: 9_000, ..OracleConfig::kang() };
    let first = packet(&topology, 0, 1, 0, 4);
    let second = OraclePacket { injection_vc: 1, ..packet(&topology, 0, 2, 0, 4) };
    let undisturbed = zero_load_latency(&topology, &config, &first);
    let run = run(&topology, &config, &[first, second]);
    // They are injected 20.48 ns apart and cross 36 ns apart.
    assert_eq!(run.deliveries[1].injected, 20_480);
    assert_eq!(run.deliveries[0].delivered, undisturbed);
    assert_eq!(run.deliveries[1].delivered, undisturbed + 36_000);
}
