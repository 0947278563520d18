//! Operation lists: an explicit list of MPI operations for each rank.

use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{Fault, Op, OperationSource, OperationStream, Outcome, RankContext};

/// A list of operations for each rank of a job. Ranks may share a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationLists {
    /// The list of each rank, by rank.
    pub ranks: Vec<Arc<[Op]>>,
}

impl OperationSource for OperationLists {
    type Operations = OperationList;

    fn check(&self, ranks: u32) -> Result<(), Fault> {
        if self.ranks.len() == ranks as usize {
            return Ok(());
        }
        Err(Fault::new(
            "operations",
            self.ranks.len(),
            format!("the job has {ranks} ranks"),
            "give one list of operations for each rank",
        ))
    }

    fn program(&self, rank: RankContext) -> OperationList {
        OperationList::new(Arc::clone(&self.ranks[rank.rank as usize]))
    }
}

/// The program of one rank: its list of operations and the position in it.
#[derive(Clone, Debug)]
pub struct OperationList {
    operations: Arc<[Op]>,
    position: usize,
}

impl OperationList {
    /// A program that executes `operations` in their order.
    #[must_use]
    pub const fn new(operations: Arc<[Op]>) -> Self {
        Self { operations, position: 0 }
    }
}

impl OperationStream for OperationList {
    #[inline]
    fn next(&mut self, _: Time, _: &Outcome) -> Option<Op> {
        let operation = self.operations.get(self.position)?;
        self.position += 1;
        Some(operation.clone())
    }

    fn summary(&self) -> Option<Vec<(Op, u64)>> {
        Some(self.operations.iter().map(|operation| (operation.clone(), 1)).collect())
    }
}
