//! Requests for links: a file that gives all links, and links that fail. Resolving a plan replaces
//! them by `global_links` and `failed_links`.

use super::LARGEST_SEED;
use pantala_topology::LinkClass;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// A number of a row in a message: a line of a text, or a row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A line of a text file.
    Line(u32),
    /// A row of a table without lines.
    Row(u32),
}

impl Place {
    /// The place that many rows after this one.
    #[must_use]
    pub const fn after(self, rows: usize) -> Self {
        match self {
            Self::Line(line) => Self::Line(line + rows as u32),
            Self::Row(row) => Self::Row(row + rows as u32),
        }
    }
}

impl Display for Place {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(out, "line {line}"),
            Self::Row(row) => write!(out, "row {row}"),
        }
    }
}

/// All links between routers, as the columns of a table: each link once, or each link in both
/// directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkFile {
    /// Name of the file, for messages.
    pub name: String,
    /// Place of the first row, for messages. The other rows follow it.
    pub first: Place,
    /// Router at the sending end.
    pub source_router: Vec<Option<i64>>,
    /// Port of that router.
    pub source_port: Vec<Option<i64>>,
    /// Router at the receiving end.
    pub target_router: Vec<Option<i64>>,
    /// Port of that router.
    pub target_port: Vec<Option<i64>>,
    /// Class of the link. Rows of class `terminal`, `injection` and `ejection` are left out.
    /// Absent: the class of the port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Vec<Option<String>>>,
    /// Number among the links of the same two groups. Absent: by router and port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_index: Option<Vec<Option<i64>>>,
}

/// Links between routers that fail. Drawn links come from those that are left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkFailures {
    /// Listed links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<NamedLink>,
    /// Links that a file lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FailureFile>,
    /// Links drawn at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<LinkDraw>,
}

/// The name of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NamedLink {
    /// The link at a router's port: router and port.
    Port([i64; 2]),
    /// All links between two routers.
    Routers([i64; 2]),
}

/// A file of links that fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureFile {
    /// Name of the file, for messages.
    pub name: String,
    /// The links, each with its place in the file.
    pub links: Vec<(Place, NamedLink)>,
}

/// A draw of links of one class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkDraw {
    /// The class of the links.
    pub link_class: LinkClass,
    /// The number of links.
    pub number: DrawnNumber,
    /// Seed of the draw. With one seed, a larger number adds links to those of a smaller one.
    #[schemars(range(max = LARGEST_SEED))]
    pub seed: u64,
}

/// A number of links to draw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DrawnNumber {
    /// This many links.
    Count(u32),
    /// This share of the links of the class that are left, from 0 to 1, rounded to a whole number.
    Share(#[schemars(range(min = 0.0, max = 1.0))] f64),
}
