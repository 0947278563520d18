//! Virtual output queues: who waits for whom, when credits go back, and what is counted.

use crate::support::*;
use pantala_engine::Time;
use pantala_fabric::config::*;
use pantala_fabric::{FabricConfig, Partition};
use pantala_routing::Algorithm;

/// Runs packets (source, created, destination, bytes) to their end; what was delivered, in order of
/// (created, source).
fn run(
    config: &FabricConfig,
    packets: &[(u32, Time, u32, u32)],
) -> (Vec<Seen>, Partition<Script, Log>) {
    let topology = dragonfly(2, 4, 2, 9);
    let mut host = Script::new(topology.terminals());
    for &(source, created, destination, bytes) in packets {
        host.queues[source as usize].push_back((created, destination, bytes));
    }
    let mut net = partition(config.clone(), topology, host);
    net.advance(Time::MAX);
    assert!(net.audit().balanced(), "{}", net.audit());
    assert_eq!(net.packets_in_flight(), 0, "{}", net.diagnose());
    let mut seen = net.probe.packets.clone();
    seen.sort_unstable_by_key(|packet| (packet.created, packet.source));
    (seen, net)
}

/// Everybody sends to NIC 0 until its router is full; then NIC 2 sends to NIC 0 and, right
/// behind it, to NIC 4.
fn behind_a_hot_spot(config: &FabricConfig) -> (Time, Vec<Seen>) {
    let mut packets = Vec::new();
    for source in 3..40 {
        packets.extend((0..10).map(|_| (source, 1, 0, 512)));
    }
    let probe: Vec<_> = (0..3).map(|k| (2, 1_000_000 + k, 0, 512)).collect();
    packets.extend(&probe);
    packets.push((2, 1_000_003, 4, 512));
    let (seen, _) = run(config, &packets);
    let free = seen.iter().find(|packet| packet.source == 2 && packet.destination == 4).unwrap();
    (free.delivered - free.injected, seen)
}

/// A packet for an idle output does not wait behind one for a busy output; in an input queue it
/// does.
#[test]
fn nobody_waits_behind_a_packet_for_another_output() {
    let virtual_output = codes(Algorithm::Minimal);
    let (alone, _) = run(&virtual_output, &[(2, 1_000_003, 4, 512)]);
    let (latency, _) = behind_a_hot_spot(&virtual_output);
    assert_eq!(latency, alone[0].delivered - alone[0].injected, "it meets nobody");

    let mut fifo = virtual_output;
    fifo.router.input_queue = InputQueue::Fifo;
    fifo.router.credit_check = CreditCheck::Crossbar;
    let (blocked, _) = behind_a_hot_spot(&fifo);
    assert!(blocked > 2 * latency, "{blocked} {latency}");
}

/// Packets for one output VC leave in the order in which they came.
#[test]
fn a_virtual_queue_is_first_in_first_out() {
    let (_, seen) = behind_a_hot_spot(&codes(Algorithm::Minimal));
    let mut of_one: Vec<_> = seen.iter().filter(|p| p.source == 2 && p.destination == 0).collect();
    assert_eq!(of_one.len(), 3);
    of_one.sort_unstable_by_key(|packet| packet.delivered);
    assert!(of_one.windows(2).all(|w| w[0].created < w[1].created));
}

/// The credit of a packet that waits in the router is withheld until it moves: the source stops
/// when its VC is full.
#[test]
fn credits_go_back_when_the_packet_moves() {
    let mut config = codes(Algorithm::Minimal);
    config.router.input_buffer = 4; // one packet a VC
    let flit = config.timing(pantala_topology::LinkClass::Terminal).flit;
    let link = config.timing(pantala_topology::LinkClass::Terminal).latency;
    let packets: Vec<_> = (0..4).map(|_| (2, 1, 3, 512)).collect(); // NIC 3 is at the same router
    let (seen, net) = run(&config, &packets);
    let starts: Vec<Time> = {
        let mut starts: Vec<_> = seen.iter().map(|packet| packet.injected).collect();
        starts.sort_unstable();
        starts
    };
    let (serialisation, credit) = (4 * flit, config.router.credit_delay);
    // The first moves on as it arrives. The second does when the NIC has the first and its credit
    // is back; the third is injected on the credit of the second; and so on.
    let arrives = |start: Time| start + serialisation + link;
    let round = serialisation + config.router.output_latency + link + credit;
    let moves = [arrives(starts[0]), arrives(starts[0]) + round, arrives(starts[0]) + 2 * round];
    assert_eq!(starts[0], 1);
    assert_eq!(starts[1], moves[0] + credit);
    assert_eq!(starts[2], moves[1] + credit);
    assert_eq!(starts[3], moves[2] + credit);
    // Each of the last three is in the router, the ejection link idle, from its arrival until it
    // moves.
    let stalled: Time = (1..4).map(|k| moves[0] + k * round - arrives(starts[k as usize])).sum();
    assert_eq!(stalled, 3 * config.router.output_latency);
    assert_eq!(net.link_counters(1, 1).stall, stalled);
}

/// Of two packets that arrive at one time, the second reads a queue that has the first. Pairs of
/// packets from the two NICs of a router want the same output; one of a pair takes it, and the
/// other diverts unless its other path has the same output.
#[test]
fn packets_that_arrive_together_are_routed_in_turn() {
    const PAIRS: u64 = 50;
    let apart = 100_000_000;
    let packets: Vec<_> = (0..PAIRS)
        .flat_map(|k| [(0, 1 + k * apart, 60, 512), (1, 1 + k * apart, 60, 512)])
        .collect();
    let (seen, _) = run(&codes(Algorithm::CodesAdp), &packets);
    let diverted: Vec<_> = seen
        .chunks(2)
        .map(|pair| {
            assert_eq!(pair[0].created, pair[1].created);
            pair.iter().filter(|packet| packet.nonminimal).count()
        })
        .collect();
    assert!(diverted.iter().all(|count| *count <= 1), "{diverted:?}");
    assert!(diverted.iter().sum::<usize>() > 30, "{diverted:?}");
}

/// A packet of one flit takes the room of a full one where buffers count packets.
#[test]
fn short_packets_take_whole_places() {
    let sends = |unit| {
        let mut config = codes(Algorithm::Minimal);
        config.router.buffer_unit = unit;
        config.router.input_buffer = 4;
        let packets: Vec<_> = (0..4).map(|_| (2, 1, 3, 64)).collect();
        let (seen, _) = run(&config, &packets);
        seen.iter().map(|packet| packet.delivered).max().unwrap()
    };
    let config = codes(Algorithm::Minimal);
    let terminal = config.timing(pantala_topology::LinkClass::Terminal);
    let one = 2 * (terminal.flit + terminal.latency) + config.router.output_latency;
    assert_eq!(sends(BufferUnit::Flit), 1 + one + 3 * terminal.flit, "four at once");
    let round = terminal.flit
        + terminal.latency
        + config.router.output_latency
        + config.router.credit_delay;
    assert_eq!(sends(BufferUnit::Packet), 1 + one + 3 * round, "one at a time");
}

/// Credits taken before the link come back from a NIC as a packet that has them is put on the
/// link: who waits for them is told then, as nothing else would tell him. Three packets for one
/// NIC, whose buffer has room for the first two; the credits of the first, which is smaller, do
/// not help the third.
#[test]
fn who_waits_for_room_at_a_terminal_is_woken() {
    let mut fifo = kang(Algorithm::Minimal);
    fifo.router.credit_check = CreditCheck::Crossbar;
    let terminal = fifo.timing(pantala_topology::LinkClass::Terminal);
    let virtual_output = codes(Algorithm::Minimal);
    let cases = [
        (virtual_output.router.credit_delay, virtual_output.router.output_latency, virtual_output),
        (terminal.latency, fifo.crossbar_flit() + fifo.router.output_latency, fifo),
    ];
    for (credit, crossing, mut config) in cases {
        config.router.buffer_unit = BufferUnit::Flit;
        config.router.input_buffer = 7;
        // From other routers of the group: the second comes while the first is on the link, the
        // third a moment later.
        let (seen, _) = run(&config, &[(2, 1, 0, 384), (4, 2, 0, 512), (6, 2_000, 0, 512)]);
        let delivered = [2, 4, 6]
            .map(|source| seen.iter().find(|packet| packet.source == source).unwrap().delivered);
        assert_eq!(delivered[1], delivered[0] + 4 * terminal.flit, "right behind the first");
        let on_the_way = credit + crossing + 4 * terminal.flit + terminal.latency;
        assert_eq!(delivered[2], delivered[1] + on_the_way, "on the credits of the second");
    }
}

/// The diagnosis follows packets that wait in virtual queues.
#[test]
fn deadlocks_are_diagnosed() {
    let net = deadlocked(codes(Algorithm::ValiantNode));
    let diagnosis = net.diagnose();
    assert!(diagnosis.cycle && diagnosis.waits.len() > 1, "{diagnosis}");
    // Each waits for the buffer that the next is in.
    let next = diagnosis.waits.iter().cycle().skip(1);
    for (wait, next) in diagnosis.waits.iter().zip(next) {
        let behind = net.topology().peer(wait.router, wait.out_port);
        assert_eq!(behind, pantala_topology::Peer::Port { router: next.router, port: next.port });
        assert_eq!(wait.out_vc, next.vc);
        assert!(wait.packets > 0);
    }
}
