//! [`BlameWatch`]: the job that causes each waiting time.
//!
//! Every waiting packet is counted, by job, at the output whose link it waits for: packets in
//! output buffers, and all packets of an input VC whose head waits for the output. So packets
//! behind a head share its charge. At each time one cause holds the output: the packet on its link,
//! the flits beyond the link without returned credits, or the last packet that crossed to it. While
//! the cause stays, starts and ends of waits are only summed. When it changes, the matrix gets the
//! sums. So the rows of the matrix sum to the waiting time exactly. `docs/explanation/blame.md` has
//! the definitions.
//!
//! An event at an output ends an interval of its time. Nothing before that time can change any
//! more. So results do not depend on the order of the events of one time. If a partition has one
//! job, that job is every cause, and nothing but the windows ends a sum.

mod causes;
mod charges;
mod inputs;
mod ledger;
mod nics;
mod output;
mod places;
mod sent_flits;
mod sums;
mod waits;

use crate::store::bounds::{Numbered, filled};
use inputs::InputBlame;
use ledger::Ledger;
use nics::NicBlame;
use output::{OutputBlame, OutputQueues};
use pantala_engine::{NEVER, ProvenArray, Time};
use pantala_topology::Topology;
use places::PlaceSums;
pub use places::{BlameDetail, MOST_GROUP_CELLS, MOST_LINK_CELLS, PlaceCell, Places, longest};
use sent_flits::SentFlits;
pub use sums::BlameCell;
use sums::{NO_JOB, Sums};
use waits::{Planned, Waits};

/// The waiting time of each job in one partition, by the job that causes it.
#[derive(Debug)]
pub(crate) struct BlameWatch {
    jobs: usize,
    outputs: ProvenArray<OutputBlame>,
    queues: ProvenArray<OutputQueues>,
    planned: ProvenArray<Planned>,
    /// Per output and job.
    waits: ProvenArray<Waits>,
    /// Per output and job, the flits beyond the link without credits when the current stall began.
    shares: ProvenArray<u32>,
    sent: SentFlits,
    inputs: ProvenArray<InputBlame>,
    /// Per input VC, since when a NIC waits for its credits and no head waits there.
    alone: ProvenArray<Time>,
    /// Per input VC and job, the packets in the buffer, if they are of several jobs.
    queued: ProvenArray<u32>,
    /// Per input port, the job of the last packet that crossed from it.
    crossed: ProvenArray<u16>,
    nics: ProvenArray<NicBlame>,
    /// Per job, zero; a charge sums here what is not due yet.
    later: Vec<Time>,
    ledger: Ledger,
}

/// The size of a partition.
pub(crate) struct BlameSize {
    pub(crate) ports: Numbered,
    pub(crate) terminals: Numbered,
    pub(crate) vcs: usize,
    pub(crate) jobs: usize,
    /// Flits of an input buffer.
    pub(crate) buffer: u32,
}

/// Returns an array of equal items, `each` per number.
///
/// # Safety
/// The caller keeps the contract of [`ProvenArray::proven`].
unsafe fn each<T: Clone>((first, count): Numbered, each: usize, item: T) -> ProvenArray<T> {
    // SAFETY: the caller keeps the contract.
    unsafe { filled((first * each, count * each), item) }
}

impl BlameWatch {
    /// Makes the record of a partition. `classes` has the number of the link class of each output.
    pub(crate) fn new(
        size: &BlameSize,
        classes: impl IntoIterator<Item = u8>,
        topology: &Topology,
        (window, detail): (Time, BlameDetail),
    ) -> Self {
        let &BlameSize { ports, terminals, vcs, jobs, buffer } = size;
        let only = (jobs == 1).then_some(0);
        let outputs: Vec<_> =
            classes.into_iter().map(|class| OutputBlame::new(class, only)).collect();
        assert_eq!(outputs.len(), ports.1, "a class for each output");
        let places = PlaceSums::new((topology, ports), terminals, (jobs, vcs, window), detail);
        // SAFETY: the proofs of ports, of NICs and of jobs (store/bounds.rs).
        unsafe {
            Self {
                jobs,
                outputs: ProvenArray::proven(ports.0, outputs),
                planned: each(ports, 1, Planned::default()),
                waits: each(ports, jobs, Waits::default()),
                shares: each(ports, jobs, 0),
                queues: each(ports, 1, OutputQueues::default()),
                sent: SentFlits::new((ports.0 * vcs, ports.1 * vcs), buffer),
                inputs: each(ports, vcs, InputBlame::NEW),
                alone: each(ports, vcs, NEVER),
                queued: each(ports, vcs * jobs, 0),
                crossed: each(ports, 1, NO_JOB),
                nics: each(terminals, 1, NicBlame::NEW),
                later: vec![0; jobs],
                ledger: Ledger { sums: Sums::new(jobs, window), places: places.map(Box::new) },
            }
        }
    }

    /// Returns the waiting times up to `now`, in order of window, class, victim and aggressor.
    pub(crate) fn cells(&mut self, now: Time) -> Vec<BlameCell> {
        self.charge_all(now);
        self.ledger.sums.cells()
    }

    /// Returns the waiting times up to `now` by groups and by link.
    pub(crate) fn places(&mut self, now: Time) -> (Places, Places) {
        self.charge_all(now);
        self.ledger.places.as_mut().map(|places| places.places()).unwrap_or_default()
    }

    fn charge_all(&mut self, now: Time) {
        let first = self.outputs.first();
        for out in first..first + self.outputs.len() {
            self.advance(out, now);
            self.charge(out);
        }
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.outputs.memory()
            + self.queues.memory()
            + self.planned.memory()
            + self.planned.iter().map(Planned::memory).sum::<usize>()
            + self.waits.memory()
            + self.shares.memory()
            + self.sent.memory()
            + self.inputs.memory()
            + self.alone.memory()
            + self.queued.memory()
            + self.crossed.memory()
            + self.nics.memory()
            + self.ledger.places.as_ref().map_or(0, |places| places.memory())
    }

    /// A packet is in an output buffer from now on. It could start on the link at `ready`, which is
    /// now or later.
    #[inline]
    pub(crate) fn buffered(&mut self, out: usize, job: u16, ready: Time) {
        self.plan(out, job, 1, ready);
    }

    /// A packet of an output buffer starts on the link at `now`. It could have started at `ready`.
    #[inline]
    pub(crate) fn starts(&mut self, out: usize, job: u16, ready: Time, now: Time) {
        self.advance(out, now);
        if ready > now {
            self.plan(out, job, -1, ready);
        } else {
            self.count(out, job, -1, now);
        }
    }

    /// A packet that crosses is sent ahead and starts on the link at `start`. It could start at
    /// `ready`.
    #[inline]
    pub(crate) fn sent_ahead(&mut self, out: usize, job: u16, ready: Time, start: Time) {
        if start > ready {
            self.plan_wait(out, job, (ready, start));
        }
    }

    /// A packet that has not waited starts on the link at `now`.
    pub(crate) fn passes(&mut self, out: usize, now: Time) {
        self.advance(out, now);
    }

    /// A packet waits for an output without a place in the queue of an input VC.
    pub(crate) fn begins(&mut self, out: usize, job: u16, now: Time) {
        self.advance(out, now);
        self.count(out, job, 1, now);
    }

    /// That packet no longer waits.
    pub(crate) fn ends(&mut self, out: usize, job: u16, now: Time) {
        self.advance(out, now);
        self.count(out, job, -1, now);
    }

    /// Prefetches the record of an input VC.
    #[inline(always)]
    pub(crate) fn prefetch_input(&self, in_vc: usize) {
        self.inputs.prefetch::<1>(in_vc);
    }

    /// Prefetches the record of an output and of one of its VCs.
    #[inline(always)]
    pub(crate) fn prefetch(&self, out: usize, out_vc: usize) {
        self.outputs.prefetch::<1>(out);
        self.waits.prefetch::<1>(out * self.jobs);
        self.planned.prefetch::<1>(out);
        self.sent.prefetch(out_vc);
    }
}
