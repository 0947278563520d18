//! The processes that simulate one network together, each some of its partitions.

use pantala_engine::Time;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::output::recorder::Net;

/// The connection of a process to the others. All processes make the same calls in the same order.
pub trait ProcessGroup {
    /// Handles all events before `until` in all processes.
    fn advance(&mut self, network: &mut Net, until: Time);
    /// Returns the values of all processes, in their order.
    fn all_gather<T: Serialize + DeserializeOwned>(&mut self, mine: T) -> Vec<T>;
    /// Returns the values of all processes to the first process, and `None` to the others.
    fn gather<T: Serialize + DeserializeOwned>(&mut self, mine: T) -> Option<Vec<T>>;
    /// Returns the number of this process, from 0, and the number of processes.
    fn rank_and_size(&self) -> (u16, u16);
}

/// A single process.
#[derive(Clone, Copy, Debug, Default)]
pub struct SingleProcess;

impl ProcessGroup for SingleProcess {
    fn advance(&mut self, network: &mut Net, until: Time) {
        network.advance(until);
    }

    fn all_gather<T: Serialize + DeserializeOwned>(&mut self, mine: T) -> Vec<T> {
        vec![mine]
    }

    fn gather<T: Serialize + DeserializeOwned>(&mut self, mine: T) -> Option<Vec<T>> {
        Some(vec![mine])
    }

    fn rank_and_size(&self) -> (u16, u16) {
        (0, 1)
    }
}
