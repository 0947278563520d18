//! The time that a message takes on its hosts: overhead, copies, registration of memory, matching,
//! and MPI calls.
//!
//! The overhead o is that of LogGP (Alexandrov, Ionescu, Schauser and Scheiman, SPAA 1995). The
//! other costs follow SST's firefly (`ctrlMsg`, `functionSM` and the NIC of SST elements), whose
//! numbers Kang et al. (SC 2022) use. The host copies an eager message out of the sender's buffer
//! and into the receiver's buffer. The NICs move the payload of a rendezvous message between
//! registered memory.
//!
//! The costs of a send precede the time at which the NIC gets the message. The costs of an arrived
//! message precede the return of the receive or wait that it completes. The rank is busy meanwhile.
//! Two activities occupy no rank: the answer to a request to send, and collectives in the
//! background. Their costs are delays, and they pay no overhead o.

use pantala_engine::{Time, time_per_byte, transfer_time};
use pantala_fabric::Wakes;

use crate::accounting::rank_totals::CallKind;
use crate::arena::NONE;
use crate::config::{Finalize, MpiConfig, Progress, ReceiveRegistration};
use crate::layer::MpiLayer;
use crate::message::Header;
use crate::program::operation::{FinalizePart, INIT, Op, OperationStream};
use crate::rank::{Activity, CallState};

/// The size of a page, in bytes. A longer message pays per page.
const PAGE: u64 = 4_096;

impl MpiConfig {
    /// Whether a send costs time before the NIC gets the message.
    pub(crate) const fn sends_cost(&self) -> bool {
        self.send_overhead_ps > 0 || self.send_copy_per_byte_fs > 0 || self.registers()
    }

    /// Whether an arrived message costs time.
    pub(crate) const fn receives_cost(&self) -> bool {
        self.receive_overhead_ps > 0
            || self.receive_copy_per_byte_fs > 0
            || self.match_delay_ps > 0
            || self.inspects()
    }

    /// Whether the cost of matching depends on the entries that the host inspects.
    pub(crate) const fn inspects(&self) -> bool {
        self.match_per_entry_ps > 0
    }

    /// Whether a posted receive needs more than its match: it costs time, or the rank's host makes
    /// progress in calls.
    pub(crate) fn posts_cost(&self) -> bool {
        self.inspects()
            || self.progress == Progress::InCalls
            || self.receive_registration == ReceiveRegistration::Posted && self.registers()
    }

    /// Whether a rendezvous registers memory.
    pub(crate) const fn registers(&self) -> bool {
        self.registration_ps > 0 || self.registration_per_page_ps > 0
    }

    /// Time of the sender's copy of an eager message.
    pub(crate) fn send_copy(&self, bytes: u64) -> Time {
        copy(bytes, self.send_copy_per_byte_fs, self.copy_resolution_ps)
    }

    /// Time of the receiver's copy of an eager message. A one-sided message above the threshold is
    /// not copied.
    pub(crate) fn receive_copy(&self, bytes: u64) -> Time {
        if bytes > self.eager_threshold_bytes {
            return 0;
        }
        copy(bytes, self.receive_copy_per_byte_fs, self.copy_resolution_ps)
    }

    /// Time of an eager message from its host to the queue of the NIC. A one-sided message above the
    /// threshold is not copied on this way.
    #[inline]
    pub(crate) fn host_to_nic(&self, bytes: u64) -> Time {
        if self.host_to_nic_per_byte_fs == 0 || bytes > self.eager_threshold_bytes {
            return self.host_to_nic_ps;
        }
        self.host_to_nic_ps.saturating_add(time_per_byte(bytes, self.host_to_nic_per_byte_fs))
    }

    /// Time to register the memory of a rendezvous message on one side: firefly's `regRegionDelay`.
    pub(crate) const fn registration(&self, bytes: u64) -> Time {
        by_pages(bytes, self.registration_ps, self.registration_per_page_ps)
    }

    /// Time to deregister the memory of a rendezvous message at the receiver.
    const fn deregistration(&self, bytes: u64) -> Time {
        by_pages(bytes, self.deregistration_ps, self.deregistration_per_page_ps)
    }

    /// Time of a payload of `bytes` through the memory of a node.
    pub(crate) fn through_memory(&self, bytes: u64) -> Time {
        let bytes = match self.memory_bandwidth_bytes_per_s {
            0 => 0,
            bandwidth => transfer_time(bytes, bandwidth),
        };
        self.memory_latency_ps.saturating_add(bytes)
    }
}

/// Time of one copy, with a time per byte in fs, rounded to the nearest multiple of `resolution`.
fn copy(bytes: u64, per_byte_fs: u64, resolution: Time) -> Time {
    match (per_byte_fs, resolution) {
        (0, _) => 0,
        (_, 0) => time_per_byte(bytes, per_byte_fs),
        _ => (time_per_byte(bytes, per_byte_fs) + resolution / 2) / resolution * resolution,
    }
}

/// A time that grows with the whole pages of a message longer than one page. Nothing costs nothing.
const fn by_pages(bytes: u64, time: Time, per_page: Time) -> Time {
    match bytes {
        0 => 0,
        1..=PAGE => time,
        _ => time.saturating_add((bytes / PAGE).saturating_mul(per_page)),
    }
}

/// The next action of a rank.
pub(crate) enum Next {
    /// The rank enters a call, which takes time.
    Entry,
    /// The rank executes an operation.
    Operation(Op),
    /// The program is over.
    End,
}

impl<P: OperationStream> MpiLayer<P> {
    /// The next action of a rank. If calls take time, the rank enters a call before it executes it.
    #[inline]
    pub(crate) fn next_operation(&mut self, r: usize, now: Time) -> Next {
        if self.setup.config.call_overhead_ps > 0 {
            return self.next_call(r, now);
        }
        self.program_operation(r, now).map_or(Next::End, Next::Operation)
    }

    /// The next operation of a rank's program, and at its end the barrier of `MPI_Finalize` if
    /// there is one.
    #[inline]
    fn program_operation(&mut self, r: usize, now: Time) -> Option<Op> {
        let rank = &mut self.ranks[r];
        let operation = rank.program.next(now, &rank.outcome);
        let barrier = self.setup.config.finalize == Finalize::Barrier;
        if operation.is_none() && barrier && !rank.in_final_barrier {
            rank.in_final_barrier = true;
            return Some(Op::Finalize(FinalizePart::Barrier));
        }
        operation
    }

    /// Enters `MPI_Init`, if it takes time.
    pub(crate) fn initialize(&mut self, r: usize, now: Time) {
        if self.setup.config.initialization_ps == 0 {
            return;
        }
        let rank = &mut self.ranks[r];
        rank.busy_until = now.saturating_add(self.setup.config.initialization_ps);
        rank.operation = INIT;
        rank.in_call(CallKind::Init);
        self.records.profiles[rank.profile as usize].initialized();
        if !self.records.rank_calls.is_empty() {
            self.records.open_call(r, &self.ranks[r], (INIT, 0), now);
        }
    }

    fn next_call(&mut self, r: usize, now: Time) -> Next {
        if self.hosts.calls.len() <= r {
            self.hosts.calls.resize(self.ranks.len(), CallState::default());
        }
        let call = &mut self.hosts.calls[r];
        if let Some(op) = call.entered.take() {
            call.returning = true;
            return Next::Operation(op);
        }
        let Some(op) = self.program_operation(r, now) else { return Next::End };
        let rank = &mut self.ranks[r];
        if !op.is_call() {
            return Next::Operation(op);
        }
        rank.operation = op.name();
        rank.in_call(op.call_kind());
        rank.busy_until = now.saturating_add(self.setup.config.call_overhead_ps);
        if !self.records.rank_calls.is_empty() {
            self.open_call(r, &op, now);
        }
        self.hosts.calls[r].entered = Some(op);
        Next::Entry
    }

    /// Whether the rank is busy before it continues: with messages, or with the entry to or the
    /// return from a call. If so, a timer wakes it.
    pub(crate) fn is_busy(&mut self, r: usize, now: Time, wakes: &mut Wakes) -> bool {
        let rank = &mut self.ranks[r];
        let mut host_work = std::mem::take(&mut rank.host_work);
        if self.setup.config.call_overhead_ps > 0 && rank.collective.is_none() {
            if let Some(call) = self.hosts.calls.get_mut(r) {
                if std::mem::take(&mut call.returning) {
                    host_work = host_work.saturating_add(self.setup.config.call_overhead_ps);
                }
            }
        }
        if host_work > 0 {
            rank.busy_until = rank.busy_until.max(now).saturating_add(host_work);
        }
        if rank.busy_until <= now {
            return false;
        }
        rank.activity = Activity::Busy;
        (rank.since, rank.until) = (now, rank.busy_until);
        wakes.timers.push(rank.until);
        true
    }

    /// The time at which the first transmission of a send reaches the NIC, after the host's work
    /// for it. `attended`: the rank itself does the work, and is busy.
    pub(crate) fn prepare_send(
        &mut self,
        r: usize,
        bytes: u64,
        eager: bool,
        by_nic: bool,
        attended: bool,
        now: Time,
    ) -> Time {
        let config = &self.setup.config;
        let work = match (eager, by_nic) {
            (true, _) => config.send_copy(bytes),
            (false, true) => config.registration(bytes),
            (false, false) => 0,
        };
        if !attended {
            return now.saturating_add(work);
        }
        let rank = &mut self.ranks[r];
        rank.busy_until =
            rank.busy_until.max(now).saturating_add(config.send_overhead_ps).saturating_add(work);
        rank.busy_until
    }

    /// Makes a rank busy with a receive that it posts: registers its memory, and inspects
    /// `inspected` unexpected messages. Returns the time at which the rank is done.
    pub(crate) fn prepare_receive(
        &mut self,
        r: usize,
        source: u32,
        bytes: u64,
        inspected: usize,
        now: Time,
    ) -> Time {
        let mut work = self.inspection(inspected);
        let rank = &self.ranks[r];
        let job = self.jobs.list[rank.job as usize].id;
        let on_node = source != NONE && self.on_same_node(job, rank.number, source);
        if self.setup.config.receive_registration == ReceiveRegistration::Posted
            && bytes > self.setup.config.eager_threshold_bytes
            && !on_node
        {
            work = work.saturating_add(self.setup.config.registration(bytes));
        }
        let rank = &mut self.ranks[r];
        let ready = rank.busy_until.max(now).saturating_add(work);
        if work > 0 {
            rank.busy_until = ready;
        }
        ready
    }

    /// Time to inspect entries for a match.
    #[inline]
    pub(crate) const fn inspection(&self, entries: usize) -> Time {
        self.setup.config.match_per_entry_ps.saturating_mul(entries as u64)
    }

    /// Time in which the receiver registers its memory when a request has matched.
    pub(crate) fn registration_at_match(&self, header: &Header) -> Time {
        let now = self.setup.config.receive_registration == ReceiveRegistration::Matched;
        let Header { job, source, destination, bytes, .. } = *header;
        if now && self.setup.config.registers() && !self.on_same_node(job, source, destination) {
            self.setup.config.registration(bytes)
        } else {
            0
        }
    }

    /// Time in which the receiver of a rendezvous message deregisters its memory.
    pub(crate) fn deregistration(&self, header: &Header) -> Time {
        let Header { job, source, destination, bytes, .. } = *header;
        let work = self.setup.config.deregistration(bytes);
        if work > 0 && self.on_same_node(job, source, destination) { 0 } else { work }
    }

    /// Whether two ranks of a job are on one node.
    pub(crate) fn on_same_node(&self, job: u16, one: u32, other: u32) -> bool {
        one == other || self.jobs.location(job, one).node == self.jobs.location(job, other).node
    }
}
