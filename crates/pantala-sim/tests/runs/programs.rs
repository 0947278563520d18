//! Programs that do what MPI forbids: the run ends as failed, in one line, and keeps what all jobs
//! have recorded.

use crate::support::{Ran, fft, finish, halo, noise, plan, ps, read, run};
use pantala_mpi::{COMM_WORLD, Incoming, Op, Outgoing, Source, TagSelect};
use pantala_sim::{End, Simulation};
use serde_json::{Value, json};

fn send(destination: u32, bytes: u64) -> Op {
    Op::Send(Outgoing { communicator: COMM_WORLD, destination, tag: 3, bytes })
}

fn irecv(source: u32) -> Op {
    Op::Irecv(
        Incoming {
            communicator: COMM_WORLD,
            source: Source::Rank(source),
            tag: TagSelect::Is(3),
            bytes: 10,
        },
        2,
    )
}

/// Runs these jobs on so many threads, with this program for each rank of the last one.
fn with_programs(jobs: Value, threads: u32, program: impl Fn(u32) -> Vec<Op>) -> Ran {
    let last = jobs.as_array().unwrap().len() as u16 - 1;
    let mut simulation = Simulation::on_threads(read(&plan(jobs)), 0, threads, |_| {}).unwrap();
    for host in simulation.network.hosts_mut() {
        (0..12).for_each(|rank| host.replace_program(last, rank, program(rank)));
    }
    finish(simulation, |_| true)
}

fn only(rank: u32, program: Vec<Op>) -> impl Fn(u32) -> Vec<Op> {
    move |r| if r == rank { program.clone() } else { Vec::new() }
}

#[test]
fn one_line_and_nothing_lost() {
    let late = 5_000_000;
    let cases = [
        (
            vec![Op::Compute(late), send(12, 8)],
            "job 1 rank 4: send at 5000000 ps: there is no rank 12 in a communicator of 12 (8 bytes, tag 3)",
        ),
        (
            vec![irecv(0), Op::Compute(late)],
            "job 1 rank 4: finalize at 5000000 ps: request 2 is never completed: a receive of up to 10 bytes from rank 0, tag 3",
        ),
        (
            vec![Op::Compute(late), send(4, 8)],
            "job 1 rank 4: finalize at 5000000 ps: the message of 8 bytes from rank 4 (tag 3) is never received",
        ),
    ];
    let whole = run(&plan(json!([halo(), fft()])));
    for (program, line) in cases {
        let one = with_programs(json!([halo(), fft()]), 1, only(4, program.clone()));
        assert_eq!(one.end, End::Failed(line.to_owned()));
        assert_eq!(
            (&one.document["reason"], &one.document["complete"]),
            (&json!("failed"), &json!(false))
        );
        assert_eq!(one.document["diagnosis"], line);
        // The other job's messages and iterations up to the end of the run are those of a run
        // without the fault.
        let simulated = one.simulated();
        assert!((late..2 * late).contains(&simulated), "{simulated}");
        assert_eq!(one.tables.len(), whole.tables.len());
        let of_job =
            |ran: &Ran, table: &str| ran.rows(table).iter().filter(|row| row["job"] == 0).count();
        assert!(of_job(&one, "messages") > 0 && of_job(&one, "packets") > 0);
        assert_eq!(of_job(&one, "ranks"), 12);
        assert!(one.rows("messages").iter().all(|row| ps(&row["delivered_ns"]) < simulated));
        // On threads it is the same run.
        let three = with_programs(json!([halo(), fft()]), 3, only(4, program));
        assert!(one.end == three.end && one.tables == three.tables);
    }
}

/// What the other job records until then is what it records next to a job that does nothing wrong.
#[test]
fn other_jobs_are_as_they_would_be() {
    let sound = with_programs(json!([halo(), fft()]), 1, only(4, vec![Op::Compute(5_000_000)]));
    let faulty = with_programs(
        json!([halo(), fft()]),
        1,
        only(4, vec![Op::Compute(5_000_000), send(99, 1)]),
    );
    assert_eq!((&sound.end, faulty.document["reason"].as_str()), (&End::Finished, Some("failed")));
    for (table, time) in
        [("messages", "delivered_ns"), ("packets", "delivered_ns"), ("iterations", "end_ns")]
    {
        let until_then = sound.rows(table).iter().filter(|row| ps(&row[time]) < faulty.simulated());
        assert!(until_then.eq(faulty.rows(table)), "{table}");
    }
}

/// A fault in the last step before a pattern's company ends the run, and messages on their way to
/// nobody, are told.
#[test]
fn in_company_of_a_pattern() {
    let ran = with_programs(
        json!([noise(0.3), halo()]),
        1,
        only(0, vec![Op::Compute(9_990_000), send(12, 8)]),
    );
    assert!(
        ran.document["diagnosis"].as_str().is_some_and(|line| line.contains("there is no rank 12")),
        "{:?}",
        ran.end
    );
    let ran = with_programs(
        json!([noise(0.3), halo()]),
        1,
        only(0, vec![Op::Compute(9_999_000), send(11, 8)]),
    );
    let line = "job 1 rank 11: finalize at 10000000 ps: the message of 8 bytes from rank 0 (tag 3) is never received";
    assert_eq!(ran.document["diagnosis"], line);
}
