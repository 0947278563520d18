//! What threads share: a barrier, and the messages of even and of odd windows.
//!
//! Even and odd windows use separate buffers. No thread runs more than one window ahead, so one
//! barrier per window is enough.
//!
//! With `--cfg loom` the types are those of loom, which tries all orders of a small case.

use pantala_engine::{NEVER, Time};
use std::sync::PoisonError;
use sync::{AtomicBool, AtomicU32, AtomicU64, Condvar, Mutex, Ordering, spin_loop};

#[cfg(not(loom))]
mod sync {
    pub(super) use std::hint::spin_loop;
    pub(super) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
    pub(super) use std::sync::{Condvar, Mutex};
}

#[cfg(loom)]
mod sync {
    pub(super) use loom::hint::spin_loop;
    pub(super) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
    pub(super) use loom::sync::{Condvar, Mutex};
}

/// A barrier. A window is short, so threads spin for a while before they sleep.
#[derive(Debug, Default)]
pub(super) struct Barrier {
    threads: u32,
    spins: u32,
    arrived: AtomicU32,
    /// The number of rounds that are complete.
    rounds: AtomicU32,
    /// Whether a thread has panicked and will not arrive.
    broken: AtomicBool,
    sleeping: Mutex<()>,
    wake: Condvar,
}

impl Barrier {
    /// Makes a barrier for threads that poll it `spins` times before they sleep.
    pub(super) fn new(threads: u32, spins: u32) -> Self {
        Self { threads, spins, ..Self::default() }
    }

    /// Waits until all threads have arrived.
    ///
    /// # Panics
    /// If one of the other threads has panicked.
    fn wait(&self) {
        let round = self.rounds.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.rounds.store(round.wrapping_add(1), Ordering::Release);
            self.wake_all();
            return;
        }
        let over =
            || self.rounds.load(Ordering::Acquire) != round || self.broken.load(Ordering::Acquire);
        for _ in 0..self.spins {
            if over() {
                break;
            }
            spin_loop();
        }
        if !over() {
            let mut sleeping = self.sleeping.lock().unwrap_or_else(PoisonError::into_inner);
            while !over() {
                sleeping = self.wake.wait(sleeping).unwrap_or_else(PoisonError::into_inner);
            }
        }
        assert!(!self.broken.load(Ordering::Acquire), "another thread has panicked");
    }

    /// Ends the wait of all threads: one of them has panicked and will not arrive.
    pub(super) fn break_up(&self) {
        self.broken.store(true, Ordering::Release);
        self.wake_all();
    }

    /// Wakes the threads that sleep. The condition is already set: a thread checks it again under
    /// the lock before it sleeps.
    fn wake_all(&self) {
        drop(self.sleeping.lock());
        self.wake.notify_all();
    }
}

/// The buffers that threads share: one instance for even windows, one for odd windows.
pub(super) struct MessageBuffers<M> {
    /// Messages by sender and receiver.
    messages: Vec<Mutex<M>>,
    /// Per partition, the time of its next event or posted message.
    next: Vec<AtomicU64>,
    /// Whether the threads end with this window.
    ends: AtomicBool,
}

impl<M: Default> MessageBuffers<M> {
    pub(super) fn new(partitions: usize) -> Self {
        Self {
            messages: std::iter::repeat_with(Mutex::default)
                .take(partitions * partitions)
                .collect(),
            next: std::iter::repeat_with(AtomicU64::default).take(partitions).collect(),
            ends: AtomicBool::default(),
        }
    }

    /// Swaps the messages in a slot with `messages`.
    fn swap(&self, from: usize, to: usize, messages: &mut M) {
        let mut slot = self.messages[from * self.next.len() + to]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *slot, messages);
    }
}

/// One thread's place at the barrier and its buffers.
pub(super) struct Mailbox<'a, M> {
    me: usize,
    barrier: &'a Barrier,
    buffers: &'a [MessageBuffers<M>; 2],
    window: usize,
}

impl<'a, M: Default> Mailbox<'a, M> {
    pub(super) fn new(
        me: usize,
        barrier: &'a Barrier,
        buffers: &'a [MessageBuffers<M>; 2],
    ) -> Self {
        Self { me, barrier, buffers, window: 0 }
    }

    /// Exchanges messages with all other threads, as [`super::threads::Transport::exchange`]. If
    /// the thread of the first partition ends, it returns [`NEVER`] on all of them.
    pub(super) fn exchange(&mut self, next: Time, messages: &mut [M], ends: bool) -> Time {
        let (me, buffers) = (self.me, &self.buffers[self.window % 2]);
        self.window += 1;
        if me == 0 {
            buffers.ends.store(ends, Ordering::Release);
        }
        for (other, messages) in messages.iter_mut().enumerate().filter(|&(other, _)| other != me) {
            buffers.swap(me, other, messages);
        }
        buffers.next[me].store(next, Ordering::Release);
        self.barrier.wait();
        for (other, messages) in messages.iter_mut().enumerate().filter(|&(other, _)| other != me) {
            buffers.swap(other, me, messages);
        }
        if buffers.ends.load(Ordering::Acquire) {
            return NEVER;
        }
        buffers.next.iter().map(|next| next.load(Ordering::Acquire)).min().unwrap_or(NEVER)
    }
}

/// Sends a message to every other thread in each window, and checks what comes and when.
#[cfg(test)]
pub(super) fn exchanges(
    threads: usize,
    windows: u64,
    me: usize,
    mailbox: &mut Mailbox<'_, Vec<(usize, u64)>>,
) {
    let mut messages = vec![Vec::new(); threads];
    for window in 0..windows {
        for (_, to) in messages.iter_mut().enumerate().filter(|&(to, _)| to != me) {
            to.push((me, window));
        }
        let next = 10 * window + (me as u64 + window) % threads as u64;
        // The first thread says when all end; what the others say does not count.
        let last = window + 1 == windows;
        let first = mailbox.exchange(next, &mut messages, last == (me == 0));
        assert_eq!(first, if last { NEVER } else { 10 * window });
        for (other, from) in messages.iter_mut().enumerate().filter(|&(other, _)| other != me) {
            assert_eq!(*from, [(other, window)], "to {me}");
            from.clear();
        }
    }
}

/// All orders of the threads that loom finds (`make loom`): it fails at a deadlock or a lost wake.
#[cfg(all(test, loom))]
mod orders {
    use super::*;
    use loom::sync::Arc;

    /// Checks all orders, with at most so many preemptions of a thread in each. There must be many.
    fn all_orders(threads: usize, windows: u64, spins: u32, preemptions: Option<usize>) {
        let orders = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
        let counted = std::sync::Arc::clone(&orders);
        let mut model = loom::model::Builder::new();
        model.preemption_bound = preemptions;
        model.check(move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let barrier = Arc::new(Barrier::new(threads as u32, spins));
            let buffers = Arc::new([MessageBuffers::new(threads), MessageBuffers::new(threads)]);
            let work = move |me, barrier: &Barrier, buffers: &[MessageBuffers<_>; 2]| {
                exchanges(threads, windows, me, &mut Mailbox::new(me, barrier, buffers));
            };
            let others: Vec<_> = (1..threads)
                .map(|me| {
                    let (barrier, buffers) = (Arc::clone(&barrier), Arc::clone(&buffers));
                    loom::thread::spawn(move || work(me, &barrier, &buffers))
                })
                .collect();
            work(0, &barrier, &buffers);
            for other in others {
                other.join().expect("no thread panics");
            }
        });
        assert!(orders.load(std::sync::atomic::Ordering::Relaxed) > 1_000, "{orders:?}");
    }

    #[test]
    fn hand_over_of_two_threads_that_sleep() {
        all_orders(2, 3, 0, None);
    }

    #[test]
    fn hand_over_of_two_threads_that_spin() {
        all_orders(2, 2, 1, None);
    }

    #[test]
    fn hand_over_of_three_threads_that_are_stopped_twice() {
        all_orders(3, 2, 0, Some(2));
    }
}
