//! Waits, tests and probes: what a rank asks of its requests and of messages that have come.
//!
//! A test takes no time, so a program that tests again and again without computing or waiting would
//! never let anything happen; after [`MAX_POLLS`] in a row it is stopped.

use pantala_engine::Time;

use crate::error::ProgramFault;
use crate::layer::MpiLayer;
use crate::op::{Op, Program, Request};
use crate::outcome::Outcome;
use crate::progress::Goes;
use crate::protocol::Expected;
use crate::rank::{Activity, Asked, Rank, Until};
use crate::record::CallKind;

/// Tests and probes in a row that may find nothing while no time passes.
const MAX_POLLS: u32 = 1 << 16;

impl<P: Program> MpiLayer<P> {
    /// Waits, tests and probes.
    pub(crate) fn ask(&mut self, r: usize, op: &Op, now: Time) -> Goes {
        match *op {
            Op::Wait(request) => {
                self.ranks[r].requests.check(request)?;
                Ok(self.wait_all(r, request, 1, now))
            }
            Op::Waitall { first, count } => Ok(self.wait_all(r, first, count, now)),
            Op::Waitany { first, count } => {
                Ok(self.wait_any(r, Asked::Any(first, count), first, count, now))
            }
            Op::Waitsome { first, count } => {
                Ok(self.wait_any(r, Asked::Some(first, count), first, count, now))
            }
            Op::Test(request) => {
                self.ranks[r].requests.check(request)?;
                self.test(r, Asked::All(request, 1), |rank| rank.requests.quiet(request, 1))
            }
            Op::Testall { first, count } => {
                self.test(r, Asked::All(first, count), |rank| rank.requests.quiet(first, count))
            }
            Op::Testany { first, count } => self
                .test(r, Asked::Any(first, count), |rank| !rank.requests.await_any(first, count)),
            Op::Testsome { first, count } => self
                .test(r, Asked::Some(first, count), |rank| !rank.requests.await_any(first, count)),
            Op::Probe(ref incoming) => {
                let Expected { source, context, tag, .. } = self.expected(r, incoming)?;
                self.ranks[r].ingress = 0;
                self.ranks[r].asked = Asked::Found { source, context, tag };
                let found =
                    self.ranks[r].matcher.peek(source, context, tag, &self.messages).is_some();
                Ok(found
                    || self.block(r, Until::Message { source, context, tag }, CallKind::Recv, now))
            }
            Op::Iprobe(ref incoming) => {
                let Expected { source, context, tag, .. } = self.expected(r, incoming)?;
                let found =
                    self.ranks[r].matcher.peek(source, context, tag, &self.messages).is_some();
                self.test(r, Asked::Found { source, context, tag }, |_| found)
            }
            _ => Ok(true),
        }
    }

    fn wait_all(&mut self, r: usize, first: Request, count: u32, now: Time) -> bool {
        let rank = &mut self.ranks[r];
        rank.ingress = 0;
        rank.asked = Asked::All(first, count);
        !rank.requests.await_all(first, count)
            || self.block(r, Until::Requests(first, count), CallKind::Wait, now)
    }

    fn wait_any(&mut self, r: usize, asked: Asked, first: Request, count: u32, now: Time) -> bool {
        let rank = &mut self.ranks[r];
        rank.ingress = 0;
        rank.asked = asked;
        !rank.requests.await_any(first, count)
            || self.block(r, Until::Requests(first, count), CallKind::Wait, now)
    }

    /// Blocks a rank; it does not go on at once.
    pub(crate) fn block(&mut self, r: usize, until: Until, kind: CallKind, now: Time) -> bool {
        let rank = &mut self.ranks[r];
        rank.activity = Activity::Blocked(until);
        rank.call = kind;
        rank.since = now;
        false
    }

    fn test(&mut self, r: usize, asked: Asked, found: impl FnOnce(&mut Rank<P>) -> bool) -> Goes {
        let rank = &mut self.ranks[r];
        if found(rank) {
            rank.asked = asked;
            rank.polls = 0;
            return Ok(true);
        }
        rank.outcome = Outcome::NotYet;
        rank.asked = Asked::Said;
        rank.polls += 1;
        if rank.polls > MAX_POLLS {
            Err(ProgramFault::Polling { times: MAX_POLLS })
        } else {
            Ok(true)
        }
    }
}
