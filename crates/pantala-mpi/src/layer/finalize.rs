//! The end of a program: checks that requests and messages are complete (MPI 4.1, 11.2.3).

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::arena::NONE;
use crate::collectives::kind::CollectiveKind;
use crate::layer::MpiLayer;
use crate::message::{Header, TransmissionKind};
use crate::program::error::{OperationFault, Unfinished};
use crate::program::identifiers::TagSelect;
use crate::program::operation::{FINALIZE, OperationStream};
use crate::rank::Activity;

impl<P: OperationStream> MpiLayer<P> {
    /// Ends a rank's program. No request may be active, and no message may be unreceived.
    pub(crate) fn finalize(&mut self, r: usize, now: Time, wakes: &mut Wakes) {
        if self.in_calls() {
            self.take_arrived(r, now, wakes);
        }
        let rank = &mut self.ranks[r];
        rank.activity = Activity::Ended;
        rank.end = Some(now);
        rank.operation = FINALIZE;
        self.records.ended += 1;
        self.jobs.list[rank.job as usize].ended += 1;
        if let Err(fault) = self.nothing_active(r).and_then(|()| self.nothing_unreceived(r)) {
            self.fail(r, fault, now);
        }
    }

    /// Reports every message on its way to a rank that has ended, as an error of that rank. For a
    /// run that ends before the network is empty.
    pub fn settle(&mut self, now: Time) {
        let lost: Vec<Header> =
            self.transfers.messages.iter().map(|message| message.header).collect();
        for header in lost {
            let r = self.jobs.rank_index(header.job, header.destination);
            let ended = self.ranks.get(r).is_some_and(|rank| rank.activity == Activity::Ended);
            if ended
                && header.target == NONE
                && matches!(header.kind, TransmissionKind::Eager | TransmissionKind::RequestToSend)
            {
                self.fail(r, not_received(&header), now);
            }
        }
    }

    fn nothing_active(&self, r: usize) -> Result<(), OperationFault> {
        let rank = &self.ranks[r];
        let Some(request) = rank.requests.active() else { return Ok(()) };
        let owned = |owner: &u32, index: u32| index as usize == r && *owner == request;
        let receive =
            self.transfers.receives.iter().find(|receive| owned(&receive.owner, receive.rank));
        let send = self.transfers.sends.iter().find(|send| owned(&send.owner, send.rank));
        let what = match (receive, send) {
            (Some(receive), _) => Unfinished::Receive {
                source: (receive.source != NONE).then_some(receive.source),
                tag: match receive.tag {
                    TagSelect::Is(tag) => Some(tag),
                    TagSelect::Any => None,
                },
                bytes: receive.bytes,
            },
            (None, Some(send)) => {
                Unfinished::Send { destination: send.destination, tag: send.tag, bytes: send.bytes }
            }
            (None, None) if rank.computations.iter().any(|(_, other)| *other == request) => {
                Unfinished::Computation
            }
            (None, None) => {
                let mut background = rank.background.iter().flatten();
                let found = background.find(|background| background.request == request);
                Unfinished::Collective(
                    found.map_or(CollectiveKind::Barrier, |background| background.running.kind),
                )
            }
        };
        Err(OperationFault::NotComplete { request, what })
    }

    /// Checks that a rank that has ended has no unreceived message.
    pub(crate) fn nothing_unreceived(&self, r: usize) -> Result<(), OperationFault> {
        self.ranks[r]
            .matcher
            .unexpected(&self.transfers.messages)
            .next()
            .map_or(Ok(()), |header| Err(not_received(header)))
    }
}

fn not_received(header: &Header) -> OperationFault {
    let Header { source, tag, bytes, .. } = *header;
    match CollectiveKind::of_tag(tag).filter(|_| header.is_collective()) {
        Some(kind) => OperationFault::NotCalled { rank: source, kind },
        None => OperationFault::NotReceived { source, tag, bytes },
    }
}
