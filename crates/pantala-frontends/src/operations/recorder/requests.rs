//! The requests of a rank: numbered from the lowest free one, so that equal iterations use equal
//! numbers.

use pantala_mpi::{MAX_REQUESTS, Request};

use super::CallFault;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Free,
    Active,
    /// Persistent and not started.
    Inactive,
    /// Persistent and started.
    Started,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    state: State,
    /// How many requests have had this number, so that an old handle is known as one.
    uses: u32,
}

/// The requests of a rank. A handle is the number of a request and of its use.
#[derive(Debug, Default)]
pub(super) struct Requests {
    slots: Vec<Slot>,
    /// No lower number is free.
    lowest: usize,
    active: usize,
}

/// The number of the request of a handle.
pub(super) const fn slot(handle: u64) -> Request {
    handle as u32
}

impl Requests {
    /// Number of requests that the program must wait for.
    pub(super) const fn active(&self) -> usize {
        self.active
    }

    /// A new active request.
    pub(super) fn open(&mut self) -> Result<u64, CallFault> {
        self.active += 1;
        self.take(State::Active)
    }

    /// A new persistent request.
    pub(super) fn open_persistent(&mut self) -> Result<u64, CallFault> {
        self.take(State::Inactive)
    }

    fn take(&mut self, state: State) -> Result<u64, CallFault> {
        while self.slots.get(self.lowest).is_some_and(|slot| slot.state != State::Free) {
            self.lowest += 1;
        }
        if self.lowest == self.slots.len() {
            if self.slots.len() >= MAX_REQUESTS as usize {
                return Err(format!("more than {MAX_REQUESTS} requests at a time"));
            }
            self.slots.push(Slot::default());
        }
        let slot = &mut self.slots[self.lowest];
        slot.state = state;
        Ok(u64::from(slot.uses) << 32 | self.lowest as u64)
    }

    fn slot(&mut self, handle: u64) -> Result<&mut Slot, CallFault> {
        let slot = self.slots.get_mut(slot(handle) as usize);
        slot.filter(|slot| slot.state != State::Free && slot.uses == (handle >> 32) as u32)
            .ok_or_else(|| "the program has waited for this request already, or freed it".into())
    }

    /// Starts a persistent request.
    pub(super) fn start(&mut self, handle: u64) -> Result<(), CallFault> {
        let slot = self.slot(handle)?;
        match slot.state {
            State::Inactive => slot.state = State::Started,
            State::Started => return Err("this request has started already".into()),
            _ => return Err("this request is not persistent".into()),
        }
        self.active += 1;
        Ok(())
    }

    /// Frees a persistent request.
    pub(super) fn free(&mut self, handle: u64) -> Result<(), CallFault> {
        let slot = self.slot(handle)?;
        if slot.state != State::Inactive {
            return Err("only a persistent request that is not active can be freed".into());
        }
        self.release(handle);
        Ok(())
    }

    fn release(&mut self, handle: u64) {
        let place = slot(handle) as usize;
        let slot = &mut self.slots[place];
        *slot = Slot { state: State::Free, uses: slot.uses.wrapping_add(1) };
        self.lowest = self.lowest.min(place);
    }

    /// Waits for a request.
    pub(super) fn complete(&mut self, handle: u64) -> Result<(), CallFault> {
        let slot = self.slot(handle)?;
        match slot.state {
            State::Started => slot.state = State::Inactive,
            State::Inactive => return Ok(()),
            _ => self.release(handle),
        }
        self.active -= 1;
        Ok(())
    }

    /// Waits for all requests.
    pub(super) fn complete_all(&mut self) {
        if self.active == 0 {
            return;
        }
        for place in 0..self.slots.len() {
            match self.slots[place].state {
                State::Started => self.slots[place].state = State::Inactive,
                State::Active => self.release(place as u64),
                _ => {}
            }
        }
        self.active = 0;
    }
}
