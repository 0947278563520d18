//! The requests of one rank.

use pantala_engine::Time;

use crate::program::error::ProgramFault;
use crate::program::identifiers::{MAX_REQUESTS, Request};
use crate::program::outcome::Arrived;
use crate::rank::posting::{Expected, Outbound};
use std::collections::BTreeMap;

/// The state of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    /// Persistent and not started.
    Inactive,
    Active,
    Complete,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    state: State,
    /// The message that the request has received.
    arrived: Option<Arrived>,
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
    /// Number of completions that the present wait still needs.
    missing: u32,
}

impl Requests {
    fn slot(&mut self, request: Request) -> Result<&mut Slot, ProgramFault> {
        if request >= MAX_REQUESTS {
            return Err(ProgramFault::RequestOutOfRange { request });
        }
        let index = request as usize;
        if index >= self.slots.len() {
            self.slots.resize(index + 1, Slot { state: State::Free, arrived: None });
        }
        Ok(&mut self.slots[index])
    }

    /// Makes a free request active.
    pub(crate) fn open(&mut self, request: Request) -> Result<(), ProgramFault> {
        self.change(request, State::Free, State::Active)
    }

    /// Makes a free request persistent.
    pub(crate) fn make_persistent(
        &mut self,
        request: Request,
        standing: PersistentOperation,
    ) -> Result<(), ProgramFault> {
        self.change(request, State::Free, State::Inactive)?;
        self.persistent.insert(request, standing);
        Ok(())
    }

    /// Makes a persistent request active, and returns its operation.
    pub(crate) fn start(&mut self, request: Request) -> Result<PersistentOperation, ProgramFault> {
        let standing = self
            .persistent
            .get(&request)
            .copied()
            .ok_or(ProgramFault::NotPersistent { request })?;
        self.change(request, State::Inactive, State::Active)?;
        Ok(standing)
    }

    /// Frees a persistent request that is not active.
    pub(crate) fn free(&mut self, request: Request) -> Result<(), ProgramFault> {
        if !self.persistent.contains_key(&request) {
            return Err(ProgramFault::NotPersistent { request });
        }
        self.change(request, State::Inactive, State::Free)?;
        self.persistent.remove(&request);
        Ok(())
    }

    fn change(&mut self, request: Request, from: State, to: State) -> Result<(), ProgramFault> {
        let slot = self.slot(request)?;
        if slot.state != from {
            return Err(ProgramFault::RequestInUse { request });
        }
        *slot = Slot { state: to, arrived: None };
        Ok(())
    }

    /// The persistent requests among `count` requests from `first` on.
    pub(crate) fn persistent(&self, first: Request, count: u32) -> Vec<Request> {
        let end = first.saturating_add(count);
        self.persistent.range(first..end.max(first)).map(|(request, _)| *request).collect()
    }

    /// Marks an active request as complete. `waited` are the requests for which the rank is
    /// blocked.
    pub(crate) fn complete(&mut self, request: Request, waited: Option<(Request, u32)>) {
        self.slots[request as usize].state = State::Complete;
        if waited.is_some_and(|(first, count)| request >= first && request - first < count) {
            self.missing = self.missing.saturating_sub(1);
        }
    }

    /// Stores the message that a request has received.
    pub(crate) fn receive(&mut self, request: Request, arrived: Arrived) {
        self.slots[request as usize].arrived = Some(arrived);
    }

    /// Takes the work for the complete requests among `count` from `first` on, in ps.
    pub(crate) fn take_work(&mut self, first: Request, count: u32) -> Time {
        let range = self.range(first, count);
        let complete = self.slots[range].iter_mut().filter(|slot| slot.state == State::Complete);
        let arrived = complete.filter_map(|slot| slot.arrived.as_mut());
        arrived.map(|arrived| std::mem::take(&mut arrived.work)).sum()
    }

    /// Whether the present wait needs no more completions.
    pub(crate) const fn satisfied(&self) -> bool {
        self.missing == 0
    }

    /// Checks that a wait for this request alone is legal.
    pub(crate) fn check(&self, request: Request) -> Result<(), ProgramFault> {
        match self.slots.get(request as usize).map(|slot| slot.state) {
            Some(State::Free) | None => Err(ProgramFault::RequestNotActive { request }),
            Some(_) => Ok(()),
        }
    }

    /// Starts a wait for all active requests among `count` from `first` on. Returns false if all
    /// are complete.
    pub(crate) fn await_all(&mut self, first: Request, count: u32) -> bool {
        let range = self.range(first, count);
        self.missing =
            self.slots[range].iter().filter(|slot| slot.state == State::Active).count() as u32;
        self.missing > 0
    }

    /// Starts a wait for any active request among `count` from `first` on. Returns false if one is
    /// complete or none is active.
    pub(crate) fn await_any(&mut self, first: Request, count: u32) -> bool {
        let range = self.range(first, count);
        let slots = &self.slots[range];
        let complete = slots.iter().any(|slot| slot.state == State::Complete);
        self.missing = u32::from(!complete && slots.iter().any(|slot| slot.state == State::Active));
        self.missing > 0
    }

    /// The first active request.
    pub(crate) fn active(&self) -> Option<Request> {
        self.slots
            .iter()
            .position(|slot| slot.state == State::Active)
            .map(|request| request as Request)
    }

    /// Whether no request among `count` from `first` on is active.
    pub(crate) fn none_active(&self, first: Request, count: u32) -> bool {
        self.slots[self.range(first, count)].iter().all(|slot| slot.state != State::Active)
    }

    /// Closes at most `most` complete requests among `count` from `first` on, the lowest first.
    /// Calls `note` for each.
    pub(crate) fn close(
        &mut self,
        first: Request,
        count: u32,
        most: usize,
        mut note: impl FnMut(Request, Option<Arrived>),
    ) {
        let range = self.range(first, count);
        let start = range.start as u32;
        let complete = self.slots[range]
            .iter_mut()
            .enumerate()
            .filter(|(_, slot)| slot.state == State::Complete);
        for (index, slot) in complete.take(most) {
            let request = start + index as u32;
            let standing = !self.persistent.is_empty() && self.persistent.contains_key(&request);
            slot.state = if standing { State::Inactive } else { State::Free };
            note(request, slot.arrived.take());
        }
    }

    fn range(&self, first: Request, count: u32) -> std::ops::Range<usize> {
        let length = self.slots.len();
        let end = (first as usize).saturating_add(count as usize).min(length);
        (first as usize).min(end)..end
    }
}
