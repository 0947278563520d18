//! The creation of communicators: its cost and its result.
//!
//! The cost follows MPICH. A split first gathers color and key (8 bytes) of all ranks, with the
//! plan's algorithm of Allgather. Then all ranks of the old communicator agree on a context: an
//! Allreduce of a mask of 65 words, with the plan's algorithm. A duplication and a creation from a
//! group start with that Allreduce.
//!
//! The context itself follows from the old communicator's context and the number of communicators
//! made from it. Each rank counts that number for itself. A communicator that only its own ranks make
//! comes with its context.

use crate::collectives::Collective;
use crate::collectives::call::Call;
use crate::collectives::kind::CollectiveKind;
use crate::communicators::communicator::Communicator;
use crate::communicators::group::{Group, Split};
use crate::layer::MpiLayer;
use crate::message::CollectiveInstance;
use crate::program::error::OperationFault;
use crate::program::identifiers::{COMM_WORLD, CommunicatorId};
use crate::program::operation::OperationStream;
use crate::program::outcome::Outcome;
use crate::rank::collective::{CommunicatorCreation, Membership, RunningCollective};
use crate::rank::{PendingOutcome, Rank};

/// Bytes of color and key.
const COLOR_AND_KEY: u64 = 8;
/// Bytes of MPICH's mask of free contexts: `MPIR_MAX_CONTEXT_MASK + 1` words.
const CONTEXT_MASK: u64 = 4 * 65;

impl<P: OperationStream> MpiLayer<P> {
    /// Starts a duplication.
    pub(crate) fn duplicate(
        &mut self,
        r: usize,
        id: CommunicatorId,
    ) -> Result<RunningCollective, OperationFault> {
        let made = Some(self.ranks[r].communicator(id)?.clone());
        self.make(
            r,
            id,
            &Call::Allreduce { bytes: CONTEXT_MASK },
            CommunicatorCreation { made, agree: false, joined: None },
        )
    }

    /// Starts a split.
    pub(crate) fn split(
        &mut self,
        r: usize,
        id: CommunicatorId,
        table: &[Split],
    ) -> Result<RunningCollective, OperationFault> {
        let old = self.ranks[r].communicator(id)?;
        if table.len() != old.size() as usize {
            return Err(OperationFault::NoPartition { size: old.size() });
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
            CommunicatorCreation { made, agree: true, joined: None },
        )
    }

    /// Starts a creation from a group.
    pub(crate) fn create(
        &mut self,
        r: usize,
        id: CommunicatorId,
        group: &Group,
    ) -> Result<RunningCollective, OperationFault> {
        let rank = &self.ranks[r];
        let old = rank.communicator(id)?;
        if group.ranks().iter().any(|rank| old.member(*rank).is_none()) {
            return Err(OperationFault::NoPartition { size: old.size() });
        }
        let made = group
            .place(rank.number)
            .map(|me| Communicator::list(old.context(), group.ranks().clone(), me));
        self.make(
            r,
            id,
            &Call::Allreduce { bytes: CONTEXT_MASK },
            CommunicatorCreation { made, agree: false, joined: None },
        )
    }

    /// Starts a creation that only the ranks of the new communicator call. They agree over it.
    pub(crate) fn join_group(
        &mut self,
        r: usize,
        context: u32,
        group: &Group,
    ) -> Result<RunningCollective, OperationFault> {
        let rank = &mut self.ranks[r];
        let me = group
            .place(rank.number)
            .ok_or_else(|| OperationFault::NoPartition { size: group.ranks().len() as u32 })?;
        let id = rank.join(Communicator::list(context, group.ranks().clone(), me))?;
        let creation = CommunicatorCreation { made: None, agree: false, joined: Some(id) };
        self.make(r, id, &Call::Allreduce { bytes: CONTEXT_MASK }, creation)
    }

    fn make(
        &mut self,
        r: usize,
        id: CommunicatorId,
        call: &Call,
        creation: CommunicatorCreation,
    ) -> Result<RunningCollective, OperationFault> {
        let mut running = self.start_collective(r, id, call)?;
        running.kind = CollectiveKind::Communicator;
        running.creation = Some(creation);
        Ok(running)
    }

    /// Continues after the last step of a collective. Stores its outcome. If it creates a
    /// communicator, starts the agreement on a context or stores the communicator. Returns whether
    /// the call is over.
    pub(crate) fn finish_steps(
        &mut self,
        r: usize,
        running: &mut RunningCollective,
    ) -> Result<bool, OperationFault> {
        let rank = &mut self.ranks[r];
        let Some(creation) = running.creation.take() else {
            if let Some(contribution) = running.contribution {
                rank.outcome = Outcome::Value(contribution.value);
                rank.pending_outcome = PendingOutcome::Known;
            }
            return Ok(true);
        };
        if let Some(id) = creation.joined {
            rank.outcome = Outcome::Communicator(Some(id));
            rank.pending_outcome = PendingOutcome::Known;
            return Ok(true);
        }
        let membership = rank.membership(running.communicator)?;
        if creation.agree {
            let call = Call::Allreduce { bytes: CONTEXT_MASK };
            running.instance = CollectiveInstance { number: membership.calls, root: 0 };
            membership.calls = membership.calls.wrapping_add(1);
            running.machine = Collective::of(
                &self.setup.config.collectives,
                &call,
                membership.communicator.size(),
            );
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
    /// Stores a communicator under the lowest free number.
    fn join(&mut self, communicator: Communicator) -> Result<CommunicatorId, OperationFault> {
        let mut all = self.memberships.iter().flatten();
        if all.any(|membership| membership.communicator.context() == communicator.context()) {
            return Err(OperationFault::ContextTaken);
        }
        let place =
            self.memberships.iter().position(Option::is_none).unwrap_or(self.memberships.len());
        let id = CommunicatorId::try_from(place).map_err(|_| OperationFault::ContextTaken)?;
        if place == self.memberships.len() {
            self.memberships.push(None);
        }
        self.memberships[place] = Some(Membership::new(communicator));
        Ok(id)
    }

    /// Frees a communicator.
    pub(crate) fn leave(&mut self, id: CommunicatorId) -> Result<(), OperationFault> {
        self.communicator(id)?;
        if id == COMM_WORLD
            || self
                .background
                .iter()
                .flatten()
                .any(|background| background.running.communicator == id)
        {
            return Err(OperationFault::CommunicatorInUse { communicator: id });
        }
        let left = self.memberships[usize::from(id)].take();
        self.freed.extend(left.map(|membership| membership.communicator));
        self.freed.retain(|communicator| self.requests.receive_in(communicator.user_context()));
        Ok(())
    }
}
