//! Identifiers that programs use: communicators, requests, sources and tags.

/// The number of a communicator of a rank. 0 is `COMM_WORLD`; the communicators given at setup
/// follow. A communicator made by an operation gets the lowest free number, which
/// [`Outcome::Communicator`](crate::Outcome::Communicator) tells.
pub type CommunicatorId = u16;

/// The communicator of all ranks of the job.
pub const COMM_WORLD: CommunicatorId = 0;

/// The number of a request, chosen by the program. The program may reuse it after a wait for the
/// request.
///
/// Requests are slots of the rank. A program numbers them densely from zero, at most
/// [`MAX_REQUESTS`].
pub type Request = u32;

/// The bound of request numbers. The slots are an array, so a sparse numbering would waste memory.
pub const MAX_REQUESTS: u32 = 1 << 20;

/// The source that a receive accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// This rank of the communicator.
    Rank(u32),
    /// Any rank of the communicator.
    Any,
}

/// The tag that a receive accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagSelect {
    /// This tag.
    Is(i32),
    /// Any tag.
    Any,
}

impl TagSelect {
    /// Whether a message with `tag` is accepted.
    #[inline]
    #[must_use]
    pub const fn accepts(self, tag: i32) -> bool {
        match self {
            Self::Is(wanted) => wanted == tag,
            Self::Any => true,
        }
    }
}
