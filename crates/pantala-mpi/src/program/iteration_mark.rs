//! Marks of iterations: what an iteration of a program is called in records.

use serde::{Deserialize, Serialize};

/// The motif, the number and the phase of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationMark {
    /// Number of the iteration of the motif, from 0.
    pub iteration: u32,
    /// The motif's number in the program's sequence of motifs, from 0.
    pub motif: u16,
    /// The phase of the iteration, if the motif reports each phase by itself.
    pub phase: Option<PhaseName>,
}

impl IterationMark {
    /// The motif of repetitions that are no iterations of the program: their starts tell where a
    /// run can skip time, and no table has them.
    pub const UNSEEN: u16 = u16::MAX;
}

/// The name of a phase: at most eight bytes, so that a record holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PhaseName([u8; 8]);

impl PhaseName {
    /// A name of one to eight bytes without zeros.
    ///
    /// # Panics If the name is empty or longer.
    #[must_use]
    pub const fn new(name: &str) -> Self {
        let given = name.as_bytes();
        assert!(!given.is_empty() && given.len() <= 8, "a phase's name has one to eight bytes");
        let (mut bytes, mut at) = ([0; 8], 0);
        while at < given.len() {
            bytes[at] = given[at];
            at += 1;
        }
        Self(bytes)
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        std::str::from_utf8(&self.0[..end]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept() {
        for name in ["x", "sweep", "12345678"] {
            assert_eq!(PhaseName::new(name).as_str(), name);
        }
    }
}
