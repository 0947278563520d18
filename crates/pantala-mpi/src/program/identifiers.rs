//! Communicator ids, requests, sources and tags: how a program names them.

/// Which of a rank's communicators: 0 is the job's world, then come those given at set-up. A
/// communicator made by an operation gets the lowest number that is free ([`Outcome::Communicator`]
/// tells it).
pub type CommunicatorId = u16;

/// The communicator of all ranks of the job.
pub const COMM_WORLD: CommunicatorId = 0;

/// A request: a small number that the program chooses and may use again once the request has been
/// waited for.
///
/// Requests are slots of the rank, so a program numbers them densely from zero (at most
/// [`MAX_REQUESTS`]).
pub type Request = u32;

/// The bound of request numbers: slots are an array of the rank, and a sparse numbering would waste
/// it.
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
