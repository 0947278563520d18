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

use crate::config::MpiConfig;
use crate::layer::MpiLayer;
use crate::program::operation::{Op, Program};
use crate::rank::{Activity, CallState};

/// The size of a page, in bytes. A longer message pays per page.
const PAGE: u64 = 4_096;

impl MpiConfig {
    /// Whether a send costs time before the NIC gets the message.
    pub(crate) const fn sends_cost(&self) -> bool {
        self.send_overhead_ps > 0 || self.copy_per_byte_fs > 0 || self.registers()
    }

    /// Whether an arrived message costs time.
    pub(crate) const fn receives_cost(&self) -> bool {
        self.receive_overhead_ps > 0 || self.copy_per_byte_fs > 0 || self.match_delay_ps > 0
    }

    /// Whether a rendezvous registers memory.
    pub(crate) const fn registers(&self) -> bool {
        self.registration_ps > 0 || self.registration_per_page_ps > 0
    }

    /// Time of one copy of an eager message.
    pub(crate) fn copy(&self, bytes: u64) -> Time {
        if self.copy_per_byte_fs == 0 { 0 } else { time_per_byte(bytes, self.copy_per_byte_fs) }
    }

    /// Time to register the memory of a rendezvous message on one side: firefly's `regRegionDelay`.
    pub(crate) const fn registration(&self, bytes: u64) -> Time {
        let pages = if bytes > PAGE { bytes / PAGE } else { 0 };
        self.registration_ps.saturating_add(pages.saturating_mul(self.registration_per_page_ps))
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

/// The next action of a rank.
pub(crate) enum Next {
    /// The rank enters a call, which takes time.
    Entry,
    /// The rank executes an operation.
    Operation(Op),
    /// The program is over.
    End,
}

impl<P: Program> MpiLayer<P> {
    /// The next action of a rank. If calls take time, the rank enters a call before it executes it.
    #[inline]
    pub(crate) fn next_operation(&mut self, r: usize, now: Time) -> Next {
        if self.config.call_overhead_ps > 0 {
            return self.next_call(r, now);
        }
        let rank = &mut self.ranks[r];
        rank.program.next(&rank.outcome).map_or(Next::End, Next::Operation)
    }

    fn next_call(&mut self, r: usize, now: Time) -> Next {
        if self.calls.len() <= r {
            self.calls.resize(self.ranks.len(), CallState::default());
        }
        let call = &mut self.calls[r];
        if let Some(op) = call.entered.take() {
            call.returning = true;
            return Next::Operation(op);
        }
        let rank = &mut self.ranks[r];
        let Some(op) = rank.program.next(&rank.outcome) else { return Next::End };
        if !op.is_call() {
            return Next::Operation(op);
        }
        rank.operation = op.name();
        rank.call = op.call_kind();
        rank.busy_until = now.saturating_add(self.config.call_overhead_ps);
        call.entered = Some(op);
        Next::Entry
    }

    /// Whether the rank is busy before it continues: with messages, or with the entry to or the
    /// return from a call. If so, a timer wakes it.
    pub(crate) fn is_busy(&mut self, r: usize, now: Time, wakes: &mut Wakes) -> bool {
        let rank = &mut self.ranks[r];
        let mut host_work = std::mem::take(&mut rank.host_work);
        if self.config.call_overhead_ps > 0 && rank.collective.is_none() {
            if let Some(call) = self.calls.get_mut(r) {
                if std::mem::take(&mut call.returning) {
                    host_work = host_work.saturating_add(self.config.call_overhead_ps);
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
        let config = &self.config;
        let work = match (eager, by_nic) {
            (true, _) => config.copy(bytes),
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

    /// Whether two ranks of a job are on one node.
    pub(crate) fn on_same_node(&self, job: u16, one: u32, other: u32) -> bool {
        one == other || self.location(job, one).node == self.location(job, other).node
    }
}
