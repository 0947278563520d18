//! Programs that do what MPI forbids: their job ends and the run is failed, in one line. The other
//! jobs run on to their end.

use crate::support::{Ran, fft, finish, halo, noise, plan, read, run};
use pantala_mpi::{COMM_WORLD, Incoming, Op, Outgoing, Source, TagSelect};
use pantala_sim::{End, Simulation};
use serde_json::{Value, json};

fn send(destination: u32, bytes: u64) -> Op {
    Op::Send(Outgoing { communicator: COMM_WORLD, destination, tag: 3, bytes })
}

fn from(source: u32) -> Incoming {
    Incoming {
        communicator: COMM_WORLD,
        source: Source::Rank(source),
        tag: TagSelect::Is(3),
        bytes: 10,
    }
}

fn irecv(source: u32) -> Op {
    Op::Irecv(from(source), 2)
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
            "job 'fft' rank 4: send at 5000000 ps: there is no rank 12 in a communicator of 12 (8 bytes, tag 3)",
        ),
        (
            vec![irecv(0), Op::Compute(late)],
            "job 'fft' rank 4: finalize at 5000000 ps: request 2 is never completed: a receive of up to 10 bytes from rank 0, tag 3",
        ),
        (
            vec![Op::Compute(late), send(4, 8)],
            "job 'fft' rank 4: finalize at 5000000 ps: the message of 8 bytes from rank 4 (tag 3) is never received",
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
        // The other job ends. The failed one is incomplete, unless its ranks have ended.
        assert_eq!(one.tables.len(), whole.tables.len());
        let of_job =
            |ran: &Ran, table: &str| ran.rows(table).iter().filter(|row| row["job"] == 0).count();
        for table in ["messages", "iterations", "ranks"] {
            assert_eq!(of_job(&one, table), of_job(&whole, table), "{table}");
        }
        let complete: Vec<&Value> = one.rows("jobs").iter().map(|row| &row["complete"]).collect();
        assert_eq!(complete, [&json!(true), &json!(line.contains("finalize"))]);
        // On threads it is the same run.
        let three = with_programs(json!([halo(), fft()]), 3, only(4, program));
        assert!(one.end == three.end && one.tables == three.tables);
    }
}

/// What the other job records is what it records next to a job that does nothing wrong.
#[test]
fn other_jobs_are_as_they_would_be() {
    let sound = with_programs(json!([halo(), fft()]), 1, only(4, vec![Op::Compute(5_000_000)]));
    let faulty = with_programs(
        json!([halo(), fft()]),
        1,
        only(4, vec![Op::Compute(5_000_000), send(99, 1)]),
    );
    assert_eq!((&sound.end, faulty.document["reason"].as_str()), (&End::Finished, Some("failed")));
    for table in ["messages", "packets", "iterations", "ranks", "jobs"] {
        let of_job = |ran: &Ran| -> Vec<_> {
            ran.rows(table).iter().filter(|row| row["job"] == 0).cloned().collect()
        };
        assert!(!of_job(&sound).is_empty());
        assert_eq!(of_job(&sound), of_job(&faulty), "{table}");
    }
}

/// Two jobs that fail have a line each. What is left of a failed job waits for nobody.
#[test]
fn each_failed_job_has_a_line() {
    let stuck = |rank: u32| match rank {
        0 => vec![Op::Compute(1_000), send(99, 1)],
        _ => vec![Op::Recv(from(0))],
    };
    let mut simulation =
        Simulation::on_threads(read(&plan(json!([halo(), fft()]))), 0, 1, |_| {}).unwrap();
    for host in simulation.network.hosts_mut() {
        (0..12).for_each(|rank| host.replace_program(0, rank, stuck(rank)));
        host.replace_program(1, 3, vec![Op::Compute(500), Op::Abort("it gave up".into())]);
    }
    let ran = finish(simulation, |_| true);
    let End::Failed(lines) = &ran.end else { panic!("{:?}", ran.end) };
    let [first, second] = lines.lines().collect::<Vec<_>>()[..] else { panic!("{lines}") };
    assert_eq!(first, "job 'fft' rank 3: abort at 500 ps: it gave up");
    assert!(
        second.starts_with("job 'halo' rank 0: send at 1000 ps: there is no rank 99"),
        "{second}"
    );
}

/// A job that fails hides no deadlock of another one.
#[test]
fn a_deadlock_beside_a_failed_job() {
    let mut simulation =
        Simulation::on_threads(read(&plan(json!([halo(), fft()]))), 0, 1, |_| {}).unwrap();
    for host in simulation.network.hosts_mut() {
        (0..12).for_each(|rank| host.replace_program(0, rank, vec![Op::Recv(from(rank ^ 1))]));
        host.replace_program(1, 3, vec![Op::Abort("it gave up".into())]);
    }
    let ran = finish(simulation, |_| true);
    let End::Failed(text) = &ran.end else { panic!("{:?}", ran.end) };
    assert!(
        text.starts_with("job 'fft' rank 3: abort at 0 ps: it gave up\n12 ranks wait"),
        "{text}"
    );
}

/// Beside a pattern, which has no end, a deadlock ends the run, on any number of threads at one time.
/// A wait that ends is none, however long.
#[test]
fn a_deadlock_beside_a_job_without_an_end() {
    let jobs = || json!([noise(0.3), halo()]);
    let stuck = |rank: u32| vec![Op::Compute(9_990_000), Op::Recv(from(rank ^ 1))];
    let [one, three] = [1, 3].map(|threads| with_programs(jobs(), threads, stuck));
    let End::Stalled(text) = &one.end else { panic!("{:?}", one.end) };
    assert!(text.starts_with("12 ranks wait"), "{text}");
    assert!(one.end == three.end && one.tables == three.tables);
    assert_eq!(one.document["simulated_ps"], three.document["simulated_ps"]);
    let late = |rank: u32| match rank {
        0 => vec![Op::Compute(700_000_000), send(1, 8)],
        1 => vec![Op::Recv(from(0))],
        _ => Vec::new(),
    };
    assert_eq!(with_programs(jobs(), 1, late).end, End::Finished);
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
    let line = "job 'halo' rank 11: finalize at 10000000 ps: the message of 8 bytes from rank 0 (tag 3) is never received";
    assert_eq!(ran.document["diagnosis"], line);
}
