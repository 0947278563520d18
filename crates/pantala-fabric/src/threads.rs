//! Parts of a machine on threads: windows of time in which none can have an effect in another.
//!
//! All parts handle their events of one window, post what goes to others, wait for one another, and take what was posted to
//! them. A window starts with the first event of all parts and is as long as [`crate::FabricConfig::lookahead`]; so nothing that
//! is posted in it takes effect in it. What is seen does not depend on how many parts there are.
//!
//! There is one wait a window: what is posted in one lies in other places than what is posted in the next, and nobody is two
//! windows ahead.

use crate::host::Host;
use crate::mail::Mail;
use crate::network::Network;
use crate::probe::Probe;
use pantala_engine::Time;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// How often a thread looks whether the others have come before it sleeps, if there is a processor for each.
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
        let over = || self.held.load(Ordering::Acquire) != held || self.broken.load(Ordering::Acquire);
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

    /// Wakes those who sleep. What they wait for has been said before: they look once more behind the door.
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

/// What all threads see, twice: of windows with even numbers and of those with odd ones.
struct Desk<M> {
    /// By sender and receiver.
    mail: Vec<Mutex<Mail<M>>>,
    /// By part: when the next event comes that is its own or that it has posted.
    next: Vec<AtomicU64>,
}

impl<M> Desk<M> {
    fn new(parts: usize) -> Self {
        Self {
            mail: std::iter::repeat_with(Mutex::default).take(parts * parts).collect(),
            next: std::iter::repeat_with(AtomicU64::default).take(parts).collect(),
        }
    }

    /// Swaps what lies there for `mail`.
    fn swap(&self, from: usize, to: usize, mail: &mut Mail<M>) {
        let mut slot = self.mail[from * self.next.len() + to].lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *slot, mail);
    }

    /// When the next event of all comes.
    fn first(&self) -> Time {
        self.next.iter().map(|next| next.load(Ordering::Acquire)).min().unwrap_or(Time::MAX)
    }
}

/// Handles every event before `until` of all parts, one thread a part.
///
/// # Panics
/// If a part does; no thread is left then.
pub(crate) fn advance<H: Host + Send, P: Probe + Send>(parts: &mut [Network<H, P>], lookahead: Time, until: Time) {
    let meeting = Meeting::new(parts.len() as u32);
    let desks = [Desk::new(parts.len()), Desk::new(parts.len())];
    let (meeting, desks) = (&meeting, &desks);
    std::thread::scope(|scope| {
        let mut parts = parts.iter_mut();
        let own = parts.next();
        for part in parts {
            scope.spawn(move || work(part, meeting, desks, lookahead, until));
        }
        if let Some(part) = own {
            work(part, meeting, desks, lookahead, until);
        }
    });
}

/// One part's share of it.
fn work<H: Host, P: Probe>(
    part: &mut Network<H, P>,
    meeting: &Meeting,
    desks: &[Desk<H::Mail>; 2],
    lookahead: Time,
    until: Time,
) {
    let _alarm = Alarm(meeting);
    let me = usize::from(part.part);
    let others = || (0..part_count(desks)).filter(move |&other| other != me);
    // What has been taken and comes into use again as outbox.
    let mut emptied = Mail::default();
    desks[0].next[me].store(part.next_time(), Ordering::Release);
    for window in 0.. {
        let (desk, next_desk) = (&desks[window % 2], &desks[(window + 1) % 2]);
        meeting.wait();
        for other in others() {
            desk.swap(other, me, &mut emptied);
            part.take(other as u16, &mut emptied);
        }
        let first = desk.first();
        if first >= until {
            return;
        }
        part.advance(first.saturating_add(lookahead).min(until));
        let mut next = part.next_time();
        for other in others() {
            let mail = part.posted(other as u16);
            next = next.min(mail.earliest());
            next_desk.swap(me, other, mail);
        }
        next_desk.next[me].store(next, Ordering::Release);
    }
}

fn part_count<M>(desks: &[Desk<M>; 2]) -> usize {
    desks[0].next.len()
}
