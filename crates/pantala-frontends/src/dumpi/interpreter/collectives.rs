//! Collectives.

use std::sync::Arc;

use pantala_mpi::Call;
use pantala_mpi::collectives::Exchange;

use super::super::functions::Function;
use super::super::record::Record;
use super::super::steps::Step;
use super::{Interpreter, Steps, handle};

impl Interpreter {
    pub(super) fn collective(
        &mut self,
        record: &Record,
        steps: &mut Steps<'_>,
    ) -> Result<(), String> {
        use Function as F;
        let number = |place: usize| record.number(place).unwrap_or(0);
        let bytes = |count: usize, kind: usize| self.bytes(number(count), number(kind));
        let root = |place: usize| {
            u32::try_from(number(place)).map_err(|_| {
                format!("root {}: collectives between two groups are not replayed", number(place))
            })
        };
        // An in-place call has no bytes to send, so the sizes are those of the receive.
        let (call, communicator) = match record.function {
            F::Barrier => (Call::Barrier, 0),
            F::Bcast => (Call::Bcast { bytes: bytes(0, 1)?, root: root(2)? }, 3),
            F::Reduce => (Call::Reduce { bytes: bytes(0, 1)?, root: root(3)? }, 4),
            F::Allreduce => (Call::Allreduce { bytes: bytes(0, 1)? }, 3),
            F::Scan => (Call::Scan { bytes: bytes(0, 1)? }, 3),
            F::Exscan => (Call::Exscan { bytes: bytes(0, 1)? }, 3),
            F::Gather => {
                let bytes = if record.numbers.len() > 5 { bytes(5, 6) } else { bytes(1, 2) };
                (Call::Gather { bytes: bytes?, root: root(3)? }, 4)
            }
            F::Scatter => {
                let bytes = if record.numbers.len() > 5 { bytes(5, 6) } else { bytes(1, 2) };
                (Call::Scatter { bytes: bytes?, root: root(3)? }, 4)
            }
            F::Allgather => (Call::Allgather { bytes: bytes(2, 3)? }, 4),
            F::Alltoall => (Call::Alltoall { bytes: bytes(2, 3)? }, 4),
            F::Allgatherv => {
                let counts = self.sizes(record.list(0), number(3))?.into();
                (Call::Allgatherv { counts }, 4)
            }
            F::Reduce_scatter => {
                let counts = self.sizes(record.list(0), number(1))?.into();
                (Call::ReduceScatter { counts }, 3)
            }
            F::Alltoallv => {
                let receive = self.sizes(record.list(2), number(2))?;
                let mut send = self.sizes(record.list(0), number(1))?;
                if send.len() != receive.len() {
                    send.clone_from(&receive);
                }
                (Call::Alltoallv { pairs: Arc::new(Exchange { send, receive }) }, 3)
            }
            F::Alltoallw => {
                let receive = self.sizes_of_types(record.list(3), record.list(5))?;
                let mut send = self.sizes_of_types(record.list(0), record.list(2))?;
                if send.len() != receive.len() {
                    send.clone_from(&receive);
                }
                (Call::Alltoallv { pairs: Arc::new(Exchange { send, receive }) }, 1)
            }
            F::Gatherv => {
                let counts = record.list(0);
                let counts = (!counts.is_empty()).then(|| self.sizes(counts, number(6)));
                let given = bytes(2, 3).unwrap_or(0);
                let communicator = self.local(handle(record, 5))?;
                let (root, counts) = (root(4)?, counts.transpose()?);
                steps.push(Step::Vector { communicator, scatter: false, root, counts, given });
                return Ok(());
            }
            _ => {
                let counts = record.list(0);
                let counts = (!counts.is_empty()).then(|| self.sizes(counts, number(2)));
                let communicator = self.local(handle(record, 6))?;
                let (root, counts) = (root(5)?, counts.transpose()?);
                let given =
                    counts.iter().flatten().fold(0, |sum: u64, count| sum.saturating_add(*count));
                steps.push(Step::Vector { communicator, scatter: true, root, counts, given });
                return Ok(());
            }
        };
        steps.push(Step::Collective(self.local(handle(record, communicator))?, call));
        Ok(())
    }

    fn sizes(&self, counts: &[i32], data_type: i64) -> Result<Vec<u64>, String> {
        counts.iter().map(|count| self.bytes(i64::from(*count), data_type)).collect()
    }

    fn sizes_of_types(&self, counts: &[i32], types: &[i32]) -> Result<Vec<u64>, String> {
        let pairs = counts.iter().zip(types);
        pairs.map(|(count, kind)| self.bytes(i64::from(*count), i64::from(*kind))).collect()
    }
}
