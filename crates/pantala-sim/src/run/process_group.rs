//! The processes that simulate one machine together, each some part of it.

use pantala_engine::Time;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::run::rank_reports::Net;

/// How a process reaches the others. All processes make the same calls in the same order.
pub trait ProcessGroup {
    /// Handles every event before `until`, here and everywhere.
    fn advance(&mut self, network: &mut Net, until: Time);
    /// What every process says, in their order.
    fn all<T: Serialize + DeserializeOwned>(&mut self, mine: T) -> Vec<T>;
    /// The same for the first process; the others hear nothing.
    fn gather<T: Serialize + DeserializeOwned>(&mut self, mine: T) -> Option<Vec<T>>;
    /// Which one this is and how many there are.
    fn place(&self) -> (u16, u16);
}

/// There are no others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl ProcessGroup for Alone {
    fn advance(&mut self, network: &mut Net, until: Time) {
        network.advance(until);
    }

    fn all<T: Serialize + DeserializeOwned>(&mut self, mine: T) -> Vec<T> {
        vec![mine]
    }

    fn gather<T: Serialize + DeserializeOwned>(&mut self, mine: T) -> Option<Vec<T>> {
        Some(vec![mine])
    }

    fn place(&self) -> (u16, u16) {
        (0, 1)
    }
}
