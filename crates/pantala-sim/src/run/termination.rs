//! The ends of a run, and its progress before.

use pantala_engine::Time;
use pantala_mpi::Blocked;
use std::collections::BTreeSet;

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every finite job has ended.
    Finished,
    /// The plan's duration is over.
    Duration,
    /// The observer stopped the run.
    Interrupted,
    /// No packet or rank can move. The text says what they wait for.
    Stalled(String),
    /// A program violated MPI's rules.
    Failed(String),
}

impl End {
    /// Returns the word in run.json.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Duration => "duration",
            Self::Interrupted => "interrupted",
            Self::Stalled(_) => "stalled",
            Self::Failed(_) => "failed",
        }
    }

    /// Returns whether the plan ended the run. The plan's duration may end it before its jobs
    /// finish.
    #[must_use]
    pub const fn planned(&self) -> bool {
        matches!(self, Self::Finished | Self::Duration)
    }

    /// Returns the diagnosis, if there is one.
    #[must_use]
    pub fn diagnosis(&self) -> Option<&str> {
        match self {
            Self::Stalled(text) | Self::Failed(text) => Some(text),
            _ => None,
        }
    }
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// Packets delivered.
    pub packets_delivered: u64,
    /// Packet-hops.
    pub packet_hops: u64,
    /// Ranks whose program has ended.
    pub ranks_done: u32,
    /// Ranks with a program.
    pub ranks: u32,
    /// Progress from 0 to 1, if it is known.
    pub fraction: Option<f64>,
}

/// Returns the diagnosis of an MPI deadlock.
pub(crate) fn deadlock(blocked: &[Blocked]) -> String {
    const SHOWN: usize = 12;
    let ranks: BTreeSet<_> = blocked.iter().map(|b| (b.job, b.rank)).collect();
    let mut text = format!("{} ranks wait for one another (MPI deadlock):", ranks.len());
    for line in blocked.iter().take(SHOWN) {
        text.push_str(&format!("\n  {line}"));
    }
    if blocked.len() > SHOWN {
        text.push_str(&format!("\n  ... and {} more", blocked.len() - SHOWN));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use pantala_mpi::Waits;

    #[test]
    fn a_deadlock_is_told_rank_by_rank() {
        let wait = |rank| Blocked {
            job: 0,
            rank,
            call: "send".into(),
            since: 5,
            waits: Waits::ToSend,
            peer: Some(rank ^ 1),
            tag: Some(3),
            bytes: 20_000,
            matched: false,
            peer_ended: false,
            mismatch: None,
        };
        assert_eq!(
            deadlock(&[wait(0), wait(1)]),
            "2 ranks wait for one another (MPI deadlock):\n  \
             job 0 rank 0 is blocked in send since 5 ps: 20000 bytes to rank 1, tag 3, no receive matches\n  \
             job 0 rank 1 is blocked in send since 5 ps: 20000 bytes to rank 0, tag 3, no receive matches"
        );
        let many: Vec<Blocked> = (0..40).map(wait).collect();
        let text = deadlock(&many);
        assert!(text.starts_with("40 ranks wait") && text.ends_with("  ... and 28 more"), "{text}");
        assert_eq!(text.lines().count(), 14);
    }
}
