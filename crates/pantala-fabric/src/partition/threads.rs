//! Partitions on threads, window by window of simulated time.
//!
//! In each window, every partition handles its events and posts its messages. Then all partitions
//! wait for each other, and each takes the messages for it. A window starts with the first event of
//! any partition and lasts [`crate::FabricConfig::lookahead`], so no message takes effect in the
//! window in which it is posted. Results do not depend on the number of partitions.

use crate::host::Host;
use crate::partition::Partition;
use crate::partition::hand_over::{Barrier, Mailbox, MessageBuffers};
use crate::partition::messages::PartitionMessages;
use crate::partition::pace::{Mode, Pace, Stretch};
use crate::probe::Probe;
use pantala_engine::{NEVER, Time};
use std::num::NonZeroUsize;

/// How often a thread polls the barrier before it sleeps, if there is a processor per thread.
const SPINS: u32 = 4_000;

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

/// Handles every event of all partitions before `until`, or as long as a stretch lasts, on this
/// thread: as [`work`], one partition after the other. Returns the number of windows.
fn take_turns<H: Host, P: Probe>(
    partitions: &mut [Partition<H, P>],
    lookahead: Time,
    until: Time,
    stretch: &Stretch,
) -> u32 {
    let mut messages: Vec<_> =
        partitions.iter_mut().map(|each| std::mem::take(&mut each.spare_messages)).collect();
    let mut windows = 0;
    loop {
        let first = partitions.iter().map(Partition::next_time).min().unwrap_or(NEVER);
        if first >= until || stretch.is_enough(windows) {
            break;
        }
        let end = first.saturating_add(lookahead).min(until);
        for (partition, messages) in partitions.iter_mut().zip(&mut messages) {
            partition.advance(end);
            for (to, messages) in (0..).zip(messages) {
                partition.post(to, messages);
            }
        }
        for (to, partition) in partitions.iter_mut().enumerate() {
            for (from, messages) in (0..).zip(&mut messages) {
                partition.take(from, &mut messages[to]);
            }
        }
        windows += 1;
    }
    for (partition, messages) in partitions.iter_mut().zip(messages) {
        partition.spare_messages = messages;
    }
    windows
}

/// One thread's part of a stretch.
struct Worker<'a, M> {
    mailbox: Mailbox<'a, PartitionMessages<M>>,
    /// The stretch to end; only the first thread ends it.
    stretch: Option<&'a Stretch>,
    /// One exchange before each window, and one after the last.
    exchanges: u32,
}

impl<M> Transport<M> for Worker<'_, M> {
    fn exchange(&mut self, next: Time, messages: &mut [PartitionMessages<M>]) -> Time {
        let ends = self.stretch.is_some_and(|stretch| stretch.is_enough(self.exchanges));
        self.exchanges += 1;
        self.mailbox.exchange(next, messages, ends)
    }
}

/// Breaks the barrier if its thread panics.
struct PanicGuard<'a>(&'a Barrier);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.break_up();
        }
    }
}

/// The barrier and the buffers of all threads, and whether they run.
pub(crate) struct WorkerThreads<M> {
    barrier: Barrier,
    buffers: [MessageBuffers<PartitionMessages<M>>; 2],
    pace: Pace,
}

impl<M: Send> WorkerThreads<M> {
    /// Makes the threads for this number of partitions.
    pub(crate) fn new(partitions: usize) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let spins = if partitions <= processors { SPINS } else { 0 };
        Self {
            barrier: Barrier::new(partitions as u32, spins),
            buffers: [MessageBuffers::new(partitions), MessageBuffers::new(partitions)],
            pace: Pace::default(),
        }
    }

    /// Handles every event before `until` of all partitions: with one thread per partition, or all
    /// on this thread while that is faster.
    ///
    /// # Panics
    /// If a partition panics. All threads have ended by then.
    pub(crate) fn advance<H, P>(
        &mut self,
        partitions: &mut [Partition<H, P>],
        lookahead: Time,
        until: Time,
    ) where
        H: Host<Message = M> + Send,
        P: Probe + Send,
    {
        let handled =
            |partitions: &[Partition<H, P>]| partitions.iter().map(Partition::events).sum();
        let mut before: u64 = handled(partitions);
        while partitions.iter().any(|partition| partition.next_time() < until) {
            let (mode, stretch) = self.pace.begin();
            let windows = match mode {
                Mode::OneThread => take_turns(partitions, lookahead, until, &stretch),
                Mode::Threads => self.start(partitions, lookahead, until, &stretch),
            };
            let after = handled(partitions);
            self.pace.end(&stretch, windows, after - before);
            before = after;
        }
    }

    /// As [`take_turns`], with one thread per partition.
    fn start<H, P>(
        &self,
        partitions: &mut [Partition<H, P>],
        lookahead: Time,
        until: Time,
        stretch: &Stretch,
    ) -> u32
    where
        H: Host<Message = M> + Send,
        P: Probe + Send,
    {
        let Self { barrier, buffers, .. } = self;
        let run = move |(me, partition): (usize, &mut Partition<H, P>)| {
            let _guard = PanicGuard(barrier);
            let mailbox = Mailbox::new(me, barrier, buffers);
            let stretch = (me == 0).then_some(stretch);
            let mut worker = Worker { mailbox, stretch, exchanges: 0 };
            work(partition, &mut worker, lookahead, until);
            worker.exchanges - 1
        };
        std::thread::scope(|scope| {
            let mut partitions = partitions.iter_mut().enumerate();
            let own = partitions.next();
            for partition in partitions {
                scope.spawn(move || run(partition));
            }
            own.map_or(0, run)
        })
    }
}

/// Small enough for Miri, which runs them with many orders of the threads (`make miri-threads`).
#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::partition::hand_over::exchanges;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    type Sent = Vec<(usize, u64)>;

    /// Runs `work` on threads that share a barrier and buffers. Returns whether each has panicked.
    fn on_threads(
        count: usize,
        spins: u32,
        work: impl Fn(usize, &mut Mailbox<'_, Sent>) + Sync,
    ) -> Vec<bool> {
        let barrier = Barrier::new(count as u32, spins);
        let buffers = [MessageBuffers::new(count), MessageBuffers::new(count)];
        let (barrier, buffers, work) = (&barrier, &buffers, &work);
        std::thread::scope(|scope| {
            let started: Vec<_> = (0..count)
                .map(|me| {
                    scope.spawn(move || {
                        let _guard = PanicGuard(barrier);
                        work(me, &mut Mailbox::new(me, barrier, buffers));
                    })
                })
                .collect();
            started.into_iter().map(|thread| thread.join().is_err()).collect()
        })
    }

    #[test]
    fn hand_over_of_threads_that_sleep() {
        assert_eq!(on_threads(3, 0, |me, mailbox| exchanges(3, 5, me, mailbox)), [false; 3]);
    }

    #[test]
    fn hand_over_of_threads_that_spin() {
        assert_eq!(on_threads(3, 3, |me, mailbox| exchanges(3, 5, me, mailbox)), [false; 3]);
    }

    #[test]
    fn hand_over_that_a_panic_breaks_ends_all_threads() {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            on_threads(3, 0, |me, mailbox| {
                let mut messages = vec![Sent::new(); 3];
                for window in 0..4 {
                    assert!(me != 1 || window < 2, "the panic of this test");
                    mailbox.exchange(window, &mut messages, false);
                }
            })
        }));
        std::panic::set_hook(told);
        assert_eq!(panicked.ok(), Some(vec![true; 3]));
    }
}
