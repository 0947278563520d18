//! The networks that a routing cannot serve, and why.

use crate::{Algorithm, VcMapName};
use pantala_topology::Topology;

/// The longest minimal path inside a group that routings serve, in links.
const LONGEST_LOCAL_PATH: u32 = 8;

/// The reason why a routing cannot serve a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong, in words.
    pub message: String,
    /// What to do.
    pub remedy: &'static str,
}

impl Algorithm {
    /// Returns why the routing cannot serve a network with this VC map; `None` if it can.
    ///
    /// Every routing takes minimal paths inside groups, so it needs a path inside each group between
    /// every two of its routers. Between two groups without a link, routings with
    /// [`serves_unlinked_groups`](crate::Descriptor::serves_unlinked_groups) cross a third group
    /// that has links to both; all others need a link between every two groups.
    #[must_use]
    pub fn refusal(self, vc_map: VcMapName, topology: &Topology) -> Option<Refusal> {
        let refused = |message, remedy| Some(Refusal { message, remedy });
        if topology.is_2d() && !self.carries_2d() {
            return refused(
                "its tables and its limit of five hops assume groups of one dimension".to_owned(),
                "take another routing, or a topology of kind \"dragonfly\"",
            );
        }
        let serves = self.descriptor().serves_unlinked_groups;
        let unserved =
            |&(one, other): &(u32, u32)| !serves || topology.third_groups(one, other) == 0;
        if let Some((one, other)) = topology.unlinked_groups().find(unserved) {
            let reason = if serves {
                "and no third group has a link to both"
            } else {
                "and its paths cross directly between any two groups"
            };
            return refused(
                format!("no link joins groups {one} and {other}, {reason}"),
                if serves {
                    "give these groups a link, or let fewer links fail"
                } else {
                    "give these groups a link, or take a routing that can cross a third group, e.g. ugal_g"
                },
            );
        }
        if let Some((one, other)) = topology.parted_routers() {
            let group = topology.group_of(one);
            return refused(
                format!(
                    "no path inside group {group} joins routers {one} and {other}, and its paths do not return to a group"
                ),
                "let fewer links of the group fail",
            );
        }
        if let Some((one, other, links)) =
            topology.longest_detour().filter(|(_, _, links)| *links > LONGEST_LOCAL_PATH)
        {
            return refused(
                format!(
                    "the shortest path inside its group from router {one} to router {other} has {links} links, and a packet may take {LONGEST_LOCAL_PATH}"
                ),
                "let fewer links of the group fail",
            );
        }
        if self.per_hop_adaptive() && vc_map != VcMapName::ByHop && topology.has_local_detours() {
            return refused(
                "it chooses the global link anew at every router, and the deadlock check does not know such paths around failed local links".to_owned(),
                "set vc_map = \"by_hop\", or let only global links fail",
            );
        }
        let counts = self.vc_map(vc_map).is_some_and(|vc_map| vc_map.by_local_hop);
        if counts && topology.has_local_detours() {
            return refused(
                "its virtual channels count the links of a path inside a group, and failed links lengthen such paths".to_owned(),
                "set vc_map = \"by_hop\" or leave it out, or let only global links fail",
            );
        }
        None
    }
}
