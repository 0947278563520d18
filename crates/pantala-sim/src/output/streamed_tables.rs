//! Tables whose rows a run writes window by window.
//!
//! At the end of each window of `record.window_ps`, the first process gathers the rows of the
//! window from all partitions and processes, sorts them and appends them to the tables. Memory
//! holds the rows of one window. The plan fixes the windows, so the order of rows does not depend
//! on threads, partitions or processes. The rows of packets and their hops are in the order of time,
//! with and without windows, so they are written more often.

use crate::error::WriteError;
use crate::output::columns::{TableWriter, Written};
use crate::output::latency_record::LatencyWindow;
use crate::output::link_record::{ClassWindow, PortWindow, RouterWindow};
use crate::output::nic_record::NicWindow;
use crate::output::packet_record::{DeliveredPacket, PacketHop};
use crate::output::recorder::LinkWindow;
use crate::output::tables::{
    CallEventRow, IterationRow, LatencyWindowRow, LinkWindowRow, MessageRow, NicWindowRow,
    PacketHopRow, PacketRow, PortWindowRow, RouterWindowRow, Streamed, SystemWindowRow,
};
use pantala_engine::Time;
use pantala_mpi::{CallRecord, IterationRecord, MessageRecord};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Declares the streamed tables: the field of their records, the record and the row.
macro_rules! streamed {
    ($($field:ident: $Record:ty => $Row:ty,)*) => {
        /// Records that no table has yet, in any order.
        #[derive(Debug, Default, Serialize, Deserialize)]
        pub(crate) struct Records {
            $(pub(crate) $field: Vec<$Record>,)*
        }

        impl Records {
            /// Returns the number of records.
            pub(crate) fn len(&self) -> usize {
                0 $(+ self.$field.len())*
            }

            /// Takes the records that were completed before `time`.
            pub(crate) fn take_before(&mut self, time: Time) -> Self {
                Self { $($field: take_before(&mut self.$field, time),)* }
            }

            /// Moves the times of each record later by what `by` returns for its completion.
            pub(crate) fn shift(&mut self, by: impl Fn(Time) -> Time) {
                $(for record in &mut self.$field {
                    record.shift(by(record.completed()));
                })*
            }

            /// Returns the records of both.
            pub(crate) fn and(mut self, mut other: Self) -> Self {
                $(self.$field.append(&mut other.$field);)*
                self
            }
        }

        /// The tables that a run writes window by window.
        #[derive(Debug)]
        pub(crate) struct StreamedTables {
            $($field: TableWriter<$Row>,)*
            /// The length of a window.
            window: Time,
        }

        impl StreamedTables {
            /// Returns tables in a run directory, or tables that are only hashed.
            pub(crate) fn new(directory: Option<&Path>, window: Time) -> Result<Self, WriteError> {
                Ok(Self { $($field: TableWriter::within(directory)?,)* window })
            }

            /// Returns tables that are only hashed.
            pub(crate) fn hashed(window: Time) -> Self {
                Self { $($field: TableWriter::hashed(),)* window }
            }

            /// Appends the records of complete windows. No window comes twice.
            pub(crate) fn append(&mut self, records: Records) {
                $(append(&mut self.$field, records.$field, self.window);)*
            }

            /// Returns whether a table could not be written.
            pub(crate) fn failed(&self) -> bool {
                false $(|| self.$field.failed())*
            }

            /// Completes the tables. If one could not be written to its end, it has the rows up to
            /// some time, and the fault is returned.
            pub(crate) fn finish(self) -> Result<(Vec<Written>, Option<WriteError>), WriteError> {
                let (written, faults): (Vec<_>, Vec<_>) =
                    [$(self.$field.finish()?,)*].into_iter().unzip();
                Ok((written, faults.into_iter().flatten().next()))
            }
        }
    };
}

streamed! {
    messages: MessageRecord => MessageRow,
    iterations: IterationRecord => IterationRow,
    packets: DeliveredPacket => PacketRow,
    packet_hops: PacketHop => PacketHopRow,
    link_windows: LinkWindow => LinkWindowRow,
    port_windows: PortWindow => PortWindowRow,
    class_windows: ClassWindow => SystemWindowRow,
    router_windows: RouterWindow => RouterWindowRow,
    latency_windows: LatencyWindow => LatencyWindowRow,
    call_events: CallRecord => CallEventRow,
    nic_windows: NicWindow => NicWindowRow,
}

/// Takes the records that were completed before `time`.
pub(crate) fn take_before<T: Streamed>(records: &mut Vec<T>, time: Time) -> Vec<T> {
    let all = std::mem::take(records);
    if all.iter().all(|record| record.completed() < time) {
        return all;
    }
    let (before, after) = all.into_iter().partition(|record| record.completed() < time);
    *records = after;
    before
}

/// Appends the records of complete windows in the order of the table.
fn append<T: Streamed>(table: &mut TableWriter<T::Row>, mut records: Vec<T>, window: Time) {
    let number = |record: &T| record.completed() / window;
    let first = records.first().map(number);
    if records.iter().all(|record| Some(number(record)) == first) {
        records.sort_unstable_by_key(T::key);
    } else {
        records.sort_unstable_by_key(|record| (number(record), record.key()));
    }
    records.dedup_by(|next, kept| kept.absorb(next));
    debug_assert!(
        records
            .windows(2)
            .all(|pair| number(&pair[0]) != number(&pair[1]) || pair[0].key() != pair[1].key()),
        "rows of {} without an order",
        std::any::type_name::<T::Row>()
    );
    table.append(records.into_iter().map(T::into_row));
}
