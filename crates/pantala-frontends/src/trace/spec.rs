//! The plan's form of a trace, and the keys of recorded computing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OpenedTrace, TraceFormat};
use crate::opened::Opened;

/// Declares a plan's form of recorded calls: its own keys, and those of the computing between the
/// calls. The two attributes at its start tell whether a plan states the defaults of the latter.
macro_rules! recorded_calls {
    (#[$compute:meta] #[$scale:meta]; $(#[$meta:meta])* pub struct $Name:ident {
        $($(#[$field_meta:meta])* $field_pub:vis $field:ident: $Type:ty,)*
    }) => {
        $(#[$meta])*
        pub struct $Name {
            $($(#[$field_meta])* $field_pub $field: $Type,)*
            /// The computing between the recorded calls.
            #[$compute]
            pub compute: $crate::trace::ComputeTimes,
            /// Factor of the recorded compute times, in millionths.
            #[$scale]
            pub compute_scale_millionths: u64,
            /// Factor of the bytes of all messages and collectives; a plan states it only if it is
            /// not 1.
            #[serde(default = "crate::trace::unamplified", skip_serializing_if = "crate::trace::is_unamplified")]
            pub amplification: u32,
        }

        impl $Name {
            /// The factor of the recorded compute times.
            #[must_use]
            pub const fn compute_scale(&self) -> $crate::trace::ComputeScale {
                $crate::trace::ComputeScale::new(self.compute, self.compute_scale_millionths)
            }
        }
    };
}
pub(crate) use recorded_calls;

recorded_calls! {
    #[serde(default)]
    #[serde(default = "crate::trace::one")];
    /// A trace that the ranks of a job replay.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    pub struct TraceSpec {
        /// The format of the files.
        pub format: TraceFormat,
        /// The trace's file, directory or prefix; absolute, or relative to the working directory.
        pub path: String,
        /// SHA-256 of all files of the trace, in hexadecimal digits.
        pub hash: String,
        /// The trace, once it has been checked.
        #[serde(skip)]
        pub opened: Opened<OpenedTrace>,
    }
}
