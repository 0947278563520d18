//! The kinds of collectives, independent of the algorithm.

/// The kind of a collective, independent of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CollectiveKind {
    /// Barrier.
    Barrier = 1,
    /// Broadcast.
    Bcast,
    /// Reduce.
    Reduce,
    /// Allreduce.
    Allreduce,
    /// Alltoall.
    Alltoall,
    /// Reduce-scatter, of blocks of one size or of different sizes.
    ReduceScatter,
    /// Allgather.
    Allgather,
    /// Allgather of different sizes.
    Allgatherv,
    /// Gather.
    Gather,
    /// Gather of different sizes.
    Gatherv,
    /// Scatter.
    Scatter,
    /// Scatter of different sizes.
    Scatterv,
    /// Alltoall of different sizes.
    Alltoallv,
    /// Scan.
    Scan,
    /// Exscan.
    Exscan,
    /// The creation of a communicator.
    Communicator,
}

impl CollectiveKind {
    /// All kinds, in the order of their tags.
    pub const ALL: [Self; 16] = [
        Self::Barrier,
        Self::Bcast,
        Self::Reduce,
        Self::Allreduce,
        Self::Alltoall,
        Self::ReduceScatter,
        Self::Allgather,
        Self::Allgatherv,
        Self::Gather,
        Self::Gatherv,
        Self::Scatter,
        Self::Scatterv,
        Self::Alltoallv,
        Self::Scan,
        Self::Exscan,
        Self::Communicator,
    ];

    /// The tag of its messages. It is negative, and tags of programs are not, so message records
    /// tell the kind.
    #[must_use]
    pub const fn tag(self) -> i32 {
        -(self as i32)
    }

    /// The kind whose messages have this tag.
    #[must_use]
    pub fn of_tag(tag: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.tag() == tag)
    }

    /// The name in reports and error messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Bcast => "bcast",
            Self::Reduce => "reduce",
            Self::Allreduce => "allreduce",
            Self::Alltoall => "alltoall",
            Self::ReduceScatter => "reduce_scatter",
            Self::Allgather => "allgather",
            Self::Allgatherv => "allgatherv",
            Self::Gather => "gather",
            Self::Gatherv => "gatherv",
            Self::Scatter => "scatter",
            Self::Scatterv => "scatterv",
            Self::Alltoallv => "alltoallv",
            Self::Scan => "scan",
            Self::Exscan => "exscan",
            Self::Communicator => "communicator creation",
        }
    }

    /// The name of its non-blocking form.
    #[must_use]
    pub const fn non_blocking_name(self) -> &'static str {
        match self {
            Self::Barrier => "ibarrier",
            Self::Bcast => "ibcast",
            Self::Reduce => "ireduce",
            Self::Allreduce => "iallreduce",
            Self::Alltoall => "ialltoall",
            Self::ReduceScatter => "ireduce_scatter",
            Self::Allgather => "iallgather",
            Self::Allgatherv => "iallgatherv",
            Self::Gather => "igather",
            Self::Gatherv => "igatherv",
            Self::Scatter => "iscatter",
            Self::Scatterv => "iscatterv",
            Self::Alltoallv => "ialltoallv",
            Self::Scan => "iscan",
            Self::Exscan => "iexscan",
            Self::Communicator => "communicator creation",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_tell_kinds() {
        for kind in CollectiveKind::ALL {
            assert!(kind.tag() < 0);
            assert_eq!(CollectiveKind::of_tag(kind.tag()), Some(kind));
        }
        assert_eq!(CollectiveKind::Alltoall.tag(), -5);
        assert_eq!(CollectiveKind::of_tag(0), None);
    }
}
