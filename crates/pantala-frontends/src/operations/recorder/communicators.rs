//! The communicators of a job that is recorded, and the order of their collective calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use pantala_mpi::Split;

use super::CallFault;

/// A collective call, as far as all ranks of a communicator must agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Agreed {
    pub(super) name: &'static str,
    pub(super) root: u32,
    pub(super) bytes: u64,
    /// A hash of the bytes of each rank.
    pub(super) counts: u64,
}

impl Agreed {
    fn in_words(self) -> String {
        let Self { name, root, bytes, .. } = self;
        match (root, bytes) {
            (0, 0) => name.to_owned(),
            (0, bytes) => format!("{name} of {bytes} bytes"),
            (root, 0) => format!("{name} with root {root}"),
            _ => format!("{name} of {bytes} bytes with root {root}"),
        }
    }
}

/// A communicator of a rank.
#[derive(Clone, Debug)]
pub(super) struct Membership {
    /// The number of the communicator in the job.
    pub(super) shared: usize,
    /// The rank in the communicator.
    pub(super) me: u32,
    /// Number of collective calls of the rank.
    calls: usize,
}

impl Membership {
    pub(super) const fn world(rank: u32) -> Self {
        Self { shared: 0, me: rank, calls: 0 }
    }
}

/// A communicator of several ranks.
#[derive(Debug)]
struct Shared {
    members: Arc<[u32]>,
    /// The calls of the rank that is ahead.
    calls: Vec<Agreed>,
}

/// A split on which not all ranks have agreed yet, or whose result is still needed.
#[derive(Debug)]
struct PendingSplit {
    colors: Vec<Option<Split>>,
    missing: usize,
    table: Option<Arc<[Split]>>,
    /// The new communicators by color.
    made: BTreeMap<u32, usize>,
}

/// The communicators of a job.
#[derive(Debug)]
pub(super) struct Communicators {
    shared: Vec<Shared>,
    /// By communicator and number of the call.
    pending_splits: BTreeMap<(usize, usize), PendingSplit>,
    /// Communicators made without a split, by communicator, number of the call and size.
    made: BTreeMap<(usize, usize), usize>,
}

impl Communicators {
    pub(super) fn new(ranks: u32) -> Self {
        let world = Shared { members: (0..ranks).collect(), calls: Vec::new() };
        Self { shared: vec![world], pending_splits: BTreeMap::new(), made: BTreeMap::new() }
    }

    pub(super) fn members(&self, membership: &Membership) -> &Arc<[u32]> {
        &self.shared[membership.shared].members
    }

    pub(super) fn size(&self, membership: &Membership) -> u32 {
        self.members(membership).len() as u32
    }

    /// Takes in a collective call of a rank. Returns its number.
    pub(super) fn call(
        &mut self,
        membership: &mut Membership,
        call: Agreed,
    ) -> Result<usize, CallFault> {
        let calls = &mut self.shared[membership.shared].calls;
        let number = membership.calls;
        match calls.get(number) {
            None => calls.push(call),
            Some(other) if *other == call => {}
            Some(other) if Agreed { counts: call.counts, ..*other } == call => {
                return Err(format!(
                    "this {} is collective call {} of the communicator, to which another rank gives other counts",
                    call.in_words(),
                    number + 1
                ));
            }
            Some(other) => {
                return Err(format!(
                    "this {} is collective call {} of the communicator, for which another rank calls {}",
                    call.in_words(),
                    number + 1,
                    other.in_words()
                ));
            }
        }
        membership.calls += 1;
        Ok(number)
    }

    /// Tells that a rank lacks calls of others.
    pub(super) fn missing(&self, membership: &Membership) -> Option<String> {
        let call = self.shared[membership.shared].calls.get(membership.calls)?;
        Some(format!(
            "makes {} collective calls; other ranks go on with {}",
            membership.calls,
            call.in_words()
        ))
    }

    fn add(&mut self, members: Vec<u32>) -> usize {
        self.shared.push(Shared { members: members.into(), calls: Vec::new() });
        self.shared.len() - 1
    }

    /// The communicator of the first `size` members that call number `number` makes.
    pub(super) fn first_members(
        &mut self,
        membership: &Membership,
        number: usize,
        size: u32,
    ) -> Option<Membership> {
        let me = Some(membership.me).filter(|me| *me < size)?;
        let key = (membership.shared, number);
        let shared = match self.made.get(&key) {
            Some(shared) => *shared,
            None => {
                let members = self.members(membership)[..size as usize].to_vec();
                let shared = self.add(members);
                self.made.insert(key, shared);
                shared
            }
        };
        Some(Membership { shared, me, calls: 0 })
    }

    /// A rank names its color and key.
    pub(super) fn meet(&mut self, membership: &Membership, number: usize, split: Split) {
        let size = self.size(membership) as usize;
        let key = (membership.shared, number);
        let pending = self.pending_splits.entry(key).or_insert_with(|| PendingSplit {
            colors: vec![None; size],
            missing: size,
            table: None,
            made: BTreeMap::new(),
        });
        pending.colors[membership.me as usize] = Some(split);
        pending.missing -= 1;
    }

    /// Whether all ranks have named their colors.
    pub(super) fn met(&self, membership: &Membership, number: usize) -> bool {
        self.pending_splits
            .get(&(membership.shared, number))
            .is_none_or(|pending| pending.missing == 0)
    }

    /// The table of a split, and the new communicator of a rank.
    pub(super) fn split(
        &mut self,
        membership: &Membership,
        number: usize,
    ) -> Result<(Arc<[Split]>, Option<Membership>), CallFault> {
        let key = (membership.shared, number);
        let pending = self.pending_splits.get_mut(&key).filter(|pending| pending.missing == 0);
        let pending = pending.ok_or("not all ranks have called this split")?;
        let table =
            pending.table.get_or_insert_with(|| pending.colors.iter().flatten().copied().collect());
        let table = Arc::clone(table);
        let Some(color) = table[membership.me as usize].color else { return Ok((table, None)) };
        let known = pending.made.get(&color).copied();
        let shared = match known {
            Some(shared) => shared,
            None => {
                let old = Arc::clone(self.members(membership));
                let members = Split::members(&table, membership.me).unwrap_or_default();
                let ranks = members.iter().map(|member| old[*member as usize]).collect();
                let shared = self.add(ranks);
                if let Some(pending) = self.pending_splits.get_mut(&key) {
                    pending.made.insert(color, shared);
                }
                shared
            }
        };
        let rank = self.members(membership)[membership.me as usize];
        let me = self.shared[shared].members.iter().position(|member| *member == rank);
        Ok((table, Some(Membership { shared, me: me.unwrap_or(0) as u32, calls: 0 })))
    }
}
