//! Sends and receives whose arguments have been checked.

use crate::message::CollectiveInstance;
use crate::program::identifiers::TagSelect;

/// A checked send: ranks are the job's, the context is the wire's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outbound {
    pub(crate) destination: u32,
    pub(crate) context: u32,
    pub(crate) tag: i32,
    pub(crate) bytes: u64,
    pub(crate) instance: CollectiveInstance,
    pub(crate) mode: Mode,
}

/// How a send completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As its size and the configuration have it.
    Standard,
    /// When a receive has matched: by rendezvous.
    Synchronous,
    /// At once.
    Buffered,
}

/// A checked receive: the source is the job's rank or [`NONE`] for any, the context is the wire's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub(crate) source: u32,
    pub(crate) context: u32,
    pub(crate) tag: TagSelect,
    pub(crate) bytes: u64,
    pub(crate) instance: CollectiveInstance,
}
