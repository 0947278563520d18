//! A slow, obvious, flit-by-flit reference of the fabric model: a test instrument, not part of the
//! product's runtime.
//!
//! The fabric moves packets and works out the times of their flits. This crate moves the flits, one
//! by one, through the same model, with no trick: it looks at a whole router whenever anything
//! there may have changed. It shares no code with the fabric but ids, ports and integer time, makes
//! no routing decision (every packet brings its route) and draws nothing at random, so a difference
//! between the two is a fault of one of them, or the fabric's approximation being measured.
//!
//! # The model
//!
//! ```text
//!          injection            input buffer (a FIFO    crossbar,          output buffer        link,
//!  source    link      input    per port and VC)        one packet a       (a FIFO per  output  one packet
//!  queue  ---------> latency -> [ ][ ][ ][ ][ ][ ] -->  port at a time --> latency -> VC) [ ][ ] --> at a time --> ...
//!             t+L      t_in                               t_xbar            t_out                t+L
//! ```
//!
//! * A packet has S flits and moves by **virtual cut-through**: it starts on a link when the VC
//!   buffer at the far end has room for all S (credits, one a flit), and through the crossbar when
//!   the output buffer of its (port, VC) has.
//! * On a **link** a flit takes the flit time t, then the latency L. A packet that starts holds the
//!   link for S t. Packets of different VCs take turns packet by packet, round-robin. Injection and
//!   ejection are links like any other; the source queue is one FIFO; a node has a buffer like a
//!   router's and takes a packet out of it as soon as its tail has arrived.
//! * A flit is **available** in the input buffer t_in after it has arrived, in the output buffer
//!   t_out after it has crossed.
//! * The **crossbar** takes a packet when it is the first of its input VC, its head is available,
//!   and neither its input port nor its output port is held. It then holds both for S t_xbar. Each
//!   output chooses round-robin over (input port, VC).
//! * A packet leaves its input VC, and the next one is looked at, when its **tail** has crossed;
//!   then all its S credits start on their way upstream, which takes L. Room in an output buffer is
//!   given back when the packet's **head starts** on the link.
//! * **A VC keeps its order, flit by flit**: on a link, too, a packet starts only when the one
//!   before it in its VC has gone, tail and all. (Where all links are equally fast that is no
//!   restriction.)
//! * Flits follow their head as soon as they are available, one flit time apart. Those that come
//!   late, after their packet's hold has ended, are a choice: see [`LateFlits`].
//! * At one instant everything that arrives counts before anything is decided; then links decide
//!   before the crossbar (a packet that starts has made room), the crossbar's outputs in order of
//!   their number.
//!
//! Hence an undisturbed packet takes, over its links (injection and ejection included) and its R
//! routers, `sum (L + t) + R (t_in + t_xbar + t_out) + (S - 1) max(all t, t_xbar)`: see
//! [`zero_load_latency`].
//!
//! ```
//! use pantala_oracle::{OracleConfig, OraclePacket, RouteChoice, minimal_route, simulate, zero_load_latency};
//! use pantala_topology::{DragonflySpec, GroupSpec, PortAssignment, Topology, GlobalArrangement};
//!
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
