//! The first operations of a program that a reader has accepted.

use pantala_mpi::{Completion, Op, OperationStream, Outcome};

const OPERATIONS: usize = 200;

/// Takes the first operations of a program; each completes at once.
pub(crate) fn execute(program: &mut impl OperationStream) {
    let mut outcome = Outcome::Done;
    let mut active = Vec::new();
    for _ in 0..OPERATIONS {
        let Some(op) = program.next(0, &outcome) else { return };
        outcome = Outcome::Done;
        match op {
            Op::Abort(_) => return,
            Op::Isend(_, request)
            | Op::Irecv(_, request)
            | Op::Icompute(_, request)
            | Op::Icollective(_, _, request) => active.push(request),
            Op::Waitall { .. } => active.clear(),
            Op::Waitsome { .. } => {
                let status = None;
                let complete = active.drain(..).map(|request| Completion { request, status });
                outcome = Outcome::Completed(complete.collect());
            }
            _ => {}
        }
    }
}
