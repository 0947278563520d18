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

    /// Returns the end with the names of jobs in its diagnosis, where the layers below know numbers:
    /// a line `job 0 rank 3 ...` becomes `job 'name' rank 3 ...`.
    #[must_use]
    pub fn with_names(self, names: &[&str]) -> Self {
        let named = |line: &str| -> Option<String> {
            let start = line.len() - line.trim_start().len();
            let (number, rest) = line[start..].strip_prefix("job ")?.split_once(" rank ")?;
            let name = names.get(number.parse::<usize>().ok()?)?;
            Some(format!("{}job '{name}' rank {rest}", &line[..start]))
        };
        let text = |text: String| -> String {
            let lines = text.split('\n');
            let lines = lines.map(|line| named(line).unwrap_or_else(|| line.to_owned()));
            lines.collect::<Vec<String>>().join("\n")
        };
        match self {
            Self::Stalled(told) => Self::Stalled(text(told)),
            Self::Failed(told) => Self::Failed(text(told)),
            other => other,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnosis_names_jobs() {
        let end =
            End::Stalled("2 ranks wait:\n  job 1 rank 4 is blocked\n  job 7 rank 0".to_owned());
        let told = "2 ranks wait:\n  job 'fft' rank 4 is blocked\n  job 7 rank 0";
        assert_eq!(end.with_names(&["halo", "fft"]).diagnosis(), Some(told));
    }
}
