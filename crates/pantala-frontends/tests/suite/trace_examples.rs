//! The examples of GOAL and Chakra, replayed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pantala_frontends::trace::{
    ComputeTimes, OpenedTrace, TraceFile, TraceFormat, TraceSpec, identify,
};
use pantala_mpi::RankContext;

use crate::network::{Ended, LATENCY, PER_BYTE, run};

const US: u64 = 1_000_000;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/traces").join(name)
}

fn replay(name: &str, compute: ComputeTimes) -> Ended {
    let path = example(name);
    let (format, hash, _) = identify(&path).unwrap();
    let spec = TraceSpec {
        format,
        path: path.display().to_string(),
        hash,
        compute,
        compute_scale_millionths: 1_000_000,
        amplification: 1,
        opened: Default::default(),
    };
    fn ended<T: TraceFile>(trace: &Arc<T>, spec: &TraceSpec) -> Ended {
        run(trace.ranks(), |rank| {
            let context = RankContext::new(rank, trace.ranks(), "job", 1);
            (trace.program(spec.compute_scale(), rank), trace.communicators(&context))
        })
    }
    match format.open(&path).unwrap() {
        OpenedTrace::Goal(schedule) => ended(&schedule, &spec),
        OpenedTrace::Chakra(trace) => ended(&trace, &spec),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_binomial_tree_goes_down_and_up() {
    let transfer = 65_536 * PER_BYTE;
    let times = [ComputeTimes::None, ComputeTimes::Recorded].map(|compute| {
        let ended = replay("binomial_tree.goal", compute).good();
        assert_eq!(ended.ranks.len(), 16);
        let sent: u64 = ended.ranks.iter().map(|rank| rank.totals.bytes_sent).sum();
        assert_eq!(sent, 2 * 15 * 65_536);
        ended.end
    });
    // Four messages lie on the longest way in each direction, and each adds at most the handshake
    // of a rendezvous. A CPU of 150 us works beside one of 200 us.
    assert!(times[0] >= 8 * transfer && times[0] <= 8 * (transfer + 6 * LATENCY), "{times:?}");
    assert!((199 * US..=200 * US).contains(&(times[1] - times[0])), "{times:?}");
}

#[test]
fn the_training_step_overlaps_gradients_with_computing() {
    let all = replay("training_step", ComputeTimes::Recorded).good();
    let communication = replay("training_step", ComputeTimes::None).good().end;
    let computing = (3 * 120 + 3 * 240 + 30) * US;
    assert!(all.ranks.iter().all(|rank| rank.totals.compute >= computing));
    assert!(all.end > computing && all.end < computing + communication, "{}", all.end);
    assert_eq!(identify(&example("training_step.2.et")).unwrap().0, TraceFormat::Chakra);
}
