//! Networks as data: global links that are given as a list, links that have failed, and what a
//! network that lacks links no longer joins directly.

use crate::global_links::GlobalLinks;
use crate::local_paths::{LocalPaths, UNREACHABLE};
use crate::third_groups::GroupGraph;
use crate::{DragonflySpec, GlobalLink, LinkClass, Peer, Topology, TopologyError};

impl Topology {
    /// Builds a Dragonfly with these global links instead of those of a global link arrangement.
    /// `links` has each link once, in either direction. The links of a pair of groups have the
    /// parallel indices of their order.
    ///
    /// Two groups may have any number of links, also none ([`Topology::unlinked_groups`]).
    ///
    /// # Errors If the specification has a fault besides its arrangement, or a link does not join
    /// two free global ports of two groups.
    pub fn with_global_links(
        spec: &DragonflySpec,
        links: &[GlobalLink],
    ) -> Result<Self, TopologyError> {
        spec.check_without_arrangement()?;
        let mut topology = Self::unwired(spec);
        let groups = spec.groups as usize;
        let mut pairs = vec![Vec::new(); groups * groups.saturating_sub(1)];
        for link in links {
            topology.join(link, &mut pairs).map_err(|(message, remedy)| {
                TopologyError::new("global_links", shown(link), message, remedy)
            })?;
        }
        topology.set_global_links(&pairs);
        Ok(topology)
    }

    fn set_global_links(&mut self, pairs: &[Vec<GlobalLink>]) {
        self.global_links = GlobalLinks::of_pairs(pairs);
        self.group_graph = GroupGraph::of(self.groups, &self.global_links);
    }

    /// Adds a global link in both directions, or returns its fault and the remedy.
    fn join(
        &mut self,
        link: &GlobalLink,
        pairs: &mut [Vec<GlobalLink>],
    ) -> Result<(), (String, &'static str)> {
        let back = GlobalLink {
            router: link.target_router,
            port: link.target_port,
            target_router: link.router,
            target_port: link.port,
        };
        for end in [link, &back] {
            self.check_global_port(end.router, end.port)?;
        }
        let (from, to) = (self.group_of(link.router), self.group_of(link.target_router));
        if from == to {
            let message = format!("both ends are in group {from}");
            return Err((message, "give the routers of two groups"));
        }
        for GlobalLink { router, port, .. } in [*link, back] {
            if self.peer(router, port) != Peer::Unconnected {
                let message = format!("port {port} of router {router} has two links");
                return Err((message, "give each port one link"));
            }
        }
        self.graph.join((link.router, link.port), (back.router, back.port));
        pairs[self.pair(from, to)].push(*link);
        pairs[self.pair(to, from)].push(back);
        Ok(())
    }

    fn check_global_port(&self, router: u32, port: u16) -> Result<(), (String, &'static str)> {
        if router >= self.routers() {
            let message = format!("there is no router {router}: there are {}", self.routers());
            return Err((message, "count routers from 0"));
        }
        let ports = u32::from(self.first_global_port())..self.ports_per_router();
        if !ports.contains(&port.into()) {
            let message = format!(
                "port {port} is not a global port: those are {} to {}",
                ports.start,
                ports.end - 1
            );
            return Err((message, "give global ports"));
        }
        Ok(())
    }

    /// Returns the network without the links at these ports (router and port). A link fails in both
    /// directions, so one of its ends is enough.
    ///
    /// # Errors If there is no link between routers at a port.
    pub fn without(mut self, failed: &[(u32, u16)]) -> Result<Self, TopologyError> {
        for &(router, port) in failed {
            self.check_failed(router, port).map_err(|(message, remedy)| {
                TopologyError::new("failed_links", format!("[{router}, {port}]"), message, remedy)
            })?;
        }
        let local =
            |&&(router, port): &&(u32, u16)| self.class_of(router, port) != LinkClass::Global;
        let (local, global): (Vec<_>, Vec<_>) = failed.iter().partition(local);
        self.remove_global(&global);
        self.remove_local(&local);
        Ok(self)
    }

    fn check_failed(&self, router: u32, port: u16) -> Result<(), (String, &'static str)> {
        if router >= self.routers() {
            let message = format!("there is no router {router}: there are {}", self.routers());
            return Err((message, "count routers from 0"));
        }
        if u32::from(port) >= self.ports_per_router() {
            let message =
                format!("a router has no port {port}: it has {}", self.ports_per_router());
            return Err((message, "count ports from 0"));
        }
        match self.peer(router, port) {
            Peer::Port { .. } => Ok(()),
            Peer::Terminal(terminal) => {
                let message = format!("the port leads to node {terminal}, which has no other link");
                Err((message, "give the port of a link between routers"))
            }
            Peer::Unconnected => {
                Err(("the port has no link".to_owned(), "give a port with a link"))
            }
        }
    }

    /// Removes global links, each in both directions.
    fn remove_global(&mut self, failed: &[(u32, u16)]) {
        if failed.is_empty() {
            return;
        }
        for &(router, port) in failed {
            self.graph.separate(router, port);
        }
        let groups = self.groups;
        let ordered = (0..groups)
            .flat_map(|from| (0..groups).filter(move |&to| to != from).map(move |to| (from, to)));
        let remain = |link: &&GlobalLink| self.peer(link.router, link.port) != Peer::Unconnected;
        let pairs: Vec<Vec<GlobalLink>> = ordered
            .map(|(from, to)| self.global_links(from, to).iter().filter(remain).copied().collect())
            .collect();
        self.set_global_links(&pairs);
    }

    /// Removes links inside groups, each in both directions, and finds the paths that remain.
    fn remove_local(&mut self, failed: &[(u32, u16)]) {
        if failed.is_empty() {
            return;
        }
        let complete = LocalPaths::new(self.groups, self.routers_per_group(), self.group.ports());
        let mut paths = self.local_paths.take().unwrap_or_else(|| Box::new(complete));
        let mut groups: Vec<u32> = Vec::new();
        for &(router, port) in failed {
            let local = u32::from(port - self.first_local_port());
            let here = self.local_index(router);
            let (there, back) = self.group.peer(here, local);
            self.graph.separate(router, port);
            paths.remove(router, local);
            paths.remove(router - here + there, back);
            groups.push(self.group_of(router));
        }
        groups.sort_unstable();
        groups.dedup();
        groups.iter().for_each(|&group| paths.find(group, &self.group));
        self.local_paths = Some(paths);
    }

    /// Returns the pairs of groups without a link, the lower group first.
    pub fn unlinked_groups(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let pairs = (0..self.groups).flat_map(|a| (a + 1..self.groups).map(move |b| (a, b)));
        pairs.filter(|&(a, b)| !self.are_linked(a, b))
    }

    /// Returns two routers of a group that no path inside it joins, if there are any.
    #[must_use]
    pub fn parted_routers(&self) -> Option<(u32, u32)> {
        let paths = self.local_paths.as_ref()?;
        let parted = |group: u32| {
            let (here, there, distance) = paths.farthest(group)?;
            let first = group * self.routers_per_group();
            (distance == UNREACHABLE).then_some((first + here, first + there))
        };
        paths.groups().find_map(parted)
    }

    /// Returns the smallest and the largest number of links between two groups; zeros if there is
    /// one group.
    #[must_use]
    pub fn links_between_groups(&self) -> (u32, u32) {
        let pairs = (0..self.groups).flat_map(|a| (a + 1..self.groups).map(move |b| (a, b)));
        let counts = pairs.map(|(a, b)| self.global_links(a, b).len() as u32);
        let (least, most) =
            counts.fold((u32::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
        (least.min(most), most)
    }

    /// Returns two routers of a group whose minimal path inside it is the longest, and its number
    /// of links. Only groups that lack links count; `None` if there are none.
    #[must_use]
    pub fn longest_detour(&self) -> Option<(u32, u32, u32)> {
        let paths = self.local_paths.as_ref()?;
        let farthest = paths.groups().filter_map(|group| {
            let (here, there, distance) = paths.farthest(group)?;
            let first = group * self.routers_per_group();
            Some((first + here, first + there, u32::from(distance)))
        });
        farthest.reduce(|longest, next| if next.2 > longest.2 { next } else { longest })
    }

    /// Returns the largest number of links on a minimal path inside a group: 1, or 2 in a grid, or
    /// more where links are missing.
    #[must_use]
    pub fn local_diameter(&self) -> u32 {
        let usual = if self.is_2d() { 2 } else { 1 };
        self.longest_detour().map_or(usual, |(_, _, distance)| usual.max(distance))
    }

    /// Returns whether links are missing so that a path inside a group leads over other routers
    /// than usual.
    #[must_use]
    pub fn has_local_detours(&self) -> bool {
        self.local_paths.as_ref().is_some_and(|paths| paths.has_detours())
    }

    /// Returns the groups that lack a link inside.
    pub fn groups_that_lack_links(&self) -> impl Iterator<Item = u32> + '_ {
        self.local_paths.iter().flat_map(|paths| paths.groups())
    }
}

/// A link in the form of a plan.
fn shown(link: &GlobalLink) -> String {
    format!("[{}, {}, {}, {}]", link.router, link.port, link.target_router, link.target_port)
}
