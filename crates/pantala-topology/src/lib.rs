//! What is wired to what. Knows no time.
//!
//! A [`Topology`] is built once from a checked [`DragonflySpec`] and then only read. It answers, in constant time and
//! without touching more than a few bytes, what the fabric asks for every packet: which router a node hangs on, which
//! port leads to another router of the group, which links lead to another group, what is at the far end of a port.
//!
//! # The Dragonfly
//!
//! Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology" (ISCA 2008): `p` nodes on each
//! router, `a` routers in each group, all-to-all by *local* links, `h` *global* links from each router, `g` groups.
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
//! # Ids and ports
//!
//! Everything is numbered in one order: group `G` has routers `G*a .. (G+1)*a`, router `r` has nodes `r*p .. (r+1)*p`.
//! The ports of a router are numbered as SST/merlin and BookSim2 number them:
//!
//! ```text
//!   port      0 .. p           p .. p+a-1                                p+a-1 .. p+a-1+h
//!          |  terminals  |  local: the group's other routers in order  |  global  |
//! ```
//!
//! The local port towards local router `j` of a router whose place in its group is `l` is `p + j` if `j < l` and
//! `p + j - 1` if `j > l`.
//!
//! # Which router owns which global link
//!
//! The *global index* of global port `j` (counted from the first global port) of local router `l` is `k = l*h + j`, so a
//! group has `a*h` of them. With `n` links between every two groups a group uses `n*(g-1)` indices, the lowest ones; the
//! others are [`Peer::Unconnected`] (a partly populated machine). The *slice* `s = k / (g-1)` of a used index is the
//! **parallel index** of its link among the `n` links of its pair, the same seen from both ends; its *slot*
//! `m = k % (g-1)` decides, by the [`Wiring`], which group it leads to. So several links of a pair sit `g-1` global
//! indices apart: on different routers whenever `g-1 >= h`. See [`Wiring`] for each arrangement's definition.
//!
//! ```
//! use pantala_topology::{DragonflySpec, GroupSpec, Peer, Spread, Topology, Wiring};
//!
//! // The machine of Kang et al. (SC 2022): 1,056 nodes.
//! let topology = Topology::dragonfly(&DragonflySpec {
//!     nodes_per_router: 4,
//!     group: GroupSpec::FullMesh { routers: 8, links_per_pair: 1 },
//!     global_ports: 4,
//!     groups: 33,
//!     links_per_pair: 1,
//!     wiring: Wiring::Absolute,
//!     spread: Spread::Consecutive,
//!     mirrored: false,
//!     wiring_seed: 0,
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

mod divisor;
mod dragonfly;
mod error;
mod group;
mod link;
mod spec;
mod spread;
mod wiring;

pub use dragonfly::Topology;
pub use error::TopologyError;
pub use group::LocalOrder;
pub use link::{GlobalLink, Link, LinkClass, Peer, PortRange};
pub use spec::{DragonflySpec, GroupSpec, MAX_PORTS, MAX_PORTS_IN_ALL};
pub use spread::Spread;
pub use wiring::Wiring;
