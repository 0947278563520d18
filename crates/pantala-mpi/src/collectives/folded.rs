//! Members folded to a power of two, for algorithms that double or halve.
//!
//! Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.5: with `p` the largest power of
//! two not above `n` and `r = n - p`, of the first `2r` members the even ones hand their data to
//! their odd neighbour and sit out.

/// How many take part, and how many do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    /// Those that take part, a power of two.
    pub(super) power: u32,
    /// Those that do not.
    pub(super) rest: u32,
}

/// The part of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seat {
    /// It sits out; its neighbour acts for it.
    Out { partner: u32 },
    /// It is number `place` of those that take part, and acts for its neighbour, if that sits out.
    In { place: u32, partner: Option<u32> },
}

impl Folded {
    pub(super) const fn of(size: u32) -> Self {
        let power = 1 << size.ilog2();
        Self { power, rest: size - power }
    }

    /// Rounds among those that take part. Round 0 of an algorithm is the folding, then come these,
    /// then the unfolding.
    pub(super) const fn rounds(self) -> u32 {
        self.power.ilog2()
    }

    pub(super) const fn seat(self, me: u32) -> Seat {
        if me >= 2 * self.rest {
            Seat::In { place: me - self.rest, partner: None }
        } else if me % 2 == 0 {
            Seat::Out { partner: me + 1 }
        } else {
            Seat::In { place: me / 2, partner: Some(me - 1) }
        }
    }

    /// The member that is number `place` of those that take part.
    pub(super) const fn member(self, place: u32) -> u32 {
        if place < self.rest { 2 * place + 1 } else { place + self.rest }
    }

    /// The first of the members for which number `place` acts; for `place = power`, the number of
    /// all.
    pub(super) const fn first(self, place: u32) -> u32 {
        if place < self.rest { 2 * place } else { place + self.rest }
    }
}
