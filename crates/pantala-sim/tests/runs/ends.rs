//! How runs end, when jobs start, and what is told on the way.

use crate::support::{Row, fft, finish, halo, job, noise, plan, ps, run, set_up};
use pantala_sim::End;
use serde_json::{Value, json};

fn job_row<'a>(rows: &'a [Row], name: &str) -> &'a Row {
    rows.iter().find(|row| row["name"] == name).unwrap()
}

#[test]
fn finite_jobs_end_by_themselves() {
    let ran = run(&plan(json!([halo(), fft()])));
    assert_eq!(ran.end, End::Finished);
    assert_eq!(
        (&ran.document["complete"], &ran.document["reason"]),
        (&json!(true), &json!("finished"))
    );
    assert_eq!(ran.document["counters"]["packets_in_flight"], 0);
    let last = ran.rows("ranks").iter().map(|rank| ps(&rank["end_ns"])).max().unwrap();
    assert_eq!(ran.simulated(), last);
    for job in ran.rows("jobs") {
        assert_eq!(job["complete"], true);
        let ends = ran
            .rows("ranks")
            .iter()
            .filter(|rank| rank["job"] == job["job"])
            .map(|rank| ps(&rank["end_ns"]));
        assert_eq!(ps(&job["end_ns"]), ends.max().unwrap());
    }
}

#[test]
fn a_duration_stops_the_run() {
    let mut short = plan(json!([halo(), fft(), noise(0.5)]));
    short["stop"]["duration_ps"] = json!(4_321_000);
    let ran = run(&short);
    assert_eq!(ran.end, End::Duration);
    assert_eq!(
        (&ran.document["complete"], &ran.document["reason"]),
        (&json!(false), &json!("duration"))
    );
    assert_eq!(ran.document["simulated_ns"], 4_321.0);
    assert!(ran.tables["packets"].iter().all(|packet| ps(&packet["delivered_ns"]) < 4_321_000));
    assert!(ran.document["counters"]["packets_in_flight"].as_u64().unwrap() > 0);
    let jobs = &ran.tables["jobs"];
    assert!(jobs.iter().all(|job| job["end_ns"].is_null() && job["complete"] == false));
    // A phase that the end cuts short is counted up to it.
    for rank in &ran.tables["ranks"] {
        assert!(rank["end_ns"].is_null());
        assert_eq!(ps(&rank["communication_time_ns"]) + ps(&rank["compute_time_ns"]), 4_321_000);
    }
}

/// A run is complete if every job that can end has ended, whatever ended the run.
#[test]
fn patterns_cannot_end_and_so_leave_nothing_incomplete() {
    let mut only_noise = plan(json!([noise(0.5)]));
    only_noise["stop"]["duration_ps"] = json!(1_000_000);
    let ran = run(&only_noise);
    assert_eq!(
        (&ran.document["complete"], &ran.document["reason"]),
        (&json!(true), &json!("duration"))
    );
    // The job ends in the window that the duration cuts off.
    let mut beside = plan(json!([halo(), noise(0.3)]));
    let end = ps(&job_row(run(&beside).rows("jobs"), "halo")["end_ns"]);
    beside["stop"]["duration_ps"] = json!(end + 1);
    let ran = run(&beside);
    assert_eq!(
        (&ran.document["complete"], &ran.document["reason"]),
        (&json!(true), &json!("duration"))
    );
}

#[test]
fn a_duration_longer_than_the_jobs_changes_nothing() {
    let endless = plan(json!([halo()]));
    let mut long = endless.clone();
    long["stop"]["duration_ps"] = json!(1_000_000_000_000_u64);
    let (one, two) = (run(&endless), run(&long));
    assert_eq!((two.end.clone(), two.simulated()), (End::Finished, one.simulated()));
    assert!(one.tables == two.tables);
}

#[test]
fn with_a_pattern_the_run_ends_on_the_grid() {
    let ran = run(&plan(json!([halo(), noise(0.3)])));
    assert_eq!(ran.end, End::Finished);
    let end = ps(&job_row(ran.rows("jobs"), "halo")["end_ns"]);
    assert_eq!(ran.simulated(), end.div_ceil(10_000_000) * 10_000_000);
    let last = ran.rows("packets").iter().map(|packet| ps(&packet["delivered_ns"])).max().unwrap();
    assert!(end < last && last < ran.simulated(), "the pattern goes on to the end");
    let noise = job_row(ran.rows("jobs"), "noise");
    assert_eq!((&noise["end_ns"], &noise["complete"]), (&Value::Null, &json!(false)));
}

#[test]
fn an_interrupted_run_keeps_what_there_is() {
    let mut looks = 0;
    let ran = finish(set_up(&plan(json!([halo(), noise(0.3)]))), |_| {
        looks += 1;
        looks < 10
    });
    assert_eq!((ran.end.clone(), looks), (End::Interrupted, 10));
    assert_eq!(
        (&ran.document["complete"], &ran.document["reason"]),
        (&json!(false), &json!("interrupted"))
    );
    assert_eq!(ran.document["diagnosis"], Value::Null);
    assert_eq!(ran.tables.len(), 28);
    assert_eq!(ran.simulated(), 10 * 1_000_000, "ten looks, one a microsecond");
    assert!(!ran.rows("packets").is_empty() && !ran.rows("job_windows").is_empty());
    let whole = run(&plan(json!([halo(), noise(0.3)])));
    let until_then =
        whole.rows("packets").iter().filter(|packet| ps(&packet["delivered_ns"]) < ran.simulated());
    assert!(until_then.eq(ran.rows("packets")), "what there is, is as in the whole run");
}

#[test]
fn jobs_start_when_they_are_told_to() {
    let mut late = plan(json!([halo(), fft(), noise(0.3)]));
    late["jobs"][1]["start_ps"] = json!(3_000_123);
    late["jobs"][2]["start_ps"] = json!(2_000_456);
    let ran = run(&late);
    let rows = |table: &str, job: u64| {
        ran.rows(table).iter().filter(move |row| row["job"] == job).cloned().collect::<Vec<_>>()
    };
    for (number, start) in [(0, 0), (1, 3_000_123), (2, 2_000_456)] {
        assert_eq!(ps(&ran.rows("jobs")[number]["start_ns"]), start);
        let number = number as u64;
        assert!(rows("ranks", number).iter().all(|rank| ps(&rank["start_ns"]) == start));
        let created: Vec<u64> =
            rows("packets", number).iter().map(|packet| ps(&packet["created_ns"])).collect();
        assert!(created.iter().all(|time| *time >= start) && created.len() > 100, "{number}");
    }
    // Windows before a job starts have no row.
    let mut later = plan(json!([halo(), noise(0.3)]));
    later["jobs"][1]["start_ps"] = json!(10_000_000);
    let ran = run(&later);
    let first = ran.rows("job_windows").iter().find(|row| row["job"] == 1).unwrap();
    assert_eq!(first["window_start_ns"], 10_000.0);
}

/// A start far away costs no steps on the way.
#[test]
fn time_without_events_is_skipped() {
    let mut late = plan(json!([halo()]));
    late["jobs"][0]["start_ps"] = json!(86_400_000_000_000_000_u64);
    let mut looks = 0;
    let ran = finish(set_up(&late), |_| {
        looks += 1;
        true
    });
    assert_eq!(ran.end, End::Finished);
    assert!(looks < 200, "{looks} looks");
    let windows = ran.rows("link_windows");
    assert!(windows.iter().all(|row| row["window_start_ns"].as_f64().unwrap() >= 86_400e9));
}

#[test]
fn patterns_that_send_nothing_pass_their_duration() {
    // One rank alone, which bit_complement maps to itself: three ranks, of which the outer two are
    // silenced by no one.
    let mut silent = plan(json!([job(
        "middle",
        2,
        json!({"kind": "pattern", "pattern": "uniform", "load": 1e-9})
    )]));
    silent["stop"]["duration_ps"] = json!(1_000_000);
    let ran = run(&silent);
    assert_eq!((ran.end, &ran.document["simulated_ns"]), (End::Duration, &json!(1_000.0)));
    let row = &ran.tables["jobs"][0];
    for column in [
        "communication_time_mean_ns",
        "packet_latency_mean_ns",
        "network_latency_p99_ns",
        "link_hops_mean",
    ] {
        assert_eq!(row[column], Value::Null, "{column}");
    }
    assert_eq!((&row["packets"], &row["message_latency_mean_ns"]), (&json!(0), &Value::Null));
}

#[test]
fn progress_rises_to_the_end() {
    let endless = plan(json!([halo(), fft()]));
    let mut with_duration = plan(json!([halo(), noise(0.3)]));
    with_duration["stop"]["duration_ps"] = json!(9_000_000);
    let mut long_duration = endless.clone();
    long_duration["stop"]["duration_ps"] = json!(1_000_000_000_000_u64);
    for plan in [endless, with_duration, long_duration] {
        let mut seen = Vec::new();
        let ran = finish(set_up(&plan), |progress| {
            seen.push(*progress);
            true
        });
        assert!(ran.end.planned());
        for pair in seen.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            assert!(
                a.now < b.now && a.packet_hops <= b.packet_hops && a.ranks_done <= b.ranks_done
            );
            assert!(a.packets_delivered <= b.packets_delivered && a.fraction <= b.fraction);
        }
        let (first, last) = (seen[0].fraction.unwrap(), seen.last().unwrap().fraction.unwrap());
        assert!(first < 0.2 && last > 0.8 && last <= 1.0, "{first} to {last}");
        assert!(seen.iter().any(|progress| (0.3..0.7).contains(&progress.fraction.unwrap())));
    }
}
