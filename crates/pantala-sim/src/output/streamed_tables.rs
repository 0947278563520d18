//! Tables whose rows a run writes window by window.
//!
//! At the end of each window of `record.window_ps`, the first process gathers the rows of the
//! window from all partitions and processes, sorts them and appends them to the tables. Memory
//! holds the rows of one window. The plan fixes the windows, so the order of rows does not depend
//! on threads, partitions or processes.

use crate::error::WriteError;
use crate::output::columns::{TableWriter, Written};
use crate::output::recorder::{DeliveredPacket, LinkWindow};
use crate::output::tables::{IterationRow, LinkWindowRow, MessageRow, PacketRow, Streamed};
use pantala_engine::Time;
use pantala_mpi::{IterationRecord, MessageRecord};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Records that no table has yet, in any order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Records {
    pub(crate) messages: Vec<MessageRecord>,
    pub(crate) iterations: Vec<IterationRecord>,
    pub(crate) packets: Vec<DeliveredPacket>,
    pub(crate) link_windows: Vec<LinkWindow>,
}

impl Records {
    /// Returns the number of records.
    pub(crate) fn len(&self) -> usize {
        let Self { messages, iterations, packets, link_windows } = self;
        messages.len() + iterations.len() + packets.len() + link_windows.len()
    }

    /// Takes the records that were completed before `time`.
    pub(crate) fn take_before(&mut self, time: Time) -> Self {
        Self {
            messages: take_before(&mut self.messages, time),
            iterations: take_before(&mut self.iterations, time),
            packets: take_before(&mut self.packets, time),
            link_windows: take_before(&mut self.link_windows, time),
        }
    }

    /// Returns the records of both.
    pub(crate) fn and(mut self, mut other: Self) -> Self {
        self.messages.append(&mut other.messages);
        self.iterations.append(&mut other.iterations);
        self.packets.append(&mut other.packets);
        self.link_windows.append(&mut other.link_windows);
        self
    }
}

fn take_before<T: Streamed>(records: &mut Vec<T>, time: Time) -> Vec<T> {
    let all = std::mem::take(records);
    if all.iter().all(|record| record.completed() < time) {
        return all;
    }
    let (before, after) = all.into_iter().partition(|record| record.completed() < time);
    *records = after;
    before
}

/// The tables that a run writes window by window.
#[derive(Debug)]
pub(crate) struct StreamedTables {
    messages: TableWriter<MessageRow>,
    iterations: TableWriter<IterationRow>,
    packets: TableWriter<PacketRow>,
    link_windows: TableWriter<LinkWindowRow>,
    /// The length of a window.
    window: Time,
    /// The first fault. Nothing is written after it.
    fault: Option<WriteError>,
}

impl StreamedTables {
    /// Returns tables in a run directory, or tables that are only hashed.
    pub(crate) fn new(directory: Option<&Path>, window: Time) -> Result<Self, WriteError> {
        Ok(Self {
            messages: TableWriter::within(directory)?,
            iterations: TableWriter::within(directory)?,
            packets: TableWriter::within(directory)?,
            link_windows: TableWriter::within(directory)?,
            window,
            fault: None,
        })
    }

    /// Returns tables that are only hashed.
    pub(crate) fn hashed(window: Time) -> Self {
        Self {
            messages: TableWriter::hashed(),
            iterations: TableWriter::hashed(),
            packets: TableWriter::hashed(),
            link_windows: TableWriter::hashed(),
            window,
            fault: None,
        }
    }

    /// Appends the records of complete windows. No window comes twice.
    pub(crate) fn append(&mut self, records: Records) {
        if self.fault.is_some() {
            return;
        }
        let Records { messages, iterations, packets, link_windows } = records;
        let written = append(&mut self.messages, messages, self.window)
            .and_then(|()| append(&mut self.iterations, iterations, self.window))
            .and_then(|()| append(&mut self.packets, packets, self.window))
            .and_then(|()| append(&mut self.link_windows, link_windows, self.window));
        self.fault = written.err();
    }

    /// Returns whether a table could not be written.
    pub(crate) const fn failed(&self) -> bool {
        self.fault.is_some()
    }

    /// Completes the tables.
    pub(crate) fn finish(self) -> Result<[Written; 4], WriteError> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok([
                self.messages.finish()?,
                self.iterations.finish()?,
                self.packets.finish()?,
                self.link_windows.finish()?,
            ]),
        }
    }
}

/// Appends the records of complete windows in the order of the table.
fn append<T: Streamed>(
    table: &mut TableWriter<T::Row>,
    mut records: Vec<T>,
    window: Time,
) -> Result<(), WriteError> {
    let number = |record: &T| record.completed() / window;
    let first = records.first().map(number);
    if records.iter().all(|record| Some(number(record)) == first) {
        records.sort_unstable_by_key(T::key);
    } else {
        records.sort_unstable_by_key(|record| (number(record), record.key()));
    }
    table.append(records.into_iter().map(T::into_row))
}
