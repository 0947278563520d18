//! The communication of a job, computed from its programs without a network and without time.
//!
//! The programs of motifs and operation lists do not depend on arrival times. Programs that do get
//! guessed outcomes. Their operations, and the steps of their collectives, determine totals, calls,
//! sizes and the communication matrix. Messages of a rank to itself and control messages are not
//! counted.

use std::collections::BTreeMap;

use pantala_engine::{NANOSECOND, Time};
use pantala_frontends::operations::Prediction;
use pantala_frontends::operations::prediction::Timing;
use pantala_mpi::collectives::{Collective, Step};
use pantala_mpi::{
    Call, Collectives, Communicator, Op, OperationStream, Outcome, Outgoing, RankContext,
};
use serde::Serialize;

use crate::compute_noise::Noise;
use crate::job_spec::{JobSpec, Workload};
use crate::programs::{JobOperations, RankOperations};

/// Number of messages and their payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Volume {
    /// Messages.
    pub messages: u64,
    /// Payload bytes.
    pub bytes: u64,
}

impl Volume {
    const fn count(&mut self, bytes: u64, times: u64) {
        self.messages += times;
        self.bytes += times * bytes;
    }
}

/// The operations of one rank in a whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RankVolume {
    /// Number of calls of each operation that sends, by name.
    pub calls: BTreeMap<&'static str, u64>,
    /// The smallest and the largest size of the calls of each such operation, if its calls have one
    /// size.
    pub sizes: BTreeMap<&'static str, [u64; 2]>,
    /// Number of messages sent, including those of collectives.
    pub messages_sent: u64,
    /// Payload bytes sent.
    pub bytes_sent: u64,
    /// Number of messages received.
    pub messages_received: u64,
    /// Payload bytes received.
    pub bytes_received: u64,
    /// Payload bytes received in each kind of collective.
    pub collective_bytes_received: BTreeMap<&'static str, u64>,
    /// Compute time in ps, without noise.
    pub compute_ps: Time,
}

impl RankVolume {
    /// Counts the calls of an operation.
    fn called(&mut self, name: &'static str, bytes: Option<u64>, times: u64) {
        *self.calls.entry(name).or_default() += times;
        if let Some(bytes) = bytes {
            let [least, most] = self.sizes.entry(name).or_insert([bytes; 2]);
            (*least, *most) = ((*least).min(bytes), (*most).max(bytes));
        }
    }
}

/// All messages of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Communication {
    /// By rank.
    pub ranks: Vec<RankVolume>,
    /// By pair (source, destination).
    pub pairs: BTreeMap<(u32, u32), Volume>,
    /// Number of messages of each size.
    pub sizes: BTreeMap<u64, u64>,
    /// By collective; `None` stands for the program's own sends.
    pub operations: BTreeMap<Option<&'static str>, Volume>,
}

impl Communication {
    /// Counts a message that is sent `times` times.
    fn sent(
        &mut self,
        source: u32,
        destination: u32,
        bytes: u64,
        kind: Option<&'static str>,
        times: u64,
    ) {
        if source == destination {
            return;
        }
        self.pairs.entry((source, destination)).or_default().count(bytes, times);
        *self.sizes.entry(bytes).or_default() += times;
        self.operations.entry(kind).or_default().count(bytes, times);
        let rank = &mut self.ranks[source as usize];
        rank.messages_sent += times;
        rank.bytes_sent += times * bytes;
        let Some(rank) = self.ranks.get_mut(destination as usize) else { return };
        rank.messages_received += times;
        rank.bytes_received += times * bytes;
        if let Some(kind) = kind {
            *rank.collective_bytes_received.entry(kind).or_default() += times * bytes;
        }
    }
}

/// Returns the communication of a job; empty for a pattern, which has no end. The job's workload
/// must have been checked.
#[must_use]
pub fn communication(job: &JobSpec, collectives: &Collectives, seed: u64) -> Communication {
    let Some(found) = bounded(job, collectives, seed, u64::MAX) else {
        unreachable!("there is no bound")
    };
    found
}

/// Returns the communication of a job, as [`communication`] does; `None` if its ranks have more
/// than `most` operations, which are not counted further.
#[must_use]
pub fn bounded(
    job: &JobSpec,
    collectives: &Collectives,
    seed: u64,
    most: u64,
) -> Option<Communication> {
    let mut found = Communication::default();
    let Workload::Programs(programs) = &job.workload else { return Some(found) };
    let ranks = job.nodes.len() as u32;
    found.ranks = vec![RankVolume::default(); ranks as usize];
    let mut left = most;
    for rank in 0..ranks {
        let mut walk = Walk::new(RankContext::new(rank, ranks, &job.name, seed), programs);
        let program = RankOperations::new(programs, rank, ranks, &job.name, seed, Noise::default());
        walk.through(program, collectives, &mut left, &mut found)?;
    }
    Some(found)
}

/// The operations of one rank so far.
struct Walk {
    rank: u32,
    prediction: Prediction,
    /// The different collectives that the rank calls, with the number of calls. They are few, so
    /// each is expanded only once.
    collectives: Vec<(Communicator, Call, u64)>,
}

impl Walk {
    fn new(rank: RankContext, programs: &JobOperations) -> Self {
        let prediction = Prediction::new(&rank, programs.communicators(&rank), Timing::Early);
        Self { rank: rank.rank, prediction, collectives: Vec::new() }
    }

    /// Counts the operations of a rank, and takes them from `left`; `None` if that is too few.
    fn through(
        &mut self,
        mut program: RankOperations,
        collectives: &Collectives,
        left: &mut u64,
        found: &mut Communication,
    ) -> Option<()> {
        let (mut now, mut outcome) = (0, Outcome::Done);
        while let Some(op) = program.next(now, &outcome) {
            *left = left.checked_sub(1)?;
            self.count(&op, found);
            outcome = self.prediction.outcome(&op);
            // Time passes, so that a loop over a time ends.
            now += NANOSECOND;
        }
        for (communicator, call, times) in &self.collectives {
            self.expand(communicator, call, *times, collectives, found);
        }
        Some(())
    }

    fn count(&mut self, op: &Op, found: &mut Communication) {
        let rank = self.rank;
        if let Some(outgoing) = op.sent() {
            self.send(op.name(), outgoing, found);
            return;
        }
        match op {
            Op::Compute(time) => found.ranks[rank as usize].compute_ps += time,
            Op::Collective(id, call) | Op::Icollective(id, call, _) | Op::Valued(id, call, _) => {
                let Some(communicator) = self.prediction.communicator(*id) else { return };
                // The run reports a call that does not fit its communicator.
                if call.fault(communicator.size()).is_some() {
                    return;
                }
                match self
                    .collectives
                    .iter_mut()
                    .find(|(known, other, _)| known == communicator && other == call)
                {
                    Some((_, _, times)) => *times += 1,
                    None => self.collectives.push((communicator.clone(), call.clone(), 1)),
                }
            }
            Op::Start(_) | Op::Startall { .. } => {
                let started: Vec<_> = self.prediction.started(op).collect();
                started.iter().for_each(|outgoing| self.send(op.name(), outgoing, found));
            }
            _ => {}
        }
    }

    /// Counts a message of the program.
    fn send(&self, name: &'static str, outgoing: &Outgoing, found: &mut Communication) {
        let rank = self.rank;
        found.ranks[rank as usize].called(name, Some(outgoing.bytes), 1);
        let there = self.prediction.communicator(outgoing.communicator);
        if let Some(there) = there.and_then(|there| there.rank(outgoing.destination)) {
            found.sent(rank, there, outgoing.bytes, None, 1);
        }
    }

    /// Counts the messages that the rank sends in `times` calls of a collective.
    fn expand(
        &self,
        communicator: &Communicator,
        call: &Call,
        times: u64,
        choice: &Collectives,
        found: &mut Communication,
    ) {
        let (me, size) = (communicator.me(), communicator.size());
        let (rank, name) = (self.rank, call.kind().name());
        found.ranks[rank as usize].called(name, call.bytes(), times);
        let mut collective = Collective::of(choice, call, size);
        while let Some(step) = collective.next(me, size) {
            if let Step::Isend { peer, bytes, .. } = step {
                if let Some(there) = communicator.rank(peer) {
                    found.sent(rank, there, bytes, Some(name), times);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkloadSpec;
    use pantala_mpi::AllreduceAlgorithm;

    fn of(ranks: u32, workload: &str, collectives: &Collectives) -> Communication {
        let workload = serde_json::from_str::<WorkloadSpec>(workload).unwrap().into();
        let nodes = vec![7; ranks as usize];
        communication(
            &JobSpec {
                name: "j".into(),
                nodes,
                start: 5,
                end: pantala_engine::NEVER,
                repeat: false,
                noise: Noise::default(),
                workload,
            },
            collectives,
            1,
        )
    }

    #[test]
    fn a_ring_of_ranks_talks_to_both_sides() {
        let text = r#"{"kind": "stencil", "grid": [5], "message_bytes": [90000], "iterations": 7, "periodic": true, "compute_ps": 3}"#;
        let found = of(5, text, &Collectives::default());
        assert_eq!(found.pairs.len(), 10);
        assert!(found.pairs.iter().all(|((a, b), volume)| {
            (a.abs_diff(*b) == 1 || a.abs_diff(*b) == 4)
                && *volume == Volume { messages: 7, bytes: 630_000 }
        }));
        assert_eq!(found.sizes, BTreeMap::from([(90_000, 70)]));
        assert_eq!(
            found.operations,
            BTreeMap::from([(None, Volume { messages: 70, bytes: 6_300_000 })])
        );
        assert!(found.ranks.iter().all(|rank| rank.compute_ps == 21 && rank.calls["isend"] == 14));
    }

    #[test]
    fn a_bound_ends_the_count() {
        let text = r#"{"kind": "allreduce_loop", "message_bytes": 100, "iterations": 30}"#;
        let job = JobSpec {
            name: "j".into(),
            nodes: vec![0; 4],
            start: 0,
            end: pantala_engine::NEVER,
            repeat: false,
            noise: Noise::default(),
            workload: serde_json::from_str::<WorkloadSpec>(text).unwrap().into(),
        };
        let of = |most| bounded(&job, &Collectives::default(), 1, most);
        assert_eq!(of(100), None);
        assert_eq!(of(10_000), Some(communication(&job, &Collectives::default(), 1)));
    }

    #[test]
    fn collectives_are_told_apart() {
        let choice = Collectives {
            allreduce: AllreduceAlgorithm::RecursiveDoubling,
            ..Collectives::default()
        };
        let found =
            of(8, r#"{"kind": "allreduce_loop", "message_bytes": 100, "iterations": 3}"#, &choice);
        assert_eq!(
            found.operations,
            BTreeMap::from([(Some("allreduce"), Volume { messages: 72, bytes: 7_200 })])
        );
        assert!(found.pairs.keys().all(|(a, b)| (a ^ b).is_power_of_two()));
        assert!(
            found
                .ranks
                .iter()
                .all(|rank| rank.calls["allreduce"] == 3 && rank.sizes["allreduce"] == [100; 2])
        );
    }

    /// A damaged trace may have such calls. The run reports them.
    #[test]
    fn a_call_that_does_not_fit_its_communicator_counts_nothing() {
        let text = r#"{"kind": "allreduce_loop", "message_bytes": 100, "iterations": 1}"#;
        let workload = serde_json::from_str::<WorkloadSpec>(text).unwrap().into();
        let Workload::Programs(programs) = workload else { panic!("no programs") };
        let mut walk = Walk::new(RankContext::new(0, 4, "j", 1), &programs);
        let mut found = Communication::default();
        for ranks in [3, 4] {
            let call = Call::Allgatherv { counts: vec![1; ranks].into() };
            walk.count(&Op::Collective(pantala_mpi::COMM_WORLD, call), &mut found);
        }
        assert_eq!(walk.collectives.len(), 1);
    }
}
