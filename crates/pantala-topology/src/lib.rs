//! What is wired to what. Knows no time.
//!
//! A [`Topology`] is built once from a checked [`DragonflySpec`] and then only read. It answers, in
//! constant time and without touching more than a few bytes, what the fabric asks for every packet:
//! which router a node hangs on, which ports lead on to another router of the group, which links
//! lead to another group, what is at the far end of a port.
//!
//! # The Dragonfly
//!
//! Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology" (ISCA 2008):
//! `p` nodes on each router, `a` routers in each group, `h` *global* links from each router, `g`
//! groups. Groups are alike inside, and there are two kinds of them ([`GroupSpec`]).
//!
//! In one dimension (1D) a group is a full mesh: every router has a *local* link to every other
//! one.
//!
//! ```text
//!          group 0                              group 1
//!   +----------------------+             +----------------------+
//!   |  router 0 == router 1|             |  router 4 == router 5|      ==   local links (every router of a group
//!   |     ||   X    ||     |   global    |     ||   X    ||     |           to every other one)
//!   |  router 2 == router 3|-------------|  router 6 == router 7|      --   global links
//!   +---|---|--------------+             +--------------|---|---+      |    terminal links
//!     node  node                                     node  node
//! ```
//!
//! In two dimensions (2D) it is a grid, the group of Cray XC machines (Faanes et al., "Cray
//! Cascade", SC 2012): every router has a *row* link to every other router of its row, and a
//! *column* link to every other one of its column. A minimal path inside a group is then at most
//! two links long, and turns once: [`LocalOrder`] says where.
//!
//! ```text
//!        a group of 2 rows and 3 columns
//!   +----------------------------------------+
//!   |     .-----------------------.          |
//!   |  router 0 -- router 1 -- router 2      |      --   row links (every router of a row to every other one)
//!   |     |           |           |          |
//!   |  router 3 -- router 4 -- router 5      |      |    column links (the same along every column)
//!   |     '-----------------------'          |
//!   +----------------------------------------+
//! ```
//!
//! Two routers that are linked inside a group have as many parallel links as the spec says for
//! their kind: three along columns and one along rows on a Cray XC.
//!
//! # Ids and ports
//!
//! Everything is numbered in one order: group `G` has routers `G*a .. (G+1)*a`, router `r` has
//! nodes `r*p .. (r+1)*p`. Local router `l` of a grid stands in row `l / columns` and column
//! `l % columns`. The ports of a router are numbered as SST/merlin and BookSim2 number them:
//!
//! ```text
//!   1D     |  terminals  |  local: the group's other routers in order                               |  global  |
//!   2D     |  terminals  |  row: its row's others in order  |  column: its column's others in order |  global  |
//!   ports         p            (columns-1) * row links            (rows-1) * column links                h
//!                                           1D: (a-1) * local links
//! ```
//!
//! Parallel links to one router have consecutive ports, and the first of them meets the first one
//! back, the second the second. So, with `n` links between two routers, the first local port of
//! local router `l` towards `j` is `p + n*j` if `j < l` and `p + n*(j-1)` if `j > l`.
//!
//! # Which router owns which global link
//!
//! The `a*h` global ports of a group are counted by a *global index* `k`, which the [`PortAssignment`] maps
//! to a router and one of its ports: router after router (`l = k / h`), or one port of every router
//! and then the next of every one (`l = k % a`). With `n` links between every two groups a group
//! uses `n*(g-1)` indices, the lowest ones; the others are [`Peer::Unconnected`] (a partly
//! populated machine). The *slice* `s = k / (g-1)` of a used index is the **parallel index** of its
//! link among the `n` links of its pair, the same seen from both ends; its *slot* `m = k % (g-1)`
//! decides, by the [`GlobalArrangement`], which group it leads to. So several links of a pair sit `g-1` global
//! indices apart. See [`GlobalArrangement`] for each arrangement's definition.
//!
//! # What is asked of a topology
//!
//! Who routes asks a [`Topology`] and works nothing out from `p` or `h`, rows or columns: which
//! routers a group has ([`Topology::routers_per_group`] in a row of ids), the next ports inside a
//! group ([`Topology::local_step`]) and how far it is ([`Topology::local_distance`]), the links
//! between two groups ([`Topology::global_links`]), what is behind a port ([`Topology::peer`]) and
//! what kind of link that is ([`Topology::class_of_port`]). A path inside a group is walked step by
//! step. Another kind of group is therefore a matter of this crate (`group.rs` has all that is
//! known of the inside of a group), and so is a network that is given as a table of links, or has
//! links missing: the same questions, answered from tables.
//!
//! ```
//! use pantala_topology::{DragonflySpec, GroupSpec, Peer, PortAssignment, Topology, GlobalArrangement};
//!
//! // The machine of Kang et al. (SC 2022): 1,056 nodes.
//! let topology = Topology::dragonfly(&DragonflySpec {
//!     nodes_per_router: 4,
//!     group: GroupSpec::FullMesh { routers: 8, links_per_pair: 1 },
//!     global_ports: 4,
//!     groups: 33,
//!     links_per_pair: 1,
//!     global_arrangement: GlobalArrangement::Absolute,
//!     port_assignment: PortAssignment::Consecutive,
//!     mirrored: false,
//!     global_arrangement_seed: 0,
//! })?;
//! assert_eq!(topology.nodes(), 1056);
//! // Group 0's link to group 1 leaves router 0 by its first global port and reaches router 8 at the same port.
//! let link = topology.global_links(0, 1)[0];
//! assert_eq!((link.router, link.port), (0, 11));
//! assert_eq!(topology.peer(0, 11), Peer::Port { router: 8, port: 11 });
//! # Ok::<(), pantala_topology::TopologyError>(())
//! ```
//!
//! **Invariant:** every wiring is symmetric: if port A's peer is port B, then B's is A.
//! **Invariant:** every two groups have exactly [`Topology::links_per_pair`] links.
//! **Invariant:** [`Topology::local_step`], walked on, ends after [`Topology::local_distance`]
//! steps.

mod divisor;
mod dragonfly;
mod error;
mod global_arrangement;
mod group;
mod link;
mod port_assignment;
mod spec;

pub use divisor::Divisor;
pub use dragonfly::Topology;
pub use error::TopologyError;
pub use global_arrangement::GlobalArrangement;
pub use group::LocalOrder;
pub use link::{GlobalLink, Link, LinkClass, Peer, PortRange};
pub use port_assignment::PortAssignment;
pub use spec::{DragonflySpec, GroupSpec, MAX_PORTS, MAX_PORTS_IN_ALL};
