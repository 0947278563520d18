//! The communicators of a job, and the collectives that their ranks call.

use std::collections::BTreeMap;

use pantala_mpi::{Call, Communicator, Op};

use crate::operations::fault::FileFault;
use crate::trace::collectives::common_bytes;

/// What makes a communicator the same one for all its ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    World,
    /// Given before the first operation, with this context and this rank of the job as its first.
    /// The rows of a process array, say, have one context.
    Given {
        context: u32,
        first: u32,
    },
    /// Made by a collective of a communicator, with this rank of the job as its first.
    Made {
        parent: u32,
        ordinal: u64,
        first: u32,
    },
}

/// What all ranks of a collective state alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Collective {
    name: &'static str,
    root: u32,
    bytes: Option<u64>,
}

impl Collective {
    /// The collective of an operation, blocking or not, and the local number of its communicator.
    pub(super) fn of(op: &Op) -> Option<(u16, Self)> {
        let call = |call: &Call| Self {
            name: call.kind().name(),
            root: call.root(),
            bytes: common_bytes(call),
        };
        Some(match op {
            Op::Collective(id, of) | Op::Icollective(id, of, _) | Op::Valued(id, of, _) => {
                (*id, call(of))
            }
            Op::CommDup(id) | Op::CommSplit(id, _) | Op::CommCreate(id, _) => {
                (*id, Self { name: op.name(), root: 0, bytes: None })
            }
            _ => return None,
        })
    }

    fn text(&self) -> String {
        let Self { name, root, bytes } = self;
        match (*name, bytes) {
            ("bcast" | "reduce", Some(bytes)) => format!("{name} of {bytes} bytes, root {root}"),
            ("gather" | "gatherv" | "scatter" | "scatterv", _) => format!("{name}, root {root}"),
            (_, Some(bytes)) => format!("{name} of {bytes} bytes"),
            _ => (*name).to_owned(),
        }
    }
}

/// How far a rank is in the collectives of a communicator.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// Number of collectives that the rank has called.
    pub(super) calls: u64,
    /// The run of equal collectives that the next one is compared with, and the place in it.
    run: usize,
    within: u64,
}

#[derive(Debug)]
struct Shared {
    name: String,
    size: u32,
    /// Number of ranks that have had the communicator.
    held: u32,
    /// The first of them, with which the others are compared.
    reference: u32,
    /// Its collectives: equal ones in a row, and their number.
    collectives: Vec<(Collective, u64)>,
}

/// The communicators of a job. They have numbers from 0 in the order in which they are found.
#[derive(Debug, Default)]
pub(super) struct Communicators {
    numbers: BTreeMap<Origin, u32>,
    shared: Vec<Shared>,
    kept: u64,
}

impl Communicators {
    /// The number of a communicator that a rank has from now on.
    pub(super) fn number(&mut self, origin: Origin, of: &Communicator, rank: u32) -> u32 {
        let next = self.shared.len() as u32;
        let number = *self.numbers.entry(origin).or_insert(next);
        if number == next {
            let first = of.rank(0).unwrap_or(0);
            let name = match origin {
                Origin::World => "COMM_WORLD".to_owned(),
                _ => format!("the communicator of {} ranks from rank {first} on", of.size()),
            };
            let collectives = Vec::new();
            self.shared.push(Shared {
                name,
                size: of.size(),
                held: 0,
                reference: rank,
                collectives,
            });
            self.kept += 1;
        }
        self.shared[number as usize].held += 1;
        number
    }

    /// Takes in a collective of a rank.
    pub(super) fn called(
        &mut self,
        number: u32,
        rank: u32,
        progress: &mut Progress,
        collective: Collective,
    ) -> Result<(), FileFault> {
        let shared = &mut self.shared[number as usize];
        progress.calls += 1;
        if shared.reference == rank {
            match shared.collectives.last_mut() {
                Some((last, times)) if *last == collective => *times += 1,
                _ => {
                    shared.collectives.push((collective, 1));
                    self.kept += 1;
                }
            }
            return Ok(());
        }
        let expected = shared.collectives.get(progress.run);
        if let Some((_, times)) = expected.filter(|(expected, _)| *expected == collective) {
            progress.within += 1;
            if progress.within == *times {
                (progress.run, progress.within) = (progress.run + 1, 0);
            }
            return Ok(());
        }
        let other = expected.map_or_else(|| "none".to_owned(), |(other, _)| other.text());
        Err(FileFault::Calls(format!(
            "collective {} of {} is {} at rank {rank} and {other} at rank {}",
            progress.calls,
            shared.name,
            collective.text(),
            shared.reference,
        )))
    }

    /// A rank calls no more collectives of a communicator.
    pub(super) fn left(
        &self,
        number: u32,
        rank: u32,
        progress: &Progress,
    ) -> Result<(), FileFault> {
        let shared = &self.shared[number as usize];
        if shared.reference == rank {
            return Ok(());
        }
        match shared.collectives.get(progress.run) {
            None => Ok(()),
            Some((next, _)) => Err(FileFault::Calls(format!(
                "collective {} of {} is {} at rank {} and none at rank {rank}",
                progress.calls + 1,
                shared.name,
                next.text(),
                shared.reference,
            ))),
        }
    }

    /// Checks that all ranks of each communicator have had it.
    pub(super) fn complete(&self) -> Result<(), FileFault> {
        match self.shared.iter().find(|shared| shared.held != shared.size) {
            None => Ok(()),
            Some(Shared { name, size, held, .. }) => {
                Err(FileFault::Calls(format!("{held} of the {size} ranks of {name} have it")))
            }
        }
    }

    /// What stands behind a message of the communicator in a text.
    pub(super) fn place(&self, number: u32) -> String {
        match number {
            0 => String::new(),
            _ => format!(" in {}", self.shared[number as usize].name),
        }
    }

    pub(super) const fn kept(&self) -> u64 {
        self.kept
    }
}
