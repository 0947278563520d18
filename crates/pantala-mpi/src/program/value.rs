//! One value that goes along with a collective, by which the ranks of a program agree.

/// How the values of several ranks become one. Both are idempotent, so the result does not depend on
/// the algorithm of the collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The smallest value.
    Min,
    /// The largest value. For a broadcast, all ranks but the root contribute zero.
    Max,
}

/// The contribution of one rank. All ranks of a call use the same operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// How values become one.
    pub operator: Operator,
    /// The rank's value.
    pub value: u64,
}

impl Contribution {
    /// Takes in the value of another rank.
    pub(crate) fn combine(&mut self, other: u64) {
        self.value = match self.operator {
            Operator::Min => self.value.min(other),
            Operator::Max => self.value.max(other),
        };
    }
}
