//! [`BlameWatch`]: the job that causes each waiting time.
//!
//! Every waiting packet is counted, by job, at the output whose link it waits for: packets in output
//! buffers, and all packets of an input VC whose head waits for the output. So packets behind a head
//! share its charge. The time of an output is cut into pieces. In each piece one cause holds the
//! output: the packet on its link, the flits beyond the link without returned credits, or the last
//! packet that crossed to it. A piece adds its length times the count of each waiting job to the
//! matrix. So the rows of the matrix sum to the waiting time exactly. `docs/explanation/blame.md`
//! has the definitions.
//!
//! Pieces are charged when an event touches the output, up to the time of the event. Nothing before
//! that time can change any more. So results do not depend on the order of the events of one time.

mod inputs;
mod ledger;
mod nics;
mod sums;

use crate::store::packet::NONE;
use inputs::InputBlame;
use ledger::SentFlits;
use nics::NicBlame;
use pantala_engine::{FlatArray, NEVER, Time};
use std::collections::VecDeque;
pub use sums::BlameCell;
use sums::{NO_JOB, Sums};

/// A job's packets on a link, without a gap from the first to the last.
#[derive(Clone, Copy, Debug)]
struct Hold {
    start: Time,
    end: Time,
    job: u16,
}

/// A change of the packets that wait for an output, at a known time.
#[derive(Clone, Copy, Debug)]
struct Change {
    time: Time,
    kind: ChangeKind,
}

#[derive(Clone, Copy, Debug)]
enum ChangeKind {
    /// A packet of a job begins to wait.
    Begin(u16),
    /// A packet of a job no longer waits.
    End(u16),
    /// All packets of an input VC wait for the output, and no longer for their input port.
    Input(u32),
}

/// The blame of one output. It takes one cache line.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
struct OutputBlame {
    /// The waiting time is charged up to this time.
    charged: Time,
    /// The packets on the link that are not over, or the last ones.
    hold: Hold,
    /// When the first of `changes` takes place; [`NEVER`]: there is none.
    next_change: Time,
    /// The start of the current stall; [`NEVER`]: none.
    stalled: Time,
    /// The number of packets that wait.
    waiting: u32,
    /// The job of the last packet that crossed to the output.
    last: u16,
    class: u8,
    /// Whether there are packets on the link after `hold`.
    more: bool,
}

/// The parts of an output's blame that few events use.
#[derive(Clone, Debug, Default)]
struct OutputQueues {
    /// The packets on the link after `hold`, in order. They have been sent ahead.
    later: VecDeque<Hold>,
    /// In order of time.
    changes: VecDeque<Change>,
    /// Sum of the output's `shares`.
    stalled_flits: u32,
}

/// The waiting time of each job in one partition, by the job that causes it.
#[derive(Debug)]
pub(crate) struct BlameWatch {
    jobs: usize,
    outputs: FlatArray<OutputBlame>,
    queues: FlatArray<OutputQueues>,
    /// Per output and job, the packets that wait.
    waiting: FlatArray<u32>,
    /// Per output and job, the flits beyond the link without credits when the current stall began.
    shares: FlatArray<u32>,
    sent: SentFlits,
    inputs: FlatArray<InputBlame>,
    /// Per input VC, since when a NIC waits for its credits and no head waits there.
    alone: FlatArray<Time>,
    /// Per input VC and job, the packets in the buffer.
    queued: FlatArray<u32>,
    /// Per input port, the job of the last packet that crossed from it.
    crossed: FlatArray<u16>,
    nics: FlatArray<NicBlame>,
    sums: Sums,
}

/// The numbers of a partition's first item and the number of its items.
type Numbered = (usize, usize);

/// The size of a partition.
pub(crate) struct BlameSize {
    pub(crate) ports: Numbered,
    pub(crate) nodes: Numbered,
    pub(crate) vcs: usize,
    pub(crate) jobs: usize,
    /// Flits of an input buffer.
    pub(crate) buffer: u32,
}

fn filled<T: Clone>((first, count): Numbered, each: usize, item: T) -> FlatArray<T> {
    FlatArray::numbered_from(first * each, vec![item; count * each])
}

impl BlameWatch {
    /// Makes the record of a partition. `classes` has the number of the link class of each output.
    pub(crate) fn new(
        size: &BlameSize,
        classes: impl IntoIterator<Item = u8>,
        window: Time,
    ) -> Self {
        let &BlameSize { ports, nodes, vcs, jobs, buffer } = size;
        let output = |class| OutputBlame {
            charged: 0,
            hold: Hold { start: 0, end: 0, job: NO_JOB },
            next_change: NEVER,
            stalled: NEVER,
            waiting: 0,
            last: NO_JOB,
            class,
            more: false,
        };
        Self {
            jobs,
            outputs: FlatArray::numbered_from(
                ports.0,
                classes.into_iter().map(output).collect::<Vec<_>>(),
            ),
            waiting: filled(ports, jobs, 0),
            shares: filled(ports, jobs, 0),
            queues: filled(ports, 1, OutputQueues::default()),
            sent: SentFlits::new((ports.0 * vcs, ports.1 * vcs), buffer),
            inputs: filled(ports, vcs, InputBlame::NEW),
            alone: filled(ports, vcs, NEVER),
            queued: filled(ports, vcs * jobs, 0),
            crossed: filled(ports, 1, NO_JOB),
            nics: filled(nodes, 1, NicBlame::NEW),
            sums: Sums::new(jobs, window),
        }
    }

    /// Returns the waiting times up to `now`, in order of window, class, victim and aggressor.
    pub(crate) fn cells(&mut self, now: Time) -> Vec<BlameCell> {
        let first = self.outputs.first();
        for out in first..first + self.outputs.len() {
            self.advance(out, now);
        }
        self.sums.cells()
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.outputs.memory()
            + self.queues.memory()
            + self.waiting.memory()
            + self.shares.memory()
            + self.sent.memory()
            + self.inputs.memory()
            + self.alone.memory()
            + self.queued.memory()
            + self.crossed.memory()
            + self.nics.memory()
    }

    /// A packet is in an output buffer from `now` on. It could start on the link at `ready`.
    pub(crate) fn buffered(&mut self, out: usize, job: u16, ready: Time) {
        self.change(out, Change { time: ready, kind: ChangeKind::Begin(job) });
    }

    /// A packet of an output buffer starts on the link at `now`. It could have started at `ready`.
    pub(crate) fn starts(&mut self, out: usize, job: u16, ready: Time, now: Time) {
        self.change(out, Change { time: ready.max(now), kind: ChangeKind::End(job) });
    }

    /// A packet that crosses is sent ahead and starts on the link at `start`. It could start at
    /// `ready`.
    #[inline]
    pub(crate) fn sent_ahead(&mut self, out: usize, job: u16, ready: Time, start: Time) {
        if start > ready {
            self.change(out, Change { time: ready, kind: ChangeKind::Begin(job) });
            self.change(out, Change { time: start, kind: ChangeKind::End(job) });
        }
    }

    /// A packet of `room` flits is on the link of `out_vc` from `start` to `end`.
    #[inline]
    pub(crate) fn sends(
        &mut self,
        (out, out_vc): (usize, usize),
        (job, room): (u16, u32),
        (start, end): (Time, Time),
        now: Time,
    ) {
        self.sent.add(out_vc, job, room);
        self.advance(out, now);
        let output = &mut self.outputs[out];
        if output.more {
            Self::drop_holds(output, &mut self.queues[out], now);
        }
        if !output.more {
            if output.hold.job == job && output.hold.end == start {
                output.hold.end = end;
                return;
            }
            if output.hold.end <= now {
                output.hold = Hold { start, end, job };
                return;
            }
        }
        output.more = true;
        let later = &mut self.queues[out].later;
        match later.back_mut() {
            Some(last) if last.job == job && last.end == start => last.end = end,
            _ => later.push_back(Hold { start, end, job }),
        }
    }

    /// Drops the packets on a link that are over at `now`, except the last.
    fn drop_holds(output: &mut OutputBlame, queues: &mut OutputQueues, now: Time) {
        while output.hold.end <= now
            && let Some(next) = queues.later.pop_front()
        {
            output.hold = next;
        }
        output.more = !queues.later.is_empty();
    }

    /// A stall begins at `since`, which is now or later. `flits` beyond the link of `out_vc` have no
    /// credit.
    pub(crate) fn stalls(&mut self, (out, out_vc): (usize, usize), flits: u32, since: Time) {
        let shares = &mut self.shares;
        let first = out * self.jobs;
        (0..self.jobs).for_each(|job| shares[first + job] = 0);
        let mut sum = 0;
        self.sent.last(out_vc, flits, |job, flits| {
            shares[first + usize::from(job)] += flits;
            sum += flits;
        });
        self.outputs[out].stalled = since;
        self.queues[out].stalled_flits = sum;
    }

    /// Returns whether a stall lasts.
    pub(crate) fn is_stalled(&self, out: usize) -> bool {
        self.outputs[out].stalled != NEVER
    }

    /// The stall ends.
    pub(crate) fn stall_ends(&mut self, out: usize, now: Time) {
        self.advance(out, now);
        self.outputs[out].stalled = NEVER;
    }

    /// A packet waits for an output without a place in the queue of an input VC.
    pub(crate) fn begins(&mut self, out: usize, job: u16, now: Time) {
        self.advance(out, now);
        self.add_waiting(out, job, 1);
    }

    /// That packet no longer waits.
    pub(crate) fn ends(&mut self, out: usize, job: u16, now: Time) {
        self.advance(out, now);
        self.add_waiting(out, job, 1_u32.wrapping_neg());
    }

    #[inline]
    fn add_waiting(&mut self, out: usize, job: u16, count: u32) {
        let waiting = &mut self.waiting[out * self.jobs + usize::from(job)];
        *waiting = waiting.wrapping_add(count);
        let all = &mut self.outputs[out].waiting;
        *all = all.wrapping_add(count);
    }

    /// Adds the packets of an input VC to those that wait for an output, or takes them away.
    fn add_queue(&mut self, out: usize, in_vc: u32, sign: u32) {
        let (from, to) = (in_vc as usize * self.jobs, out * self.jobs);
        let mut sum = 0_u32;
        for job in 0..self.jobs {
            let count = self.queued[from + job].wrapping_mul(sign);
            self.waiting[to + job] = self.waiting[to + job].wrapping_add(count);
            sum = sum.wrapping_add(count);
        }
        let all = &mut self.outputs[out].waiting;
        *all = all.wrapping_add(sum);
    }

    /// Notes a change at a time that is not before the events so far.
    fn change(&mut self, out: usize, change: Change) {
        let (output, changes) = (&mut self.outputs[out], &mut self.queues[out].changes);
        let after = changes.iter().rev().take_while(|c| c.time > change.time).count();
        changes.insert(changes.len() - after, change);
        output.next_change = output.next_change.min(change.time);
    }

    /// Charges the time of an output up to `now`.
    #[inline]
    fn advance(&mut self, out: usize, now: Time) {
        while self.outputs[out].next_change <= now {
            self.make_change(out);
        }
        let output = &mut self.outputs[out];
        if output.waiting == 0 {
            output.charged = now;
        } else if output.charged < now {
            self.charge(out, now);
        }
    }

    /// Makes the next change.
    #[inline(never)]
    fn make_change(&mut self, out: usize) {
        let (output, changes) = (&mut self.outputs[out], &mut self.queues[out].changes);
        let Some(Change { time, kind }) = changes.pop_front() else { return };
        output.next_change = changes.front().map_or(NEVER, |next| next.time);
        if output.waiting == 0 {
            output.charged = output.charged.max(time);
        } else if output.charged < time {
            self.charge(out, time);
        }
        match kind {
            ChangeKind::Begin(job) => self.add_waiting(out, job, 1),
            ChangeKind::End(job) => self.add_waiting(out, job, 1_u32.wrapping_neg()),
            ChangeKind::Input(in_vc) => self.add_queue(out, in_vc, 1),
        }
    }

    /// Charges the time of an output up to `until`, while the same packets wait.
    #[inline(never)]
    fn charge(&mut self, out: usize, until: Time) {
        let output = &mut self.outputs[out];
        let waiting = self.waiting.run(out * self.jobs, self.jobs);
        let mut charged = std::mem::replace(&mut output.charged, until);
        let mut window = self.sums.matrix(output.class, until);
        while charged < until {
            if output.more {
                Self::drop_holds(output, &mut self.queues[out], charged);
            }
            let Hold { start, end, job } = output.hold;
            if start <= charged && charged < end {
                let end = end.min(until);
                window.charge(waiting, job, end - charged);
                charged = end;
                continue;
            }
            let mut end = if start > charged { start.min(until) } else { until };
            if output.stalled <= charged && self.queues[out].stalled_flits > 0 {
                let shares = self.shares.run(out * self.jobs, self.jobs);
                let all = self.queues[out].stalled_flits;
                window.charge_shares(waiting, shares, all, end - charged);
            } else {
                if output.stalled > charged {
                    end = end.min(output.stalled);
                }
                window.charge(waiting, output.last, end - charged);
            }
            charged = end;
        }
    }

    /// Prefetches the record of an output and of one of its VCs.
    #[inline(always)]
    pub(crate) fn prefetch(&self, out: usize, out_vc: usize) {
        self.outputs.prefetch::<1>(out);
        self.sent.prefetch(out_vc);
    }

    /// Returns the output of an input VC's head that waits.
    fn awaited(&self, in_vc: u32) -> Option<usize> {
        let out = self.inputs[in_vc].out;
        (out != NONE).then_some(out as usize)
    }
}
