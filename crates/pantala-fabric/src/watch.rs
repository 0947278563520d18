//! The records of what happens inside the network, beside the counters that every run has. `blame`,
//! `paths` and `ports` are optional fields of the [`Observer`](crate::observer::Observer), which
//! calls them; `buffers`, with `crowding` and `downstream`, is a part of `ports`.

pub(crate) mod blame;
pub(crate) mod buffers;
pub(crate) mod crowding;
pub(crate) mod downstream;
pub(crate) mod paths;
pub(crate) mod ports;
