//! The export of any programs: their operations become a file, if these do not depend on the run.
//!
//! Each rank's program runs twice, side by side, with different guesses of time and of every
//! outcome that a run decides. If both yield the same operations, the operations do not depend on
//! the run.

use std::io::Write;

use pantala_mpi::{Communicator, Op, OperationStream, Outcome, RankContext};

use super::fault::WriteFault;
use super::prediction::{Prediction, Timing};
use super::rank_stream::RankStream;
use super::writer::{Writer, Written};

/// The most operations of an export.
const MAX_OPERATIONS: u64 = 1 << 36;

/// Writes the programs of a job into a file. `make` returns the program of a rank, and its
/// communicators besides `COMM_WORLD`.
///
/// # Errors
/// If the operations depend on the run, have no place in a file, or the file cannot be written.
pub fn export<P: OperationStream, W: Write>(
    ranks: impl ExactSizeIterator<Item = RankContext>,
    make: impl Fn(&RankContext) -> (P, Vec<Communicator>),
    sink: W,
) -> Result<Written, WriteFault> {
    let mut writer = Writer::new(sink, ranks.len() as u32)?;
    let mut operations = 0;
    for rank in ranks {
        let mut stream = RankStream::new(rank.rank);
        let (early, communicators) = make(&rank);
        let mut early = Guided::new(early, &rank, &communicators, Timing::Early);
        let mut late = Guided::new(make(&rank).0, &rank, &communicators, Timing::Late);
        while let Some(op) = next(&mut early, &mut late, &stream)? {
            operations += 1;
            if operations > MAX_OPERATIONS {
                let text = format!("the programs have more than {MAX_OPERATIONS} operations");
                return Err(WriteFault::Ranks(text));
            }
            stream.push(&op, &mut writer)?;
        }
        writer.end_rank(stream, &communicators)?;
    }
    writer.finish()
}

/// A program with guessed outcomes.
struct Guided<P> {
    program: P,
    prediction: Prediction,
    outcome: Outcome,
}

impl<P: OperationStream> Guided<P> {
    fn new(program: P, rank: &RankContext, communicators: &[Communicator], timing: Timing) -> Self {
        let prediction = Prediction::new(rank, communicators.to_vec(), timing);
        Self { program, prediction, outcome: Outcome::Done }
    }

    fn next(&mut self) -> Option<Op> {
        let op = self.program.next(self.prediction.now(), &self.outcome)?;
        self.outcome = self.prediction.outcome(&op);
        Some(op)
    }
}

/// The next operation of both.
fn next<P: OperationStream>(
    early: &mut Guided<P>,
    late: &mut Guided<P>,
    stream: &RankStream,
) -> Result<Option<Op>, WriteFault> {
    let (one, other) = (early.next(), late.next());
    if one == other {
        return Ok(one);
    }
    let name = |op: &Option<Op>| op.as_ref().map_or("the end", Op::name);
    if let (Some(Op::Abort(why)), kept) | (kept, Some(Op::Abort(why))) = (&one, &other) {
        let why = why.lines().next().unwrap_or_default();
        return Err(WriteFault::Operation {
            rank: stream.rank(),
            number: stream.operations(),
            name: name(kept),
            reason: format!(
                "follows, or the rank stops, depending on time; only a run knows that: {why}"
            ),
        });
    }
    let same = name(&one) == name(&other);
    let (one, other) = (name(&one), name(&other));
    let which =
        if same { "with other arguments".to_owned() } else { format!("or is {other} instead") };
    Err(WriteFault::Operation {
        rank: stream.rank(),
        number: stream.operations(),
        name: one,
        reason: format!(
            "follows {which}, depending on time or on which message or request is first; only a run knows that"
        ),
    })
}
