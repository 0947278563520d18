//! Progress in calls: a host that handles what has arrived only while its rank is blocked in an MPI
//! call.
//!
//! After the `ctrlMsg` protocol of SST's firefly (`ProcessQueuesState`, SST elements 11). What
//! arrives interrupts a rank that is blocked. One interrupt handles all acknowledgements, and then
//! either one payload that has arrived, which it acknowledges, or all messages that have arrived,
//! one after the other. An interrupt at any other time is missed, and the rank makes up for it when
//! it blocks the next time. A rank that leaves a call while messages have arrived that it has not
//! handled takes one more interrupt, the one that it has missed or the next one, and leaves after it,
//! whatever that has handled (`enterMakeProgress`, `processMakeProgress`). When the NIC has sent an
//! acknowledgement, it interrupts the host once more.
//!
//! The rank is busy while it posts, matches, copies and deregisters. All of it takes place in one
//! order, so the end of each activity is known at its start.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::accounting::rank_totals::CallKind;
use crate::config::Progress;
use crate::layer::MpiLayer;
use crate::layer::hosts::Stage;
use crate::message::{Header, TransmissionKind};
use crate::program::error::OperationFault;
use crate::program::operation::OperationStream;
use crate::rank::{Activity, BlockedUntil, PendingOutcome};

impl<P: OperationStream> MpiLayer<P> {
    /// Whether hosts make progress in calls only.
    #[inline]
    pub(crate) const fn in_calls(&self) -> bool {
        matches!(self.setup.config.progress, Progress::InCalls)
    }

    /// Lets a rank finish its work for the call and then wait until the condition holds; without a
    /// condition, leave the call. A test ([`BlockedUntil::Progress`]) makes up for an interrupt that
    /// its rank has missed, as a wait does. Returns whether the rank continues at once.
    pub(crate) fn attend(
        &mut self,
        r: usize,
        until: Option<BlockedUntil>,
        kind: CallKind,
        now: Time,
        wakes: &mut Wakes,
    ) -> bool {
        let rank = &mut self.ranks[r];
        rank.in_call(kind);
        rank.since = now;
        let busy_until = rank.busy_until;
        self.hosts.progress[r].until = until;
        if busy_until > now {
            self.stay_busy(r, Stage::Closing, busy_until, wakes);
            return false;
        }
        self.look(r, now, wakes)
    }

    fn stay_busy(&mut self, r: usize, stage: Stage, until: Time, wakes: &mut Wakes) {
        self.hosts.progress[r].stage = stage;
        let rank = &mut self.ranks[r];
        (rank.activity, rank.until) = (Activity::Busy, until);
        wakes.timers.push(until);
    }

    /// Pays for the receives of the wait that are complete, and leaves the call if the condition
    /// holds. Returns whether the rank continues.
    fn look(&mut self, r: usize, now: Time, wakes: &mut Wakes) -> bool {
        self.hosts.progress[r].stage = Stage::Away;
        let mut tests = false;
        if let Some(until) = self.hosts.progress[r].until {
            let work = self.ranks[r].completed_work(until);
            if work > 0 {
                self.stay_busy(r, Stage::Closing, now.saturating_add(work), wakes);
                return false;
            }
            if !self.ranks[r].holds(until, &self.transfers.messages) {
                return self.become_attentive(r, until, now, wakes);
            }
            self.hosts.progress[r].until = None;
            tests = until == BlockedUntil::Progress;
        }
        let host = &mut self.hosts.progress[r];
        let leaves = std::mem::take(&mut host.leaves);
        if leaves || host.arrived.is_empty() && !(tests && host.missed) {
            return true;
        }
        host.leaves = true;
        self.become_attentive(r, BlockedUntil::Progress, now, wakes)
    }

    fn become_attentive(
        &mut self,
        r: usize,
        until: BlockedUntil,
        now: Time,
        wakes: &mut Wakes,
    ) -> bool {
        self.ranks[r].activity = Activity::Blocked(until);
        self.hosts.progress[r].stage = Stage::Attentive;
        self.hosts.progress[r].missed && self.interrupt(r, now, wakes)
    }

    /// Handles the end of a rank's work in a call. Returns false if the rank is in no wait.
    pub(crate) fn resume_call(&mut self, r: usize, now: Time, wakes: &mut Wakes) -> bool {
        match self.hosts.progress[r].stage {
            Stage::Away => return false,
            Stage::Closing | Stage::Interrupted => {
                if self.leave_interrupt(r, now, wakes) {
                    self.continue_after_call(r, now, wakes);
                }
            }
            Stage::Attentive => {}
        }
        true
    }

    fn continue_after_call(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        self.records.blocked(&mut self.ranks[r], now);
        self.run(r, now, wakes);
    }

    /// Stores a transmission that has arrived at the host of rank `r`, and interrupts the rank.
    pub(crate) fn arrived_in_calls(
        &mut self,
        r: usize,
        handle: u32,
        header: &Header,
        now: Time,
        wakes: &mut Wakes,
    ) {
        let host = &mut self.hosts.progress[r];
        match header.kind {
            TransmissionKind::Acknowledge => host.acknowledgements.push(handle),
            TransmissionKind::Data => host.payloads.push_back(handle),
            TransmissionKind::Eager | TransmissionKind::RequestToSend | TransmissionKind::Get => {
                host.arrived.push(handle);
            }
        }
        self.signal(r, now, wakes);
    }

    /// Interrupts a rank.
    pub(crate) fn signal(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        if matches!(self.ranks[r].activity, Activity::Ended | Activity::Stopped | Activity::Failed)
        {
            return self.arrived_too_late(r, now, wakes);
        }
        if self.interrupt(r, now, wakes) {
            self.continue_after_call(r, now, wakes);
        }
    }

    /// Handles what arrives after the end of a rank's program: answers requests for the payload of
    /// sends that nobody waits for, and reports messages.
    fn arrived_too_late(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        self.take_arrived(r, now, wakes);
        if self.ranks[r].activity == Activity::Ended {
            if let Err(fault) = self.nothing_unreceived(r) {
                self.fail(r, fault, now);
            }
        }
    }

    /// Takes in what has arrived at a rank that makes no further call.
    pub(crate) fn take_arrived(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        for handle in std::mem::take(&mut self.hosts.progress[r].arrived) {
            if self.transfers.messages[handle].header.kind == TransmissionKind::Get {
                self.answer_get(handle, now, wakes);
                continue;
            }
            let mut matches = Vec::new();
            let rank = &mut self.ranks[r];
            rank.matcher.arrive(
                handle,
                &mut self.transfers.messages,
                &mut self.transfers.receives,
                &mut matches,
            );
        }
    }

    /// Interrupts a rank if it can be interrupted. Returns whether the rank continues.
    fn interrupt(&mut self, r: usize, now: Time, wakes: &mut Wakes) -> bool {
        let host = &mut self.hosts.progress[r];
        host.missed = host.stage != Stage::Attentive;
        if host.missed {
            return false;
        }
        host.stage = Stage::Interrupted;
        self.answer_requests(r, now, wakes);
        for handle in std::mem::take(&mut self.hosts.progress[r].acknowledgements) {
            let origin = self.transfers.messages[handle].header.origin;
            self.complete_send(origin);
            self.transfers.messages.remove(handle);
        }
        if let Some(handle) = self.hosts.progress[r].payloads.pop_front() {
            let header = self.transfers.messages[handle].header;
            let work = self.deregistration(&header);
            self.complete_receive(header.target, &header, work);
            self.acknowledge(handle, now, wakes);
            return self.leave_interrupt(r, now, wakes);
        }
        let mut ready = now;
        for handle in std::mem::take(&mut self.hosts.progress[r].arrived) {
            match self.inspect(r, handle, ready, wakes) {
                Ok(time) => ready = time,
                Err(fault) => {
                    self.fail(r, fault, now);
                    return false;
                }
            }
        }
        if ready > now {
            self.stay_busy(r, Stage::Interrupted, ready, wakes);
            return false;
        }
        self.leave_interrupt(r, now, wakes)
    }

    fn leave_interrupt(&mut self, r: usize, now: Time, wakes: &mut Wakes) -> bool {
        if self.ranks[r].ready > 0 {
            if let Err(fault) = self.resume_background(r, now, wakes) {
                self.fail(r, fault, now);
                return false;
            }
        }
        self.look(r, now, wakes)
    }

    /// Matches an arrived message from `now` on. Returns the time at which the host is done.
    fn inspect(
        &mut self,
        r: usize,
        handle: u32,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<Time, OperationFault> {
        let header = self.transfers.messages[handle].header;
        if header.kind == TransmissionKind::Get {
            self.answer_get(handle, now, wakes);
            return Ok(now);
        }
        let mut matches = std::mem::take(&mut self.transfers.matches);
        let rank = &mut self.ranks[r];
        let (messages, receives) = (&mut self.transfers.messages, &mut self.transfers.receives);
        let in_order = rank.matcher.arrive(handle, messages, receives, &mut matches);
        let mut ready = now;
        if in_order && matches.is_empty() {
            let entries = rank.matcher.inspected.len();
            ready = ready.saturating_add(self.inspection(entries));
        }
        let mut result = Ok(());
        for &(message, receive) in &matches {
            let entries = self.ranks[r].matcher.inspected.remove(receive);
            ready = ready.saturating_add(self.inspection(entries));
            match self.match_in_call(r, message, receive, ready, wakes) {
                Ok(time) => ready = time,
                Err(fault) => {
                    result = Err(fault);
                    break;
                }
            }
        }
        matches.clear();
        self.transfers.matches = matches;
        result.map(|()| ready)
    }

    /// Continues a matched message from `now` on: completes an eager one, asks for the payload of a
    /// rendezvous. Returns the time at which the host is done.
    pub(crate) fn match_in_call(
        &mut self,
        r: usize,
        handle: u32,
        receive: u32,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<Time, OperationFault> {
        let header = self.transfers.messages[handle].header;
        self.check_match(&header, receive)?;
        let config = &self.setup.config;
        let mut ready =
            now.saturating_add(config.match_delay_ps).saturating_add(config.receive_overhead_ps);
        let local = header.source == self.ranks[r].number;
        if header.kind == TransmissionKind::RequestToSend && !local {
            ready = ready.saturating_add(self.registration_at_match(&header));
            let header = Header { kind: TransmissionKind::Get, target: receive, ..header };
            self.reply(handle, header, ready, wakes);
            return Ok(ready);
        }
        if header.kind == TransmissionKind::RequestToSend {
            self.complete_send(header.origin);
        } else {
            ready = ready.saturating_add(config.receive_copy(header.bytes));
        }
        self.complete_receive(receive, &header, 0);
        self.transfers.messages.remove(handle);
        Ok(ready)
    }

    /// Looks again at the wait of a rank, of which a request is complete without a message.
    pub(crate) fn look_again(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        let attentive = self.hosts.progress[r].stage == Stage::Attentive;
        if attentive && self.leave_interrupt(r, now, wakes) {
            self.continue_after_call(r, now, wakes);
        }
    }

    /// Notes that the NIC tells rank `r` at `time` that it has sent an acknowledgement.
    pub(crate) fn note_acknowledged(&mut self, r: usize, time: Time, wakes: &mut Wakes) {
        self.hosts.progress[r].notices.push_back(time);
        wakes.timers.push(time);
    }

    /// Passes on the NIC's notices to a rank whose time has come.
    pub(crate) fn deliver_notices(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        while self.hosts.progress[r].notices.front().is_some_and(|time| *time <= now) {
            self.hosts.progress[r].notices.pop_front();
            if self.ranks[r].end.is_none() {
                self.signal(r, now, wakes);
            }
        }
    }
}

impl<P> crate::rank::Rank<P> {
    /// Takes the work for the receives of a wait that are complete: their deregistration. A wait
    /// in a call closes its sends first.
    fn completed_work(&mut self, until: BlockedUntil) -> Time {
        match until {
            BlockedUntil::Call if self.call_sends > 0 => 0,
            BlockedUntil::Call => std::mem::take(&mut self.host_work),
            BlockedUntil::Requests(selection)
                if matches!(self.pending_outcome, PendingOutcome::CloseAll(_)) =>
            {
                self.requests.take_work(selection)
            }
            _ => 0,
        }
    }
}
