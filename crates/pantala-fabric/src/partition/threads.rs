//! Partitions on threads, window by window of simulated time.
//!
//! In each window, every partition handles its events and posts its messages. Then all partitions
//! wait for each other, and each takes the messages for it. A window starts with the first event of
//! any partition and lasts [`crate::FabricConfig::lookahead`], so no message takes effect in the
//! window in which it is posted. Results do not depend on the number of partitions.
//!
//! Even and odd windows use separate buffers. No thread runs more than one window ahead, so one
//! barrier per window is enough.

use crate::host::Host;
use crate::partition::Partition;
use crate::partition::messages::PartitionMessages;
use crate::probe::Probe;
use pantala_engine::Time;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// How often a thread polls the barrier before it sleeps, if there is a processor per thread.
const SPINS: u32 = 4_000;

/// A barrier. A window is short, so threads spin for a while before they sleep.
#[derive(Debug, Default)]
struct Barrier {
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
    fn new(threads: u32) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let spins = if threads as usize <= processors { SPINS } else { 0 };
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
            std::hint::spin_loop();
        }
        if !over() {
            let mut sleeping = self.sleeping.lock().unwrap_or_else(PoisonError::into_inner);
            while !over() {
                sleeping = self.wake.wait(sleeping).unwrap_or_else(PoisonError::into_inner);
            }
        }
        assert!(!self.broken.load(Ordering::Acquire), "another thread has panicked");
    }

    /// Wakes the threads that sleep. The condition is already set: a thread checks it again under
    /// the lock before it sleeps.
    fn wake_all(&self) {
        drop(self.sleeping.lock());
        self.wake.notify_all();
    }
}

/// Breaks the barrier if its thread panics.
struct PanicGuard<'a>(&'a Barrier);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Release);
            self.0.wake_all();
        }
    }
}

/// The transport of messages between partitions: between threads here, between processes in another
/// implementation.
pub trait Transport<M> {
    /// Exchanges messages with all other partitions at the end of a window.
    ///
    /// `messages` holds the messages to each partition, by number, and afterwards the messages from
    /// each. `next` is the time of this partition's next event or posted message. Waits for all
    /// partitions, and returns the earliest `next` of all.
    fn exchange(&mut self, next: Time, messages: &mut [PartitionMessages<M>]) -> Time;
}

/// Handles every event of a partition before `until`, window by window, while all other partitions
/// do the same.
pub(crate) fn work<H: Host, P: Probe>(
    partition: &mut Partition<H, P>,
    transport: &mut impl Transport<H::Message>,
    lookahead: Time,
    until: Time,
) {
    let mut messages = std::mem::take(&mut partition.spare_messages);
    let mut next = partition.next_time();
    loop {
        let first = transport.exchange(next, &mut messages);
        for (from, messages) in (0..).zip(&mut messages) {
            partition.take(from, messages);
        }
        if first >= until {
            break;
        }
        partition.advance(first.saturating_add(lookahead).min(until));
        next = partition.next_time();
        for (to, messages) in (0..).zip(&mut messages) {
            partition.post(to, messages);
            next = next.min(messages.earliest());
        }
    }
    partition.spare_messages = messages;
}

/// The buffers that threads share: one instance for even windows, one for odd windows.
struct MessageBuffers<M> {
    /// Messages by sender and receiver.
    messages: Vec<Mutex<PartitionMessages<M>>>,
    /// Per partition, the time of its next event or posted message.
    next: Vec<AtomicU64>,
}

impl<M> MessageBuffers<M> {
    fn new(partitions: usize) -> Self {
        Self {
            messages: std::iter::repeat_with(Mutex::default)
                .take(partitions * partitions)
                .collect(),
            next: std::iter::repeat_with(AtomicU64::default).take(partitions).collect(),
        }
    }

    /// Swaps the messages in a slot with `messages`.
    fn swap(&self, from: usize, to: usize, messages: &mut PartitionMessages<M>) {
        let mut slot = self.messages[from * self.next.len() + to]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *slot, messages);
    }
}

/// The transport of one thread.
struct ThreadTransport<'a, M> {
    me: usize,
    barrier: &'a Barrier,
    buffers: &'a [MessageBuffers<M>; 2],
    window: usize,
}

impl<M> Transport<M> for ThreadTransport<'_, M> {
    fn exchange(&mut self, next: Time, messages: &mut [PartitionMessages<M>]) -> Time {
        let (me, buffers) = (self.me, &self.buffers[self.window % 2]);
        self.window += 1;
        for (other, messages) in messages.iter_mut().enumerate().filter(|&(other, _)| other != me) {
            buffers.swap(me, other, messages);
        }
        buffers.next[me].store(next, Ordering::Release);
        self.barrier.wait();
        for (other, messages) in messages.iter_mut().enumerate().filter(|&(other, _)| other != me) {
            buffers.swap(other, me, messages);
        }
        buffers.next.iter().map(|next| next.load(Ordering::Acquire)).min().unwrap_or(Time::MAX)
    }
}

/// The barrier and the buffers of all threads.
pub(crate) struct WorkerThreads<M> {
    barrier: Barrier,
    buffers: [MessageBuffers<M>; 2],
}

impl<M: Send> WorkerThreads<M> {
    /// Makes the threads for this number of partitions.
    pub(crate) fn new(partitions: usize) -> Self {
        Self {
            barrier: Barrier::new(partitions as u32),
            buffers: [MessageBuffers::new(partitions), MessageBuffers::new(partitions)],
        }
    }

    /// Handles every event before `until` of all partitions, with one thread per partition.
    ///
    /// # Panics
    /// If a partition panics. All threads have ended by then.
    pub(crate) fn advance<H, P>(
        &self,
        partitions: &mut [Partition<H, P>],
        lookahead: Time,
        until: Time,
    ) where
        H: Host<Message = M> + Send,
        P: Probe + Send,
    {
        let Self { barrier, buffers } = self;
        let run = move |(me, partition): (usize, &mut Partition<H, P>)| {
            let _guard = PanicGuard(barrier);
            work(
                partition,
                &mut ThreadTransport { me, barrier, buffers, window: 0 },
                lookahead,
                until,
            );
        };
        std::thread::scope(|scope| {
            let mut partitions = partitions.iter_mut().enumerate();
            let own = partitions.next();
            for partition in partitions {
                scope.spawn(move || run(partition));
            }
            own.into_iter().for_each(run);
        });
    }
}

/// Small enough for Miri, which runs them with many orders of the threads (`make miri`).
#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    type Sent = (usize, u64);

    /// Runs `work` on threads that share a barrier and buffers. Returns whether each has panicked.
    fn on_threads(
        count: usize,
        spins: u32,
        work: impl Fn(usize, &mut ThreadTransport<'_, Sent>) + Sync,
    ) -> Vec<bool> {
        let barrier = Barrier { threads: count as u32, spins, ..Barrier::default() };
        let buffers = [MessageBuffers::new(count), MessageBuffers::new(count)];
        let (barrier, buffers, work) = (&barrier, &buffers, &work);
        std::thread::scope(|scope| {
            let started: Vec<_> = (0..count)
                .map(|me| {
                    scope.spawn(move || {
                        let _guard = PanicGuard(barrier);
                        work(me, &mut ThreadTransport { me, barrier, buffers, window: 0 });
                    })
                })
                .collect();
            started.into_iter().map(|thread| thread.join().is_err()).collect()
        })
    }

    fn hand_over(spins: u32) {
        const WINDOWS: u64 = 5;
        let panicked = on_threads(3, spins, |me, transport| {
            let mut messages: Vec<PartitionMessages<Sent>> =
                std::iter::repeat_with(PartitionMessages::default).take(3).collect();
            for window in 0..WINDOWS {
                for (_, to) in messages.iter_mut().enumerate().filter(|&(to, _)| to != me) {
                    to.host.push((me, window));
                }
                let next = 10 * window + (me as u64 + window) % 3;
                assert_eq!(transport.exchange(next, &mut messages), 10 * window);
                for (other, from) in messages.iter_mut().enumerate().filter(|&(f, _)| f != me) {
                    assert_eq!(from.host, [(other, window)], "to {me}");
                    from.host.clear();
                }
            }
        });
        assert_eq!(panicked, [false; 3]);
    }

    #[test]
    fn hand_over_of_threads_that_sleep() {
        hand_over(0);
    }

    #[test]
    fn hand_over_of_threads_that_spin() {
        hand_over(3);
    }

    #[test]
    fn hand_over_that_a_panic_breaks_ends_all_threads() {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            on_threads(3, 0, |me, transport| {
                let mut messages: Vec<PartitionMessages<Sent>> =
                    std::iter::repeat_with(PartitionMessages::default).take(3).collect();
                for window in 0..4 {
                    assert!(me != 1 || window < 2, "the panic of this test");
                    transport.exchange(window, &mut messages);
                }
            })
        }));
        std::panic::set_hook(told);
        assert_eq!(panicked.ok(), Some(vec![true; 3]));
    }
}
