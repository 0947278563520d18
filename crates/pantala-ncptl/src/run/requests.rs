//! The outstanding requests of a rank.
//!
//! Receives are numbered from 0 and sends from a base above them, so that a wait for either names
//! one range. A program posts sends and receives in turn, and how many follow is unknown. Receives
//! beyond the base get numbers among the sends, and the base grows when nothing is outstanding.

use pantala_mpi::{MAX_REQUESTS, Op, Request, SetCall};

/// The outstanding requests.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    base: u32,
    above: u32,
    sends: Vec<Request>,
    receives: Vec<Request>,
}

impl Requests {
    fn next_above(&mut self) -> Option<Request> {
        let request = self.base.checked_add(self.above).filter(|r| *r < MAX_REQUESTS)?;
        self.above += 1;
        Some(request)
    }

    /// A new request of a send; `None` if there are too many.
    #[inline]
    pub fn send(&mut self) -> Option<Request> {
        let request = self.next_above()?;
        self.sends.push(request);
        Some(request)
    }

    /// A new request of a receive; `None` if there are too many.
    #[inline]
    pub fn receive(&mut self) -> Option<Request> {
        let below = self.receives.len() as u32;
        let request = if below < self.base { below } else { self.next_above()? };
        self.receives.push(request);
        Some(request)
    }

    /// Whether nothing is outstanding.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sends.is_empty() && self.receives.is_empty()
    }

    /// A wait for all sends, if there are any.
    pub fn wait_for_sends(&mut self) -> Option<Op> {
        let wait = wait(&self.sends);
        self.sends.clear();
        wait
    }

    /// A wait for all receives, if there are any. It is the last wait for what is outstanding.
    pub fn wait_for_receives(&mut self) -> Option<Op> {
        let wait = wait(&self.receives);
        self.base = self.base.max(self.receives.len() as u32);
        self.above = 0;
        self.receives.clear();
        wait
    }
}

/// A wait for ascending requests.
fn wait(requests: &[Request]) -> Option<Op> {
    let (first, last) = (*requests.first()?, *requests.last()?);
    let count = requests.len() as u32;
    Some(if last - first + 1 == count {
        Op::Waitall { first, count }
    } else {
        Op::Set(SetCall::Waitall, requests.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_become_ranges() {
        let mut requests = Requests::default();
        let mut round = || {
            for _ in 0..3 {
                requests.receive();
                requests.send();
            }
            (requests.wait_for_sends(), requests.wait_for_receives())
        };
        let set = |list: [u32; 3]| Some(Op::Set(SetCall::Waitall, list.as_slice().into()));
        assert_eq!(round(), (set([1, 3, 5]), set([0, 2, 4])));
        let range = |first| Some(Op::Waitall { first, count: 3 });
        assert_eq!((round(), round()), ((range(3), range(0)), (range(3), range(0))));
        assert_eq!((requests.wait_for_sends(), requests.is_empty()), (None, true));
    }
}
