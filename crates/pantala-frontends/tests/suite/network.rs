//! Jobs of traces on the ideal network of tests.

use std::cell::RefCell;
use std::rc::Rc;

use pantala_engine::Time;
use pantala_mpi::{
    Communicator, MpiConfig, MpiLayer, Op, OperationStream, Outcome, RankReport, RankSetup,
    Recording,
};

pub(crate) use pantala_testing::ideal_network::Ideal;

/// The operations of a program, each with the time at which it was asked for.
pub(crate) type Log = Rc<RefCell<Vec<(Time, u32, Op)>>>;

/// A program that writes down its operations.
#[derive(Clone, Debug)]
pub(crate) struct Logged<P> {
    program: P,
    rank: u32,
    log: Log,
}

impl<P: OperationStream> OperationStream for Logged<P> {
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        let op = self.program.next(now, outcome)?;
        self.log.borrow_mut().push((now, self.rank, op.clone()));
        Some(op)
    }
}

/// The end of a job.
pub(crate) struct Ended {
    /// The time of the last event, in ps.
    pub(crate) end: Time,
    pub(crate) ranks: Vec<RankReport>,
    pub(crate) log: Vec<(Time, u32, Op)>,
    pub(crate) errors: Vec<String>,
    pub(crate) blocked: Vec<String>,
}

/// Latency of the network, in ps.
pub(crate) const LATENCY: Time = 1_000;
/// Time of the network for each byte, in ps.
pub(crate) const PER_BYTE: Time = 10;

/// Runs one rank on each node: `program` makes the program and the communicators of a rank.
pub(crate) fn run<P: OperationStream>(
    ranks: u32,
    program: impl Fn(u32) -> (P, Vec<Communicator>),
) -> Ended {
    let log = Log::default();
    let mut layer = MpiLayer::new(MpiConfig::default(), Recording::default(), 4_096);
    let setup = |rank| {
        let (program, communicators) = program(rank);
        let program = Logged { program, rank, log: Rc::clone(&log) };
        (program, communicators)
    };
    let ranks: Vec<_> = (0..ranks)
        .map(|rank| {
            let (program, communicators) = setup(rank);
            RankSetup { nic: layer.add_nic(rank), program, communicators }
        })
        .collect();
    let nodes = ranks.len() as u32;
    layer.add_job(0, 0, ranks).unwrap();
    let end = Ideal::new(LATENCY, PER_BYTE).run(&mut layer, nodes, Time::MAX);
    let log = log.borrow().clone();
    Ended {
        end,
        ranks: layer.rank_reports(end).collect(),
        log,
        errors: layer.errors().iter().map(ToString::to_string).collect(),
        blocked: layer.blocked_report().iter().map(ToString::to_string).collect(),
    }
}

impl Ended {
    /// The end of a job without errors.
    pub(crate) fn good(self) -> Self {
        assert_eq!((&self.errors, &self.blocked), (&Vec::new(), &Vec::new()));
        self
    }

    /// The names of a rank's operations.
    pub(crate) fn names(&self, rank: u32) -> Vec<&'static str> {
        self.log.iter().filter(|(_, r, _)| *r == rank).map(|(_, _, op)| op.name()).collect()
    }
}
