//! The format of a trace, found from its files.

use std::path::Path;

use super::{TraceError, TraceFormat};
use crate::{chakra, dumpi, goal};

impl TraceFormat {
    /// Finds the format of the trace at `path` from its files.
    ///
    /// # Errors
    /// A [`TraceError`] if the path does not exist or no format has such files.
    pub fn find(path: &Path) -> Result<Self, TraceError> {
        if dumpi::recognizes(path) {
            return Ok(Self::Dumpi);
        }
        if goal::recognizes(path) {
            return Ok(Self::Goal);
        }
        if chakra::recognizes(path) {
            return Ok(Self::Chakra);
        }
        let message = if path.exists() {
            "is no trace; a trace is DUMPI's .meta file, its directory or the prefix of its files, a \
             GOAL schedule, the directory or prefix of Chakra's files NAME.RANK.et, or OTF2's .otf2 \
             file or its directory"
        } else {
            "there is no such file; write the path of the trace"
        };
        Err(TraceError::new(path, message))
    }
}
