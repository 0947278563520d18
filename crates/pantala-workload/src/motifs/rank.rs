//! One rank of a motif: it executes the script of one iteration after the other.

use std::sync::Arc;

use pantala_engine::Stream;
use pantala_engine::random::key_of;
use pantala_mpi::{Communicator, Op, Outcome, Program};

use super::{Motif, Place, Script};
use crate::noise::Noise;
use crate::spec::WorkloadSpec;
use crate::streams::{Purpose, stream};

/// The program of one rank of a motif.
#[derive(Clone, Debug)]
pub struct MotifRank {
    /// A motif.
    workload: Arc<WorkloadSpec>,
    place: Place,
    script: Script,
    /// How far in the iteration: 0 is its start, then the script, then its end.
    at: usize,
    noise: Noise,
    /// Of the noise.
    draws: Stream,
    /// What it does instead.
    given: Option<std::vec::IntoIter<Op>>,
}

impl MotifRank {
    /// The program of `rank` of `ranks` in the job called `job`, whose times to compute get
    /// `noise`.
    ///
    /// # Panics
    /// If the workload is no motif.
    #[must_use]
    pub fn new(
        workload: Arc<WorkloadSpec>,
        rank: u32,
        ranks: u32,
        job: &str,
        seed: u64,
        noise: Noise,
    ) -> Self {
        assert!(workload.motif().is_some(), "a pattern has no ranks with programs");
        let draws = stream(seed, Purpose::Compute, job, rank);
        let place = Place { rank, ranks, iteration: 0, job: key_of(job), seed };
        Self { workload, place, script: Script::default(), at: 0, noise, draws, given: None }
    }

    /// Its communicators besides that of all ranks.
    #[must_use]
    pub fn communicators(&self) -> Vec<Communicator> {
        self.motif().map_or_else(Vec::new, |motif| motif.communicators(&self.place))
    }

    /// Does these operations and no others: for tests of what programs do wrong, which no motif
    /// does.
    pub(crate) fn give(&mut self, operations: Vec<Op>) {
        self.given = Some(operations.into_iter());
    }

    fn motif(&self) -> Option<&dyn Motif> {
        self.workload.motif()
    }
}

impl Program for MotifRank {
    fn next(&mut self, _: &Outcome) -> Option<Op> {
        if let Some(given) = &mut self.given {
            return given.next();
        }
        if self.at == 0 {
            let motif = self.workload.motif()?;
            if self.place.iteration >= motif.iterations() {
                return None;
            }
            self.script.clear();
            motif.iteration(&self.place, &mut self.script);
            self.at = 1;
            return Some(Op::IterationStart);
        }
        match self.script.at(self.at - 1) {
            Some(Op::Compute(time)) => {
                self.at += 1;
                Some(Op::Compute(self.noise.applied(*time, &mut self.draws)))
            }
            Some(op) => {
                self.at += 1;
                Some(op.clone())
            }
            None => {
                self.at = 0;
                self.place.iteration += 1;
                Some(Op::IterationEnd)
            }
        }
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        self.motif().map(|motif| motif.summary(&self.place))
    }
}
