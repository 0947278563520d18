//! Jobs that repeat, jobs with an end, and targets: closed forms.

use crate::support::{Ran, finish, halo, job, noise, plan, ps, read, run};
use pantala_sim::{End, Simulation};
use serde_json::{Value, json};

/// One rank that computes for 1 us in each iteration and reduces with nobody.
fn fixed(name: &str, iterations: u32) -> Value {
    job(
        name,
        1,
        json!({"kind": "allreduce_loop", "message_bytes": 8, "iterations": iterations,
        "compute_ps": 1_000_000}),
    )
}

fn repeated(mut job: Value) -> Value {
    job["repeat"] = json!(true);
    job
}

fn on_threads(plan: &Value, threads: u32) -> Ran {
    finish(Simulation::on_threads(read(plan), 0, threads, |_| {}).unwrap(), |_| true)
}

/// A pass of two iterations of 1 us takes 2 us.
#[test]
fn a_job_of_fixed_time_repeats_as_often_as_it_fits() {
    for duration in [1_500_000_u64, 2_000_001, 10_500_000, 43_999_999] {
        let mut made = plan(json!([repeated(fixed("again", 2))]));
        made["stop"]["duration_ps"] = json!(duration);
        let ran = run(&made);
        assert_eq!((ran.end.clone(), ran.simulated()), (End::Duration, duration));
        let rows = ran.rows("iterations");
        let ended: Vec<_> = rows.iter().filter(|row| !row["end_ns"].is_null()).collect();
        assert_eq!(ended.len() as u64, duration / 1_000_000, "{duration} ps");
        for (number, row) in ended.iter().enumerate() {
            assert_eq!(row["iteration"], number, "iterations are numbered over all passes");
            assert_eq!(ps(&row["end_ns"]), (number as u64 + 1) * 1_000_000);
        }
        let job = &ran.rows("jobs")[0];
        assert_eq!((&job["end_ns"], &job["complete"]), (&Value::Null, &json!(false)));
    }
}

/// From its end on, a rank starts no operation: the iteration under way ends, the next one does not
/// begin.
#[test]
fn an_end_cuts_a_job_at_its_time() {
    for (start, end, passes) in [(0, 5_500_000, 6), (2_000_000, 5_500_000, 4), (0, 300_000, 1)] {
        let mut made = plan(json!([fixed("cut", 50), fixed("whole", 20)]));
        made["jobs"][0]["start_ps"] = json!(start);
        made["jobs"][0]["end_ps"] = json!(end);
        let ran = run(&made);
        assert_eq!(ran.end, End::Finished, "the run waits for the other job only");
        let [cut, whole] = [&ran.rows("jobs")[0], &ran.rows("jobs")[1]];
        assert_eq!((&cut["complete"], &whole["complete"]), (&json!(false), &json!(true)));
        assert_eq!(cut["end_ns"], Value::Null);
        assert_eq!(ps(&whole["end_ns"]), 20_000_000);
        let computed = ran.rows("ranks")[0]["compute_time_ns"].as_f64().unwrap();
        assert_eq!(computed, f64::from(passes) * 1000.0, "from {start} to {end} ps");
    }
    // Ranks that wait for stopped ranks wait until the end of the job, not of the run.
    let mut made = plan(json!([halo(), fixed("whole", 50)]));
    made["jobs"][0]["end_ps"] = json!(3_000_000);
    let ran = run(&made);
    for rank in ran.rows("ranks").iter().filter(|rank| rank["job"] == 0) {
        let time = ps(&rank["communication_time_ns"]) + ps(&rank["compute_time_ns"]);
        assert!(time < 3_000_000 + 2_000_000 + 5_000_000, "{time} ps with the operation under way");
    }
    // The packets of a job with traffic are all created before its end.
    let mut made = plan(json!([halo(), noise(0.3)]));
    made["jobs"][1]["end_ps"] = json!(1_234_567);
    let ran = run(&made);
    let created = ran.rows("packets").iter().filter(|packet| packet["job"] == 1);
    assert!(created.clone().count() > 100);
    assert!(created.clone().all(|packet| ps(&packet["created_ns"]) < 1_234_567));
}

#[test]
fn a_target_stops_the_run_at_one_time_on_any_number_of_threads() {
    let mut made = plan(json!([halo(), repeated(job("again", 12, halo()["workload"].clone()))]));
    made["stop"]["target"] = json!(["halo"]);
    let one = run(&made);
    assert_eq!(one.end, End::Finished);
    let end = ps(&one.rows("jobs")[0]["end_ns"]);
    assert_eq!(one.simulated(), end.div_ceil(10_000_000) * 10_000_000, "on the grid of windows");
    assert_eq!(one.rows("jobs")[1]["complete"], false);
    for threads in [2, 3, 5] {
        let ran = on_threads(&made, threads);
        assert_eq!((ran.end.clone(), ran.simulated()), (End::Finished, one.simulated()));
        assert!(ran.tables == one.tables, "{threads} threads");
    }
}

/// A trace is built anew for each pass: as many bytes per pass, on any number of threads.
#[test]
fn traces_repeat() {
    let folder = tempfile_in_target("repeated.goal");
    let text = "num_ranks 2\nrank 0 {\nc: calc 1000\ns: send 2000b to 1 tag 7\ns requires c\n}\n\
                rank 1 {\nr: recv 2000b from 0 tag 7\n}\n";
    std::fs::write(&folder, text).unwrap();
    let (format, hash, ranks) =
        pantala_frontends::trace::identify(&folder).unwrap_or_else(|error| panic!("{error}"));
    let workload = json!({"kind": "trace", "path": folder.to_str().unwrap(),
        "format": serde_json::to_value(format).unwrap(), "hash": hash});
    let mut made = plan(json!([repeated(job("trace", ranks, workload))]));
    made["stop"]["duration_ps"] = json!(40_000_000);
    let ran = run(&made);
    let messages = ran.rows("messages").iter().filter(|row| row["bytes"] == 2000).count() as u64;
    let mut once = made.clone();
    once["jobs"][0]["repeat"] = json!(false);
    once["stop"]["duration_ps"] = json!(0);
    let pass = ps(&run(&once).rows("jobs")[0]["end_ns"]);
    assert!((5..=40_000_000 / pass).contains(&messages), "{messages} passes of {pass} ps");
    let two = on_threads(&made, 2);
    assert!(two.tables == ran.tables);
}

fn tempfile_in_target(name: &str) -> std::path::PathBuf {
    std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}
