//! Operation files: what is written is what is read, equal iterations are stored once, and no byte
//! makes the reader panic.

use std::sync::Arc;

use pantala_frontends::operations::format::{HEADER_BYTES, RECORD_BYTES, Record, code};
use pantala_frontends::operations::{
    Contents, Iterations, RankStream, Replay, Writer, Written, export, merge,
};
use pantala_mpi::collectives::layout::Exchange;
use pantala_mpi::{
    Call, Communicator, Group, Incoming, IterationMark, Op, OperationStream, Outcome, Outgoing,
    PhaseName, Place, RankContext, SetCall, Source, Split, TagSelect,
};
use proptest::prelude::*;

fn outgoing() -> impl Strategy<Value = Outgoing> {
    (0u16..4, 0u32..9, 0i32..9, 0u64..1_000_000).prop_map(
        |(communicator, destination, tag, bytes)| Outgoing {
            communicator,
            destination,
            tag,
            bytes,
        },
    )
}

fn incoming() -> impl Strategy<Value = Incoming> {
    let source = prop_oneof![(0u32..9).prop_map(Source::Rank), Just(Source::Any)];
    let tag = prop_oneof![(0i32..9).prop_map(TagSelect::Is), Just(TagSelect::Any)];
    (0u16..4, source, tag, any::<u64>()).prop_map(|(communicator, source, tag, bytes)| Incoming {
        communicator,
        source,
        tag,
        bytes,
    })
}

fn call() -> impl Strategy<Value = Call> {
    let list = || prop::collection::vec(0u64..99, 0..5);
    let counts = || list().prop_map(Arc::<[u64]>::from);
    let rooted = (0u32..9, 0u64..999);
    prop_oneof![
        Just(Call::Barrier),
        rooted.clone().prop_map(|(root, bytes)| Call::Bcast { root, bytes }),
        rooted.clone().prop_map(|(root, bytes)| Call::Reduce { root, bytes }),
        rooted.clone().prop_map(|(root, bytes)| Call::Gather { root, bytes }),
        rooted.prop_map(|(root, bytes)| Call::Scatter { root, bytes }),
        (0u64..999).prop_map(|bytes| Call::Allreduce { bytes }),
        (0u64..999).prop_map(|bytes| Call::ReduceScatterBlock { bytes }),
        (0u64..999).prop_map(|bytes| Call::Allgather { bytes }),
        (0u64..999).prop_map(|bytes| Call::Alltoall { bytes }),
        (0u64..999).prop_map(|bytes| Call::Scan { bytes }),
        (0u64..999).prop_map(|bytes| Call::Exscan { bytes }),
        counts().prop_map(|counts| Call::ReduceScatter { counts }),
        counts().prop_map(|counts| Call::Allgatherv { counts }),
        (0u32..9, counts()).prop_map(|(root, counts)| Call::Gatherv { root, counts }),
        (0u32..9, counts()).prop_map(|(root, counts)| Call::Scatterv { root, counts }),
        (list(), list()).prop_map(|(send, receive)| Call::Alltoallv {
            pairs: Arc::new(Exchange { send, receive })
        }),
    ]
}

fn set_call() -> impl Strategy<Value = SetCall> {
    prop::sample::select(vec![
        SetCall::Waitall,
        SetCall::Waitany,
        SetCall::Waitsome,
        SetCall::Testall,
        SetCall::Testany,
        SetCall::Testsome,
    ])
}

fn operation() -> impl Strategy<Value = Op> {
    let ranges = (0u32..99, 0u32..99);
    let split =
        (prop::option::of(0u32..4), any::<i32>()).prop_map(|(color, key)| Split { color, key });
    let phase = prop::option::of(prop::sample::select(vec!["x", "sweep", "12345678"]));
    prop_oneof![
        4 => (outgoing(), 0u32..9, 0u8..9).prop_map(|(message, request, which)| match which {
            0 => Op::Send(message),
            1 => Op::Ssend(message),
            2 => Op::Rsend(message),
            3 => Op::Bsend(message),
            4 => Op::Isend(message, request),
            5 => Op::Issend(message, request),
            6 => Op::SendInit(message, request),
            7 => Op::Start(request),
            _ => Op::Free(request),
        }),
        4 => (incoming(), 0u32..9, 0u8..5).prop_map(|(message, request, which)| match which {
            0 => Op::Recv(message),
            1 => Op::Irecv(message, request),
            2 => Op::Probe(message),
            3 => Op::Iprobe(message),
            _ => Op::RecvInit(message, request),
        }),
        2 => (outgoing(), incoming()).prop_map(|(send, receive)| Op::Sendrecv(send, receive)),
        4 => (0u16..4, call(), prop::option::of(0u32..9)).prop_map(|(id, call, request)| {
            match request {
                Some(request) => Op::Icollective(id, call, request),
                None => Op::Collective(id, call),
            }
        }),
        2 => (ranges, 0u8..9).prop_map(|((first, count), which)| match which {
            0 => Op::WAITALL,
            1 => Op::Waitall { first, count },
            2 => Op::Waitany { first, count },
            3 => Op::Waitsome { first, count },
            4 => Op::Testall { first, count },
            5 => Op::Testany { first, count },
            6 => Op::Testsome { first, count },
            7 => Op::Startall { first, count },
            _ => Op::Wait(first),
        }),
        1 => (set_call(), prop::collection::vec(0u32..9, 0..5))
            .prop_map(|(call, requests)| Op::Set(call, requests.into())),
        1 => prop::collection::vec(split, 0..5).prop_map(|table| Op::CommSplit(1, table.into())),
        1 => Just(Op::CommCreate(0, Group::new(vec![3, 1, 7]).unwrap())),
        1 => prop::sample::select(vec![Op::CommDup(2), Op::CommFree(3), Op::Test(5), Op::IterationEnd]),
        2 => (0u64..1 << 40, 0u32..9, any::<bool>()).prop_map(|(time, request, beside)| {
            if beside { Op::Icompute(time, request) } else { Op::Compute(time) }
        }),
        4 => (0u32..4, 0u16..2, phase).prop_map(|(iteration, motif, phase)| {
            let phase = phase.map(PhaseName::new);
            Op::IterationStart(IterationMark { iteration, motif, phase })
        }),
        1 => ".{0,20}".prop_map(|text| Op::Abort(text.into())),
    ]
}

fn write(programs: &[Vec<Op>]) -> (Vec<u8>, Written) {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, programs.len() as u32).unwrap();
    for (rank, program) in (0..).zip(programs) {
        let mut stream = RankStream::new(rank);
        program.iter().for_each(|op| stream.push(op, &mut writer).unwrap());
        writer.end_rank(stream, &[]).unwrap();
    }
    let written = writer.finish().unwrap();
    (bytes, written)
}

fn pack(programs: &[Vec<Op>]) -> (Vec<u8>, Written) {
    let mut bytes = Vec::new();
    let mut writer = Writer::packed(&mut bytes, programs.len() as u32).unwrap();
    for (rank, program) in (0..).zip(programs) {
        let mut stream = RankStream::new(rank);
        program.iter().for_each(|op| stream.push(op, &mut writer).unwrap());
        writer.end_rank(stream, &[]).unwrap();
    }
    let written = writer.finish().unwrap();
    (bytes, written)
}

fn read(contents: &Arc<Contents>, rank: u32) -> Vec<Op> {
    let mut replay = Replay::new(Arc::clone(contents), rank);
    std::iter::from_fn(|| replay.next(0, &Outcome::Done)).collect()
}

/// Checks that a replay counts its operations.
fn counts(contents: &Arc<Contents>, rank: u32) {
    let mut replay = Replay::new(Arc::clone(contents), rank);
    assert_eq!(replay.place(), None);
    let mut number = 0;
    while replay.next(0, &Outcome::Done).is_some() {
        assert_eq!(replay.place(), Some(Place::Operation(number)));
        number += 1;
    }
    assert_eq!(replay.place(), number.checked_sub(1).map(Place::Operation));
}

proptest! {
    #![proptest_config(pantala_testing::cases(256))]

    #[test]
    fn what_is_written_is_read(
        bodies in prop::collection::vec(prop::collection::vec(operation(), 0..20), 1..6),
        order in prop::collection::vec(prop::collection::vec(0usize..6, 0..40), 1..4),
    ) {
        // Iterations repeat in any order.
        let program = |order: &Vec<usize>| -> Vec<Op> {
            let bodies = (0..).zip(order).map(|(iteration, body)| {
                let mark = IterationMark { iteration, ..IterationMark::default() };
                let body = &bodies[body % bodies.len()];
                std::iter::once(Op::IterationStart(mark)).chain(body.iter().cloned())
            });
            bodies.flatten().collect()
        };
        let programs: Vec<Vec<Op>> = order.iter().map(program).collect();
        let (bytes, written) = write(&programs);
        prop_assert_eq!(bytes.len() as u64, written.bytes);
        let contents = Arc::new(Contents::of_bytes(bytes).unwrap());
        prop_assert_eq!(contents.hash(), &written.hash);
        prop_assert_eq!(contents.operations(), written.operations);
        for (rank, program) in (0..).zip(&programs) {
            prop_assert_eq!(&read(&contents, rank), program);
            counts(&contents, rank);
        }
    }

    #[test]
    fn any_change_is_found(ops in prop::collection::vec(operation(), 1..20), at: prop::sample::Index, by in 1u8..) {
        let (mut bytes, _) = write(&[ops]);
        let end = bytes.len();
        let at = at.index(end);
        bytes[at] = bytes[at].wrapping_add(by);
        prop_assert!(Contents::of_bytes(bytes).is_err());
    }

    #[test]
    fn any_change_of_a_packed_file_leaves_its_content_or_is_found(
        ops in prop::collection::vec(operation(), 1..20), at: prop::sample::Index, by in 1u8..,
    ) {
        let (mut bytes, written) = pack(&[ops]);
        let at = at.index(bytes.len());
        bytes[at] = bytes[at].wrapping_add(by);
        if let Ok(contents) = Contents::of_bytes(bytes) {
            prop_assert_eq!(contents.hash(), written.hash);
        }
    }

    #[test]
    fn packed_files_hold_the_same_operations(
        programs in prop::collection::vec(prop::collection::vec(operation(), 0..60), 1..4),
    ) {
        let (bytes, written) = pack(&programs);
        prop_assert_eq!(bytes.len() as u64, written.bytes);
        let contents = Arc::new(Contents::of_bytes(bytes).unwrap());
        prop_assert_eq!(contents.hash(), &written.hash);
        prop_assert_eq!(contents.operations(), written.operations);
        for (rank, program) in (0..).zip(&programs) {
            prop_assert_eq!(&read(&contents, rank), program);
        }
    }
}

/// Writes zeros in place of the hash, so that the reader must find each fault by itself.
fn without_hash(bytes: &mut [u8]) {
    let end = bytes.len();
    bytes[end - 40..end - 8].fill(0);
}

/// Opens bytes and takes some operations of each rank.
fn consume(bytes: Vec<u8>) {
    let Ok(contents) = Contents::of_bytes(bytes) else { return };
    let contents = Arc::new(contents);
    for rank in contents.ranks().take(4) {
        let mut replay = Replay::new(Arc::clone(&contents), rank);
        let _ = replay.summary();
        let operations = std::iter::from_fn(|| replay.next(0, &Outcome::Done));
        assert!(operations.take(200).count() <= 200);
    }
}

proptest! {
    #![proptest_config(pantala_testing::cases(2_000))]

    #[test]
    fn no_byte_makes_the_reader_panic(
        ops in prop::collection::vec(operation(), 0..12),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::weighted(0.1, any::<prop::sample::Index>()),
        packed: bool,
    ) {
        let programs = [ops.clone(), ops];
        let (mut bytes, _) = if packed { pack(&programs) } else { write(&programs) };
        without_hash(&mut bytes);
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        consume(bytes);
    }
}

/// So no file can run nothing for ever.
#[test]
fn blocks_without_operations_are_refused() {
    let message = Outgoing { communicator: 0, destination: 1, tag: 1, bytes: 8 };
    let mark = |iteration| Op::IterationStart(IterationMark { iteration, ..Default::default() });
    let program = (0..9).flat_map(|each| [mark(each), Op::Send(message), Op::Compute(1)]);
    let (mut bytes, _) = write(&[program.collect()]);
    without_hash(&mut bytes);
    let records = Contents::of_bytes(bytes.clone()).unwrap().records() as usize;
    // Without lists the table of blocks follows the records. The rank runs the second block, which
    // runs the first one, now without records, 2^64 - 1 times.
    let table = HEADER_BYTES + records * RECORD_BYTES;
    let run = Record { code: code::RUN, request: 0, first: u64::MAX, ..Record::default() };
    bytes[HEADER_BYTES..][..RECORD_BYTES].copy_from_slice(&run.to_bytes());
    for (place, number) in [0_u64, 0, 0, 1].into_iter().enumerate() {
        bytes[table + 8 * place..][..8].copy_from_slice(&number.to_le_bytes());
    }
    let refused = Contents::of_bytes(bytes).unwrap_err().to_string();
    assert!(refused.contains("block 0 is not there or empty"), "{refused}");
}

/// A million files with random bytes, each from one small file: run by hand with
/// `PANTALA_CASES=1000 cargo test --release -p pantala-frontends many_bytes -- --ignored`.
#[test]
#[ignore = "large: make test-all"]
fn many_bytes_make_no_panic() {
    let program = || {
        let mark =
            |iteration| Op::IterationStart(IterationMark { iteration, ..Default::default() });
        let message = Outgoing { communicator: 0, destination: 1, tag: 1, bytes: 8 };
        let counts = Arc::from([1, 2]);
        let call = Op::Collective(0, Call::Allgatherv { counts });
        let split = Op::CommSplit(0, Arc::from([Split { color: Some(1), key: 2 }; 2]));
        vec![
            mark(0),
            Op::Isend(message, 0),
            call.clone(),
            mark(1),
            Op::Send(message),
            call,
            split,
            mark(2),
        ]
    };
    let (mut bytes, _) = write(&[program(), program()]);
    without_hash(&mut bytes);
    let mut state = 1u64;
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    for _ in 0..pantala_testing::share(1_000_000) {
        let mut changed = bytes.clone();
        for _ in 0..1 + draw() % 4 {
            let at = draw() % changed.len();
            changed[at] = if draw() % 2 == 0 { draw() as u8 } else { (draw() % 4) as u8 };
        }
        if draw() % 16 == 0 {
            changed.truncate(draw() % bytes.len());
        }
        consume(changed);
    }
}

fn fault(bytes: Vec<u8>) -> String {
    Contents::of_bytes(bytes).unwrap_err().to_string()
}

#[test]
fn faults_are_told() {
    let (bytes, _) = write(&[vec![Op::Compute(5), Op::Wait(1)], vec![Op::Compute(6)]]);
    let changed = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        without_hash(&mut bytes);
        bytes[at] = value;
        fault(bytes)
    };
    assert_eq!(fault(Vec::new()), "is no operation file: its first bytes differ");
    assert_eq!(changed(0, b'Q'), "is no operation file: its first bytes differ");
    assert_eq!(changed(8, 3), "has version 3; this Pantala reads versions 1 and 2");
    let cut = bytes[..100].to_vec();
    assert_eq!(
        fault(cut),
        "is truncated: its 100 bytes do not end with a footer (its writer did not finish)"
    );
    let mut swapped = bytes.clone();
    swapped[8..12].reverse();
    assert_eq!(fault(swapped), "has numbers in big-endian order; the format is little-endian");
    assert_eq!(changed(64, 200), "is corrupt at byte 64: rank 0: there is no operation 200");
    assert_eq!(
        changed(119, 255),
        "is corrupt at byte 96: rank 1: 18374686479671623686 ps is longer than any run"
    );
    assert_eq!(changed(12, 1), "is corrupt at byte 12: the numbers of ranks do not fit each other");
    let mut other = bytes.clone();
    other[48] ^= 1;
    assert_eq!(fault(other), "is corrupt: its content does not fit its hash");
}

/// A loop whose computing times differ, on every rank, with a record per operation.
fn recorded_loop(iterations: u64) -> Vec<Op> {
    let mut program = vec![Op::Compute(5_000_000), Op::Collective(0, Call::Barrier)];
    for iteration in 0..iterations {
        for bytes in 1..=10 {
            program.push(Op::Compute(1_000 * (1 + iteration * bytes % 977)));
            program.push(Op::Collective(0, Call::Allreduce { bytes }));
        }
    }
    program
}

#[test]
fn a_recorded_loop_is_marked_and_stored_once() {
    let programs = vec![recorded_loop(1_000); 2];
    let folder = std::env::temp_dir().join(format!("pantala-loop-{}", std::process::id()));
    std::fs::write(&folder, write(&programs).0).unwrap();
    let mut merged = Vec::new();
    let files = std::slice::from_ref(&folder);
    let written = merge(files, Iterations::Found, &[], &mut merged).unwrap();
    assert_eq!(written.iterations, 1_000);
    // The first iteration lacks its first computing, which stands before it.
    assert!(written.records < 70, "{}", written.records);
    let contents = Arc::new(Contents::of_bytes(merged.clone()).unwrap());
    let operations = read(&contents, 1);
    let marks = |op: &Op| matches!(op, Op::IterationStart(_) | Op::IterationEnd);
    assert_eq!(operations.iter().filter(|op| marks(op)).count(), 2_000);
    let calls: Vec<Op> = operations.into_iter().filter(|op| !marks(op)).collect();
    assert_eq!(calls, programs[1]);
    // A merge of a file with marks finds nothing new.
    std::fs::write(&folder, &merged).unwrap();
    let mut again = Vec::new();
    let files = std::slice::from_ref(&folder);
    assert_eq!(merge(files, Iterations::Found, &[], &mut again).unwrap().iterations, 0);
    assert_eq!(again, merged);
    std::fs::remove_file(&folder).unwrap();
}

#[test]
fn equal_iterations_are_stored_once() {
    let mut program = Vec::new();
    for iteration in 0..1_000 {
        program.push(Op::IterationStart(IterationMark { iteration, ..Default::default() }));
        let bytes = if iteration % 5 == 4 { 8 } else { 4 };
        program.extend((0..20).map(|_| Op::Collective(0, Call::Allreduce { bytes })));
        program.push(Op::IterationEnd);
    }
    let programs = vec![program; 3];
    let (bytes, written) = write(&programs);
    assert_eq!(written.operations, 66_000);
    // Two iterations, and the runs of them, which the ranks share.
    assert_eq!(written.records, 2 * 22 + 400);
    let contents = Arc::new(Contents::of_bytes(bytes).unwrap());
    assert_eq!(read(&contents, 2), programs[2]);
}

#[test]
fn long_programs_are_cut_and_read_in_blocks() {
    let long: Vec<Op> = (0..20_000).map(|time| Op::Compute(time % 4_500)).collect();
    let mark = Op::IterationStart(IterationMark::default());
    let iterations: Vec<Op> = std::iter::once(mark).chain(long.clone()).collect();
    let programs = vec![long, iterations, Vec::new()];
    let (bytes, _) = write(&programs);
    let path = std::env::temp_dir().join(format!("pantala-operations-{}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let mut merged = Vec::new();
    let files = std::slice::from_ref(&path);
    let written = merge(files, Iterations::Kept, &[], &mut merged).unwrap();
    assert_eq!(merged.len() as u64, written.bytes);
    let plain = Arc::new(Contents::open(&path).unwrap());
    let plain_in_blocks = Arc::new(Contents::open_up_to(&path, 0).unwrap());
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, merged).unwrap();
    let packed = Arc::new(Contents::open(&path).unwrap());
    let packed_in_blocks = Arc::new(Contents::open_up_to(&path, 0).unwrap());
    std::fs::remove_file(&path).unwrap();
    for contents in [plain, plain_in_blocks, packed, packed_in_blocks] {
        for (rank, program) in (0..).zip(&programs) {
            assert_eq!(&read(&contents, rank), program);
        }
    }
}

#[test]
fn communicators_are_kept() {
    let row = Communicator::strided(1, 1, 2, 2, 0);
    let list = Communicator::list(2, Arc::from([3, 0, 1]), 2);
    let mut bytes = Vec::new();
    let mut writer = Writer::of_ranks(&mut bytes, 4, 1..2).unwrap();
    writer.end_rank(RankStream::new(1), &[row.clone(), list.clone()]).unwrap();
    writer.finish().unwrap();
    let contents = Contents::of_bytes(bytes).unwrap();
    assert_eq!(contents.communicators(1), [row, list]);
    assert_eq!((contents.ranks(), contents.job_ranks()), (1..2, 4));
}

/// A program that yields operations by the outcome of the last one.
struct Reacts(fn(u64, &Outcome) -> Option<Op>, u64);

impl OperationStream for Reacts {
    fn next(&mut self, _: u64, outcome: &Outcome) -> Option<Op> {
        self.1 += 1;
        self.0(self.1, outcome)
    }
}

#[test]
fn what_depends_on_the_run_is_refused() {
    let context = |rank| RankContext::new(rank, 2, "job", 1);
    let any = Op::Waitany { first: 0, count: 2 };
    let ranks = || (0..2).map(context).collect::<Vec<_>>().into_iter();
    // The new communicator's number is known.
    let splits = |_: &RankContext| {
        let program = |step, outcome: &Outcome| match (step, outcome) {
            (1, _) => Some(Op::CommDup(0)),
            (2, Outcome::Communicator(Some(id))) => Some(Op::Collective(*id, Call::Barrier)),
            _ => None,
        };
        (Reacts(program, 0), Vec::new())
    };
    assert_eq!(export(ranks(), splits, Vec::new()).unwrap().operations, 4);
    let any_matters = |_: &RankContext| {
        let program = |step, outcome: &Outcome| match (step, outcome) {
            (1..=2, _) => Some(Op::Icompute(step, step as u32 - 1)),
            (3, _) => Some(Op::Waitany { first: 0, count: 2 }),
            (4, Outcome::Completed(done)) if done[0].request == 0 => Some(Op::Compute(1)),
            _ => None,
        };
        (Reacts(program, 0), Vec::new())
    };
    let refused = export(ranks(), any_matters, Vec::new()).unwrap_err().to_string();
    assert!(
        refused.starts_with("rank 0: operation 3 (compute): follows or is the end instead"),
        "{refused}"
    );
    assert_eq!(any.name(), "waitany");
}
