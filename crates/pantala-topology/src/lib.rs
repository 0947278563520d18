//! The Dragonfly topology: ids, ports and links. This crate knows no time.
//!
//! A [`Topology`] is built once from a checked [`DragonflySpec`] and then only read. It answers the
//! fabric's questions about every packet in constant time, with a few bytes of memory: the router
//! of a terminal, the ports to another router of the group, the links to another group, the far end
//! of a port.
//!
//! # The Dragonfly
//!
//! Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology" (ISCA 2008):
//! `p` terminals per router, `a` routers per group, `h` *global* links per router, `g` groups. All
//! groups are equal inside. There are two kinds of groups ([`GroupSpec`]).
//!
//! In one dimension (1D) a group is a full mesh: every router has a *local* link to every other
//! router of the group.
//!
//! ```text
//!          group 0                              group 1
//!   +----------------------+             +----------------------+
//!   |  router 0 == router 1|             |  router 4 == router 5|  ==  local links (in a group,
//!   |     ||   X    ||     |   global    |     ||   X    ||     |      all to all)
//!   |  router 2 == router 3|-------------|  router 6 == router 7|  --  global links
//!   +---|---|--------------+             +--------------|---|---+  |   terminal links
//!      NIC   NIC                                      NIC   NIC
//! ```
//!
//! In two dimensions (2D) a group is a grid, as in Cray XC machines (Faanes et al., "Cray Cascade",
//! SC 2012). Every router has a *row* link to every other router of its row, and a *column* link to
//! every other router of its column. A minimal path inside a group has at most two links and one
//! turn; [`LocalOrder`] gives its order.
//!
//! ```text
//!        a group of 2 rows and 3 columns
//!   +----------------------------------------+
//!   |     .-----------------------.          |
//!   |  router 0 -- router 1 -- router 2      |  --  row links (all to all)
//!   |     |           |           |          |
//!   |  router 3 -- router 4 -- router 5      |  |   column links (all to all)
//!   |     '-----------------------'          |
//!   +----------------------------------------+
//! ```
//!
//! Two routers of a group can have parallel links. The specification gives their number: three
//! along columns and one along rows on a Cray XC.
//!
//! # Ids and ports
//!
//! Group `G` has routers `G*a .. (G+1)*a`. Router `r` has terminals `r*p .. (r+1)*p`. Local router
//! `l` of a grid is in row `l / columns` and column `l % columns`. The ports of a router have the
//! numbers of SST/merlin and BookSim2:
//!
//! ```text
//!   1D     |  terminals  |  local: the other routers in order                 |  global  |
//!   2D     |  terminals  |  row: its other routers  |  column: its other ones |  global  |
//!   ports         p        (columns-1) * row links    (rows-1) * column links     h
//!                                    1D: (a-1) * local links
//! ```
//!
//! Parallel links to one router have consecutive ports. The i-th of them leads to the i-th parallel
//! port of the other router. With `n` links between two routers, the first local port of local
//! router `l` to router `j` is `p + n*j` if `j < l` and `p + n*(j-1)` if `j > l`.
//!
//! # Global links
//!
//! A *global index* `k` numbers the `a*h` global ports of a group. The [`PortAssignment`] maps it
//! to a router and one of its ports: router after router (`l = k / h`), or the first port of every
//! router, then the second of every router (`l = k % a`). With `n` links between every two groups,
//! a group uses the lowest `n*(g-1)` indices. The other ports are [`Peer::Unconnected`] (a partly
//! populated network).
//!
//! The *slice* `s = k / (g-1)` of a used index is the **parallel index** of its link among the `n`
//! links of its pair of groups. It is equal at both ends. The [`GlobalArrangement`] maps the *slot*
//! `m = k % (g-1)` to another group; see there for the definition of each arrangement. So the links
//! of a pair are `g-1` global indices apart.
//!
//! # Questions to a topology
//!
//! A routing asks a [`Topology`] and computes nothing from `p`, `h`, rows or columns:
//!
//! | question | answer |
//! | --- | --- |
//! | routers of a group | [`Topology::routers_per_group`] consecutive ids |
//! | next ports inside a group | [`Topology::local_step`] |
//! | distance inside a group | [`Topology::local_distance`] |
//! | links between two groups | [`Topology::global_links`] |
//! | far end of a port | [`NetworkGraph::peer`] |
//! | class of its link | [`NetworkGraph::class_of`] |
//!
//! A path inside a group is a sequence of such steps. So another kind of group changes only this
//! crate (`group.rs` has everything about the inside of a group).
//!
//! # Networks as data
//!
//! [`Topology::with_global_links`] takes the global links as a list. [`Topology::without`] removes
//! links that have failed. Two groups may then have any number of links. A group that lacks local
//! links answers from a table of its shortest remaining paths; all other groups compute their
//! answers as before. [`Topology::unlinked_groups`] names groups without a link; some routings join
//! them through [third groups](Topology::third_groups). [`Topology::parted_routers`] names two
//! routers of a group without a path inside it. No routing joins those.
//!
//! ```
//! use pantala_topology::{
//!     DragonflySpec, GlobalArrangement, GroupSpec, Peer, PortAssignment, Topology,
//! };
//!
//! // The network of Kang et al. (SC 2022): 1,056 terminals.
//! let topology = Topology::dragonfly(&DragonflySpec {
//!     terminals_per_router: 4,
//!     group: GroupSpec::FullMesh { routers: 8, links_per_pair: 1 },
//!     global_ports: 4,
//!     groups: 33,
//!     links_per_pair: 1,
//!     global_arrangement: GlobalArrangement::Absolute,
//!     port_assignment: PortAssignment::Consecutive,
//!     mirrored: false,
//!     global_arrangement_seed: 0,
//! })?;
//! assert_eq!(topology.terminals(), 1056);
//! // Group 0's link to group 1 starts at router 0's first global port and ends at the same port of
//! // router 8.
//! let link = topology.global_links(0, 1)[0];
//! assert_eq!((link.router, link.port), (0, 11));
//! assert_eq!(topology.peer(0, 11), Peer::Port { router: 8, port: 11 });
//! # Ok::<(), pantala_topology::TopologyError>(())
//! ```
//!
//! **Invariant:** every link is symmetric: if port A's peer is port B, then B's peer is A.
//! **Invariant:** every two groups of a [`Topology::dragonfly`] have exactly
//! [`Topology::links_per_pair`] links. **Invariant:** repeated [`Topology::local_step`]s reach
//! their target after [`Topology::local_distance`] steps.

mod divisor;
mod dragonfly;
mod error;
mod given_links;
mod global_arrangement;
mod global_links;
mod group;
mod link;
mod local_paths;
mod network_graph;
mod port_assignment;
mod spec;
mod third_groups;

pub use divisor::Divisor;
pub use dragonfly::Topology;
pub use error::TopologyError;
pub use global_arrangement::GlobalArrangement;
pub use group::LocalOrder;
pub use link::{GlobalLink, Link, LinkClass, Peer, Ports};
pub use network_graph::NetworkGraph;
pub use port_assignment::PortAssignment;
pub use spec::{DragonflySpec, GroupSpec, MAX_PORTS, MAX_PORTS_IN_ALL};
