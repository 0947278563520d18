//! The records of what happens inside the network, beside the counters that every run has. Each is
//! a room of its own, and an optional field of the [`Observer`](crate::observer::Observer), which
//! calls it.

pub(crate) mod blame;
pub(crate) mod downstream;
pub(crate) mod paths;
pub(crate) mod ports;
