//! Parts of a machine on threads: windows of time in which none can have an effect in another.
//!
//! All parts handle their events of one window, post what goes to others, wait for one another, and
//! take what was posted to them. A window starts with the first event of all parts and is as long
//! as [`crate::FabricConfig::lookahead`]; so nothing that is posted in it takes effect in it. What
//! is seen does not depend on how many parts there are.
//!
//! There is one wait a window: what is posted in one lies in other places than what is posted in
//! the next, and nobody is two windows ahead.

use crate::host::Host;
use crate::partition::Partition;
use crate::partition::messages::PartitionMessages;
use crate::probe::Probe;
use pantala_engine::Time;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// How often a thread looks whether the others have come before it sleeps, if there is a processor
/// for each.
const SPINS: u32 = 4_000;

/// Where threads wait until all have come: awake for a while, since a window is short, then asleep.
#[derive(Debug, Default)]
struct Meeting {
    parties: u32,
    spins: u32,
    come: AtomicU32,
    /// How many times all had come.
    held: AtomicU32,
    /// One of them will never come.
    broken: AtomicBool,
    door: Mutex<()>,
    bell: Condvar,
}

impl Meeting {
    fn new(parties: u32) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let spins = if parties as usize <= processors { SPINS } else { 0 };
        Self { parties, spins, ..Self::default() }
    }

    /// Waits until all have come.
    ///
    /// # Panics
    /// If one of the other threads has panicked.
    fn wait(&self) {
        let held = self.held.load(Ordering::Acquire);
        if self.come.fetch_add(1, Ordering::AcqRel) + 1 == self.parties {
            self.come.store(0, Ordering::Relaxed);
            self.held.store(held.wrapping_add(1), Ordering::Release);
            self.ring();
            return;
        }
        let over =
            || self.held.load(Ordering::Acquire) != held || self.broken.load(Ordering::Acquire);
        for _ in 0..self.spins {
            if over() {
                break;
            }
            std::hint::spin_loop();
        }
        if !over() {
            let mut door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
            while !over() {
                door = self.bell.wait(door).unwrap_or_else(PoisonError::into_inner);
            }
        }
        assert!(!self.broken.load(Ordering::Acquire), "another thread has panicked");
    }

    /// Wakes those who sleep. What they wait for has been said before: they look once more behind
    /// the door.
    fn ring(&self) {
        drop(self.door.lock());
        self.bell.notify_all();
    }
}

/// Tells the others if its thread panics.
struct Alarm<'a>(&'a Meeting);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Release);
            self.0.ring();
        }
    }
}

/// How the parts of a machine reach each other: on threads, or, by another implementation, from
/// process to process.
pub trait Transport<M> {
    /// Hands over what has been posted (`mail`, by part) and when the next event comes that is the
    /// part's own or that it has posted; waits for the others to do so, and gives what they have
    /// posted, by part, in the same place. Returns the earliest of all those times.
    fn exchange(&mut self, next: Time, messages: &mut [PartitionMessages<M>]) -> Time;
}

/// Handles every event of a part before `until`, window by window, while all other parts do so with
/// theirs.
pub(crate) fn work<H: Host, P: Probe>(
    part: &mut Partition<H, P>,
    transport: &mut impl Transport<H::Message>,
    lookahead: Time,
    until: Time,
) {
    let mut messages = std::mem::take(&mut part.spare_messages);
    let mut next = part.next_time();
    loop {
        let first = transport.exchange(next, &mut messages);
        for (from, messages) in (0..).zip(&mut messages) {
            part.take(from, messages);
        }
        if first >= until {
            break;
        }
        part.advance(first.saturating_add(lookahead).min(until));
        next = part.next_time();
        for (to, messages) in (0..).zip(&mut messages) {
            part.post(to, messages);
            next = next.min(messages.earliest());
        }
    }
    part.spare_messages = messages;
}

/// What all threads see, twice: of windows with even numbers and of those with odd ones.
struct Desk<M> {
    /// By sender and receiver.
    messages: Vec<Mutex<PartitionMessages<M>>>,
    /// By part: when the next event comes that is its own or that it has posted.
    next: Vec<AtomicU64>,
}

impl<M> Desk<M> {
    fn new(parts: usize) -> Self {
        Self {
            messages: std::iter::repeat_with(Mutex::default).take(parts * parts).collect(),
            next: std::iter::repeat_with(AtomicU64::default).take(parts).collect(),
        }
    }

    /// Swaps what lies there for `mail`.
    fn swap(&self, from: usize, to: usize, messages: &mut PartitionMessages<M>) {
        let mut slot = self.messages[from * self.next.len() + to]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *slot, messages);
    }
}

/// One thread's way to the others.
struct Colleague<'a, M> {
    me: usize,
    meeting: &'a Meeting,
    desks: &'a [Desk<M>; 2],
    window: usize,
}

impl<M> Transport<M> for Colleague<'_, M> {
    fn exchange(&mut self, next: Time, messages: &mut [PartitionMessages<M>]) -> Time {
        let (me, desk) = (self.me, &self.desks[self.window % 2]);
        self.window += 1;
        for (other, messages) in messages.iter_mut().enumerate().filter(|&(other, _)| other != me) {
            desk.swap(me, other, messages);
        }
        desk.next[me].store(next, Ordering::Release);
        self.meeting.wait();
        for (other, messages) in messages.iter_mut().enumerate().filter(|&(other, _)| other != me) {
            desk.swap(other, me, messages);
        }
        desk.next.iter().map(|next| next.load(Ordering::Acquire)).min().unwrap_or(Time::MAX)
    }
}

/// The threads of all parts: where they meet and what lies there.
pub(crate) struct Crew<M> {
    meeting: Meeting,
    desks: [Desk<M>; 2],
}

impl<M: Send> Crew<M> {
    /// A crew for so many parts.
    pub(crate) fn new(parts: usize) -> Self {
        Self { meeting: Meeting::new(parts as u32), desks: [Desk::new(parts), Desk::new(parts)] }
    }

    /// Handles every event before `until` of all parts, one thread a part.
    ///
    /// # Panics
    /// If a part does; no thread is left then.
    pub(crate) fn advance<H, P>(&self, parts: &mut [Partition<H, P>], lookahead: Time, until: Time)
    where
        H: Host<Message = M> + Send,
        P: Probe + Send,
    {
        let Self { meeting, desks } = self;
        let run = move |(me, part): (usize, &mut Partition<H, P>)| {
            let _alarm = Alarm(meeting);
            work(part, &mut Colleague { me, meeting, desks, window: 0 }, lookahead, until);
        };
        std::thread::scope(|scope| {
            let mut parts = parts.iter_mut().enumerate();
            let own = parts.next();
            for part in parts {
                scope.spawn(move || run(part));
            }
            own.into_iter().for_each(run);
        });
    }
}
