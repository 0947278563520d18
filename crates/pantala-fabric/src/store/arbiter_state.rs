//! The state of arbiters: whose turn it is, which VCs packets hold, and scratch space.

use crate::store::bounds::empty;
use pantala_engine::{ProvenArray, Time};

/// The round-robin pointers of an input port, under iSLIP.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InputTurn {
    /// The output port whose offer is accepted first.
    pub(crate) next_output: u16,
    /// The VC that goes first among VCs that want the same output.
    pub(crate) next_vc: u16,
}

/// The hold on an output VC, if packets hold it while they cross.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    /// Until when the last packet that crossed holds it.
    pub(crate) until: Time,
    /// The input VC whose head it is allocated to, until that crosses, its last flit if flits cross
    /// one by one; [`crate::store::packet::NONE`]: none.
    pub(crate) owner: u32,
    /// The round-robin pointer of its allocation.
    pub(crate) next_input: u16,
}

/// The offer of an output to the head of an input VC, under iSLIP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) in_port: u32,
    /// The distance of the output from the input port's round-robin pointer.
    pub(crate) behind: u32,
    pub(crate) in_vc: u32,
    pub(crate) out: usize,
}

/// The state of all arbiters of a partition. Each array is empty unless the arbiter needs it.
#[derive(Debug)]
pub(crate) struct ArbiterState {
    /// Per input VC, the time of its last grant, for [`crate::config::Arbiter::Lru`].
    pub(crate) grant_stamps: ProvenArray<u64>,
    /// Per input port, whose turn it is, for [`crate::config::Arbiter::Islip`].
    pub(crate) input_turns: ProvenArray<InputTurn>,
    /// Per output VC, the packet that holds it while it crosses.
    pub(crate) holds: ProvenArray<Hold>,
    /// Scratch space: input VC and output of the packets that can cross.
    pub(crate) candidates: Vec<(u32, u32)>,
    /// Scratch space: those packets with their rank, if there are several.
    pub(crate) ranked: Vec<(u64, u32, u32)>,
    /// Scratch space: the offers of outputs.
    pub(crate) offers: Vec<Offer>,
}

impl Default for ArbiterState {
    fn default() -> Self {
        Self {
            grant_stamps: empty(),
            input_turns: empty(),
            holds: empty(),
            candidates: Vec::new(),
            ranked: Vec::new(),
            offers: Vec::new(),
        }
    }
}

impl ArbiterState {
    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.grant_stamps.memory() + self.input_turns.memory() + self.holds.memory()
    }
}
