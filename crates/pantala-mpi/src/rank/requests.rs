//! The requests of one rank.
//!
//! Waits and tests look at each request of their selection. A rank with many open requests that
//! waits for some of all of them again and again (a dependency graph does) would look at each of
//! them each time. So after the first such wait of a rank with many requests, its complete requests
//! are listed.

use pantala_engine::Time;

use crate::arena::NONE;
use crate::program::error::OperationFault;
use crate::program::identifiers::{MAX_REQUESTS, Request};
use crate::program::outcome::Arrived;
use crate::rank::posting::{Expected, Outbound};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// From this number of requests on, the complete ones are listed.
const MANY: usize = 32;

/// The state of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    /// Persistent and not started.
    Inactive,
    Active,
    Complete,
    /// Active, and given up by the program: it is free once it completes.
    Abandoned,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    state: State,
    /// Whether the present wait or test counts the request in its set.
    selected: bool,
    /// The context of the latest receive with this number.
    context: u32,
    /// The message that the request has received.
    arrived: Option<Arrived>,
}

impl Slot {
    const FREE: Self = Self { state: State::Free, selected: false, context: NONE, arrived: None };
}

/// The requests of a wait or test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// Consecutive requests: the first one and their number.
    Range(Request, u32),
    /// The set that [`Requests::select`] has noted.
    Set,
}

/// The operation of a persistent request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PersistentOperation {
    Send(Outbound),
    Receive(Expected),
}

/// The requests of one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests {
    slots: Vec<Slot>,
    persistent: BTreeMap<Request, PersistentOperation>,
    /// Number of active requests.
    active: u32,
    /// The complete requests in any order, if they are listed.
    listed: Option<Vec<Request>>,
    /// Number of completions that the present wait still needs.
    missing: u32,
    /// The set of the present wait or test, if it has one, each request once.
    set: Arc<[Request]>,
}

impl Requests {
    fn slot(&mut self, request: Request) -> Result<&mut Slot, OperationFault> {
        if request >= MAX_REQUESTS {
            return Err(OperationFault::RequestOutOfRange { request });
        }
        let index = request as usize;
        if index >= self.slots.len() {
            self.slots.resize(index + 1, Slot::FREE);
        }
        Ok(&mut self.slots[index])
    }

    /// Whether a request may have, or get, a message of this context.
    pub(crate) fn receive_in(&self, context: u32) -> bool {
        let named = |slot: &Slot| !matches!(slot.state, State::Free | State::Abandoned);
        self.slots.iter().any(|slot| slot.context == context && named(slot))
    }

    /// Makes a free request active, for a receive in a context.
    pub(crate) fn open_receive(
        &mut self,
        request: Request,
        context: u32,
    ) -> Result<(), OperationFault> {
        self.open(request)?;
        self.slots[request as usize].context = context;
        Ok(())
    }

    /// Makes a free request active.
    pub(crate) fn open(&mut self, request: Request) -> Result<(), OperationFault> {
        self.change(request, State::Free, State::Active)
    }

    /// Makes a free request persistent.
    pub(crate) fn make_persistent(
        &mut self,
        request: Request,
        standing: PersistentOperation,
    ) -> Result<(), OperationFault> {
        self.change(request, State::Free, State::Inactive)?;
        if let PersistentOperation::Receive(expected) = &standing {
            self.slots[request as usize].context = expected.context;
        }
        self.persistent.insert(request, standing);
        Ok(())
    }

    /// Makes a persistent request active, and returns its operation.
    pub(crate) fn start(
        &mut self,
        request: Request,
    ) -> Result<PersistentOperation, OperationFault> {
        let standing = self
            .persistent
            .get(&request)
            .copied()
            .ok_or(OperationFault::NotPersistent { request })?;
        self.change(request, State::Inactive, State::Active)?;
        Ok(standing)
    }

    /// Frees a persistent request, or gives up another one. What an active request has started
    /// goes on (MPI 3.1, section 3.7.3).
    pub(crate) fn free(&mut self, request: Request) -> Result<(), OperationFault> {
        let state = self.slot(request)?.state;
        let after = match state {
            State::Inactive | State::Complete => State::Free,
            State::Active => State::Abandoned,
            State::Free | State::Abandoned => {
                return Err(OperationFault::RequestNotActive { request });
            }
        };
        self.change(request, state, after)?;
        self.active -= u32::from(state == State::Active);
        if let Some(listed) = self.listed.as_mut().filter(|_| state == State::Complete) {
            listed.retain(|each| *each != request);
        }
        self.persistent.remove(&request);
        Ok(())
    }

    fn change(&mut self, request: Request, from: State, to: State) -> Result<(), OperationFault> {
        let slot = self.slot(request)?;
        if slot.state != from {
            return Err(OperationFault::RequestInUse { request });
        }
        *slot = Slot { state: to, context: slot.context, ..Slot::FREE };
        self.active += u32::from(to == State::Active);
        Ok(())
    }

    /// The persistent requests among `count` requests from `first` on.
    pub(crate) fn persistent(&self, first: Request, count: u32) -> Vec<Request> {
        let end = first.saturating_add(count);
        self.persistent.range(first..end.max(first)).map(|(request, _)| *request).collect()
    }

    /// Marks an active request as complete. `waited` are the requests for which the rank is
    /// blocked.
    pub(crate) fn complete(&mut self, request: Request, waited: Option<Selection>) {
        let slot = &mut self.slots[request as usize];
        if slot.state == State::Abandoned {
            slot.state = State::Free;
            return;
        }
        slot.state = State::Complete;
        self.active -= 1;
        let slot = &self.slots[request as usize];
        let awaited = match waited {
            Some(Selection::Range(first, count)) => request >= first && request - first < count,
            Some(Selection::Set) => slot.selected,
            None => false,
        };
        if awaited {
            self.missing = self.missing.saturating_sub(1);
        }
        if let Some(listed) = &mut self.listed {
            listed.push(request);
        }
    }

    /// Whether a selection is all requests.
    fn is_all(&self, selection: Selection) -> bool {
        matches!(selection, Selection::Range(0, count) if count as usize >= self.slots.len())
    }

    /// The complete requests, if a selection is all requests and they are listed.
    fn listed(&self, selection: Selection) -> Option<&[Request]> {
        self.listed.as_deref().filter(|_| self.is_all(selection))
    }

    /// Notes the set of a wait or test.
    pub(crate) fn select(&mut self, set: &Arc<[Request]>) -> Result<(), OperationFault> {
        if let Some(request) = set.iter().find(|request| **request >= MAX_REQUESTS) {
            return Err(OperationFault::RequestOutOfRange { request: *request });
        }
        for request in &*self.set {
            if let Some(slot) = self.slots.get_mut(*request as usize) {
                slot.selected = false;
            }
        }
        let mut repeated = false;
        for request in &**set {
            if let Some(slot) = self.slots.get_mut(*request as usize) {
                repeated |= slot.selected;
                slot.selected = slot.state != State::Free;
            }
        }
        self.set = if repeated { once_each(set) } else { Arc::clone(set) };
        Ok(())
    }

    /// Whether a wait or test for the selection is for this request.
    pub(crate) fn selects(&self, selection: Selection, request: Request) -> bool {
        match selection {
            Selection::Range(first, count) => request >= first && request - first < count,
            Selection::Set => self.slots.get(request as usize).is_some_and(|slot| slot.selected),
        }
    }

    /// The number of requests that a selection names.
    pub(crate) fn named(&self, selection: Selection) -> usize {
        match selection {
            Selection::Range(_, count) => count as usize,
            Selection::Set => self.set.len(),
        }
    }

    /// Stores the message that a request has received.
    pub(crate) fn receive(&mut self, request: Request, arrived: Arrived) {
        self.slots[request as usize].arrived = Some(arrived);
    }

    /// Takes the work for the complete requests of a selection, in ps.
    pub(crate) fn take_work(&mut self, selection: Selection) -> Time {
        let take = |slot: &mut Slot| {
            let complete = slot.state == State::Complete;
            slot.arrived.as_mut().filter(|_| complete).map_or(0, |a| std::mem::take(&mut a.work))
        };
        if let Some(listed) = self.listed.as_ref().filter(|_| self.is_all(selection)) {
            return listed.iter().map(|request| take(&mut self.slots[*request as usize])).sum();
        }
        match selection {
            Selection::Range(first, count) => {
                let range = self.range(first, count);
                self.slots[range].iter_mut().map(take).sum()
            }
            Selection::Set => {
                let set = Arc::clone(&self.set);
                set.iter().filter_map(|r| self.slots.get_mut(*r as usize).map(take)).sum()
            }
        }
    }

    /// Whether the present wait needs no more completions.
    pub(crate) const fn satisfied(&self) -> bool {
        self.missing == 0
    }

    /// Checks that a wait for this request alone is legal.
    pub(crate) fn check(&self, request: Request) -> Result<(), OperationFault> {
        match self.slots.get(request as usize).map(|slot| slot.state) {
            Some(State::Free) | None => Err(OperationFault::RequestNotActive { request }),
            Some(_) => Ok(()),
        }
    }

    /// Starts a wait for all active requests of a selection. Returns false if all are complete.
    pub(crate) fn await_all(&mut self, selection: Selection) -> bool {
        self.missing = self.count(selection, State::Active);
        self.missing > 0
    }

    /// Starts a wait for any active request of a selection. Returns false if one is complete or
    /// none is active.
    pub(crate) fn await_any(&mut self, selection: Selection) -> bool {
        if self.listed.is_none() && self.slots.len() >= MANY && self.is_all(selection) {
            let complete =
                |request: &Request| self.slots[*request as usize].state == State::Complete;
            self.listed = Some((0..self.slots.len() as Request).filter(complete).collect());
        }
        let complete = self.count(selection, State::Complete) > 0;
        self.missing = u32::from(!complete && self.count(selection, State::Active) > 0);
        self.missing > 0
    }

    /// Number of requests of a selection in a state.
    fn count(&self, selection: Selection, state: State) -> u32 {
        if let Some(listed) = self.listed(selection) {
            match state {
                State::Active => return self.active,
                State::Complete => return listed.len() as u32,
                State::Free | State::Inactive | State::Abandoned => {}
            }
        }
        let count = |slots: &[Slot]| slots.iter().filter(|slot| slot.state == state).count();
        let number = match selection {
            Selection::Range(first, count_of) => count(&self.slots[self.range(first, count_of)]),
            Selection::Set => {
                let slots = self.set.iter().filter_map(|request| self.slots.get(*request as usize));
                slots.filter(|slot| slot.state == state).count()
            }
        };
        number as u32
    }

    /// The first active request.
    pub(crate) fn active(&self) -> Option<Request> {
        self.slots
            .iter()
            .position(|slot| slot.state == State::Active)
            .map(|request| request as Request)
    }

    /// Whether no request of a selection is active.
    pub(crate) fn none_active(&self, selection: Selection) -> bool {
        self.count(selection, State::Active) == 0
    }

    /// Closes at most `most` complete requests of a selection, the lowest or the first of the set
    /// first. Calls `note` for each.
    pub(crate) fn close(
        &mut self,
        selection: Selection,
        most: usize,
        mut note: impl FnMut(Request, Option<Arrived>),
    ) {
        let all = self.is_all(selection);
        let mut listed = self.listed.take();
        let persistent = &self.persistent;
        let mut left = most;
        let mut close = |request: Request, slot: &mut Slot| {
            if left == 0 || slot.state != State::Complete {
                return;
            }
            left -= 1;
            let standing = !persistent.is_empty() && persistent.contains_key(&request);
            slot.state = if standing { State::Inactive } else { State::Free };
            note(request, slot.arrived.take());
        };
        if let Some(listed) = listed.as_mut().filter(|_| all) {
            listed.sort_unstable();
            for &request in &*listed {
                close(request, &mut self.slots[request as usize]);
            }
            listed.drain(..most.min(listed.len()));
            self.listed = Some(std::mem::take(listed));
            return;
        }
        match selection {
            Selection::Range(first, count) => {
                let length = self.slots.len();
                let end = (first as usize).saturating_add(count as usize).min(length);
                let range = (first as usize).min(end)..end;
                let requests = range.start as Request..;
                let slots = &mut self.slots[range];
                requests.zip(slots).for_each(|(request, slot)| close(request, slot));
            }
            Selection::Set => {
                for request in &*self.set {
                    if let Some(slot) = self.slots.get_mut(*request as usize) {
                        close(*request, slot);
                    }
                }
            }
        }
        if let Some(listed) = &mut listed {
            listed.retain(|request| self.slots[*request as usize].state == State::Complete);
        }
        self.listed = listed;
    }

    fn range(&self, first: Request, count: u32) -> std::ops::Range<usize> {
        let length = self.slots.len();
        let end = (first as usize).saturating_add(count as usize).min(length);
        (first as usize).min(end)..end
    }
}

/// The requests of a set in their order, each once.
fn once_each(set: &[Request]) -> Arc<[Request]> {
    let mut seen = BTreeSet::new();
    set.iter().copied().filter(|request| seen.insert(*request)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_engine::Stream;

    #[test]
    fn a_request_that_is_given_up_is_free_once_it_completes() {
        let mut requests = Requests::default();
        requests.open(3).unwrap();
        requests.free(3).unwrap();
        assert_eq!(requests.free(3), Err(OperationFault::RequestNotActive { request: 3 }));
        assert_eq!(requests.open(3), Err(OperationFault::RequestInUse { request: 3 }));
        assert!(!requests.await_all(Selection::Range(0, u32::MAX)));
        requests.complete(3, None);
        requests.open(3).unwrap();
        requests.complete(3, None);
        requests.free(3).unwrap();
        assert!(requests.active().is_none());
        requests.open(3).unwrap();
        assert_eq!(requests.active(), Some(3));
    }

    /// Waits over all requests, which lists serve, give the answers of waits over a set of all.
    #[test]
    fn listed_requests_close_like_a_set() {
        const ALL: Request = 40;
        let everything: Arc<[Request]> = (0..ALL).collect();
        for seed in 0..50 {
            let mut draws = Stream::new(seed, 0, 0);
            let (mut listed, mut plain) = (Requests::default(), Requests::default());
            let range = Selection::Range(0, ALL);
            for _ in 0..400 {
                let request = draws.below(ALL);
                match draws.below(6) {
                    0 | 1 => assert_eq!(listed.open(request), plain.open(request)),
                    5 => assert_eq!(listed.free(request), plain.free(request)),
                    2 => {
                        let active = |requests: &Requests| {
                            let slot = requests.slots.get(request as usize);
                            slot.is_some_and(|slot| slot.state == State::Active)
                        };
                        if active(&listed) {
                            listed.complete(request, Some(range));
                            plain.complete(request, Some(Selection::Set));
                        }
                    }
                    kind => {
                        plain.select(&everything).unwrap();
                        assert_eq!(listed.await_any(range), plain.await_any(Selection::Set));
                        assert_eq!(listed.none_active(range), plain.none_active(Selection::Set));
                        let most = [1, 3, usize::MAX][draws.below(3) as usize];
                        let part = Selection::Range(5, 9);
                        let mut closed = [Vec::new(), Vec::new()];
                        let (first, second) =
                            if kind == 3 { (range, Selection::Set) } else { (part, part) };
                        listed.close(first, most, |request, _| closed[0].push(request));
                        plain.close(second, most, |request, _| closed[1].push(request));
                        assert_eq!(closed[0], closed[1]);
                    }
                }
            }
            assert!(listed.listed.is_some() && plain.listed.is_none());
        }
    }
}
