//! The place of an operation in the program of its rank, for messages.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The place of an operation in the program of its rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A line of a program: its file and the number of the line.
    Line(String),
    /// The number of the operation among those of the rank, from 0.
    Operation(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => f.write_str(line),
            Self::Operation(number) => write!(f, "operation {number}"),
        }
    }
}

/// A place after the name of a call: in parentheses, or nothing if it is unknown.
pub(crate) struct At<'a>(pub(crate) &'a Option<Place>);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |place| write!(f, " ({place})"))
    }
}
