//! The state of a partition as plain data in flat arrays.

pub(crate) mod account;
pub(crate) mod arbiter_state;
pub(crate) mod bookings;
pub(crate) mod bounds;
pub(crate) mod counters;
pub(crate) mod nics;
pub mod packet;
pub(crate) mod port;
pub(crate) mod queue;
pub(crate) mod requests;
pub(crate) mod worms;
