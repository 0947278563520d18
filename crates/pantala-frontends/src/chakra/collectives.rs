//! Collectives that the ranks of a process group call differently, found before a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::nodes::{Action, action};
use super::rank_file::{RankFile, visit};
use crate::graph::Operation;
use crate::trace::collectives::{common_bytes, hashed};
use crate::trace::{Position, TraceError};

/// A hash of the collectives of a rank in one group, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signature(u64);

impl Signature {
    /// The signature of one collective.
    pub(super) fn of(kind: Operation, bytes: u64) -> Self {
        let mut signature = Self::default();
        signature.add(kind, bytes);
        signature
    }

    /// Adds the next collective.
    pub(super) fn add(&mut self, kind: Operation, bytes: u64) {
        let common = common_bytes(&kind.call(bytes, 0)).unwrap_or(0);
        self.0 = hashed(hashed(self.0, kind as u64), common);
    }
}

/// The first collective that a rank of a group calls with another kind or size than the group's
/// first rank.
pub(super) fn different(
    files: &[RankFile],
    groups: &BTreeMap<Box<[u8]>, Arc<[u32]>>,
) -> Result<Option<TraceError>, TraceError> {
    let all: Arc<[u32]> = (0..files.len() as u32).collect();
    let world: Box<[u8]> = Box::default();
    for (name, members) in std::iter::once((&world, &all)).chain(groups) {
        let signature = |rank: u32| files[rank as usize].signatures.get(name);
        let first = members[0];
        let other = members.iter().find(|rank| signature(**rank) != signature(first));
        if let Some(&other) = other {
            let (one, two) = (calls(files, first, name)?, calls(files, other, name)?);
            let pairs = one.iter().zip(&two).enumerate();
            let differs = |(_, (a, b)): &(usize, (&Collective, &Collective))| {
                Signature::of(a.kind, a.bytes) != Signature::of(b.kind, b.bytes)
            };
            if let Some((number, (a, b))) = pairs.into_iter().find(differs) {
                let name = match &**name {
                    [] => "the group of all ranks".to_owned(),
                    name => format!("the process group {}", String::from_utf8_lossy(name)),
                };
                let message = format!(
                    "node {}: collective {number} of {name} is {}, and on rank {first} it is {}; \
                     the ranks of a group call the same collectives",
                    b.node,
                    b.words(),
                    a.words()
                );
                let error = TraceError::new(&files[other as usize].path, message);
                return Ok(Some(error.of_rank(other).at(Position::Byte(b.position))));
            }
        }
    }
    Ok(None)
}

/// A collective of a rank.
struct Collective {
    node: u64,
    position: u64,
    kind: Operation,
    bytes: u64,
}

impl Collective {
    fn words(&self) -> String {
        format!("{} of {} bytes", self.kind.call(0, 0).kind().name(), self.bytes)
    }
}

/// The collectives of a rank in a group, in order.
fn calls(files: &[RankFile], rank: u32, group: &[u8]) -> Result<Vec<Collective>, TraceError> {
    let ranks = files.len() as u32;
    let mut found = Vec::new();
    visit(&files[rank as usize], rank, |position, node| {
        if let Ok(Action::Collective { group: named, kind, bytes }) = action(node, ranks) {
            if named == group {
                found.push(Collective { node: node.id, position, kind, bytes });
            }
        }
        true
    })?;
    Ok(found)
}
