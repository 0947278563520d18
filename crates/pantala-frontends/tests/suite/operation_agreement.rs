//! The check of a file's calls before a run refuses what a run would refuse, and nothing else.

use std::sync::Arc;

use crate::network::run;
use pantala_frontends::operations::{Checked, Contents, RankStream, Replay, Writer, agreement};
use pantala_mpi::{Call, Communicator, Incoming, Op, Outgoing, Request, Source, Split, TagSelect};
use proptest::prelude::*;
use proptest::sample::Index;

const RANKS: u32 = 4;

/// A step that several ranks take together. The communicator is 0 or the rank's 1.
#[derive(Clone, Copy, Debug)]
enum Step {
    Message { sub: bool, from: u32, to: u32, tag: i32, bytes: u64, spare: u64, how: u8 },
    Collective { sub: bool, kind: u8, root: u32, bytes: u64, blocking: bool },
    Duplicate,
    WaitAll,
}

/// The two communicators of even and odd ranks.
fn split() -> Op {
    let table = (0..RANKS).map(|rank| Split { color: Some(rank % 2), key: 0 });
    Op::CommSplit(0, table.collect())
}

fn call(kind: u8, root: u32, bytes: u64) -> Call {
    match kind {
        0 => Call::Barrier,
        1 => Call::Bcast { root, bytes },
        2 => Call::Reduce { root, bytes },
        3 => Call::Allreduce { bytes },
        4 => Call::Gather { root, bytes },
        5 => Call::Scan { bytes },
        _ => Call::Alltoall { bytes },
    }
}

/// The programs of all ranks. `wild` receives are from any rank.
fn programs(steps: &[Step], wild: bool) -> Vec<Vec<Op>> {
    let mut programs = vec![vec![split()]; RANKS as usize];
    let mut requests = vec![0; RANKS as usize];
    let mut request = |rank: u32| -> Request {
        requests[rank as usize] += 1;
        requests[rank as usize]
    };
    for step in steps {
        match *step {
            Step::Message { sub, from, to, tag, bytes, spare, how } => {
                let (from, to) = if sub { (from, from % 2 + to / 2 * 2) } else { (from, to) };
                let local = |rank: u32| if sub { rank / 2 } else { rank };
                let communicator = u16::from(sub);
                let out = Outgoing { communicator, destination: local(to), tag, bytes };
                let source = if wild { Source::Any } else { Source::Rank(local(from)) };
                let tag = if how == 3 { TagSelect::Any } else { TagSelect::Is(tag) };
                let incoming = Incoming { communicator, source, tag, bytes: bytes + spare };
                let (out_request, in_request) = (request(from), request(to));
                if how == 2 {
                    programs[to as usize].push(Op::RecvInit(incoming, in_request));
                    programs[to as usize].push(Op::Start(in_request));
                    programs[from as usize].push(Op::SendInit(out, out_request));
                    programs[from as usize].push(Op::Startall { first: out_request, count: 1 });
                } else {
                    programs[to as usize].push(Op::Irecv(incoming, in_request));
                    let send = if how == 1 { Op::Issend } else { Op::Isend };
                    programs[from as usize].push(send(out, out_request));
                }
            }
            Step::Collective { sub, kind, root, bytes, blocking } => {
                let call = call(kind, if sub { root / 2 } else { root }, bytes);
                for rank in 0..RANKS {
                    programs[rank as usize].push(if blocking {
                        Op::Collective(u16::from(sub), call.clone())
                    } else {
                        Op::Icollective(u16::from(sub), call.clone(), request(rank))
                    });
                }
            }
            Step::Duplicate => programs.iter_mut().for_each(|ops| ops.push(Op::CommDup(1))),
            Step::WaitAll => programs.iter_mut().for_each(|ops| ops.push(Op::WAITALL)),
        }
    }
    programs.iter_mut().for_each(|ops| ops.push(Op::WAITALL));
    programs
}

fn contents(programs: &[Vec<Op>], given: &[Vec<Communicator>]) -> Arc<Contents> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, programs.len() as u32).unwrap();
    for (rank, program) in (0..).zip(programs) {
        let mut stream = RankStream::new(rank);
        program.iter().for_each(|op| stream.push(op, &mut writer).unwrap());
        writer.end_rank(stream, given.get(rank as usize).map_or(&[], Vec::as_slice)).unwrap();
    }
    writer.finish().unwrap();
    Arc::new(Contents::of_bytes(bytes).unwrap())
}

/// The faults of a run of the file.
fn faults(contents: &Arc<Contents>) -> Vec<String> {
    let ended = run(contents.job_ranks(), |rank| {
        (Replay::new(Arc::clone(contents), rank), contents.communicators(rank).to_vec())
    });
    ended.errors.into_iter().chain(ended.blocked).collect()
}

/// Changes one operation as a faulty program would.
fn change(ops: &mut Vec<Op>, at: usize, how: u8) {
    let longer = |message: &mut Outgoing| match how {
        0 => message.tag += 1,
        1 => message.bytes += 5_000,
        _ => message.destination ^= 1,
    };
    match &mut ops[at] {
        Op::Isend(message, _) | Op::Issend(message, _) | Op::SendInit(message, _) if how < 3 => {
            longer(message);
        }
        Op::Irecv(receive, _) | Op::RecvInit(receive, _) if how < 2 => match how {
            0 => receive.tag = TagSelect::Is(77),
            _ => receive.bytes /= 2,
        },
        Op::Collective(_, call) | Op::Icollective(_, call, _) if how < 3 => {
            *call = match (how, call.clone()) {
                (0, Call::Bcast { root, bytes }) => Call::Bcast { root: root ^ 1, bytes },
                (0, Call::Gather { root, bytes }) => Call::Reduce { root, bytes },
                (1, Call::Allreduce { bytes }) => Call::Allreduce { bytes: bytes + 3_000 },
                (_, Call::Barrier) => Call::Allreduce { bytes: 8 },
                _ => Call::Barrier,
            };
        }
        // Whether a request that no rank waits for is complete at the end is found in the run.
        Op::Waitall { .. } => {}
        _ => {
            ops.remove(at);
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let size = || prop_oneof![0u64..100, 0u64..200_000];
    prop_oneof![
        6 => (any::<bool>(), 0..RANKS, 0..RANKS, 0..3i32, size(), 0u64..50, 0u8..4).prop_map(
            |(sub, from, to, tag, bytes, spare, how)| Step::Message {
                sub, from, to, tag, bytes, spare, how
            }
        ),
        3 => (any::<bool>(), 0u8..7, 0..RANKS, size(), any::<bool>()).prop_map(
            |(sub, kind, root, bytes, blocking)| Step::Collective {
                sub, kind, root, bytes, blocking
            }
        ),
        1 => Just(Step::Duplicate),
        1 => Just(Step::WaitAll),
    ]
}

proptest! {
    #![proptest_config(pantala_testing::cases(512))]

    #[test]
    fn programs_that_fit_pass(
        steps in prop::collection::vec(step(), 0..25),
        wild: bool,
    ) {
        let contents = contents(&programs(&steps, wild), &[]);
        let faults = faults(&contents);
        // Several receives from any rank may take messages that are too long for them.
        prop_assert!(wild || faults.is_empty(), "{:?}", faults);
        prop_assert_eq!(agreement(&contents).unwrap(), Checked::Fit);
    }

    #[test]
    fn what_is_refused_fails_in_a_run_and_what_fails_is_refused(
        steps in prop::collection::vec(step(), 1..15),
        wild in prop::bool::weighted(0.2),
        rank in 0..RANKS as usize,
        at: Index,
        how in 0u8..5,
    ) {
        let mut programs = programs(&steps, wild);
        let at = at.index(programs[rank].len());
        change(&mut programs[rank], at, how);
        let contents = contents(&programs, &[]);
        let (faults, checked) = (faults(&contents), agreement(&contents));
        // Which message such a receive takes is found in the run.
        let any_tag = |step: &Step| matches!(step, Step::Message { how: 3, .. });
        let open = wild || steps.iter().any(any_tag);
        match checked {
            Ok(checked) => {
                prop_assert_eq!(checked, Checked::Fit);
                prop_assert!(open || faults.is_empty(), "passed: {:?}", faults);
            }
            Err(fault) => prop_assert!(!faults.is_empty(), "refused: {}", fault),
        }
    }
}

fn text(programs: &[Vec<Op>], given: &[Vec<Communicator>]) -> String {
    match agreement(&contents(programs, given)) {
        Ok(_) => String::new(),
        Err(fault) => fault.to_string(),
    }
}

#[test]
fn faults_name_both_ranks() {
    let send = |tag, bytes| Op::Send(Outgoing { communicator: 0, destination: 0, tag, bytes });
    let from = |source, tag, bytes| {
        let tag = TagSelect::Is(tag);
        Op::Recv(Incoming { communicator: 0, source, tag, bytes })
    };
    let recv = |tag, bytes| from(Source::Rank(1), tag, bytes);
    assert_eq!(text(&[vec![recv(17, 8)], vec![send(17, 8)]], &[]), "");
    assert_eq!(
        text(&[vec![recv(17, 8), recv(18, 8)], vec![send(17, 8), send(17, 8)]], &[]),
        "rank 1 sends rank 0 2 messages with tag 17, and rank 0 receives 1 from it"
    );
    assert_eq!(
        text(&[vec![recv(3, 8), recv(3, 9)], vec![send(3, 8), send(3, 10)]], &[]),
        "rank 1 sends rank 0 10 bytes with tag 3, and its receive has room for 9"
    );
    assert_eq!(
        text(&[vec![recv(3, 8), from(Source::Any, 3, 8)], vec![send(3, 8)]], &[]),
        "rank 0 calls 2 receives, 1 of them from any rank, and all ranks send it 1 message"
    );
    let call = |communicator, call| vec![Op::Collective(communicator, call)];
    let bcast = |root| Call::Bcast { root, bytes: 4 };
    assert_eq!(
        text(&[call(0, bcast(0)), call(0, bcast(1))], &[]),
        "collective 1 of COMM_WORLD is bcast of 4 bytes, root 1 at rank 1 and bcast of 4 bytes, \
         root 0 at rank 0"
    );
    assert_eq!(
        text(&[call(0, Call::Barrier), vec![]], &[]),
        "collective 1 of COMM_WORLD is barrier at rank 0 and none at rank 1"
    );
    let pair = |me| vec![Communicator::strided(1, 1, 1, 2, me)];
    assert_eq!(
        text(&[vec![], call(1, Call::Barrier), vec![]], &[vec![], pair(0), pair(1)]),
        "collective 1 of the communicator of 2 ranks from rank 1 on is barrier at rank 1 and none \
         at rank 2"
    );
    assert_eq!(
        text(&[vec![], vec![], vec![]], &[vec![], pair(0), vec![]]),
        "1 of the 2 ranks of the communicator of 2 ranks from rank 1 on have it"
    );
    let row = |first, me| vec![Communicator::strided(1, first, 1, 2, me)];
    let rows = [row(0, 0), row(0, 1), row(2, 0), row(2, 1)];
    let twice = vec![Op::Collective(1, Call::Barrier); 2];
    let once = call(1, Call::Barrier);
    assert_eq!(text(&[once.clone(), once, twice.clone(), twice], &rows), "");
    let outside = Outgoing { communicator: 1, destination: 2, tag: 0, bytes: 1 };
    assert_eq!(
        text(&[vec![], vec![Op::Send(outside)], vec![]], &[vec![], pair(0), pair(1)]),
        "rank 1 names rank 2 of a communicator of 2 ranks"
    );
    assert_eq!(
        text(&[call(4, Call::Barrier), vec![]], &[]),
        "rank 0 uses communicator 4, which it does not have"
    );
}
