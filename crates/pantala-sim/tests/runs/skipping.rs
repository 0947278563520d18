//! Runs that skip time in which their jobs repeat, against the same runs in full.

use crate::support::{Ran, Row, finish, job, noise, plan, ps, read, run};
use pantala_sim::Simulation;
use serde_json::{Value, json};

fn stencil(iterations: u32) -> Value {
    job(
        "halo",
        12,
        json!({"kind": "stencil", "grid": [2, 2, 3], "message_bytes": [20_000, 20_000, 20_000],
        "iterations": iterations, "compute_ps": 2_000_000}),
    )
}

fn random(iterations: u32) -> Value {
    job(
        "random",
        14,
        json!({"kind": "uniform_random", "message_bytes": 3_000, "iterations": iterations,
        "compute_ps": 700_000}),
    )
}

/// A plan of jobs that skips at an error of so many millionths.
fn skipping(jobs: Value, tolerance: u32) -> Value {
    let mut plan = full(jobs);
    plan["skip"] = json!({"tolerance_millionths": tolerance, "minimum": 8});
    plan
}

fn full(jobs: Value) -> Value {
    let mut plan = plan(jobs);
    plan["record"]["packets"] = json!("sampled");
    plan["record"]["packet_sample"] = json!(10);
    plan["record"]["window_ps"] = json!(5_000_000);
    plan
}

fn skipped(ran: &Ran) -> &Value {
    &ran.document["skipped"]
}

fn assert_near(one: f64, other: f64, share: f64, what: &str) {
    assert!((one - other).abs() <= share * other, "{what}: {one} for {other}");
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].as_f64().unwrap()
}

fn assert_like(skipped: &Ran, full: &Ran, share: f64) {
    for (row, known) in skipped.rows("jobs").iter().zip(full.rows("jobs")) {
        assert_eq!(row["complete"], known["complete"]);
        for column in ["end_ns", "communication_time_mean_ns", "communication_time_max_ns"] {
            if !known[column].is_null() {
                assert_near(number(row, column), number(known, column), share, column);
            }
        }
        let packets = number(known, "packets");
        assert_near(number(row, "packets"), packets, 0.01_f64.max(share / 2.0), "packets");
        assert_near(
            number(row, "packet_latency_mean_ns"),
            number(known, "packet_latency_mean_ns"),
            2.0 * share,
            "latency",
        );
    }
    let of = |ran: &Ran| ran.sum("links", "bytes", |_| true) as f64;
    assert_near(of(skipped), of(full), 0.01_f64.max(share / 2.0), "bytes of links");
    for class in ["local", "global", "injection", "ejection"] {
        let of = |ran: &Ran| ran.sum("links", "bytes", |row| row["class"] == class) as f64;
        assert_near(of(skipped), of(full), 2.0 * share, class);
    }
}

#[test]
fn a_job_alone_is_skipped_to_its_last_iterations() {
    let (skip, full) =
        (run(&skipping(json!([stencil(600)]), 30_000)), run(&full(json!([stencil(600)]))));
    // The first jump is short, and the run looks again.
    let jumps = skipped(&skip)["jumps"].as_u64().unwrap() as usize;
    assert!(jumps >= 1, "{}", skipped(&skip)["text"]);
    assert!(skipped(&skip)["simulated_share"].as_f64().unwrap() < 0.3);
    assert_like(&skip, &full, 0.02);
    // What a rank sends follows from its program, exactly.
    for (row, known) in skip.rows("ranks").iter().zip(full.rows("ranks")) {
        for column in ["messages_sent", "bytes_sent", "messages_received", "bytes_received"] {
            assert_eq!(row[column], known[column], "{column}");
        }
        assert_near(
            number(row, "compute_time_ns"),
            number(known, "compute_time_ns"),
            1e-9,
            "compute",
        );
    }
    // So does the number of calls.
    for (row, known) in skip.rows("calls").iter().zip(full.rows("calls")) {
        assert_eq!(row["call"], known["call"]);
        assert_near(number(row, "calls"), number(known, "calls"), 0.01, "calls");
    }
    // The iterations that are left have the numbers of those of the full run, and no gap else.
    let numbers: Vec<u64> = {
        let of_rank = skip.rows("iterations").iter().filter(|row| row["rank"] == 3);
        of_rank.map(|row| row["iteration"].as_u64().unwrap()).collect()
    };
    assert_eq!((numbers[0], *numbers.last().unwrap()), (0, 599));
    let gaps: Vec<u64> = numbers.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let count = skipped(&skip)["jobs"][0]["skipped_iterations"].as_u64().unwrap();
    let wide: Vec<u64> = gaps.into_iter().filter(|gap| *gap != 1).collect();
    assert_eq!(wide.iter().map(|gap| gap - 1).sum::<u64>(), count);
    assert_eq!(wide.len(), jumps);
    // Rows are in order, in simulated time only.
    let epochs = skip.rows("epochs");
    let holes: Vec<(f64, f64)> = epochs
        .iter()
        .filter(|row| row["skipped"] == true)
        .map(|row| (number(row, "start_ns"), number(row, "end_ns")))
        .collect();
    assert_eq!(holes.len(), jumps);
    let outside = |time: f64| holes.iter().all(|(from, until)| time < *from || time >= *until);
    let until = holes[jumps - 1].1;
    for (table, column) in
        [("packets", "delivered_ns"), ("messages", "delivered_ns"), ("iterations", "end_ns")]
    {
        let times: Vec<f64> = skip.rows(table).iter().map(|row| number(row, column)).collect();
        assert!(times.iter().all(|time| outside(*time)), "{table}");
        assert!(times.iter().any(|time| *time >= until), "{table}");
    }
    for table in ["job_windows", "link_windows"] {
        let mut times = skip.rows(table).iter().map(|row| number(row, "window_start_ns"));
        assert!(times.all(outside), "{table}");
    }
    for row in skip.rows("messages") {
        assert_eq!(ps(&row["latency_ns"]), ps(&row["delivered_ns"]) - ps(&row["posted_ns"]));
    }
}

#[test]
fn jobs_that_share_the_machine_are_skipped_together() {
    let jobs = || json!([stencil(250), random(2_000)]);
    let (skip, full) = (run(&skipping(jobs(), 20_000)), run(&full(jobs())));
    assert!(skipped(&skip)["jumps"].as_u64().unwrap() >= 1, "{}", skipped(&skip)["text"]);
    assert!(skipped(&skip)["simulated_share"].as_f64().unwrap() < 0.7, "{}", skipped(&skip));
    assert_like(&skip, &full, 0.02);
}

#[test]
fn an_endless_background_goes_on_and_starts_and_ends_are_kept() {
    let mut background = stencil(3);
    background["name"] = json!("background");
    background["repeat"] = json!(true);
    background["ranks"] = json!(8);
    background["workload"]["grid"] = json!([2, 2, 2]);
    let mut late = random(60);
    late["start_ps"] = json!(1_500_000_000_u64);
    let mut until = noise(0.1);
    until["ranks"] = json!(6);
    until["end_ps"] = json!(2_200_000_000_u64);
    let jobs = || json!([stencil(400), background.clone(), late.clone(), until.clone()]);
    let (skip, full) = (run(&skipping(jobs(), 30_000)), run(&full(jobs())));
    assert!(skipped(&skip)["jumps"].as_u64().unwrap() >= 1, "{}", skipped(&skip)["text"]);
    let end = |ran: &Ran, job: usize| ran.rows("jobs")[job]["end_ns"].as_f64();
    assert_near(end(&skip, 0).unwrap(), end(&full, 0).unwrap(), 0.04, "end of the target");
    let start = |ran: &Ran| {
        number(ran.rows("ranks").iter().find(|row| row["job"] == 2).unwrap(), "start_ns")
    };
    assert_eq!((start(&skip), start(&full)), (1_500_000.0, 1_500_000.0));
    let last = |ran: &Ran| {
        let windows = ran
            .rows("job_windows")
            .iter()
            .filter(|row| row["job"] == 3 && row["injected_bytes"] != 0);
        windows.map(|row| number(row, "window_start_ns")).fold(0.0, f64::max)
    };
    assert!((last(&skip) - last(&full)).abs() <= 5_000.0, "{} {}", last(&skip), last(&full));
    for row in 0..4 {
        let of = |ran: &Ran| number(&ran.rows("jobs")[row], "delivered_bytes");
        assert_near(of(&skip), of(&full), 0.05, "bytes");
    }
}

/// A pass that begins with a delay is a cycle, also if it is long: no byte and no call is counted
/// for the time of the delay.
#[test]
fn passes_with_a_delay_are_skipped_as_a_whole() {
    let mut again = job(
        "again",
        12,
        json!({"kind": "allreduce_loop", "message_bytes": 4_000, "iterations": 70,
        "compute_ps": 1_000_000, "start_delay_ps": 150_000_000}),
    );
    again["repeat"] = json!(true);
    let mut plan = skipping(json!([again]), 20_000);
    plan["stop"]["duration_ps"] = json!(20_000_000_000_u64);
    let skip = run(&plan);
    assert!(skipped(&skip)["jumps"].as_u64().unwrap() >= 1, "{}", skipped(&skip)["text"]);
    plan.as_object_mut().unwrap().remove("skip");
    let full = run(&plan);
    let sent = |ran: &Ran| ran.sum("ranks", "bytes_sent", |_| true) as f64;
    assert_near(sent(&skip), sent(&full), 0.01, "bytes");
    for call in ["allreduce", "barrier"] {
        let calls = |ran: &Ran| ran.sum("calls", "calls", |row| row["call"] == call) as f64;
        assert!(calls(&full) > 0.0, "{call}");
        assert_near(calls(&skip), calls(&full), 0.03, call);
    }
}

/// A job that starts after a jump leaves nothing at the time at which it was to start: the run ends
/// with its last event. The stated error of a job is that of its own run time.
#[test]
fn a_run_ends_with_its_last_job_and_errors_are_of_run_times() {
    let first = job(
        "first",
        8,
        json!({"kind": "allreduce_loop", "message_bytes": 16_000, "iterations": 700,
        "compute_ps": 10_000_000}),
    );
    let alone = run(&skipping(json!([first.clone()]), 50_000));
    let mut late = job(
        "late",
        8,
        json!({"kind": "allreduce_loop", "message_bytes": 16_000, "iterations": 60,
        "compute_ps": 10_000_000}),
    );
    late["start_ps"] = json!(40_000_000_000_u64);
    let mut pattern = noise(0.05);
    pattern["ranks"] = json!(4);
    pattern["start_ps"] = json!(30_000_000_000_u64);
    pattern["end_ps"] = json!(31_000_000_000_u64);
    let both = run(&skipping(json!([first, late, pattern]), 50_000));
    assert!(skipped(&both)["jumps"].as_u64().unwrap() >= 1, "{}", skipped(&both)["text"]);
    let ends = both.rows("jobs");
    let last = ends.iter().filter_map(|row| row["end_ns"].as_f64()).fold(0.0, f64::max);
    assert_near(both.simulated() as f64 / 1e3, last, 0.001, "the end of the run");
    let of = |ran: &Ran| skipped(ran)["jobs"][0]["run_time_error"].as_f64().unwrap();
    assert_near(of(&both), of(&alone), 0.5, "stated error");
    // A sample is steady at 5 %, so of skipped time no less than half of that is stated.
    let share = skipped(&alone)["simulated_share"].as_f64().unwrap();
    assert!(of(&alone) >= 0.025 * (1.0 - share), "{}", skipped(&alone)["text"]);
}

/// What follows the end of another job says nothing of a jump before it.
#[test]
fn a_jump_is_compared_with_its_own_epoch_only() {
    let mut slow = stencil(150);
    slow["workload"]["compute_ps"] = json!(60_000_000);
    let ran = run(&skipping(json!([slow, random(3_000)]), 30_000));
    let rows = ran.rows("epochs");
    let (mut compared, mut not) = (0, 0);
    for row in rows.iter().filter(|row| row["skipped"] == true && row["state"] == "repeats") {
        let next = row["epoch"].as_u64().unwrap() + 1;
        let after = rows.iter().find(|of| of["epoch"] == next && of["job"] == row["job"]).unwrap();
        assert_eq!(after["state"], "repeats");
        // One cycle has no mean.
        if after["iteration_mean_ns"].is_null() {
            assert!(row["change"].is_null(), "{row:?} {after:?}");
            not += 1;
        } else {
            let change = number(after, "iteration_mean_ns") / number(row, "iteration_mean_ns");
            assert!((number(row, "change") - (change - 1.0)).abs() < 1e-9, "{row:?} {after:?}");
            compared += 1;
        }
    }
    assert!(compared > 0 && not > 0, "{rows:?}");
}

#[test]
fn results_do_not_depend_on_threads() {
    let jobs = json!([stencil(250), random(2_000)]);
    let plan = skipping(jobs, 20_000);
    let on = |threads| {
        let simulation = Simulation::on_threads(read(&plan), 0, threads, |_| {}).unwrap();
        finish(simulation, |_| true)
    };
    let one = on(1);
    assert!(skipped(&one)["jumps"].as_u64().unwrap() >= 1);
    for threads in [2, 3] {
        let other = on(threads);
        assert_eq!(other.document["result_hash"], one.document["result_hash"]);
        assert_eq!(other.reproducible(), one.reproducible());
    }
}

/// A program of ten ranks in a ring.
fn conceptual(source: &str) -> Value {
    let workload = json!({"kind": "ncptl", "file": "ring.ncptl", "source": source, "seed": 1,
        "touch_per_byte_fs": 0});
    job("ring", 10, workload)
}

/// What both loops do in each repetition.
const RING: &str = "all tasks t asynchronously send a 20000 byte message to task (t+1) mod num_tasks \
    then all tasks await completion then all tasks compute for 2 microseconds";

#[test]
fn equal_repetitions_of_a_conceptual_program_are_skipped() {
    for around in ["for 900 repetitions", "for each rep in {1, ..., 900}"] {
        let log = "task 0 logs elapsed_usecs as \"time\" and bytes_sent as \"bytes\"";
        let source =
            format!("all tasks reset their counters then {around} {{ {RING} }} then {log}.");
        let jobs = || json!([conceptual(&source)]);
        let (skip, full) = (run(&skipping(jobs(), 30_000)), run(&full(jobs())));
        let jumps = skipped(&skip)["jumps"].as_u64().unwrap();
        assert!(jumps >= 1, "{around}: {}", skipped(&skip)["text"]);
        assert!(skipped(&skip)["simulated_share"].as_f64().unwrap() < 0.3, "{around}");
        // The ranks of a ring drift apart slowly: its communication time is 4.6 % off where 3 % are
        // asked for. At 1 % nothing is skipped.
        assert_like(&skip, &full, 0.06);
        // Marks are no iterations of the program.
        assert!(skip.rows("iterations").is_empty());
        for (row, known) in skip.rows("ranks").iter().zip(full.rows("ranks")) {
            assert_eq!(row["bytes_sent"], known["bytes_sent"]);
        }
        // The program's own clock has the skipped time, and its counters the skipped messages.
        let of = |ran: &Ran, column: usize| number(&ran.rows("program_logs")[column], "value");
        assert_near(of(&skip, 0), of(&full, 0), 0.06, "elapsed_usecs");
        assert_eq!(of(&skip, 1), of(&full, 1), "bytes_sent");
        assert_eq!(of(&full, 1), 900.0 * 20_000.0);
    }
}

#[test]
fn a_conceptual_program_that_varies_is_not_skipped() {
    let each = format!(
        "for each rep in {{1, ..., 90}} {{ {RING} then all tasks compute for rep microseconds }}."
    );
    let timed = format!("for 2 milliseconds {{ {RING} }}.");
    let logs =
        format!("for 90 repetitions {{ {RING} then task 0 logs elapsed_usecs as \"time\" }}.");
    let open = "for 90 repetitions { task 0 asynchronously sends a 8 byte message to task 1 } then \
        all tasks await completion.";
    for source in [&each, &timed, &logs, open] {
        let plan = skipping(json!([conceptual(source)]), 30_000);
        let fault = Simulation::new(read(&plan), 0).err().map(|error| error.to_string());
        assert!(fault.is_some_and(|fault| fault.contains("no job repeats")), "{source}");
    }
}

#[test]
fn packets_of_a_set_time_are_recorded_after_a_jump() {
    let jobs = json!([stencil(1_000)]);
    let time = run(&full(jobs.clone())).simulated();
    let (from, until) = (time / 2, time / 2 + time / 50);
    for record in ["all", "sampled"] {
        let mut plan = skipping(jobs.clone(), 10_000);
        plan["record"]["packets"] = json!(record);
        plan["record"]["packet_from_ps"] = json!(from);
        plan["record"]["packet_until_ps"] = json!(until);
        plan["record"]["packet_paths"] = json!(true);
        let ran = run(&plan);
        assert!(skipped(&ran)["jumps"].as_u64().unwrap() >= 1, "{}", skipped(&ran)["text"]);
        plan.as_object_mut().unwrap().remove("skip");
        let expected = run(&plan);
        for table in ["packets", "packet_hops"] {
            let (found, wanted) = (ran.rows(table).len() as f64, expected.rows(table).len() as f64);
            assert!(wanted > 20.0, "{record}: {table}: {wanted}");
            assert_near(found, wanted, 0.1, &format!("{record}: {table}"));
        }
        for row in ran.rows("packets") {
            let injected = ps(&row["injected_ns"]);
            assert!((from..until).contains(&injected), "{injected}: not in {from}..{until}");
        }
    }
}

#[test]
fn a_set_duration_is_kept() {
    let mut plan = skipping(json!([noise(0.2)]), 50_000);
    plan["stop"]["duration_ps"] = json!(3_000_000_000_u64);
    let ran = run(&plan);
    assert!(skipped(&ran)["jumps"].as_u64().unwrap() >= 1, "{}", skipped(&ran)["text"]);
    assert_eq!(ran.simulated(), 3_000_000_000);
    plan.as_object_mut().unwrap().remove("skip");
    let full = run(&plan);
    let of = |ran: &Ran| number(&ran.rows("jobs")[0], "delivered_bytes");
    assert_near(of(&ran), of(&full), 0.02, "bytes");
}

#[test]
fn a_run_that_is_too_short_says_why_it_skips_nothing() {
    let ran = run(&skipping(json!([stencil(6)]), 10_000));
    assert_eq!(skipped(&ran)["jumps"], 0);
    assert!(skipped(&ran)["text"].as_str().unwrap().contains("no time was skipped"));
    // Nothing else differs from the run in full.
    let full = run(&full(json!([stencil(6)])));
    for (table, rows) in full.tables.iter().filter(|(name, _)| *name != "epochs") {
        assert_eq!(rows, &ran.tables[table], "{table}");
    }
}

#[test]
fn windows_without_a_common_divisor_are_named_as_the_reason() {
    let mut plan = skipping(json!([stencil(200)]), 10_000);
    plan["record"]["routing_windows_ps"] = json!(7_000_003);
    let ran = run(&plan);
    let text = skipped(&ran)["text"].as_str().unwrap();
    assert!(text.contains("choose windows that divide each other"), "{text}");
}

#[test]
fn what_cannot_be_skipped_is_refused() {
    let fault = |plan: &Value| Simulation::new(read(plan), 0).err().unwrap().to_string();
    let mut plan = skipping(json!([stencil(300)]), 10_000);
    plan["record"]["packets"] = json!("all");
    assert!(fault(&plan).contains("every packet must be simulated"), "{}", fault(&plan));
    let mut plan = skipping(json!([noise(0.2)]), 10_000);
    plan["stop"]["duration_ps"] = json!(20_000_000);
    assert!(fault(&plan).contains("is not longer than 9 windows"), "{}", fault(&plan));
    let mut passes = stencil(100);
    passes["repeat"] = json!(true);
    passes["workload"] =
        json!({"kind": "sequence", "parts": [passes["workload"], passes["workload"]]});
    let mut plan = skipping(json!([passes]), 10_000);
    plan["stop"]["duration_ps"] = json!(3_000_000_000_u64);
    assert!(fault(&plan).contains("a pass of several motifs"), "{}", fault(&plan));
    let mut stages = stencil(2);
    stages["workload"] = json!({"kind": "idle"});
    let plan = skipping(json!([stages]), 10_000);
    assert!(fault(&plan).contains("no job repeats"), "{}", fault(&plan));
}
