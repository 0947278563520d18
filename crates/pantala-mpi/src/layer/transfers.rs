//! [`Transfers`]: the messages, receives and sends that are under way, by handle.

use crate::arena::Arena;
use crate::message::Message;
use crate::rank::PendingSend;
use crate::rank::matching::PostedReceive;

/// Numbers of handles in use and their peaks, for tests and memory accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// Transmissions that are queued, on their way, or unmatched.
    pub messages: usize,
    /// Peak of `messages`.
    pub messages_peak: usize,
    /// Receives that are not complete.
    pub receives: usize,
    /// Peak of `receives`.
    pub receives_peak: usize,
    /// Sends that are not complete.
    pub sends: usize,
    /// Peak of `sends`.
    pub sends_peak: usize,
}

/// What is under way. A handle is a place in its arena.
#[derive(Clone, Debug)]
pub(crate) struct Transfers {
    pub(crate) messages: Arena<Message>,
    pub(crate) receives: Arena<PostedReceive>,
    pub(crate) sends: Arena<PendingSend>,
    /// Scratch space: pairs of a receive and its message.
    pub(crate) matches: Vec<(u32, u32)>,
}

impl Transfers {
    pub(crate) fn new() -> Self {
        Self {
            messages: Arena::new(),
            receives: Arena::new(),
            sends: Arena::new(),
            matches: Vec::new(),
        }
    }

    /// Returns the numbers of handles in use, and their peaks.
    pub(crate) fn holdings(&self) -> Holdings {
        Holdings {
            messages: self.messages.len(),
            messages_peak: self.messages.peak(),
            receives: self.receives.len(),
            receives_peak: self.receives.peak(),
            sends: self.sends.len(),
            sends_peak: self.sends.peak(),
        }
    }
}
