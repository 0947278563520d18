//! Waits, tests and probes.
//!
//! A test takes no time. A program that tests in a loop without compute or wait would never let
//! time pass, so the rank stops after [`MAX_POLLS`] tests in a row.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::accounting::rank_totals::CallKind;
use crate::layer::MpiLayer;
use crate::layer::run_loop::Continues;
use crate::program::error::OperationFault;
use crate::program::operation::{Op, OperationStream, SetCall};
use crate::program::outcome::Outcome;
use crate::rank::posting::Expected;
use crate::rank::requests::Selection;
use crate::rank::{Activity, BlockedUntil, PendingOutcome, Rank};

/// Largest number of tests and probes in a row that find nothing while no time passes.
const MAX_POLLS: u32 = 1 << 16;

impl<P: OperationStream> MpiLayer<P> {
    /// Executes a wait, a test or a probe.
    pub(crate) fn wait_or_test(
        &mut self,
        r: usize,
        op: &Op,
        now: Time,
        wakes: &mut Wakes,
    ) -> Continues {
        use Selection::Range;
        match *op {
            Op::Wait(request) => {
                self.ranks[r].requests.check(request)?;
                Ok(self.wait_all(r, Range(request, 1), now, wakes))
            }
            Op::Test(request) => {
                self.ranks[r].requests.check(request)?;
                self.test_all(r, Range(request, 1))
            }
            Op::Waitall { first, count } => Ok(self.wait_all(r, Range(first, count), now, wakes)),
            Op::Waitany { first, count } => {
                let close = PendingOutcome::CloseAny(Range(first, count));
                Ok(self.wait_any(r, close, Range(first, count), now, wakes))
            }
            Op::Waitsome { first, count } => {
                let close = PendingOutcome::CloseSome(Range(first, count));
                Ok(self.wait_any(r, close, Range(first, count), now, wakes))
            }
            Op::Testall { first, count } => self.test_all(r, Range(first, count)),
            Op::Testany { first, count } => {
                let close = PendingOutcome::CloseAny(Range(first, count));
                self.test_any(r, close, Range(first, count))
            }
            Op::Testsome { first, count } => {
                let close = PendingOutcome::CloseSome(Range(first, count));
                self.test_any(r, close, Range(first, count))
            }
            Op::Set(call, ref set) => {
                self.ranks[r].requests.select(set)?;
                let set = Selection::Set;
                let (any, some) = (PendingOutcome::CloseAny(set), PendingOutcome::CloseSome(set));
                match call {
                    SetCall::Waitall => Ok(self.wait_all(r, set, now, wakes)),
                    SetCall::Waitany => Ok(self.wait_any(r, any, set, now, wakes)),
                    SetCall::Waitsome => Ok(self.wait_any(r, some, set, now, wakes)),
                    SetCall::Testall => self.test_all(r, set),
                    SetCall::Testany => self.test_any(r, any, set),
                    SetCall::Testsome => self.test_any(r, some, set),
                }
            }
            Op::Probe(ref incoming) => {
                let Expected { source, context, tag, .. } = self.expected(r, incoming)?;
                self.ranks[r].ingress = 0;
                self.ranks[r].pending_outcome = PendingOutcome::Found { source, context, tag };
                let found = self.ranks[r]
                    .matcher
                    .peek(source, context, tag, &self.transfers.messages)
                    .is_some();
                let until = BlockedUntil::Message { source, context, tag };
                Ok(self.wait_until(r, found, until, CallKind::Recv, now, wakes))
            }
            Op::Iprobe(ref incoming) => {
                let Expected { source, context, tag, .. } = self.expected(r, incoming)?;
                let found = self.ranks[r]
                    .matcher
                    .peek(source, context, tag, &self.transfers.messages)
                    .is_some();
                self.test(r, PendingOutcome::Found { source, context, tag }, |_| found)
            }
            _ => Ok(true),
        }
    }

    fn wait_all(&mut self, r: usize, selection: Selection, now: Time, wakes: &mut Wakes) -> bool {
        let rank = &mut self.ranks[r];
        rank.ingress = 0;
        rank.pending_outcome = PendingOutcome::CloseAll(selection);
        let complete = !rank.requests.await_all(selection);
        self.wait_until(r, complete, BlockedUntil::Requests(selection), CallKind::Wait, now, wakes)
    }

    fn wait_any(
        &mut self,
        r: usize,
        close: PendingOutcome,
        selection: Selection,
        now: Time,
        wakes: &mut Wakes,
    ) -> bool {
        let rank = &mut self.ranks[r];
        rank.ingress = 0;
        rank.pending_outcome = close;
        let complete = !rank.requests.await_any(selection);
        self.wait_until(r, complete, BlockedUntil::Requests(selection), CallKind::Wait, now, wakes)
    }

    fn test_all(&mut self, r: usize, selection: Selection) -> Continues {
        let close = PendingOutcome::CloseAll(selection);
        self.test(r, close, |rank| rank.requests.none_active(selection))
    }

    fn test_any(&mut self, r: usize, close: PendingOutcome, selection: Selection) -> Continues {
        self.test(r, close, |rank| !rank.requests.await_any(selection))
    }

    /// Blocks a rank unless the wait is `complete`. Returns whether the rank continues at once.
    fn wait_until(
        &mut self,
        r: usize,
        complete: bool,
        until: BlockedUntil,
        kind: CallKind,
        now: Time,
        wakes: &mut Wakes,
    ) -> bool {
        if self.in_calls() {
            return self.attend(r, Some(until), kind, now, wakes);
        }
        complete || self.block(r, until, kind, now)
    }

    /// Blocks a rank. Returns false: the rank does not continue at once.
    pub(crate) fn block(
        &mut self,
        r: usize,
        until: BlockedUntil,
        kind: CallKind,
        now: Time,
    ) -> bool {
        let rank = &mut self.ranks[r];
        rank.activity = Activity::Blocked(until);
        rank.in_call(kind);
        rank.since = now;
        if self.setup.costly_receives {
            rank.works_on_arrivals(until, now);
        }
        false
    }

    fn test(
        &mut self,
        r: usize,
        pending_outcome: PendingOutcome,
        found: impl FnOnce(&mut Rank<P>) -> bool,
    ) -> Continues {
        let rank = &mut self.ranks[r];
        if found(rank) {
            rank.pending_outcome = pending_outcome;
            rank.polls = 0;
            return Ok(true);
        }
        rank.outcome = Outcome::NotYet;
        rank.pending_outcome = PendingOutcome::Known;
        rank.polls += 1;
        if rank.polls > MAX_POLLS {
            Err(OperationFault::Polling { times: MAX_POLLS })
        } else {
            Ok(true)
        }
    }
}
