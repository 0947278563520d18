//! The making of communicators: what it costs, and what comes of it.
//!
//! As MPICH does it: a split first gathers colour and key (8 bytes) of all ranks everywhere, by the
//! allgather of the plan; then, as a duplication or a creation does at once, all ranks of the old
//! communicator agree on a context in an allreduce of a mask of 65 words, by the allreduce of the
//! plan. The context itself is no one's to choose here: it follows from the old communicator's and
//! from how many were made of it, which each rank counts for itself.

use crate::collectives::Collective;
use crate::collectives::call::Call;
use crate::collectives::kind::CollectiveKind;
use crate::communicators::communicator::Communicator;
use crate::communicators::group::{Group, Split};
use crate::layer::MpiLayer;
use crate::message::CollectiveInstance;
use crate::program::error::ProgramFault;
use crate::program::identifiers::{COMM_WORLD, CommunicatorId};
use crate::program::operation::Program;
use crate::program::outcome::Outcome;
use crate::rank::collective::{CommunicatorCreation, Membership, RunningCollective};
use crate::rank::{PendingOutcome, Rank};

/// Bytes of colour and key.
const COLOR_AND_KEY: u64 = 8;
/// Bytes of MPICH's mask of free contexts: `MPIR_MAX_CONTEXT_MASK + 1` words.
const CONTEXT_MASK: u64 = 4 * 65;

impl<P: Program> MpiLayer<P> {
    /// The beginning of a duplication.
    pub(crate) fn duplicate(
        &mut self,
        r: usize,
        id: CommunicatorId,
    ) -> Result<RunningCollective, ProgramFault> {
        let made = Some(self.ranks[r].communicator(id)?.clone());
        self.make(
            r,
            id,
            &Call::Allreduce { bytes: CONTEXT_MASK },
            CommunicatorCreation { made, agree: false },
        )
    }

    /// The beginning of a split.
    pub(crate) fn split(
        &mut self,
        r: usize,
        id: CommunicatorId,
        table: &[Split],
    ) -> Result<RunningCollective, ProgramFault> {
        let old = self.ranks[r].communicator(id)?;
        if table.len() != old.size() as usize {
            return Err(ProgramFault::NoPartition { size: old.size() });
        }
        let made = Split::members(table, old.me()).and_then(|members| {
            let me = members.iter().position(|member| *member == old.me())?;
            let ranks: Option<Vec<u32>> = members.iter().map(|member| old.rank(*member)).collect();
            Some(Communicator::compact(old.context(), &ranks?, me as u32))
        });
        self.make(
            r,
            id,
            &Call::Allgather { bytes: COLOR_AND_KEY },
            CommunicatorCreation { made, agree: true },
        )
    }

    /// The beginning of a creation.
    pub(crate) fn create(
        &mut self,
        r: usize,
        id: CommunicatorId,
        group: &Group,
    ) -> Result<RunningCollective, ProgramFault> {
        let rank = &self.ranks[r];
        let old = rank.communicator(id)?;
        if group.ranks().iter().any(|rank| old.member(*rank).is_none()) {
            return Err(ProgramFault::NoPartition { size: old.size() });
        }
        let made = group
            .place(rank.number)
            .map(|me| Communicator::list(old.context(), group.ranks().clone(), me));
        self.make(
            r,
            id,
            &Call::Allreduce { bytes: CONTEXT_MASK },
            CommunicatorCreation { made, agree: false },
        )
    }

    fn make(
        &mut self,
        r: usize,
        id: CommunicatorId,
        call: &Call,
        creation: CommunicatorCreation,
    ) -> Result<RunningCollective, ProgramFault> {
        let mut running = self.enter(r, id, call)?;
        running.kind = CollectiveKind::Communicator;
        running.creation = Some(creation);
        Ok(running)
    }

    /// The end of a collective's steps: what is left to do of the making of a communicator, if it
    /// was for one; whether it is over.
    pub(crate) fn made(
        &mut self,
        r: usize,
        running: &mut RunningCollective,
    ) -> Result<bool, ProgramFault> {
        let Some(creation) = running.creation.take() else { return Ok(true) };
        let rank = &mut self.ranks[r];
        let membership = rank.membership(running.communicator)?;
        if creation.agree {
            let call = Call::Allreduce { bytes: CONTEXT_MASK };
            running.instance = CollectiveInstance { number: membership.calls, root: 0 };
            membership.calls = membership.calls.wrapping_add(1);
            running.machine =
                Collective::of(&self.config.collectives, &call, membership.communicator.size());
            running.creation = Some(CommunicatorCreation { agree: false, ..creation });
            return Ok(false);
        }
        let context = membership.communicator.child_context(membership.made);
        membership.made = membership.made.wrapping_add(1);
        let id = creation.made.map(|made| rank.join(made.with_context(context))).transpose()?;
        rank.outcome = Outcome::Communicator(id);
        rank.pending_outcome = PendingOutcome::Known;
        Ok(true)
    }
}

impl<P> Rank<P> {
    /// Enters a communicator, under the lowest number that is free.
    fn join(&mut self, communicator: Communicator) -> Result<CommunicatorId, ProgramFault> {
        let mut all = self.memberships.iter().flatten();
        if all.any(|membership| membership.communicator.context() == communicator.context()) {
            return Err(ProgramFault::ContextTaken);
        }
        let place =
            self.memberships.iter().position(Option::is_none).unwrap_or(self.memberships.len());
        let id = CommunicatorId::try_from(place).map_err(|_| ProgramFault::ContextTaken)?;
        if place == self.memberships.len() {
            self.memberships.push(None);
        }
        self.memberships[place] = Some(Membership::new(communicator));
        Ok(id)
    }

    /// Leaves a communicator.
    pub(crate) fn leave(&mut self, id: CommunicatorId) -> Result<(), ProgramFault> {
        self.communicator(id)?;
        if id == COMM_WORLD
            || self
                .background
                .iter()
                .flatten()
                .any(|background| background.running.communicator == id)
        {
            return Err(ProgramFault::CommunicatorInUse { communicator: id });
        }
        self.memberships[usize::from(id)] = None;
        Ok(())
    }
}
