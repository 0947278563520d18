//! DUMPI's replay of requests and communicators that a program gives up: cancelled, freed, or of
//! calls that are not recorded.

use pantala_frontends::dumpi::Function as F;
use pantala_frontends::dumpi::record::Status;
use pantala_frontends::trace::TraceFormat;
use pantala_mpi::{Op, OperationSource, Source};

use crate::dumpi_folder::{Folder, spec};
use crate::dumpi_replay::{calls, names, program, refused, replay};
use crate::dumpi_writer::{Argument, BYTE, IGNORED, INT, WORLD, status};

fn ended(source: i32, tag: i32, cancelled: bool) -> Argument {
    Argument::Statuses(vec![Status { bytes: 8, source, tag, cancelled }])
}

/// Rank 0 cancels a receive, and waits for it with a status; rank 1 has sent the message or not.
fn cancelled(sent: bool, status: Argument, more: bool) -> Folder {
    program(2, move |rank, out| {
        if rank == 1 {
            let messages = u32::from(sent) + u32::from(more);
            return (0..messages).try_for_each(|_| out.send(F::Send, 8, 0, 1, None));
        }
        out.send(F::Irecv, 8, 1, 1, Some(2))?;
        out.call(F::Cancel, &[2.into()])?;
        out.wait(2, status.clone())?;
        if more { out.recv(8, 1, 1, IGNORED) } else { Ok(()) }
    })
}

/// The status of the wait says whether a receive was cancelled.
#[test]
fn a_receive_may_match_although_it_is_cancelled() {
    for more in [false, true] {
        let rest: &[&str] = if more { &["recv"] } else { &[] };
        for status in [ended(1, 1, false), IGNORED] {
            let found = replay(&cancelled(true, status, more), |_| {});
            assert_eq!(names(&found, 0), [&["irecv", "wait"], rest].concat());
        }
        for status in [ended(-1, -1, true), IGNORED] {
            let folder = cancelled(false, status, more);
            let found = replay(&folder, |_| {});
            assert_eq!(names(&found, 0), rest);
            let trace = TraceFormat::Dumpi.open(&folder.0).unwrap();
            assert_eq!(trace.summary().unwrap().warnings, [""; 0]);
        }
    }
}

/// The freed operation goes on. The next operation of this number is the one that a wait names.
#[test]
fn a_freed_persistent_request_is_no_longer_live() {
    let folder = program(2, |rank, out| {
        let other = i64::from(1 - rank);
        if rank == 1 {
            out.send(F::Send, 8, other, 2, None)?;
            return out.send(F::Send, 8, other, 1, None);
        }
        out.send(F::Recv_init, 8, other, 1, Some(2))?;
        out.call(F::Start, &[2.into()])?;
        out.call(F::Request_free, &[2.into()])?;
        out.send(F::Irecv, 8, other, 2, Some(2))?;
        out.wait(2, IGNORED)
    });
    let found = replay(&folder, |_| {});
    assert_eq!(names(&found, 0), ["irecv", "irecv", "wait", "finalize"]);
    assert_eq!(calls(&found, 0)[2], Op::Wait(1));
}

/// The first receive is left out. The later ones keep the sources of their statuses.
#[test]
fn a_left_out_receive_hides_no_sources_of_later_ones() {
    let folder = program(3, |rank, out| {
        out.ignored[F::Send as usize] = 1;
        if rank > 0 {
            return out.send(F::Send, 8, 0, 5, None);
        }
        out.send(F::Irecv, 8, -1, 1, Some(10))?;
        out.wait(10, status(4, 1, 1))?;
        out.send(F::Irecv, 8, -1, 5, Some(11))?;
        out.send(F::Irecv, 8, -1, 5, Some(12))?;
        out.wait(11, status(8, 2, 5))?;
        out.wait(12, status(8, 1, 5))
    });
    let found = replay(&folder, |_| {});
    let sources = calls(&found, 0).into_iter().filter_map(|op| match op {
        Op::Irecv(incoming, _) => Some(incoming.source),
        _ => None,
    });
    assert_eq!(sources.collect::<Vec<_>>(), [Source::Rank(2), Source::Rank(1)]);
}

/// MPICH's `MPI_PROC_NULL` looks like any source, and a probe of it returns at once.
#[test]
fn a_probe_of_nobody_waits_for_no_message() {
    let folder = program(1, |_, out| {
        let nobody = || [(-1).into(), 3.into(), WORLD.into(), status(0, -1, -1)];
        out.call(F::Probe, &nobody())?;
        let [source, tag, communicator, status] = nobody();
        out.call(F::Iprobe, &[source, tag, communicator, 1.into(), status])
    });
    assert_eq!(names(&replay(&folder, |_| {}), 0), [""; 0]);
}

/// Requests of files have numbers of their own, which are those of messages, too.
#[test]
fn a_request_of_a_file_is_none_of_a_message() {
    let folder = program(2, |rank, out| {
        if rank == 1 {
            return out.send(F::Send, 8, 0, 1, None);
        }
        let (file, count) = (1i64.into(), 1i64.into());
        out.call(F::File_iread, &[file, count, BYTE.into(), 2.into()])?;
        out.send(F::Irecv, 8, 1, 1, Some(2))?;
        out.wait(2, IGNORED)?;
        out.wait(3, IGNORED)
    });
    let found = replay(&folder, |_| {});
    assert_eq!(names(&found, 0), ["irecv", "wait"]);
    let warnings = TraceFormat::Dumpi.open(&folder.0).unwrap().summary().unwrap().warnings;
    assert!(warnings.iter().any(|each| each.starts_with("1 waits are for requests of files")));
}

/// Only the requests of a communicator keep it.
#[test]
fn communicators_are_freed_beside_requests_of_others() {
    let folder = program(2, |rank, out| {
        let other = i64::from(1 - rank);
        out.send(F::Irecv, 8, other, 9, Some(2))?;
        out.collective(F::Comm_dup, &[WORLD, 4])?;
        out.collective(F::Comm_free, &[4])?;
        out.collective(F::Comm_dup, &[WORLD, 4])?;
        let on_it = |request: i64| [8, BYTE, other, 1, 4, request];
        out.collective(F::Irecv, &on_it(3))?;
        out.collective(F::Isend, &on_it(4))?;
        out.collective(F::Comm_free, &[4])?;
        out.wait(3, IGNORED)?;
        out.wait(4, IGNORED)?;
        out.send(F::Send, 8, other, 9, None)?;
        out.wait(2, IGNORED)
    });
    assert_eq!(
        names(&replay(&folder, |_| {}), 0),
        [
            "irecv",
            "comm_dup",
            "comm_free",
            "comm_dup",
            "irecv",
            "isend",
            "wait",
            "wait",
            "comm_free",
            "send",
            "wait"
        ]
    );
}

#[test]
fn a_communicator_of_no_recorded_call_may_be_freed() {
    let folder = program(1, |_, out| {
        out.collective(F::Comm_size, &[5, 1])?;
        out.collective(F::Comm_free, &[5])
    });
    assert_eq!(names(&replay(&folder, |_| {}), 0), [""; 0]);
}

/// A damaged list of sizes is told before the run.
#[test]
fn lists_of_sizes_are_as_long_as_the_communicator() {
    let list = |length: usize| Argument::List(vec![1; length]);
    let number = Argument::Number;
    let of = |function: F, arguments: Vec<Argument>| {
        refused(&program(2, move |_, out| out.call(function, &arguments)))
    };
    let fault = |name: &str, sizes: &str| {
        format!(
            "DIR/run-0000.bin, rank 0, byte 50: MPI_{name} has {sizes} in a communicator of 2 \
             ranks; the file is corrupt"
        )
    };
    let (two, int, world) = (|| number(2), || number(INT), || number(WORLD));
    let gather = vec![two(), number(1), int(), list(1), list(1), int(), world()];
    assert_eq!(of(F::Allgatherv, gather), fault("Allgatherv", "1 size"));
    let scatter = vec![two(), list(3), int(), number(3), world()];
    assert_eq!(of(F::Reduce_scatter, scatter), fault("Reduce_scatter", "3 sizes"));
    let exchange = vec![two(), list(3), list(3), int(), list(3), list(3), int(), world()];
    assert_eq!(of(F::Alltoallv, exchange), fault("Alltoallv", "3 sizes"));
    let gather = program(2, |rank, out| {
        let mut arguments = [rank.into(), 2, 1, INT, 0, WORLD].map(Argument::Number).to_vec();
        arguments.extend([list(1), list(1), INT.into()]);
        out.call(F::Gatherv, &arguments)
    });
    assert_eq!(refused(&gather), fault("Gatherv", "1 size"));
}

/// `dumpi2ascii -a` prints the sizes of data types after the records.
#[test]
fn the_sizes_at_the_end_of_a_text_hold_from_the_start() {
    let folder = Folder::new();
    let stamp = |second: u32| {
        format!("at walltime {second}.000000000, cputime {second}.000000000 seconds in thread 0.\n")
    };
    let call = |name: &str, second: u32, arguments: &str| {
        format!(
            "{name} entering {}{arguments}{name} returning {}",
            stamp(second),
            stamp(second + 1)
        )
    };
    let arguments = |partner: &str, data_type: i64| {
        format!(
            "int count=3\nMPI_Datatype datatype={data_type} (user)\nint {partner}\nint tag=7\n\
             MPI_Comm comm=2 (MPI_COMM_WORLD)\n"
        )
    };
    let table = "Type sizes:\nDatatype 0 (error) has size 0\nDatatype 9 (MPI_INT) has size 8\n\
                 Datatype 40 (user) has size 10\n";
    for rank in 0..2 {
        let mut text = String::new();
        for (place, data_type) in (0..).zip([9, 40]) {
            text += &if rank == 0 {
                call("MPI_Send", 2 + 2 * place, &arguments("dest=1", data_type))
            } else {
                let status = "MPI_Status status=<IGNORED>\n";
                call("MPI_Recv", 2 + 2 * place, &(arguments("source=0", data_type) + status))
            };
        }
        std::fs::write(folder.path(&format!("run-{rank:04}.txt")), text + table).unwrap();
    }
    folder.meta(2);
    let (described, ranks) = spec(&folder.0).unwrap();
    described.check(ranks).unwrap();
    let summary = TraceFormat::Dumpi.open(&folder.0).unwrap().summary().unwrap();
    assert_eq!(summary.by_rank[0].bytes, 3 * 8 + 3 * 10);
    assert_eq!(replay(&folder, |_| {}).ranks[1].totals.bytes_received, 3 * 8 + 3 * 10);
}
