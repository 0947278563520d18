//! Non-blocking collectives. Each progresses in the background as its messages arrive, whatever its
//! rank does.
//!
//! As for rendezvous messages, progress needs no call of the rank. A rank can run any number of
//! them. The number of the call distinguishes the messages of one communicator.

use pantala_engine::Time;
use pantala_fabric::Wakes;

use crate::collectives::step::Step;
use crate::layer::MpiLayer;
use crate::layer::run_loop::CollectiveEnvelope;
use crate::program::error::OperationFault;
use crate::program::identifiers::Request;
use crate::program::operation::OperationStream;
use crate::rank::BACKGROUND;
use crate::rank::collective::{BackgroundCollective, Membership, RunningCollective};

impl<P: OperationStream> MpiLayer<P> {
    /// Starts a collective in the background.
    pub(crate) fn start_background(
        &mut self,
        r: usize,
        running: RunningCollective,
        request: Request,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<(), OperationFault> {
        let rank = &mut self.ranks[r];
        let background =
            Some(BackgroundCollective { running, request, pending: 0, waiting: false, ingress: 0 });
        let place =
            rank.background.iter().position(Option::is_none).unwrap_or(rank.background.len());
        if place == rank.background.len() {
            rank.background.push(background);
        } else {
            rank.background[place] = background;
        }
        self.advance_background(r, place, now, wakes)
    }

    /// Continues all background collectives that can.
    pub(crate) fn resume_background(
        &mut self,
        r: usize,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<(), OperationFault> {
        while self.ranks[r].ready > 0 {
            let rank = &mut self.ranks[r];
            let ready = |background: &Option<BackgroundCollective>| {
                background.as_ref().is_some_and(BackgroundCollective::ready)
            };
            let Some(place) = rank.background.iter().position(ready) else {
                rank.ready = 0;
                break;
            };
            rank.ready -= 1;
            if let Some(background) = &mut rank.background[place] {
                background.waiting = false;
            }
            self.advance_background(r, place, now, wakes)?;
        }
        Ok(())
    }

    /// Executes the steps of a background collective until it has to wait or ends.
    fn advance_background(
        &mut self,
        r: usize,
        place: usize,
        now: Time,
        wakes: &mut Wakes,
    ) -> Result<(), OperationFault> {
        loop {
            let rank = &mut self.ranks[r];
            let Some(background) = &mut rank.background[place] else { return Ok(()) };
            let id = background.running.communicator;
            let Some(Some(Membership { communicator, .. })) = rank.memberships.get(usize::from(id))
            else {
                return Err(OperationFault::UnknownCommunicator { communicator: id });
            };
            match background.running.machine.next(communicator.me(), communicator.size()) {
                None => {
                    let request = background.request;
                    rank.background[place] = None;
                    rank.complete(request);
                    return Ok(());
                }
                Some(Step::Waitall) => {
                    background.ingress = 0;
                    if background.pending > 0 {
                        background.waiting = true;
                        return Ok(());
                    }
                }
                Some(step) => {
                    let envelope = CollectiveEnvelope::of(&background.running, communicator);
                    self.take_step(r, step, envelope, BACKGROUND | place as u32, now, wakes)?;
                }
            }
        }
    }
}
