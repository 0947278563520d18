//! The classes of directed links in tables.

use pantala_topology::LinkClass;
use serde::{Deserialize, Serialize};

/// The class of a directed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum DirectedClass {
    Injection,
    Ejection,
    Local,
    Row,
    Column,
    Global,
}

impl DirectedClass {
    pub(crate) const ALL: [Self; 6] =
        [Self::Injection, Self::Ejection, Self::Local, Self::Row, Self::Column, Self::Global];

    /// The class of an output's link.
    pub(crate) const fn of_output(class: LinkClass) -> Self {
        match class {
            LinkClass::Terminal => Self::Ejection,
            LinkClass::Local => Self::Local,
            LinkClass::Row => Self::Row,
            LinkClass::Column => Self::Column,
            LinkClass::Global => Self::Global,
        }
    }

    /// The name in tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Injection => "injection",
            Self::Ejection => "ejection",
            Self::Local => "local",
            Self::Row => "row",
            Self::Column => "column",
            Self::Global => "global",
        }
    }
}
