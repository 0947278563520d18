//! DUMPI's checks: what is told of traces whose ranks do not agree, and of calls that are not recorded.

use pantala_frontends::dumpi::Function as F;
use pantala_frontends::trace::TraceFormat;
use pantala_mpi::{OperationSource, RankContext};

use crate::dumpi_replay::{names, program, refused, replay};
use crate::dumpi_writer::{Argument, IGNORED, INT, WORLD};

#[test]
fn a_complete_trace_has_all_messages() {
    let folder =
        program(2, |rank, out| if rank == 0 { out.send(F::Send, 8, 1, 5, None) } else { Ok(()) });
    assert_eq!(
        refused(&folder),
        "DIR/run-0000.bin, rank 0, byte 50: a send of 8 bytes to rank 1, tag 5, which is never \
         received"
    );
    let folder = program(
        2,
        |rank, out| {
            if rank == 1 { out.collective(F::Barrier, &[WORLD]) } else { Ok(()) }
        },
    );
    assert_eq!(
        refused(&folder),
        "DIR/run-0001.bin, rank 1: calls 1 collective in a communicator of 2 ranks, where rank 0 \
         calls 0, or other ones; the files are incomplete, or of several runs"
    );
    let folder = program(2, |_, out| out.send(F::Send, 8, 2, 5, None));
    assert_eq!(
        refused(&folder),
        "DIR/run-0000.bin, rank 0, byte 50: a message with rank 2 of a communicator of 2 ranks; the \
         file is corrupt, or of another trace"
    );
    let folder = program(1, |_, out| out.collective(F::Put, &[1, INT, 0, 0, 1, INT, 4]));
    assert_eq!(
        refused(&folder),
        "DIR/run-0000.bin, rank 0, byte 50: MPI_Put is not replayed: one-sided communication is not \
         simulated"
    );
    let folder = program(1, |_, out| out.collective(F::Barrier, &[6]));
    assert_eq!(
        refused(&folder),
        "DIR/run-0000.bin, rank 0, byte 50: communicator 6 comes from no recorded call; DUMPI does \
         not record MPI-3 calls such as MPI_Comm_split_type"
    );
}

/// Tags and sizes of messages are compared before a run.
#[test]
fn messages_match_in_tag_and_size() {
    let folder = |tag: i64, bytes: i64, room: i64| {
        program(2, move |rank, out| {
            if rank == 0 {
                out.send(F::Send, 8, 1, 16, None)?;
                out.send(F::Send, bytes, 1, 17, None)
            } else {
                out.recv(8, 0, 16, IGNORED)?;
                out.recv(room, 0, tag, IGNORED)
            }
        })
    };
    replay(&folder(17, 8, 8), |_| {});
    replay(&folder(17, 8, 80), |_| {});
    assert_eq!(
        refused(&folder(18, 8, 8)),
        "DIR/run-0000.bin, rank 0, byte 81: a send of 8 bytes to rank 1, tag 17, which is never \
         received; 1 more message has no partner, or does not fit"
    );
    assert_eq!(
        refused(&folder(17, 80, 8)),
        "DIR/run-0000.bin, rank 0, byte 81: a send of 80 bytes to rank 1, tag 17, which is longer \
         than its receive of 8 bytes"
    );
}

/// Equal tags match in order. Other tags may be received in another order, and a receive with
/// wildcards takes what is there.
#[test]
fn orders_and_wildcards_give_no_false_faults() {
    let folder = |receives: &'static [(i64, i64, i64)]| {
        program(3, move |rank, out| {
            if rank == 2 {
                return Ok(());
            }
            if rank == 0 {
                out.send(F::Send, 8, 1, 1, None)?;
                out.send(F::Send, 50, 1, 2, None)?;
                return out.send(F::Send, 20, 1, 1, None);
            }
            for (bytes, source, tag) in receives {
                out.recv(*bytes, *source, *tag, IGNORED)?;
            }
            Ok(())
        })
    };
    replay(&folder(&[(50, 0, 2), (8, 0, 1), (20, 0, 1)]), |_| {});
    replay(&folder(&[(50, 0, -1), (50, 0, -1), (50, 0, -1)]), |_| {});
    replay(&folder(&[(8, 0, 1), (50, -1, -1), (20, 0, 1)]), |_| {});
    let text = refused(&folder(&[(50, 0, 2), (20, 0, 1), (8, 0, 1)]));
    assert!(
        text.ends_with(
            "a send of 20 bytes to rank 1, tag 1, which is longer than its receive of 8 bytes"
        ),
        "{text}"
    );
}

/// Ranks that call a collective with another root or size are told with the call.
#[test]
fn collectives_are_compared_before_a_run() {
    let folder = |root: i64, count: i64| {
        program(2, move |rank, out| {
            let (root, count) = if rank == 0 { (0, 2) } else { (root, count) };
            out.collective(F::Barrier, &[WORLD])?;
            out.collective(F::Bcast, &[count, INT, root, WORLD])
        })
    };
    replay(&folder(0, 2), |_| {});
    for (folder, call) in [
        (folder(1, 2), "bcast of 8 bytes with root 1"),
        (folder(0, 3), "bcast of 12 bytes with root 0"),
    ] {
        let text = refused(&folder);
        assert!(text.starts_with("DIR/run-0001.bin, rank 1, byte "), "{text}");
        assert!(
            text.contains(&format!(
                ": collective 1 of a communicator of 2 ranks is {call}, and on rank 0 it is bcast of \
                 8 bytes with root 0"
            )),
            "{text}"
        );
    }
}

#[test]
fn a_group_has_no_more_ranks_than_the_trace() {
    let folder = program(1, |_, out| {
        let range = |last| Argument::Lists(vec![vec![0, last, 1], vec![0, last, 1]]);
        out.call(F::Group_range_incl, &[3.into(), 2.into(), range(0), 4.into()])?;
        out.call(F::Group_range_incl, &[3.into(), 2.into(), range(i32::MAX), 4.into()])
    });
    assert_eq!(
        refused(&folder),
        "DIR/run-0000.bin, rank 0, byte 50: a group of more ranks than there are; the file is corrupt"
    );
    // The other ranks of a single file are unknown, so any rank can be in its groups.
    let single = folder.path("run-0000.bin");
    TraceFormat::Dumpi.open(&single).unwrap();
}

#[test]
fn the_file_of_one_rank_is_described_as_that_rank() {
    let folder = program(3, |rank, out| {
        out.send(F::Send, 8, i64::from((rank + 1) % 3), 0, None)?;
        out.recv(8, i64::from((rank + 2) % 3), 0, IGNORED)
    });
    let path = folder.path("run-0002.bin");
    let found = TraceFormat::Dumpi.open(&path).unwrap().summary().unwrap();
    assert_eq!((found.ranks, found.by_rank.len(), found.by_rank[0].rank), (1, 1, 2));
    let pairs = found.matrix.iter().map(|pair| (pair.source, pair.destination, pair.messages));
    assert_eq!(pairs.collect::<Vec<_>>(), [(2, 0, 1)]);
    assert!(found.warnings.iter().any(|text| text.contains("the file of one rank tells neither")));
    // A name without a rank's number is that of rank 0.
    let other = folder.path("2.bin");
    std::fs::copy(&path, &other).unwrap();
    let found = TraceFormat::Dumpi.open(&other).unwrap().summary().unwrap();
    assert_eq!(found.by_rank[0].rank, 0);
}

#[test]
fn a_partly_profiled_trace_neither_fails_nor_waits_for_ever() {
    let folder = program(3, |rank, out| {
        out.ignored[F::Send as usize] = 4;
        let next = i64::from((rank + 1) % 3);
        let last = i64::from((rank + 2) % 3);
        for tag in 0..3 {
            // Rank 1 has not recorded its sends of tag 1, nor a collective.
            if rank != 1 || tag != 1 {
                out.send(F::Isend, 8, next, tag, Some(2))?;
                out.wait(2, IGNORED)?;
            }
            out.recv(8, last, tag, IGNORED)?;
            if rank != 1 || tag != 2 {
                out.collective(F::Barrier, &[WORLD])?;
            }
        }
        out.send(F::Irecv, 8, next, 9, Some(2))?;
        out.wait(2, IGNORED)
    });
    let ended = replay(&folder, |_| {});
    assert_eq!(names(&ended, 2).iter().filter(|name| **name == "recv").count(), 2);
    let warnings = TraceFormat::Dumpi.open(&folder.0).unwrap().summary().unwrap().warnings;
    assert_eq!(
        warnings,
        [
            "12 calls on 3 ranks are not recorded: the program switched profiling off",
            "the collectives of a communicator of 3 ranks are left out: rank 0 recorded 3 of them, \
             rank 1 2, or other ones",
            "4 sends and receives have no recorded partner; they are left out",
        ]
    );
}

#[test]
fn lost_calls_are_reported() {
    let folder = program(1, |_, out| out.wait(5, IGNORED));
    let trace = TraceFormat::Dumpi.open(&folder.0).unwrap();
    trace.check().unwrap();
    assert_eq!(
        trace.summary().unwrap().warnings,
        [
            "1 waits are for requests of no recorded call; DUMPI does not record MPI-3 calls such as \
          MPI_Iallreduce, so their traffic is lost"
        ]
    );
}

#[test]
fn no_file_stays_open() {
    let ranks = 300;
    let folder = program(ranks, |rank, out| {
        out.send(F::Isend, 8, i64::from((rank + 1) % ranks), 1, Some(2))?;
        out.recv(8, i64::from((rank + ranks - 1) % ranks), 1, IGNORED)?;
        out.wait(2, IGNORED)
    });
    let (spec, _) = folder.spec().unwrap();
    spec.check(ranks).unwrap();
    let context = |rank| RankContext::new(rank, ranks, "trace", 1);
    let mut programs: Vec<_> = (0..ranks).map(|rank| spec.program(context(rank))).collect();
    for program in &mut programs {
        use pantala_mpi::{OperationStream, Outcome};
        assert!(program.next(0, &Outcome::Done).is_some());
    }
    let open = std::fs::read_dir("/proc/self/fd").unwrap().count();
    assert!(open < 100, "{open} files are open");
}
