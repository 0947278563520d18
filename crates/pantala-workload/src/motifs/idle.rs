//! Idle ranks: they start and end MPI, and do nothing else.

use pantala_mpi::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IterationContext, Motif, Script};

/// Parameters of the motif.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Idle {}

impl Motif for Idle {
    fn check(&self, _: u32) -> Result<(), Fault> {
        Ok(())
    }

    fn iterations(&self) -> u32 {
        0
    }

    fn iteration(&self, _: &IterationContext, _: &mut Script) {}
}
