//! The live requests of a rank, and their dense numbers in the simulation.
//!
//! A trace reuses request numbers, and one number can be live several times at once: Open MPI gives
//! one handle to all small sends that complete inside their call. So each number has a queue of live
//! operations. A wait takes one operation for each mention of a number.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, VecDeque};

use pantala_mpi::{MAX_REQUESTS, Request};

use super::handles::FIRST_REQUEST;

/// A live operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Live {
    /// Its request in the simulation; `None` if it is complete from the start.
    pub(super) request: Option<Request>,
    /// Its number among the rank's sends and receives.
    pub(super) ordinal: u64,
    /// Whether it is a receive.
    pub(super) receive: bool,
    /// Whether it accepts any source or any tag.
    pub(super) wildcard: bool,
    /// Whether the program has tried to cancel it.
    pub(super) cancelled: bool,
}

impl Live {
    /// An operation that is complete from the start.
    pub(super) const COMPLETE: Self =
        Self { request: None, ordinal: 0, receive: false, wildcard: false, cancelled: false };
}

/// Numbers below this have their queues in an array.
const LOW: usize = 4096;

/// The live operations by the trace's request numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct LiveRequests {
    low: Vec<VecDeque<Live>>,
    high: HashMap<i32, VecDeque<Live>>,
    /// Numbers that have stood for an operation without a request, or for several at once.
    shared: BTreeSet<i32>,
}

impl LiveRequests {
    fn queue(&mut self, number: i32) -> Option<&mut VecDeque<Live>> {
        match usize::try_from(number) {
            Ok(place) if place < LOW => {
                if self.low.len() <= place {
                    self.low.resize(place + 1, VecDeque::new());
                }
                self.low.get_mut(place)
            }
            _ => Some(self.high.entry(number).or_default()),
        }
    }

    pub(super) fn add(&mut self, number: i32, live: Live) {
        let Some(queue) = self.queue(number) else { return };
        queue.push_back(live);
        if queue.len() > 1 || live.request.is_none() {
            self.shared.insert(number);
        }
    }

    /// The oldest live operation of a number.
    pub(super) fn oldest(&mut self, number: i32) -> Option<&mut Live> {
        match usize::try_from(number) {
            Ok(place) if place < LOW => self.low.get_mut(place)?.front_mut(),
            _ => self.high.get_mut(&number)?.front_mut(),
        }
    }

    /// The oldest live operation of a number. Removes it.
    pub(super) fn take(&mut self, number: i32) -> Option<Live> {
        if number < FIRST_REQUEST {
            return None;
        }
        if (number as usize) < LOW {
            return self.low.get_mut(number as usize)?.pop_front();
        }
        let queue = self.high.get_mut(&number)?;
        let live = queue.pop_front();
        if queue.is_empty() {
            self.high.remove(&number);
        }
        live
    }

    /// Whether a mention of a number without a live operation shows that a call is not recorded.
    pub(super) fn is_lost(&self, number: i32) -> bool {
        number >= FIRST_REQUEST && !self.shared.contains(&number)
    }
}

/// The requests of the simulation: the lowest free number is next.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    free: BinaryHeap<Reverse<Request>>,
    next: Request,
    active: u32,
}

impl Slots {
    /// A free request; `None` if all are active.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Request> {
        let request = match self.free.pop() {
            Some(Reverse(request)) => request,
            None if self.next < MAX_REQUESTS => {
                self.next += 1;
                self.next - 1
            }
            None => return None,
        };
        self.active += 1;
        Some(request)
    }

    #[inline]
    pub(super) fn release(&mut self, request: Request) {
        self.active -= 1;
        if self.active == 0 {
            self.free.clear();
            self.next = 0;
        } else {
            self.free.push(Reverse(request));
        }
    }

    pub(super) const fn active(&self) -> u32 {
        self.active
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(ordinal: u64) -> Live {
        Live { request: Some(0), ordinal, receive: true, wildcard: false, cancelled: false }
    }

    #[test]
    fn a_number_can_be_live_several_times() {
        let mut requests = LiveRequests::default();
        for number in [6, 1_000_000] {
            requests.add(number, live(1));
            requests.add(number, live(2));
            assert_eq!(requests.take(number), Some(live(1)));
            assert_eq!(requests.take(number), Some(live(2)));
            assert_eq!(requests.take(number), None);
            assert!(!requests.is_lost(number));
        }
        assert!(requests.is_lost(7) && !requests.is_lost(1));
        assert_eq!(requests.take(-5), None);
    }

    #[test]
    fn slots_stay_dense() {
        let mut slots = Slots::default();
        assert_eq!([slots.take(), slots.take(), slots.take()], [Some(0), Some(1), Some(2)]);
        slots.release(1);
        assert_eq!(slots.take(), Some(1));
        (0..3).for_each(|slot| slots.release(slot));
        assert_eq!((slots.take(), slots.active()), (Some(0), 1));
    }
}
