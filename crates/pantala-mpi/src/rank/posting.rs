//! Sends and receives whose arguments have been checked.

use crate::message::CollectiveInstance;
use crate::program::identifiers::TagSelect;

/// A checked send. The destination is a rank of the job, the context is that of the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outbound {
    pub(crate) destination: u32,
    pub(crate) context: u32,
    pub(crate) tag: i32,
    pub(crate) bytes: u64,
    pub(crate) instance: CollectiveInstance,
    /// The value that goes along with a message of a collective.
    pub(crate) value: u64,
    pub(crate) mode: Mode,
}

/// How a send completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As size and configuration require.
    Standard,
    /// When a receive has matched. The message uses the rendezvous protocol.
    Synchronous,
    /// At once.
    Buffered,
    /// As an eager message requires. The message uses the eager protocol at any size.
    Eager,
}

/// A checked receive. The source is a rank of the job, or [`NONE`] for any. The context is that of
/// the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub(crate) source: u32,
    pub(crate) context: u32,
    pub(crate) tag: TagSelect,
    pub(crate) bytes: u64,
    pub(crate) instance: CollectiveInstance,
}
