//! Sequences: motifs of a job that run one after another.
//!
//! Nothing separates two motifs: a rank begins the next motif when it has executed the last
//! operation of the previous one. Each motif has its own communicators and its own random draws.

use pantala_mpi::{Communicator, CommunicatorId, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, WorkloadSpec};

/// Motifs that run one after another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// The motifs, in their order.
    pub parts: Vec<WorkloadSpec>,
}

impl Sequence {
    pub(crate) fn check(&self, ranks: u32) -> Result<(), Fault> {
        if self.parts.is_empty() {
            return Err(Fault::new("parts", "[]", "a sequence without motifs", "add a motif"));
        }
        if self.parts.len() > MAX_PARTS {
            let remedy = format!("write at most {MAX_PARTS}");
            return Err(Fault::new("parts", self.parts.len(), "too many motifs", remedy));
        }
        self.parts.iter().enumerate().try_for_each(|(number, part)| {
            let at = |key: &str| format!("parts[{number}].{key}");
            match part.motif() {
                Some(motif) => {
                    motif.check(ranks).map_err(|fault| Fault { key: at(&fault.key), ..fault })
                }
                None => Err(Fault::new(
                    &at("kind"),
                    <&str>::from(part),
                    "is not a motif",
                    "a sequence holds motifs only; give this workload a job of its own",
                )),
            }
        })
    }
}

/// The most motifs of a sequence: a record numbers them with 16 bits.
const MAX_PARTS: usize = 1 << 15;
/// The contexts that each motif of a sequence can give its communicators.
const CONTEXTS_PER_PART: u32 = 1 << 8;

/// The communicators of a rank in all motifs of a sequence. The communicators of one motif follow
/// those of the motifs before it.
pub(crate) fn communicators(
    parts: &[WorkloadSpec],
    context: &IterationContext,
) -> Vec<Communicator> {
    let numbered = parts.iter().zip(0..);
    numbered.flat_map(|(part, number)| communicators_of(part, number, context)).collect()
}

fn communicators_of(
    part: &WorkloadSpec,
    number: u32,
    context: &IterationContext,
) -> Vec<Communicator> {
    let mut found = part.motif().map_or_else(Vec::new, |motif| motif.communicators(context));
    if number > 0 {
        for each in &mut found {
            *each = each.with_context(each.context() + number * CONTEXTS_PER_PART);
        }
    }
    found
}

/// How many communicators the motifs before part `number` have.
pub(crate) fn communicators_before(
    parts: &[WorkloadSpec],
    number: u16,
    context: &IterationContext,
) -> CommunicatorId {
    let counts = parts[..usize::from(number)].iter().filter_map(WorkloadSpec::motif);
    counts.map(|motif| motif.communicators(context).len() as CommunicatorId).sum()
}
