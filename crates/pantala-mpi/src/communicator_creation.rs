//! The making of communicators: what it costs, and what comes of it.
//!
//! As MPICH does it: a split first gathers colour and key (8 bytes) of all ranks everywhere, by the
//! allgather of the plan; then, as a duplication or a creation does at once, all ranks of the old
//! communicator agree on a context in an allreduce of a mask of 65 words, by the allreduce of the
//! plan. The context itself is no one's to choose here: it follows from the old communicator's and
//! from how many were made of it, which each rank counts for itself.

use crate::collectives::{Call, Collective, CollectiveKind};
use crate::communicator::Communicator;
use crate::error::ProgramFault;
use crate::group::{Group, Split};
use crate::layer::MpiLayer;
use crate::message::Occasion;
use crate::op::{COMM_WORLD, CommunicatorId, Program};
use crate::outcome::Outcome;
use crate::rank::{Asked, Membership, Rank, Running};

/// Bytes of colour and key.
const COLOR_AND_KEY: u64 = 8;
/// Bytes of MPICH's mask of free contexts: `MPIR_MAX_CONTEXT_MASK + 1` words.
const CONTEXT_MASK: u64 = 4 * 65;

/// A communicator under way.
#[derive(Clone, Debug)]
pub(crate) struct Making {
    /// The new one; `None` for a rank that will not be in it.
    made: Option<Communicator>,
    /// Whether ranks have yet to agree on a context.
    agree: bool,
}

impl<P: Program> MpiLayer<P> {
    /// The beginning of a duplication.
    pub(crate) fn duplicate(
        &mut self,
        r: usize,
        id: CommunicatorId,
    ) -> Result<Running, ProgramFault> {
        let made = Some(self.ranks[r].communicator(id)?.clone());
        self.make(r, id, &Call::Allreduce { bytes: CONTEXT_MASK }, Making { made, agree: false })
    }

    /// The beginning of a split.
    pub(crate) fn split(
        &mut self,
        r: usize,
        id: CommunicatorId,
        table: &[Split],
    ) -> Result<Running, ProgramFault> {
        let old = self.ranks[r].communicator(id)?;
        if table.len() != old.size() as usize {
            return Err(ProgramFault::NoPartition { size: old.size() });
        }
        let made = Split::members(table, old.me()).and_then(|members| {
            let me = members.iter().position(|member| *member == old.me())?;
            let ranks: Option<Vec<u32>> = members.iter().map(|member| old.rank(*member)).collect();
            Some(Communicator::compact(old.context(), &ranks?, me as u32))
        });
        self.make(r, id, &Call::Allgather { bytes: COLOR_AND_KEY }, Making { made, agree: true })
    }

    /// The beginning of a creation.
    pub(crate) fn create(
        &mut self,
        r: usize,
        id: CommunicatorId,
        group: &Group,
    ) -> Result<Running, ProgramFault> {
        let rank = &self.ranks[r];
        let old = rank.communicator(id)?;
        if group.ranks().iter().any(|rank| old.member(*rank).is_none()) {
            return Err(ProgramFault::NoPartition { size: old.size() });
        }
        let made = group
            .place(rank.number)
            .map(|me| Communicator::list(old.context(), group.ranks().clone(), me));
        self.make(r, id, &Call::Allreduce { bytes: CONTEXT_MASK }, Making { made, agree: false })
    }

    fn make(
        &mut self,
        r: usize,
        id: CommunicatorId,
        call: &Call,
        making: Making,
    ) -> Result<Running, ProgramFault> {
        let mut running = self.enter(r, id, call)?;
        running.kind = CollectiveKind::Communicator;
        running.making = Some(making);
        Ok(running)
    }

    /// The end of a collective's steps: what is left to do of the making of a communicator, if it
    /// was for one; whether it is over.
    pub(crate) fn made(&mut self, r: usize, running: &mut Running) -> Result<bool, ProgramFault> {
        let Some(making) = running.making.take() else { return Ok(true) };
        let rank = &mut self.ranks[r];
        let membership = rank.membership(running.communicator)?;
        if making.agree {
            let call = Call::Allreduce { bytes: CONTEXT_MASK };
            running.occasion = Occasion { number: membership.calls, root: 0 };
            membership.calls = membership.calls.wrapping_add(1);
            running.machine =
                Collective::of(&self.config.collectives, &call, membership.communicator.size());
            running.making = Some(Making { agree: false, ..making });
            return Ok(false);
        }
        let context = membership.communicator.child_context(membership.made);
        membership.made = membership.made.wrapping_add(1);
        let id = making.made.map(|made| rank.join(made.with_context(context))).transpose()?;
        rank.outcome = Outcome::Communicator(id);
        rank.asked = Asked::Said;
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
