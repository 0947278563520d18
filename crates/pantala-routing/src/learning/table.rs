//! The tables of estimates of all routers.

use super::{LinkLatencies, first_estimates};
use crate::RoutingConfig;
use pantala_engine::FlatArray;
use pantala_topology::{Peer, Topology};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The tables of all routers.
///
/// A router's table has a row for each (destination group, slot) and a column for each port to a
/// router: (g - 1) p rows and a - 1 + h columns if all links are single. The slot is the place of a
/// packet's source terminal at its source router, at every router of its path. A cell estimates the
/// time, in ns, from the packet's arrival at this router until it arrives in the destination's
/// group, if it leaves by this port. The cells of ports without a link are infinite.
///
/// A cell is an `f32`: whole nanoseconds are exact up to 16 ms, and a table of 16,512 terminals
/// takes 190 MB. Rows are filled up with infinite cells to whole vectors.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct QTable {
    routers_per_group: u32,
    groups: u32,
    slots: u32,
    first_port: u32,
    columns: u32,
    /// Per router, row and column, with [`Self::width`] cells for each row.
    cells: FlatArray<f32>,
}

/// Cells that are compared together.
const LANES: usize = 8;

/// Returns the least estimate of a row.
#[inline]
pub(crate) fn least(row: &[f32]) -> f32 {
    let less = |least: f32, cell: f32| if cell < least { cell } else { least };
    let vectors = row.chunks_exact(LANES);
    let rest = vectors.remainder();
    let mut lanes = [f32::INFINITY; LANES];
    for vector in vectors {
        for (lane, cell) in lanes.iter_mut().zip(vector) {
            *lane = less(*lane, *cell);
        }
    }
    let lanes = lanes.into_iter().fold(f32::INFINITY, less);
    rest.iter().copied().fold(lanes, less)
}

/// One estimate of a router's table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The router.
    pub router: u32,
    /// The destination group of packets.
    pub destination_group: u32,
    /// The place of their source terminals at their routers.
    pub slot: u32,
    /// The port that they leave by.
    pub port: u32,
    /// Time from here to the destination's group, in ns.
    pub ns: f32,
}

/// The reason why estimates do not fit a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Misfit {
    /// The router, group, slot or port with a link does not exist, or the value is not a time.
    Stray(Estimate),
    /// The estimate exists twice.
    Twice(Estimate),
    /// This many estimates are missing.
    Missing(usize),
}

impl QTable {
    /// Makes tables from the latencies of links: for a router's own link to the destination's group
    /// the latency of a global link, for every other port that of a global and a local link.
    #[must_use]
    pub fn untrained(
        routings: &[RoutingConfig],
        latencies: LinkLatencies,
        topology: &Topology,
    ) -> Self {
        Self::untrained_part(routings, latencies, topology, 0..topology.routers())
    }

    /// Makes such tables of the routers `own` only.
    pub(super) fn untrained_part(
        routings: &[RoutingConfig],
        latencies: LinkLatencies,
        topology: &Topology,
        own: Range<u32>,
    ) -> Self {
        let (direct, other) = first_estimates(routings, latencies);
        Self::of(topology, own, direct, other)
    }

    /// Returns the sum of all finite estimates, each rounded to a nanosecond: 0 without learning.
    #[must_use]
    pub fn sum_ns(&self) -> u128 {
        self.cells.iter().filter(|cell| cell.is_finite()).map(|cell| cell.round() as u128).sum()
    }

    /// Joins the tables of consecutive routers, in order.
    #[must_use]
    pub fn joined<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut parts = parts.into_iter();
        let mut all = parts.next().cloned().unwrap_or_default();
        for part in parts {
            all.cells.extend(part.cells.iter().copied());
        }
        all
    }

    /// Replaces the estimates by those of the same routers in other tables.
    ///
    /// # Panics
    /// If those are for another network.
    pub(super) fn take_from(&mut self, other: &Self) {
        assert!(self.has_shape_of(other), "tables of this network");
        let cells = other.cells.run(self.cells.first(), self.cells.len());
        assert!(
            self.cells.iter().zip(cells).all(|(a, b)| a.is_finite() == b.is_finite()),
            "estimates of links that there are"
        );
        self.cells = FlatArray::numbered_from(self.cells.first(), cells.to_vec());
    }

    /// Makes tables with one estimate for a router's own links to the destination's group, and one
    /// for every other port.
    pub(super) fn of(topology: &Topology, own: Range<u32>, direct: f32, other: f32) -> Self {
        let first_port = u32::from(topology.first_local_port());
        let mut table = Self {
            routers_per_group: topology.routers_per_group(),
            groups: topology.groups(),
            slots: topology.terminals_per_router(),
            first_port,
            columns: topology.ports_per_router() - first_port,
            cells: FlatArray::default(),
        };
        let each = table.rows() as usize * table.width();
        let mut values = Vec::with_capacity(own.len() * each);
        let first = own.start as usize * each;
        for router in own {
            let group = topology.group_of(router);
            // The group behind each port.
            let behind: Vec<Option<u32>> = (first_port..topology.ports_per_router())
                .map(|port| match topology.peer(router, port as u16) {
                    Peer::Port { router, .. } => Some(topology.group_of(router)),
                    Peer::Terminal(_) | Peer::Unconnected => None,
                })
                .collect();
            for destination in (0..topology.groups()).filter(|&other| other != group) {
                for _ in 0..table.slots {
                    values.extend(behind.iter().map(|behind| match behind {
                        Some(group) if *group == destination => direct,
                        Some(_) => other,
                        None => f32::INFINITY,
                    }));
                    values.resize(values.len().next_multiple_of(LANES), f32::INFINITY);
                }
            }
        }
        table.cells = FlatArray::numbered_from(first, values);
        table
    }

    /// Returns the rows of a router's table.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.groups.saturating_sub(1) * self.slots
    }

    /// Returns the columns of a router's table: its non-terminal ports.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The first port that has a column.
    #[inline]
    pub(super) fn first_port(&self) -> u32 {
        self.first_port
    }

    /// The row of a router in `group` for packets to another group from terminals in `slot`.
    #[inline]
    pub(super) fn row_of(&self, group: u32, destination_group: u32, slot: u16) -> u32 {
        debug_assert_ne!(group, destination_group, "a table has no row for its own group");
        (destination_group - u32::from(destination_group > group)) * self.slots + u32::from(slot)
    }

    /// The cells of a row.
    #[inline]
    fn width(&self) -> usize {
        (self.columns as usize).next_multiple_of(LANES)
    }

    /// Where a row begins among the cells.
    #[inline]
    fn start(&self, router: u32, row: u32) -> usize {
        (router as usize * self.rows() as usize + row as usize) * self.width()
    }

    /// A row, with the cells that fill it up.
    #[inline]
    pub(super) fn row_at(&self, router: u32, row: u32) -> &[f32] {
        self.cells.run(self.start(router, row), self.width())
    }

    /// A cell.
    #[inline]
    pub(super) fn cell_mut(&mut self, router: u32, row: u32, column: u32) -> &mut f32 {
        let index = self.start(router, row) + column as usize;
        &mut self.cells[index]
    }

    /// Returns whether the other tables are for the same network.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.has_shape_of(other)
            && self.cells.len() == other.cells.len()
            && self
                .cells
                .iter()
                .zip(other.cells.iter())
                .all(|(a, b)| a.is_finite() == b.is_finite())
    }

    fn has_shape_of(&self, other: &Self) -> bool {
        (self.routers_per_group, self.groups, self.slots, self.first_port, self.columns)
            == (other.routers_per_group, other.groups, other.slots, other.first_port, other.columns)
    }

    /// Returns the number of estimates: those of ports with a link.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.iter().filter(|cell| cell.is_finite()).count()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns every estimate in the order of router, destination group, slot and port.
    pub fn estimates(&self) -> impl Iterator<Item = Estimate> + '_ {
        let (rows, columns) = (self.rows().max(1) as usize, self.width().max(1));
        self.cells.numbered().filter(|(_, ns)| ns.is_finite()).map(move |(index, &ns)| {
            let (router, row) = (index / columns / rows, (index / columns % rows) as u32);
            let (router, destination) = (router as u32, row / self.slots);
            Estimate {
                router,
                destination_group: destination
                    + u32::from(destination >= router / self.routers_per_group),
                slot: row % self.slots,
                port: self.first_port + (index % columns) as u32,
                ns,
            }
        })
    }

    /// Returns tables for the same network with other estimates: one for every port with a link, in
    /// any order.
    ///
    /// # Errors
    /// Returns a [`Misfit`] if these are not the estimates of this network.
    pub fn filled(&self, estimates: impl IntoIterator<Item = Estimate>) -> Result<Self, Misfit> {
        let open = |&cell: &f32| if cell.is_finite() { f32::NAN } else { cell };
        let mut filled =
            Self { cells: self.cells.iter().map(open).collect::<Vec<_>>().into(), ..*self };
        for estimate in estimates {
            match filled.place(&estimate) {
                Some(cell) if cell.is_nan() => *cell = estimate.ns,
                Some(cell) if cell.is_finite() => return Err(Misfit::Twice(estimate)),
                _ => return Err(Misfit::Stray(estimate)),
            }
        }
        match filled.cells.iter().filter(|cell| cell.is_nan()).count() {
            0 => Ok(filled),
            missing => Err(Misfit::Missing(missing)),
        }
    }

    /// The cell of an estimate, if it is a time and has one.
    fn place(&mut self, estimate: &Estimate) -> Option<&mut f32> {
        let Estimate { router, destination_group, slot, port, ns } = *estimate;
        let group = router.checked_div(self.routers_per_group)?;
        let column = port.checked_sub(self.first_port)?;
        let exists = group < self.groups
            && destination_group < self.groups
            && destination_group != group
            && slot < self.slots
            && column < self.columns;
        (exists && ns.is_finite() && ns >= 0.0).then(|| {
            self.cell_mut(router, self.row_of(group, destination_group, slot as u16), column)
        })
    }

    /// Returns the bytes of memory held.
    pub(super) fn memory(&self) -> usize {
        self.cells.memory()
    }
}
