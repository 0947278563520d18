//! The host stack of SST's firefly with the values of Kang et al. (SC 2022): closed forms, to the
//! picosecond. The timelines follow from firefly's source (`ctrlMsg` and `Nic`, SST elements 11).

use pantala_engine::Time;
use pantala_mpi::{COMM_WORLD, Call, Finalize, MpiConfig, Op, Progress};
use pantala_testing::ideal_network::{Ideal, finish, firefly, from, layer, reports, to};
use proptest::prelude::*;

const LATENCY: Time = 100_000;
const PER_BYTE: Time = 40;
/// Entry to a call, and return from it.
const CALL: Time = 30_000;
/// Set-up of a send and the write of its header.
const SETUP: Time = 24_000;
const MATCH: Time = 15_000;
const RECEIVE: Time = 10_000;
/// Host to NIC, and NIC to host.
const WAY: Time = 5_000;
const TRANSMIT: Time = 5_000;
const NIC_MATCH: Time = 10_000;
const READ: Time = 200_000;

fn registration(bytes: u64) -> Time {
    300_000 + if bytes > 4_096 { bytes / 4_096 * 10_000 } else { 0 }
}

/// Time of a transmission of `bytes` through the network, from the first packet's start to the
/// last byte.
const fn wire(bytes: u64) -> Time {
    bytes * PER_BYTE + LATENCY
}

/// As [`wire`], until the NIC has matched it: later packets arrive while it matches the first.
fn matched(bytes: u64) -> Time {
    wire(bytes).max(bytes.min(512) * PER_BYTE + LATENCY + NIC_MATCH)
}

/// Time from the call of an eager send to the return of the posted receive, and of the send.
fn eager(bytes: u64) -> (Time, Time) {
    let start = CALL + SETUP + bytes * 344;
    let there = start + WAY + TRANSMIT + matched(bytes + 45) + WAY;
    (there + MATCH + RECEIVE + CALL, start + CALL)
}

/// Time from the arrival of a rendezvous' request at the receiver's host, matched after `matching`,
/// to the payload's arrival at the host.
fn payload(bytes: u64, matching: Time) -> Time {
    matching + RECEIVE + WAY + wire(13) + READ + TRANSMIT + wire(bytes + 13) + WAY
}

fn acknowledgement() -> Time {
    WAY + TRANSMIT + matched(15) + WAY
}

/// As [`eager`] for a rendezvous.
fn rendezvous(bytes: u64) -> (Time, Time) {
    let request = CALL + SETUP + registration(bytes) + WAY + TRANSMIT + matched(45) + WAY;
    let there = request + payload(bytes, MATCH);
    (there + registration(bytes) + CALL, there + acknowledgement() + CALL)
}

fn ends(config: MpiConfig, scripts: Vec<Vec<Op>>) -> Vec<Time> {
    let mut layer = layer(config, scripts);
    finish(&mut layer, &mut Ideal::new(LATENCY, PER_BYTE));
    for report in reports(&layer) {
        let (start, end) = (report.start.unwrap(), report.end.unwrap());
        assert_eq!(end - start, report.totals.compute + report.totals.in_calls());
    }
    reports(&layer).iter().map(|report| report.end.unwrap()).collect()
}

/// The numbers of one eager message and one rendezvous, written out in nanoseconds.
#[test]
fn the_timelines_of_firefly() {
    // 3,072 B: enter 30, set-up 13, header 11, copy 1,056.768, way 5, transmit 5, 3,117 B at 40 ps
    // and the latency, way 5, match 15, receive 10, return 30.
    let there = 30_000 + 24_000 + 1_056_768 + 10_000 + 124_680 + 100_000 + 5_000 + 55_000;
    assert_eq!(eager(3_072), (there, 1_140_768));
    let scripts = |bytes| vec![vec![Op::Send(to(1, 0, bytes))], vec![Op::Recv(from(0, 0, bytes))]];
    assert_eq!(ends(firefly(), scripts(3_072)), [1_140_768, there]);
    let (received, sent) = rendezvous(51_680);
    // Registration at both ends is 420 ns; the receiver's first one is early.
    let request = 54_000 + 420_000 + 10_000 + 45 * 40 + 100_000 + 15_000;
    let data = 25_000 + 5_000 + 13 * 40 + 100_000 + 205_000 + 51_693 * 40 + 100_000 + 5_000;
    assert_eq!(received, request + data + 420_000 + 30_000);
    assert_eq!(sent, request + data + 10_000 + 600 + 100_000 + 15_000 + 30_000);
    assert_eq!(ends(firefly(), scripts(51_680)), [sent, received]);
}

/// Copies are rounded to the nearest step.
#[test]
fn copies_have_a_resolution() {
    let config = MpiConfig { copy_resolution_ps: 1_000, ..firefly() };
    for (bytes, copy) in [(1, 0), (2, 1_000), (8, 3_000), (512, 176_000), (12_000, 4_128_000)] {
        let scripts = vec![vec![Op::Send(to(1, 0, bytes))], vec![Op::Recv(from(0, 0, bytes))]];
        assert_eq!(ends(config, scripts)[0], CALL + SETUP + copy + CALL, "{bytes} B");
    }
}

proptest! {
    #![proptest_config(pantala_testing::cases(128))]

    /// Blocking ping-pongs of any size: the cliff at the eager limit included.
    #[test]
    fn ping_pong(bytes in prop_oneof![0..13_000_u64, 12_001..200_000_u64], rounds in 1..4_u64) {
        let of = |send, recv| (0..rounds).flat_map(|_| if send { [0, 1] } else { [1, 0] }).map(move |kind| {
            if kind == 0 { Op::Send(to(recv, 0, bytes)) } else { Op::Recv(from(recv, 0, bytes)) }
        }).collect::<Vec<_>>();
        let got = ends(firefly(), vec![of(true, 1), of(false, 0)]);
        if bytes <= 12_000 {
            let (leg, sent) = eager(bytes);
            prop_assert_eq!(got, vec![2 * rounds * leg, (2 * rounds - 1) * leg + sent]);
        } else {
            // The next sender posts its send when its receive has returned. Its peer has posted the
            // receive by then, if the acknowledgement and the registration take less than the way
            // of the request.
            let (leg, sent) = rendezvous(bytes);
            let posted = sent + CALL + registration(bytes);
            let asked = leg + CALL + SETUP + registration(bytes) + WAY + TRANSMIT + matched(45) + WAY;
            prop_assume!(posted <= asked);
            prop_assert_eq!(got, vec![2 * rounds * leg, (2 * rounds - 1) * leg + sent]);
        }
    }

    /// Messages that come before their receives: the receive inspects them, oldest first.
    #[test]
    fn unexpected(before in 0..5_u64, bytes in prop_oneof![1..12_000_u64, 12_001..60_000_u64]) {
        let late = 1_000_000_000;
        let other = |tag: u64| Op::Isend(to(1, 10 + tag as i32, 8), tag as u32);
        let mut sender: Vec<Op> = (0..before).map(other).collect();
        sender.push(Op::Isend(to(1, 0, bytes), 99));
        sender.push(Op::WAITALL);
        // The receiver looks at its messages once, while it waits for one that comes last.
        let mut receiver = vec![
            Op::Compute(late),
            Op::Probe(from(0, 0, bytes)),
            Op::Recv(from(0, 0, bytes)),
        ];
        receiver.extend((0..before).map(|tag| Op::Recv(from(0, 10 + tag as i32, 8))));
        let got = ends(firefly(), vec![sender, receiver]);
        // No receive is posted: the probe's interrupt inspects no entry.
        let posted = late + 2 * CALL + CALL;
        let work = MATCH * (before + 1);
        let received = if bytes <= 12_000 {
            posted + work + RECEIVE + CALL
        } else {
            posted + registration(bytes) + payload(bytes, work) + registration(bytes) + CALL
        };
        // The others are then received one after the other, each the oldest.
        prop_assert_eq!(got[1], received + before * (2 * CALL + MATCH + RECEIVE));
    }
}

/// A rank that computes answers no request. It answers when it waits.
#[test]
fn a_computing_rank_answers_nothing() {
    let (bytes, long) = (51_680, 10_000_000);
    let receiver = vec![Op::Irecv(from(0, 0, bytes), 0), Op::Compute(long), Op::Wait(0)];
    let got = ends(firefly(), vec![vec![Op::Send(to(1, 0, bytes))], receiver]);
    let waits = 2 * CALL + registration(bytes) + long + CALL;
    let there = waits + payload(bytes, MATCH);
    assert_eq!(got, [there + acknowledgement() + CALL, there + registration(bytes) + CALL]);
    let independent = MpiConfig { progress: Progress::Independent, ..firefly() };
    let receiver = vec![Op::Irecv(from(0, 0, bytes), 0), Op::Compute(long), Op::Wait(0)];
    let got = ends(independent, vec![vec![Op::Send(to(1, 0, bytes))], receiver]);
    assert!(got[0] < long, "the request is answered while the rank computes");
}

/// A rank that leaves a call takes one interrupt, and leaves what arrives meanwhile to the next call.
#[test]
fn a_call_ends_after_one_interrupt() {
    let (computes, copy) = (10_000_000, 8 * 344);
    let posted = CALL + SETUP + copy;
    let called = 2 * (2 * CALL) + computes;
    // The first message arrives while the rank computes, the second one 20 ns after the rank has
    // begun to match it.
    let second = called + posted + 20_000 - (eager(8).0 - MATCH - RECEIVE - CALL);
    let sender =
        vec![Op::Send(to(1, 0, 8)), Op::Compute(second - eager(8).1), Op::Send(to(1, 1, 8))];
    let rank = vec![
        Op::Irecv(from(0, 1, 8), 0),
        Op::Irecv(from(0, 0, 8), 1),
        Op::Compute(computes),
        Op::Isend(to(2, 0, 8), 2),
        Op::Isend(to(2, 1, 8), 3),
        Op::WAITALL,
    ];
    let receiver = vec![Op::Recv(from(1, 0, 8)), Op::Recv(from(1, 1, 8))];
    let first = called + posted + 2 * MATCH + RECEIVE + CALL;
    let ends = ends(firefly(), vec![sender, rank, receiver]);
    assert_eq!(ends[2], first + eager(8).0);
    assert_eq!(ends[1], first + posted + MATCH + RECEIVE + CALL + 2 * CALL);
}

/// The data flow while the receiver computes, but nobody acknowledges them.
#[test]
fn a_payload_waits_for_its_acknowledgement() {
    let (bytes, long) = (51_680, 10_000_000);
    // The receiver handles the request while it receives a short message, and then computes.
    let receiver = vec![
        Op::Irecv(from(0, 0, bytes), 0),
        Op::Recv(from(0, 1, 8)),
        Op::Compute(long),
        Op::Wait(0),
    ];
    let sender = vec![Op::Isend(to(1, 0, bytes), 0), Op::Send(to(1, 1, 8)), Op::Wait(0)];
    let mut layer = layer(firefly(), vec![sender, receiver]);
    finish(&mut layer, &mut Ideal::new(LATENCY, PER_BYTE));
    let mut records = Vec::new();
    layer.take_messages(&mut records);
    let data = records.iter().find(|record| record.bytes == bytes).unwrap();
    assert!(data.delivered < long, "the payload arrives during the computation");
    assert!(reports(&layer)[0].end.unwrap() > long, "its sender waits for the acknowledgement");
}

/// A message pays for every posted receive that the host inspects, oldest first.
#[test]
fn matching_pays_per_entry() {
    let n = 6;
    for wanted in 0..n {
        let mut receiver: Vec<Op> =
            (0..n).map(|tag| Op::Irecv(from(0, tag as i32, 8), tag)).collect();
        receiver.push(Op::Wait(wanted));
        receiver.push(Op::Compute(1));
        receiver.push(Op::WAITALL);
        let sender = std::iter::once(Op::Compute(1_000_000))
            .chain([Op::Send(to(1, wanted as i32, 8)), Op::Compute(5_000_000)])
            .chain((0..n).filter(|tag| *tag != wanted).map(|tag| Op::Send(to(1, tag as i32, 8))));
        let mut layer = layer(firefly(), vec![sender.collect(), receiver]);
        finish(&mut layer, &mut Ideal::new(LATENCY, PER_BYTE));
        let totals = reports(&layer)[1].totals;
        assert_eq!(totals.messages_received, u64::from(n));
    }
    let first = |wanted: u32| {
        let mut receiver: Vec<Op> =
            (0..n).map(|tag| Op::Irecv(from(0, tag as i32, 8), tag)).collect();
        receiver.push(Op::WAITALL);
        let order = std::iter::once(wanted).chain((0..n).filter(move |tag| *tag != wanted));
        let mut sender = vec![Op::Compute(1_000_000)];
        for tag in order {
            sender.extend([Op::Send(to(1, tag as i32, 8)), Op::Compute(1_000_000)]);
        }
        ends(firefly(), vec![sender, receiver])[1]
    };
    // The last message finds one receive, whatever the order before it.
    assert_eq!(first(0), first(n - 1));
}

/// Requests and acknowledgements wait for the data that the NIC sends. A get waits only for its
/// window and its output buffer.
#[test]
fn gets_pass_by() {
    let bytes = 1_000_000;
    let offers = |config| {
        let exchange = |peer| {
            vec![
                Op::Irecv(from(peer, 0, bytes), 0),
                Op::Isend(to(peer, 0, bytes), 1),
                Op::Compute(if peer == 0 { 20_000_000 } else { 0 }),
                Op::WAITALL,
            ]
        };
        let mut layer = layer(config, vec![exchange(1), exchange(0)]);
        let mut network = Ideal::new(LATENCY, PER_BYTE);
        finish(&mut layer, &mut network);
        let gets = network.offered.iter().filter(|(_, _, packet)| packet.bytes == 13);
        gets.map(|(time, _, packet)| time - packet.created).max().unwrap()
    };
    for bytes in [600, 15_360] {
        let wait = offers(MpiConfig { nic_buffer_bytes: bytes, ..firefly() });
        let most = (u64::from(bytes) + 512) * PER_BYTE;
        assert!(wait > 0 && wait <= most, "{wait} in the buffer and behind one packet");
    }
}

/// `MPI_Finalize` is a barrier of all ranks, and `MPI_Init` takes its time.
#[test]
fn initialization_and_finalize() {
    let config = MpiConfig { initialization_ps: 180_000, ..firefly() };
    let scripts = || vec![vec![Op::Compute(1_000)], vec![Op::Compute(5_000_000)], Vec::new()];
    assert_eq!(ends(config, scripts()), [181_000, 5_180_000, 180_000]);
    let barrier = MpiConfig { finalize: Finalize::Barrier, ..config };
    let explicit = scripts().into_iter().map(|mut script: Vec<Op>| {
        script.push(Op::Collective(COMM_WORLD, Call::Barrier));
        script
    });
    assert_eq!(ends(barrier, scripts()), ends(config, explicit.collect()));
}

/// A send that nobody waits for is answered although its rank has ended, or computes until it ends.
#[test]
fn an_ended_rank_answers_requests_for_its_payload() {
    let (bytes, long) = (51_680, 10_000_000);
    let config = MpiConfig { finalize: Finalize::Local, ..firefly() };
    for sender in [
        vec![Op::Bsend(to(1, 0, bytes))],
        vec![Op::Bsend(to(1, 0, bytes)), Op::Compute(long)],
        vec![Op::Isend(to(1, 0, bytes), 0), Op::Free(0)],
    ] {
        let receiver = vec![Op::Compute(long / 10), Op::Recv(from(0, 0, bytes))];
        let mut layer = layer(config, vec![sender, receiver]);
        finish(&mut layer, &mut Ideal::new(LATENCY, PER_BYTE));
        assert_eq!(layer.errors(), []);
        assert!(layer.finished());
        assert!(layer.standing().all(|(_, stands, in_transit)| stands && in_transit == 0));
    }
}

/// A program that only tests completes a rendezvous.
#[test]
fn tests_make_progress() {
    let bytes = 51_680;
    let polls = |first: Op| {
        let rounds =
            std::iter::repeat_n([Op::Testall { first: 0, count: 1 }, Op::Compute(1_000_000)], 40);
        std::iter::once(first).chain(rounds.flatten()).collect::<Vec<_>>()
    };
    let config = MpiConfig { finalize: Finalize::Local, ..firefly() };
    let scripts = [
        vec![polls(Op::Isend(to(1, 0, bytes), 0)), vec![Op::Recv(from(0, 0, bytes))]],
        vec![vec![Op::Send(to(1, 0, bytes))], polls(Op::Irecv(from(0, 0, bytes), 0))],
        vec![polls(Op::Isend(to(1, 0, bytes), 0)), polls(Op::Irecv(from(0, 0, bytes), 0))],
    ];
    for scripts in scripts {
        let mut layer = layer(config, scripts);
        finish(&mut layer, &mut Ideal::new(LATENCY, PER_BYTE));
        assert_eq!(layer.errors(), []);
        assert!(layer.finished());
    }
}
