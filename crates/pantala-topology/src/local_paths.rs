//! Paths inside groups that lack links.
//!
//! A group that lacks no link computes its paths ([`Group`]). For every other group this file holds
//! a table: per order, router and target the ports to the next router, and the number of links.
//!
//! A path follows the order of dimensions: over the remaining links of the row to the right column,
//! then over those of the column, or the other way round. In a row or column it is a shortest one:
//! the direct link if there is one, otherwise over the lowest router. So only packets of one
//! dimension share the detours, and detours rarely close a cycle of channels. If the row or column
//! has no such path, a packet goes to the neighbour from which the fewest links lead to the target.
//! A full mesh is one row.

use crate::LocalOrder;
use crate::group::Group;
use std::collections::VecDeque;

/// The distance of two routers that no path inside their group joins.
pub(crate) const UNREACHABLE: u16 = u16::MAX;

/// The local links that do not exist, and the paths of the groups that lack some.
#[derive(Clone, Debug)]
pub(crate) struct LocalPaths {
    /// Local ports per router.
    ports: u32,
    /// Per router and local port, a bit: the port has no link.
    absent: Vec<u64>,
    /// Per group, its table if it lacks a link.
    tables: Vec<Option<Table>>,
}

/// The paths inside one group. Routers and ports have the numbers of [`Group`].
#[derive(Clone, Debug)]
struct Table {
    routers: u32,
    /// By order, router and target: the number of links.
    distances: [Vec<u16>; 2],
    /// By order, router and target: the first of `ports`, and how many.
    steps: [Vec<(u32, u16)>; 2],
    ports: Vec<u16>,
    /// Whether a path leads over other routers than the usual ones.
    detours: bool,
}

impl LocalPaths {
    /// No link is absent in `groups` groups of `routers` routers.
    pub(crate) fn new(groups: u32, routers: u32, ports: u32) -> Self {
        let bits = groups as usize * routers as usize * ports as usize;
        Self { ports, absent: vec![0; bits.div_ceil(64)], tables: vec![None; groups as usize] }
    }

    /// Whether a local port of `router` has no link.
    #[inline]
    pub(crate) fn is_absent(&self, router: u32, port: u32) -> bool {
        let bit = router as usize * self.ports as usize + port as usize;
        self.absent[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Removes the link at a local port of `router`, in one direction. [`Self::find`] follows.
    pub(crate) fn remove(&mut self, router: u32, port: u32) {
        let bit = router as usize * self.ports as usize + port as usize;
        self.absent[bit / 64] |= 1 << (bit % 64);
    }

    /// Finds the paths of a group that lacks links.
    pub(crate) fn find(&mut self, number: u32, group: &Group) {
        let first = number * group.rows() * group.columns();
        let table =
            Table::new(group, |router, port| !self.is_absent(first + router, u32::from(port)));
        self.tables[number as usize] = Some(table);
    }

    /// The ports from one router to the next one on its path to another, if the group lacks a link.
    #[inline]
    pub(crate) fn step(
        &self,
        group: u32,
        here: u32,
        there: u32,
        order: LocalOrder,
    ) -> Option<&[u16]> {
        let table = self.tables[group as usize].as_ref()?;
        let (first, count) = table.steps[order as usize][table.place(here, there)];
        Some(&table.ports[first as usize..first as usize + usize::from(count)])
    }

    /// The number of links from one router to another, if the group lacks a link.
    #[inline]
    pub(crate) fn distance(
        &self,
        group: u32,
        here: u32,
        there: u32,
        order: LocalOrder,
    ) -> Option<u16> {
        let table = self.tables[group as usize].as_ref()?;
        Some(table.distances[order as usize][table.place(here, there)])
    }

    /// The groups that lack a link.
    pub(crate) fn groups(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.tables).filter(|(_, table)| table.is_some()).map(|(group, _)| group)
    }

    /// Whether a path leads over other routers than in a group with all its links.
    pub(crate) fn has_detours(&self) -> bool {
        self.tables.iter().flatten().any(|table| table.detours)
    }

    /// Two routers of `group`, numbered within it, with the largest distance.
    pub(crate) fn farthest(&self, group: u32) -> Option<(u32, u32, u16)> {
        let table = self.tables[group as usize].as_ref()?;
        let all =
            table.distances.iter().rev().flat_map(|distances| distances.iter().enumerate().rev());
        let (place, distance) = all.max_by_key(|(_, distance)| **distance)?;
        Some((place as u32 / table.routers, place as u32 % table.routers, *distance))
    }
}

impl Table {
    /// Finds the paths over the links that `exists` (router and local port) confirms.
    fn new(group: &Group, exists: impl Fn(u32, u16) -> bool) -> Self {
        let routers = group.rows() * group.columns();
        let neighbours: Vec<Vec<u32>> = (0..routers)
            .map(|router| {
                let ports = (0..group.ports() as u16).filter(|&port| exists(router, port));
                let mut neighbours: Vec<u32> =
                    ports.map(|port| group.peer(router, u32::from(port)).0).collect();
                neighbours.sort_unstable();
                neighbours.dedup();
                neighbours
            })
            .collect();
        let row = |router: u32| group.place(router).0;
        let column = |router: u32| group.place(router).1;
        // The distances over the links of a row, and over those of a column.
        let along_row = distances(&neighbours, |a, b| row(a) == row(b));
        let along_column = distances(&neighbours, |a, b| column(a) == column(b));
        let mut table = Self {
            routers,
            distances: [Vec::new(), Vec::new()],
            steps: [Vec::new(), Vec::new()],
            ports: Vec::new(),
            detours: false,
        };
        for order in LocalOrder::ALL {
            let (first, then) = match order {
                LocalOrder::RowFirst => (&along_row, &along_column),
                LocalOrder::ColumnFirst => (&along_column, &along_row),
            };
            // The router where a path turns.
            let corner = |here: u32, there: u32| match order {
                LocalOrder::RowFirst => row(here) * group.columns() + column(there),
                LocalOrder::ColumnFirst => row(there) * group.columns() + column(here),
            };
            let mut next = vec![0; table.size()];
            let mut lengths = vec![UNREACHABLE; table.size()];
            for there in 0..routers {
                for here in 0..routers {
                    let turn = corner(here, there);
                    let (to, from) =
                        (first[table.place(here, turn)], then[table.place(turn, there)]);
                    if to == UNREACHABLE || from == UNREACHABLE {
                        continue;
                    }
                    let place = table.place(here, there);
                    lengths[place] = to + from;
                    let (goal, left) = if here == turn { (there, then) } else { (turn, first) };
                    next[place] = nearer(
                        &neighbours[here as usize],
                        |router| left[table.place(router, goal)],
                        left[table.place(here, goal)],
                        goal,
                    );
                }
                table.complete(&neighbours, there, &mut lengths, &mut next);
            }
            table.distances[order as usize] = lengths;
            for here in 0..routers {
                for there in 0..routers {
                    let over = next[table.place(here, there)];
                    let step = table.add(group, &exists, (here, there), over, order);
                    table.steps[order as usize].push(step);
                }
            }
        }
        table
    }

    #[inline]
    fn place(&self, here: u32, there: u32) -> usize {
        here as usize * self.routers as usize + there as usize
    }

    const fn size(&self) -> usize {
        self.routers as usize * self.routers as usize
    }

    /// Gives the routers that have no path to `there` in the order of dimensions a path over a
    /// neighbour that has one, the nearest first.
    fn complete(&self, neighbours: &[Vec<u32>], there: u32, lengths: &mut [u16], next: &mut [u32]) {
        let lacking: Vec<u32> = (0..self.routers)
            .filter(|&here| lengths[self.place(here, there)] == UNREACHABLE)
            .collect();
        let mut changed = !lacking.is_empty();
        while changed {
            changed = false;
            for &here in &lacking {
                let length = |router: u32| lengths[self.place(router, there)];
                let best = neighbours[here as usize].iter().copied().min_by_key(|&n| length(n));
                let Some(over) = best.filter(|&over| length(over) != UNREACHABLE) else {
                    continue;
                };
                let place = self.place(here, there);
                if length(over) + 1 < lengths[place] {
                    lengths[place] = length(over) + 1;
                    next[place] = over;
                    changed = true;
                }
            }
        }
    }

    /// Adds the ports from `here` to `next`, the next router towards `there`.
    fn add(
        &mut self,
        group: &Group,
        exists: impl Fn(u32, u16) -> bool,
        (here, there): (u32, u32),
        next: u32,
        order: LocalOrder,
    ) -> (u32, u16) {
        let first = self.ports.len() as u32;
        if here == there || self.distances[order as usize][self.place(here, there)] == UNREACHABLE {
            return (first, 0);
        }
        let (port, _) = group.step(here, there, order);
        self.detours |= group.peer(here, port).0 != next;
        let (port, count) = group.step(here, next, order);
        let ports = (port as u16..(port + count) as u16).filter(|&port| exists(here, port));
        self.ports.extend(ports);
        (first, (self.ports.len() as u32 - first) as u16)
    }
}

/// Returns the next router towards `goal` at this distance: `goal` itself if it is a neighbour,
/// otherwise the lowest that is nearer.
fn nearer(neighbours: &[u32], distance_from: impl Fn(u32) -> u16, distance: u16, goal: u32) -> u32 {
    if distance <= 1 {
        return goal;
    }
    let next = neighbours.iter().copied().find(|&router| distance_from(router) == distance - 1);
    next.expect("a shortest path goes over a neighbour")
}

/// The number of links from every router to every other, over links that `joins` allows.
fn distances(neighbours: &[Vec<u32>], joins: impl Fn(u32, u32) -> bool) -> Vec<u16> {
    let routers = neighbours.len();
    let mut all = vec![UNREACHABLE; routers * routers];
    for (router, distances) in all.chunks_mut(routers).enumerate() {
        distances[router] = 0;
        let mut queue = VecDeque::from([router as u32]);
        while let Some(here) = queue.pop_front() {
            let distance = distances[here as usize] + 1;
            for &next in neighbours[here as usize].iter().filter(|&&next| joins(here, next)) {
                if distances[next as usize] == UNREACHABLE {
                    distances[next as usize] = distance;
                    queue.push_back(next);
                }
            }
        }
    }
    all
}
