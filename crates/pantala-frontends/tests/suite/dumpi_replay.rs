//! DUMPI's replay: what the calls become, on an ideal network.

use std::fs::File;
use std::io::{self, BufWriter};

use pantala_engine::Time;
use pantala_frontends::dumpi::Function as F;
use pantala_frontends::trace::{ComputeTimes, TraceFormat};
use pantala_mpi::{Call, Op, OperationSource, RankContext, Source, TagSelect};
use proptest::prelude::*;

use crate::dumpi_folder::Folder;
use crate::dumpi_writer::{Argument, IGNORED, INT, WORLD, Writer, status};
use crate::network::{Ended, run};

type Out = Writer<BufWriter<File>>;

/// Replays a trace. It must end without an error.
pub(crate) fn replay(
    folder: &Folder,
    change: impl Fn(&mut pantala_frontends::trace::TraceSpec),
) -> Ended {
    let (mut spec, ranks) = folder.spec().unwrap();
    change(&mut spec);
    spec.check(ranks).unwrap();
    let ended = run(ranks, |rank| {
        let context = RankContext::new(rank, ranks, "trace", 1);
        (spec.program(context), spec.communicators(&context))
    });
    assert_eq!((&ended.errors[..], &ended.blocked[..]), (&[][..], &[][..]));
    ended
}

/// The operations of a rank without computing.
pub(crate) fn calls(ended: &Ended, rank: u32) -> Vec<Op> {
    let of_rank =
        ended.log.iter().filter(|(_, of, op)| *of == rank && !matches!(op, Op::Compute(_)));
    of_rank.map(|(_, _, op)| op.clone()).collect()
}

pub(crate) fn names(ended: &Ended, rank: u32) -> Vec<&'static str> {
    calls(ended, rank).iter().map(Op::name).collect()
}

pub(crate) fn refused(folder: &Folder) -> String {
    let error = folder.spec().map(|_| ()).unwrap_err().to_string();
    error.replace(&folder.0.display().to_string(), "DIR")
}

/// A program between Init and Finalize.
pub(crate) fn program(ranks: u32, body: impl Fn(u32, &mut Out) -> io::Result<()>) -> Folder {
    Folder::trace(ranks, |rank, out| {
        out.compute(7_000).init()?;
        body(rank, out)?;
        out.finalize()
    })
}

#[test]
fn gaps_are_computing_and_calls_are_not() {
    let folder = program(1, |_, out| {
        out.compute(2_000).collective(F::Barrier, &[WORLD])?;
        out.compute(300).call(F::Wtime, &[])?;
        out.compute(40).collective(F::Barrier, &[WORLD])
    });
    let computing = |ended: &Ended| -> Vec<Time> {
        let times = ended.log.iter().filter_map(|(_, _, op)| match op {
            Op::Compute(time) => Some(*time),
            _ => None,
        });
        times.collect()
    };
    assert_eq!(computing(&replay(&folder, |_| {})), [2_000_000, 340_000]);
    let half = replay(&folder, |spec| spec.compute_scale_millionths = 500_000);
    assert_eq!(computing(&half), [1_000_000, 170_000]);
    assert_eq!(
        computing(&replay(&folder, |spec| spec.compute = ComputeTimes::None)),
        [] as [Time; 0]
    );
    let (spec, _) = folder.spec().unwrap();
    let summary = spec.format.open(&folder.0).unwrap().summary().unwrap();
    assert_eq!((summary.duration_ps, summary.by_rank[0].compute_ps), (5_340_000, 2_340_000));
}

#[test]
fn times_out_of_range_are_told_with_their_place() {
    let refused_of = |stamps: &'static [[(u16, u32); 2]]| {
        let folder = program(1, |_, out| {
            for each in stamps {
                out.stamps = Some(*each);
                out.call(F::Wtime, &[])?;
            }
            Ok(())
        });
        refused(&folder)
    };
    assert_eq!(
        refused_of(&[[(6, 5), (7, u32::MAX)]]),
        "DIR/run-0000.bin, rank 0, byte 50: a time of 4294967295 ns after the full second, of at \
         most 999999999; the file is corrupt"
    );
    let backwards = "DIR/run-0000.bin, rank 0, byte 50: the times run backwards, from 70000000005 ns \
                     to 6000000000 ns; the file is corrupt, or the clock of the traced node was set";
    assert_eq!(refused_of(&[[(70, 5), (6, 0)]]), backwards);
    assert_eq!(
        refused_of(&[[(6, 0), (70, 5)], [(6, 0), (71, 0)]]),
        backwards.replace("byte 50", "byte 65")
    );
}

/// A clock that was set back goes on from there.
#[test]
fn a_clock_may_be_set_back_a_little() {
    let folder = program(1, |_, out| {
        for (enter, leave) in [((9, 0), (9, 5)), ((8, 0), (8, 5)), ((8, 45), (8, 40))] {
            out.stamps = Some([enter, leave]);
            out.collective(F::Barrier, &[WORLD])?;
        }
        out.stamps = Some([(8, 50), (8, 50)]);
        out.call(F::Wtime, &[])
    });
    let trace = TraceFormat::Dumpi.open(&folder.0).unwrap();
    trace.check().unwrap();
    let summary = trace.summary().unwrap();
    let warning = "clocks were set back 3 times on 1 rank, by ";
    assert!(summary.warnings.iter().any(|each| each.starts_with(warning)), "{summary:?}");
}

#[test]
fn all_modes_of_point_to_point() {
    let folder = program(2, |rank, out| {
        let other = i64::from(1 - rank);
        if rank == 0 {
            for (tag, mode) in (0..).zip([F::Send, F::Ssend, F::Bsend, F::Rsend]) {
                out.send(mode, 10, other, tag, None)?;
            }
            for (tag, mode) in (0..).zip([F::Isend, F::Issend, F::Ibsend, F::Irsend]) {
                out.send(mode, 20, other, 10 + tag, Some(2 + tag))?;
            }
            return out.waitall(&[2, 3, 4, 5]);
        }
        for tag in (0..4).chain(10..14) {
            out.recv(100, other, tag, IGNORED)?;
        }
        Ok(())
    });
    let ended = replay(&folder, |_| {});
    assert_eq!(
        names(&ended, 0),
        ["send", "ssend", "bsend", "rsend", "isend", "issend", "bsend", "isend", "waitall"]
    );
    assert_eq!(ended.ranks[1].totals.bytes_received, 120);
}

#[test]
fn a_number_stands_for_several_requests() {
    // Open MPI: PROC_NULL and small sends share one handle.
    let folder = program(2, |rank, out| {
        let other = i64::from(1 - rank);
        out.send(F::Irecv, 8, -2, 1, Some(4))?;
        out.send(F::Isend, 8, other, 1, Some(4))?;
        out.send(F::Isend, 8, other, 2, Some(4))?;
        out.send(F::Irecv, 8, other, 1, Some(5))?;
        out.send(F::Irecv, 8, other, 2, Some(6))?;
        out.waitall(&[1, 4, 4, 5, 4, 6, 4])
    });
    let ended = replay(&folder, |_| {});
    assert_eq!(names(&ended, 0), ["isend", "isend", "irecv", "irecv", "waitall"]);
    assert_eq!(calls(&ended, 1)[4], Op::Waitall { first: 0, count: 4 });
}

#[test]
fn waits_are_for_what_completed() {
    let folder = program(2, |rank, out| {
        if rank == 1 {
            return (0..4).try_for_each(|tag| out.send(F::Send, 8, 0, tag, None));
        }
        for tag in 0..4 {
            out.send(F::Irecv, 8, 1, tag, Some(2 + tag))?;
        }
        out.call(F::Test, &[2.into(), 0.into(), IGNORED])?;
        let requests: Argument = [2, 3, 4, 5][..].into();
        out.call(F::Waitany, &[4.into(), requests, 2.into(), IGNORED])?;
        let requests: Argument = [2, 3, 1, 5][..].into();
        let some = [4.into(), requests, 2.into(), [3, 0][..].into(), IGNORED];
        out.call(F::Waitsome, &some)?;
        out.call(F::Testany, &[1.into(), [3][..].into(), 0.into(), 1.into(), IGNORED])
    });
    let ended = replay(&folder, |_| {});
    let waits: Vec<Op> = calls(&ended, 0).split_off(4);
    let set: std::sync::Arc<[u32]> = [0, 3].into();
    let waitall = pantala_mpi::SetCall::Waitall;
    assert_eq!(waits, [Op::Wait(2), Op::Set(waitall, set), Op::Wait(1)]);
}

#[test]
fn wildcards_take_what_they_took() {
    let folder = program(3, |rank, out| {
        if rank > 0 {
            out.send(F::Send, 8, 0, rank.into(), None)?;
            return out.send(F::Send, 8, 0, 7, None);
        }
        out.recv(100, -1, -1, status(8, 2, 2))?;
        out.send(F::Irecv, 100, -1, -1, Some(9))?;
        out.wait(9, status(8, 1, 1))?;
        // Nobody kept these statuses.
        out.recv(100, -1, 7, IGNORED)?;
        out.recv(100, -1, 7, IGNORED)?;
        // MPICH: MPI_PROC_NULL looks like any source.
        out.recv(100, -1, 3, status(0, -1, -1))?;
        out.recv(100, -1, 3, IGNORED)
    });
    let ended = replay(&folder, |_| {});
    let received: Vec<_> = calls(&ended, 0)
        .iter()
        .filter_map(|op| match op {
            Op::Recv(incoming) | Op::Irecv(incoming, _) => Some((incoming.source, incoming.tag)),
            _ => None,
        })
        .collect();
    let any = (Source::Any, TagSelect::Is(7));
    assert_eq!(
        received,
        [(Source::Rank(2), TagSelect::Is(2)), (Source::Rank(1), TagSelect::Is(1)), any, any]
    );
    let trace = TraceFormat::Dumpi.open(&folder.0).unwrap();
    let warnings = trace.summary().unwrap().warnings;
    assert_eq!(warnings, ["1 receives from any rank get no message; they count as MPI_PROC_NULL"]);
}

#[test]
fn persistent_requests_start_again() {
    let folder = program(2, |rank, out| {
        let other = i64::from(1 - rank);
        out.send(F::Ssend_init, 8, other, 1, Some(2))?;
        out.send(F::Recv_init, 8, other, 1, Some(3))?;
        for _ in 0..2 {
            out.call(F::Startall, &[2.into(), [3, 2][..].into()])?;
            out.waitall(&[2, 3])?;
        }
        out.call(F::Start, &[2.into()])?;
        out.call(F::Request_free, &[2.into()])?;
        out.call(F::Start, &[3.into()])
    });
    let ended = replay(&folder, |_| {});
    let twice = ["irecv", "issend", "waitall", "irecv", "issend", "waitall"];
    assert_eq!(names(&ended, 0), [&twice[..], &["issend", "irecv", "finalize"]].concat());
}

/// `MPI_Finalize` waits for a freed send, and the wait is no communication.
#[test]
fn a_freed_send_is_complete_in_finalize() {
    let bytes = 1_000_000;
    let folder = program(2, |rank, out| {
        let other = i64::from(1 - rank);
        if rank == 0 {
            out.send(F::Issend, bytes, other, 1, Some(2))?;
            return out.call(F::Request_free, &[2.into()]);
        }
        out.compute(1_000_000).recv(bytes, other, 1, IGNORED)
    });
    let ended = replay(&folder, |_| {});
    assert_eq!(names(&ended, 0), ["issend", "finalize"]);
    let [sender, receiver] = [0, 1].map(|rank| ended.ranks[rank].totals);
    assert_eq!((sender.communication(), sender.wait), (0, 0));
    assert!(sender.finalize >= 1_000_000_000, "{sender:?}");
    assert!(receiver.recv > 0 && receiver.finalize == 0, "{receiver:?}");
}

#[test]
fn types_have_the_size_of_their_latest_definition() {
    let folder = program(1, |_, out| {
        for count in [3, 5] {
            out.collective(F::Type_vector, &[count, 2, 9, INT, 28])?;
            out.call(
                F::Type_struct,
                &[
                    2.into(),
                    [1, 3][..].into(),
                    [0, 40][..].into(),
                    [28, INT as i32][..].into(),
                    29.into(),
                ],
            )?;
            out.collective(F::Type_contiguous, &[2, 29, 30])?;
            out.collective(F::Allreduce, &[10, 30, 3, WORLD])?;
            out.collective(F::Type_free, &[28])?;
        }
        out.collective(F::Comm_size, &[WORLD, 1])
    });
    let ended = replay(&folder, |_| {});
    let reduce = |bytes| Op::Collective(0, Call::Allreduce { bytes });
    assert_eq!(calls(&ended, 0), [reduce(10 * 2 * (24 + 12)), reduce(10 * 2 * (40 + 12))]);
}

#[test]
fn communicators_are_rebuilt_from_all_ranks() {
    let folder = program(4, |rank, out| {
        let (color, key) = (i64::from(rank % 2), -i64::from(rank));
        // The numbers of communicators differ between ranks.
        let own = i64::from(4 + rank);
        out.collective(F::Comm_split, &[WORLD, color, key, own])?;
        out.collective(F::Bcast, &[8, INT, 1, own])?;
        out.collective(F::Comm_free, &[own])?;
        let undefined = if rank == 0 { (-32_766, 1) } else { (1, own) };
        out.collective(F::Comm_split, &[WORLD, undefined.0, 0, undefined.1])?;
        if rank > 0 {
            out.collective(F::Barrier, &[own])?;
            out.collective(F::Comm_free, &[own])?;
        }
        out.call(
            F::Cart_create,
            &[WORLD.into(), 2.into(), [2, 2][..].into(), [0, 0][..].into(), 0.into(), own.into()],
        )?;
        out.call(F::Cart_sub, &[2.into(), own.into(), [0, 1][..].into(), (own + 1).into()])?;
        let gather = [i64::from(rank % 2), 1, INT, 1, own + 1, 1, INT];
        out.collective(F::Gather, &gather)?;
        // COMM_SELF.
        out.collective(F::Barrier, &[3])?;
        let vector = |counts: &[i32]| -> Vec<Argument> {
            let mut arguments: Vec<Argument> =
                [i64::from(rank), 4, 2, INT, 1, WORLD].map(Argument::Number).to_vec();
            arguments.extend([counts.into(), [0, 0, 0, 0][..].into(), INT.into()]);
            arguments
        };
        out.call(F::Gatherv, &vector(&[2, 2, 2, 2]))
    });
    let ended = replay(&folder, |_| {});
    assert_eq!(
        names(&ended, 2),
        [
            "comm_split",
            "bcast",
            "comm_free",
            "comm_split",
            "barrier",
            "comm_free",
            "comm_create",
            "comm_split",
            "gather",
            "barrier",
            "gatherv"
        ]
    );
    let counts: std::sync::Arc<[u64]> = [8; 4].into();
    assert_eq!(calls(&ended, 3)[10], Op::Collective(0, Call::Gatherv { root: 1, counts }));
}

#[test]
fn a_cancelled_receive_is_left_out() {
    let folder = program(1, |_, out| {
        out.send(F::Irecv, 8, 0, 1, Some(2))?;
        out.call(F::Cancel, &[2.into()])?;
        out.wait(2, IGNORED)
    });
    assert_eq!(names(&replay(&folder, |_| {}), 0), Vec::<&str>::new());
}

/// A small trace with most kinds of calls.
fn sample() -> Folder {
    program(2, |rank, out| {
        let other = i64::from(1 - rank);
        out.collective(F::Comm_split, &[WORLD, 1, -i64::from(rank), 4])?;
        out.collective(F::Type_vector, &[2, 2, 9, INT, 28])?;
        out.call(F::Isend, &[3.into(), 28.into(), other.into(), 1.into(), 4.into(), 2.into()])?;
        let receive = [3.into(), 28.into(), (-1).into(), (-1).into(), 4.into(), 3.into()];
        out.call(F::Irecv, &receive)?;
        out.wait(3, status(48, 1 - rank as i32, 1))?;
        out.waitall(&[1, 2])?;
        out.send(F::Recv_init, 8, other, 1, Some(2))?;
        out.call(F::Start, &[2.into()])?;
        out.send(F::Send, 8, other, 1, None)?;
        out.call(F::Test, &[2.into(), 1.into(), status(8, 1 - rank as i32, 1)])?;
        out.call(
            F::Allgatherv,
            &[
                2.into(),
                1.into(),
                INT.into(),
                [1, 1][..].into(),
                [0, 1][..].into(),
                INT.into(),
                4.into(),
            ],
        )?;
        out.call(F::Comm_group, &[WORLD.into(), 3.into()])?;
        out.call(
            F::Group_range_incl,
            &[3.into(), 1.into(), Argument::Lists(vec![vec![0, 1, 1]]), 4.into()],
        )?;
        out.collective(F::Comm_create, &[WORLD, 4, 5])?;
        out.collective(F::Reduce, &[2, INT, 3, 0, 5])
    })
}

/// Opens and replays a trace without a network. Nothing may panic or hang.
pub(crate) fn exercise(folder: &Folder) {
    use pantala_mpi::{OperationStream, Outcome};
    let Ok((spec, ranks)) = folder.spec() else { return };
    spec.check(ranks).unwrap();
    for rank in 0..ranks {
        let mut program = spec.program(RankContext::new(rank, ranks, "trace", 1));
        let mut outcome = Outcome::Done;
        let mut operations = 0;
        while let Some(operation) = program.next(0, &outcome) {
            operations += 1;
            assert!(operations < 10_000, "the program does not end");
            outcome = match operation {
                Op::CommDup(_) | Op::CommSplit(..) | Op::CommCreate(..) => {
                    Outcome::Communicator(Some(9))
                }
                _ => Outcome::Done,
            };
        }
    }
}

#[test]
fn the_sample_replays() {
    let folder = sample();
    let ended = replay(&folder, |_| {});
    assert_eq!(
        names(&ended, 0),
        [
            "comm_split",
            "isend",
            "irecv",
            "wait",
            "wait",
            "irecv",
            "send",
            "wait",
            "allgatherv",
            "comm_create",
            "reduce"
        ]
    );
    exercise(&folder);
}

proptest! {
    #![proptest_config(pantala_testing::cases(400))]

    /// Files with a few wrong bytes, cut or not, end in an error or in operations.
    #[test]
    fn wrong_bytes_do_no_harm(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
        body in any::<bool>(),
    ) {
        let folder = sample();
        let path = folder.path("run-0001.bin");
        let mut bytes = std::fs::read(&path).unwrap();
        // The footer is longer than all records.
        let range = if body { 700.min(bytes.len()) } else { bytes.len() };
        for (place, byte) in changes {
            bytes[place.index(range)] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        std::fs::write(&path, bytes).unwrap();
        exercise(&folder);
    }
}

/// `COUNT` wrong files, drawn from `SEED`, both in the environment.
#[test]
#[ignore = "large: make test-all"]
fn many_wrong_files_do_no_harm() {
    use pantala_frontends::dumpi::DumpiTrace;
    use pantala_frontends::trace::TraceFile;
    use pantala_mpi::{OperationStream, Outcome};
    use std::sync::Arc;

    let folder = sample();
    let (spec, ranks) = folder.spec().unwrap();
    let path = folder.path("run-0001.bin");
    let whole = std::fs::read(&path).unwrap();
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1_u64);
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut draw = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let count = std::env::var("COUNT").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000_u32);
    let mut replayed = 0;
    for _ in 0..count {
        let mut bytes = whole.clone();
        let range = if draw(4) > 0 { 900.min(bytes.len()) } else { bytes.len() };
        for _ in 0..1 + draw(4) {
            let at = draw(range);
            match draw(6) {
                0 => bytes[at] = bytes[at].wrapping_add(1),
                1 => bytes[at] ^= 1 << draw(8),
                2 => bytes[at] = [0, 1, 2, 0x7F, 0x80, 0xFF][draw(6)],
                3 => bytes.copy_within(draw(range / 2)..range / 2, draw(range / 2)),
                _ => bytes[at] = draw(256) as u8,
            }
        }
        if draw(8) == 0 {
            bytes.truncate(draw(whole.len()));
        }
        std::fs::write(&path, bytes).unwrap();
        // One file by itself is read and interpreted, but not related to others.
        let opened = if draw(8) > 0 { &path } else { &folder.0 };
        let Ok(trace) = DumpiTrace::open(opened) else { continue };
        if trace.check().is_err() {
            continue;
        }
        replayed += 1;
        let trace = Arc::new(trace);
        for rank in 0..ranks {
            let mut program = trace.program(spec.compute_scale(), rank);
            let mut outcome = Outcome::Done;
            for operations in 0.. {
                let Some(operation) = program.next(0, &outcome) else { break };
                assert!(operations < 10_000, "the program does not end");
                outcome = match operation {
                    Op::CommDup(_) | Op::CommSplit(..) | Op::CommCreate(..) => {
                        Outcome::Communicator(Some(9))
                    }
                    _ => Outcome::Done,
                };
            }
        }
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    #[allow(clippy::print_stderr, reason = "asked for by hand")]
    {
        eprintln!("seed {seed}: {replayed} of {count} files are replayed; {peak}");
    }
}
