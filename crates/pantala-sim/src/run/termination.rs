//! The ends of a run, and its progress before.

use pantala_engine::Time;

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
