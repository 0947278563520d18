//! The oracle: a slow and simple flit-by-flit simulation of the fabric's model, for tests only.
//!
//! The fabric moves packets and computes the times of their flits. The oracle moves every flit
//! through the same model, without optimisations: it looks at a whole router whenever anything
//! there may have changed. It shares only ids, ports and integer time with the fabric. It makes no
//! routing decision (every packet brings its route) and uses no random stream. So a difference
//! between the two is an error in one of them, or the measured error of the fabric's approximation.
//!
//! # The model
//!
//! ```text
//!          injection         input buffer (a FIFO
//!  source    link     input  per port and VC)       crossbar, one packet
//!  queue  ---------> latency -> [ ][ ][ ][ ][ ][ ] --> per port at a time --> ...
//!             t+L     t_in                             t_xbar
//!
//!      output  output buffer (a FIFO   link, one packet
//!  --> latency -> per VC) [ ][ ] -----> at a time ---> ...
//!      t_out                            t+L
//! ```
//!
//! * A packet has S flits and moves by **virtual cut-through**. It starts on a link when the VC
//!   buffer at the far end has room for all S flits (one credit per flit). It starts through the
//!   crossbar when the output buffer of its (port, VC) has room for all S flits.
//! * On a **link** a flit takes the flit time t and then the latency L. A packet that starts holds
//!   the link for S t. Packets of different VCs take turns, round-robin. Injection and ejection
//!   links behave like all others. The source queue is one FIFO. A NIC has a buffer like a
//!   router's, and removes a packet when its tail has arrived.
//! * A flit is **available** in the input buffer t_in after its arrival, and in the output buffer
//!   t_out after it has crossed.
//! * The **crossbar** takes a packet when it is the first of its input VC, its head is available,
//!   and neither its input port nor its output port is held. The packet then holds both for S
//!   t_xbar. Each output chooses round-robin over (input port, VC).
//! * A packet leaves its input VC when its **tail** has crossed. Then the next packet comes first,
//!   and all S credits start on their way upstream, which takes L. The space in an output buffer is
//!   free again when the packet's **head starts** on the link.
//! * **A VC keeps its order, flit by flit.** Also on a link, a packet starts only when the tail of
//!   the previous packet of its VC has left. If all links are equally fast, this is no restriction.
//! * Flits follow their head as soon as they are available, one flit time apart. [`LateFlits`]
//!   chooses the treatment of flits that become available after their packet's hold has ended.
//! * All arrivals of a time precede all decisions. Then links decide before the crossbar, because a
//!   packet that starts frees space. The crossbar's outputs decide in a round; a hash of router and
//!   time gives its start and direction.
//!
//! So a packet without contention takes, over its links (injection and ejection included) and its R
//! routers, `sum (L + t) + R (t_in + t_xbar + t_out) + (S - 1) max(all t, t_xbar)`: see
//! [`zero_load_latency`].
//!
//! ```
//! use pantala_oracle::{
//!     OracleConfig, OraclePacket, RouteChoice, minimal_route, simulate, zero_load_latency,
//! };
//! use pantala_topology::{DragonflySpec, GroupSpec, PortAssignment, Topology, GlobalArrangement};
//!
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
//! let config = OracleConfig::kang();
//! let packet = OraclePacket {
//!     source: 0,
//!     destination: 1055,
//!     created: 0,
//!     flits: 4,
//!     injection_vc: 0,
//!     route: minimal_route(&topology, 0, 1055, RouteChoice::default()),
//! };
//! let run = simulate(&topology, &config, &[packet.clone()])?;
//! assert_eq!(run.deliveries[0].delivered, zero_load_latency(&topology, &config, &packet));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod config;
mod crossbar;
mod error;
mod link;
mod routes;
mod simulation;
mod state;
mod theory;

pub use config::{LateFlits, LinkTimes, OracleConfig};
pub use error::OracleError;
pub use routes::{OraclePacket, RouteChoice, RouteStep, minimal_route, route_via};
pub use simulation::{OracleDelivery, OracleRun, simulate};
pub use theory::zero_load_latency;
