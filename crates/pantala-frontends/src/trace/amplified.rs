//! Recorded calls with a multiple of their bytes.

use pantala_engine::Time;
use pantala_mpi::{Op, OperationStream, Outcome, Place};

use super::bounds::MAX_BYTES;

/// The factor that leaves all bytes as recorded, which a plan need not state.
pub(crate) const fn unamplified() -> u32 {
    1
}

/// Whether a factor leaves all bytes as recorded.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) const fn is_unamplified(factor: &u32) -> bool {
    *factor == unamplified()
}

/// A program with a multiple of the bytes of every message, receive and collective. The sAMG of
/// Yang et al. (SC16, section 3.4) is the trace of AMG with a factor of 100.
#[derive(Clone, Debug)]
pub struct Amplified<P> {
    program: P,
    factor: u32,
}

impl<P> Amplified<P> {
    /// The program with `factor` times its bytes.
    pub(crate) const fn new(program: P, factor: u32) -> Self {
        Self { program, factor }
    }

    /// The operation with more bytes; `None` if they are more than a trace may have.
    fn amplified(&self, operation: Op) -> Option<Op> {
        let factor = u64::from(self.factor);
        operation.with_sizes(&|bytes| bytes.checked_mul(factor).filter(|bytes| *bytes <= MAX_BYTES))
    }

    /// The operation with more bytes, or the reason why the program cannot go on.
    #[inline(never)]
    fn amplified_or_abort(&self, operation: Op) -> Op {
        let (name, factor) = (operation.name(), self.factor);
        self.amplified(operation).unwrap_or_else(|| {
            let limit = format!("more than {MAX_BYTES} bytes; choose a smaller factor");
            Op::Abort(format!("amplification = {factor} gives a call of {name} {limit}").into())
        })
    }
}

impl<P: OperationStream> OperationStream for Amplified<P> {
    #[inline]
    fn next(&mut self, now: Time, outcome: &Outcome) -> Option<Op> {
        let operation = self.program.next(now, outcome)?;
        Some(if is_unamplified(&self.factor) {
            operation
        } else {
            self.amplified_or_abort(operation)
        })
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        let recorded = self.program.summary()?.into_iter();
        Some(recorded.filter_map(|(one, times)| Some((self.amplified(one)?, times))).collect())
    }

    fn stops_at(&self) -> Time {
        self.program.stops_at()
    }

    fn place(&self) -> Option<Place> {
        self.program.place()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_mpi::{COMM_WORLD, Call, Incoming, Outgoing, Source, TagSelect};

    struct Once(Option<Op>);

    impl OperationStream for Once {
        fn next(&mut self, _: Time, _: &Outcome) -> Option<Op> {
            self.0.take()
        }
    }

    fn amplified(operation: Op, factor: u32) -> Op {
        Amplified::new(Once(Some(operation)), factor).next(0, &Outcome::Done).expect("an operation")
    }

    fn send(bytes: u64) -> Op {
        Op::Send(Outgoing { communicator: COMM_WORLD, destination: 1, tag: 0, bytes })
    }

    #[test]
    fn every_size_grows_and_nothing_else() {
        let receive = |bytes| {
            let (source, tag) = (Source::Any, TagSelect::Any);
            Op::Irecv(Incoming { communicator: COMM_WORLD, source, tag, bytes }, 7)
        };
        assert_eq!(amplified(send(3), 100), send(300));
        assert_eq!(amplified(receive(3), 100), receive(300));
        assert_eq!(amplified(receive(u64::MAX), 100), receive(u64::MAX), "any size stays any");
        assert_eq!(amplified(Op::Compute(3), 100), Op::Compute(3));
        let gather = |counts: &[u64]| {
            Op::Collective(COMM_WORLD, Call::Gatherv { root: 1, counts: counts.into() })
        };
        assert_eq!(amplified(gather(&[1, 0, 5]), 4), gather(&[4, 0, 20]));
    }

    #[test]
    fn a_program_gives_up_at_sizes_that_no_trace_has() {
        assert_eq!(amplified(send(MAX_BYTES), 1), send(MAX_BYTES));
        let Op::Abort(reason) = amplified(send(MAX_BYTES), 2) else { panic!("too many bytes") };
        assert!(reason.contains("amplification = 2"), "{reason}");
    }
}
