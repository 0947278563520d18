//! Members folded to a power of two, for algorithms that double or halve distances.
//!
//! Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005), section 4.5. Let `p` be the largest power
//! of two not above `n`, and `r = n - p`. Of the first `2r` members, the even ones send their data
//! to their odd neighbour and do not take part.

/// The number of members that take part, and of those that do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    /// Number of members that take part: a power of two.
    pub(super) power: u32,
    /// Number of members that do not take part.
    pub(super) rest: u32,
}

/// The role of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The member does not take part. Its neighbour acts for it.
    Out { partner: u32 },
    /// The member takes part with the number `place`, and acts for its neighbour if that one does
    /// not.
    In { place: u32, partner: Option<u32> },
}

impl Folded {
    pub(super) const fn of(size: u32) -> Self {
        let power = 1 << size.ilog2();
        Self { power, rest: size - power }
    }

    /// Number of rounds among the members that take part. Round 0 of an algorithm is the folding;
    /// these rounds and the unfolding follow.
    pub(super) const fn rounds(self) -> u32 {
        self.power.ilog2()
    }

    pub(super) const fn role(self, me: u32) -> Role {
        if me >= 2 * self.rest {
            Role::In { place: me - self.rest, partner: None }
        } else if me % 2 == 0 {
            Role::Out { partner: me + 1 }
        } else {
            Role::In { place: me / 2, partner: Some(me - 1) }
        }
    }

    /// The member with number `place` among those that take part.
    pub(super) const fn member(self, place: u32) -> u32 {
        if place < self.rest { 2 * place + 1 } else { place + self.rest }
    }

    /// The first member for which number `place` acts. For `place = power`, the number of all
    /// members.
    pub(super) const fn first(self, place: u32) -> u32 {
        if place < self.rest { 2 * place } else { place + self.rest }
    }
}
