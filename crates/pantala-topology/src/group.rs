//! The inside of a group: its links and their ports. Routers are numbered from the group's first
//! router, ports from the router's first local port.

use crate::divisor::Divisor;
use crate::{GroupSpec, LinkClass};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The order of dimensions on a minimal path inside a group that is a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocalOrder {
    /// Along the row to the right column, then along the column.
    #[default]
    RowFirst,
    /// Along the column to the right row, then along the row.
    ColumnFirst,
}

impl LocalOrder {
    /// Both orders.
    pub const ALL: [Self; 2] = [Self::RowFirst, Self::ColumnFirst];
}

/// The inside of a group; all groups are equal. A full mesh is a grid of one row with another link
/// class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    is_grid: bool,
    /// Number of links between every two routers of a row.
    row_links: u32,
    /// Number of links between every two routers of a column.
    column_links: u32,
    /// Number of local ports of a router along its row. The ports along its column follow.
    row_ports: u32,
    column_ports: u32,
    rows: u32,
    columns: u32,
    by_columns: Divisor,
    by_row_links: Divisor,
    by_column_links: Divisor,
}

impl Group {
    /// Creates a group from a specification that [`crate::DragonflySpec::check`] has passed.
    pub(crate) fn new(spec: GroupSpec) -> Self {
        let (is_grid, rows, columns, row_links, column_links) = match spec {
            GroupSpec::FullMesh { routers, links_per_pair } => {
                (false, 1, routers, links_per_pair, 1)
            }
            GroupSpec::Grid { rows, columns, links_per_row_pair, links_per_column_pair } => {
                (true, rows, columns, links_per_row_pair, links_per_column_pair)
            }
        };
        // If a dimension has one router, its number of parallel links does not matter.
        let row_links = if columns == 1 { 1 } else { row_links };
        let column_links = if rows == 1 { 1 } else { column_links };
        Self {
            is_grid,
            row_links,
            column_links,
            row_ports: (columns - 1) * row_links,
            column_ports: (rows - 1) * column_links,
            rows,
            columns,
            by_columns: Divisor::new(columns),
            by_row_links: Divisor::new(row_links),
            by_column_links: Divisor::new(column_links),
        }
    }

    #[inline]
    pub(crate) fn is_grid(&self) -> bool {
        self.is_grid
    }

    #[inline]
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    #[inline]
    pub(crate) fn columns(&self) -> u32 {
        self.columns
    }

    /// Number of local ports per router.
    #[inline]
    pub(crate) fn ports(&self) -> u32 {
        self.row_ports + self.column_ports
    }

    /// The row and the column of a router.
    #[inline]
    pub(crate) fn place(&self, router: u32) -> (u32, u32) {
        let row = self.by_columns.quotient(router);
        (row, router - row * self.columns)
    }

    /// The class of a local port.
    #[inline]
    pub(crate) fn class(&self, port: u32) -> LinkClass {
        if !self.is_grid {
            LinkClass::Local
        } else if port < self.row_ports {
            LinkClass::Row
        } else {
            LinkClass::Column
        }
    }

    /// The first port and the number of ports to the next router on the minimal path from `here` to
    /// `there`.
    #[inline]
    pub(crate) fn step(&self, here: u32, there: u32, order: LocalOrder) -> (u32, u32) {
        debug_assert!(here != there, "a router has no link to itself");
        if !self.is_grid {
            return (others_before(here, there) * self.row_links, self.row_links);
        }
        let (here, there) = (self.place(here), self.place(there));
        let along_row = match order {
            LocalOrder::RowFirst => here.1 != there.1,
            LocalOrder::ColumnFirst => here.0 == there.0,
        };
        if along_row {
            (others_before(here.1, there.1) * self.row_links, self.row_links)
        } else {
            (self.row_ports + others_before(here.0, there.0) * self.column_links, self.column_links)
        }
    }

    /// The number of links on the minimal path from one router to another.
    #[inline]
    pub(crate) fn distance(&self, here: u32, there: u32) -> u32 {
        if !self.is_grid {
            return u32::from(here != there);
        }
        let (here, there) = (self.place(here), self.place(there));
        u32::from(here.0 != there.0) + u32::from(here.1 != there.1)
    }

    /// The router and the port at the far end of a local port.
    #[inline]
    pub(crate) fn peer(&self, here: u32, port: u32) -> (u32, u32) {
        let (row, column) = self.place(here);
        if port < self.row_ports {
            let other = self.by_row_links.quotient(port);
            let parallel = port - other * self.row_links;
            let there = other + u32::from(other >= column);
            (here - column + there, others_before(there, column) * self.row_links + parallel)
        } else {
            let port = port - self.row_ports;
            let other = self.by_column_links.quotient(port);
            let parallel = port - other * self.column_links;
            let there = other + u32::from(other >= row);
            let back = self.row_ports + others_before(there, row) * self.column_links + parallel;
            (there * self.columns + column, back)
        }
    }

    /// The parallel index of the link at a local port, from 0.
    pub(crate) fn parallel_index(&self, port: u32) -> u32 {
        if port < self.row_ports {
            port % self.row_links
        } else {
            (port - self.row_ports) % self.column_links
        }
    }
}

/// The number of routers before `there` in an ordered list without `here`.
#[inline]
fn others_before(here: u32, there: u32) -> u32 {
    there - u32::from(there > here)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 rows of 3 columns, routers 0 1 2 above 3 4 5. There are two links per pair along a row
    /// (ports 0 to 3) and three along a column (ports 4 to 6).
    fn grid() -> Group {
        Group::new(GroupSpec::Grid {
            rows: 2,
            columns: 3,
            links_per_row_pair: 2,
            links_per_column_pair: 3,
        })
    }

    #[test]
    fn a_grid_by_hand() {
        let group = grid();
        assert_eq!(group.ports(), 7);
        assert_eq!(group.place(5), (1, 2));
        assert_eq!(
            (0..7).map(|port| group.class(port).name()).filter(|&name| name == "row").count(),
            4
        );
        // Router 1: ports 0, 1 to router 0; 2, 3 to router 2; 4, 5, 6 to router 4.
        assert_eq!(
            (0..7).map(|port| group.peer(1, port).0).collect::<Vec<_>>(),
            [0, 0, 2, 2, 4, 4, 4]
        );
        // The way back starts at router 0's ports to its first other router, and at router 2's
        // ports to its second.
        assert_eq!(
            (0..7).map(|port| group.peer(1, port).1).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5, 6]
        );
        assert_eq!(
            (0..7).map(|port| group.parallel_index(port)).collect::<Vec<_>>(),
            [0, 1, 0, 1, 0, 1, 2]
        );
    }

    #[test]
    fn the_order_matters_only_off_row_and_column() {
        let group = grid();
        for (here, there, row_first, column_first) in [
            (0, 2, (2, 2), (2, 2)),
            (0, 3, (4, 3), (4, 3)),
            (0, 5, (2, 2), (4, 3)),
            (4, 0, (0, 2), (4, 3)),
        ] {
            assert_eq!(
                group.step(here, there, LocalOrder::RowFirst),
                row_first,
                "{here} to {there}"
            );
            assert_eq!(
                group.step(here, there, LocalOrder::ColumnFirst),
                column_first,
                "{here} to {there}"
            );
        }
    }
}
