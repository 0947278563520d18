//! The requests for outputs: routed packets, the packets that wait for each output, and the outputs
//! to arbitrate now.

use crate::partition::setup::Setup;
use crate::variant::Variant;
use pantala_engine::ProvenArray;

/// A routed packet at the head of its input VC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub(crate) packet: u32,
    pub(crate) in_vc: u32,
    pub(crate) in_port: u32,
    pub(crate) out: u32,
    pub(crate) out_vc: u32,
}

/// The requests for outputs of all routers.
#[derive(Debug)]
pub(crate) struct Requests {
    /// Per output VC, a set of the router's input VCs whose head waits for it, in
    /// [`Setup::words`](crate::partition::setup::Setup::words) words.
    pub(crate) waiting: ProvenArray<u64>,
    /// The packets routed at this time, each the first of its input VC. If inputs queue by output:
    /// all packets that arrive at this time, which have no output yet.
    pub(crate) arrived: Vec<Arrived>,
    /// The input VCs whose new head must be routed at this time.
    pub(crate) fresh: Vec<u32>,
    /// Per router, the set of outputs to arbitrate at this time, in `dirty_words` words.
    pub(crate) dirty: ProvenArray<u64>,
    pub(crate) dirty_words: usize,
    /// The routers whose set in `dirty` is not empty.
    pub(crate) dirty_routers: Vec<u32>,
    /// Scratch space: the outputs of one router.
    pub(crate) dirty_outs: Vec<usize>,
}

impl Requests {
    /// Lists an output for arbitration at this time.
    #[inline(always)]
    pub(crate) fn mark_dirty<F: Variant>(&mut self, router: u32, port: u16) {
        let index = if F::MODEL.is_some_and(|model| model.one_word) {
            router as usize
        } else {
            router as usize * self.dirty_words + usize::from(port / 64)
        };
        let set = &mut self.dirty[index];
        let first = *set == 0;
        *set |= 1 << (port % 64);
        // With more than one word a router may be listed more than once; its sets are empty the
        // second time.
        if first {
            self.dirty_routers.push(router);
        }
    }

    /// Notes that the head of an input VC waits for an output VC.
    #[inline(always)]
    pub(crate) fn begin_wait(&mut self, setup: &Setup, out_vc: usize, bit: usize) {
        self.waiting[out_vc * setup.words + bit / 64] |= 1 << (bit % 64);
    }

    /// Notes that an input VC no longer waits for an output VC; returns whether none does.
    #[inline(always)]
    pub(crate) fn end_wait(&mut self, setup: &Setup, out_vc: usize, bit: usize) -> bool {
        let first = out_vc * setup.words;
        self.waiting[first + bit / 64] &= !(1 << (bit % 64));
        (first..first + setup.words).all(|word| self.waiting[word] == 0)
    }

    /// Returns whether the input VC with that bit waits for an output VC. Between two flits, the
    /// input VC that an output VC is allocated to does not.
    pub(crate) fn is_waiting(&self, setup: &Setup, out_vc: usize, bit: usize) -> bool {
        self.waiting[out_vc * setup.words + bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Returns word `word` of the set of input VCs that wait for any of these VCs of `out`.
    #[inline(always)]
    pub(crate) fn waiting_word(&self, setup: &Setup, out: usize, vcs: u16, word: usize) -> u64 {
        bits(vcs.into())
            .fold(0, |set, vc| set | self.waiting[(out * setup.vcs + vc) * setup.words + word])
    }

    /// Returns the bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.waiting.memory() + self.dirty.memory()
    }
}

/// Returns the numbers of the bits that are set in a word.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            bit
        })
    })
}
