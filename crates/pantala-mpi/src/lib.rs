//! MPI as the network sees it: ranks, matching, eager and rendezvous protocol, communicators,
//! collectives.
//!
//! # Overview
//!
//! An [`MpiLayer`] holds the ranks of all jobs. A rank has a [`OperationStream`], which yields one
//! operation ([`Op`]) at a time, and the state of the MPI protocol. The layer is the same for every
//! source of operations: a motif, a list, a trace.
//!
//! ```text
//!   OperationStream --operation--> run loop --send, receive--> matching, protocol
//!                             ^   '------collective-----> steps ---^  |
//!                             |                                       | transmission
//!                             |                                       v
//!                             '--completion-- last byte <-- fabric <-- queue of the NIC
//! ```
//!
//! The layer has no clock and no network. Its owner calls [`MpiLayer::start`] for every NIC at time
//! zero, and later:
//!
//! - [`MpiLayer::pull`] when the NIC can send a packet,
//! - [`MpiLayer::deliver`] when a packet has arrived,
//! - [`MpiLayer::timer`] when a requested time has come.
//!
//! Each call takes effect at the given time and stores its requests in a
//! [`Wakes`](pantala_fabric::Wakes). A call for one NIC changes only the state of that NIC's ranks.
//! An operation takes no time except the costs of its host (`layer/host_costs.rs`).
//!
//! # Folders
//!
//! | folder | what it holds |
//! | --- | --- |
//! | `program/` | the interface to programs: operations, outcomes, errors |
//! | `communicators/` | communicators, groups, Cartesian grids |
//! | `collectives/` | one algorithm per file |
//! | `rank/` | the state of a rank: requests, matching, collectives |
//! | `layer/` | the behaviour: run loop, protocol, NICs, waits, diagnosis |
//! | `accounting/` | totals, records, profiles, progress |
//!
//! # Example
//!
//! Rank 0 sends 1,000 bytes to rank 1. The network takes 5 ns for every packet.
//!
//! ```
//! use pantala_fabric::{Delivery, Pull, Wakes};
//! use pantala_mpi::*;
//!
//! struct Script(std::vec::IntoIter<Op>);
//! impl OperationStream for Script {
//!     fn next(&mut self, _: u64, _: &Outcome) -> Option<Op> {
//!         self.0.next()
//!     }
//! }
//!
//! let communicator = COMM_WORLD;
//! let send = Op::Send(Outgoing { communicator, destination: 1, tag: 7, bytes: 1_000 });
//! let recv = Op::Recv(Incoming {
//!     communicator: COMM_WORLD,
//!     source: Source::Any,
//!     tag: TagSelect::Is(7),
//!     bytes: 1_000,
//! });
//! let mut layer = MpiLayer::new(MpiConfig::default(), Recording::default(), 512);
//! let ranks = [(10, send), (11, recv)].map(|(node, op)| RankSetup {
//!     nic: layer.add_nic(node),
//!     program: Script(vec![op].into_iter()),
//!     communicators: Vec::new(),
//! });
//! layer.add_job(0, 0, ranks.into())?;
//!
//! let mut wakes = Wakes::default();
//! for nic in 0..2 {
//!     layer.start(nic, &mut wakes); // requests a timer at the job's start, 0
//!     layer.timer(nic, 0, &mut wakes);
//! }
//! while let Pull::Packet(packet) = layer.pull(0, 0, &mut wakes) {
//!     assert_eq!(packet.destination, 11);
//!     let arrived = Delivery {
//!         source: 10,
//!         bytes: packet.bytes,
//!         created: packet.created,
//!         message: packet.message,
//!         number: packet.number,
//!         job: packet.job,
//!     };
//!     layer.deliver(1, &arrived, 5_000, &mut wakes);
//! }
//! assert!(layer.finished());
//! assert_eq!(layer.message_statistics(0).unwrap().mean(), Some(5_000.0));
//! let receiver = layer.rank_reports(5_000).nth(1).unwrap();
//! assert_eq!((receiver.totals.recv, receiver.totals.bytes_received), (5_000, 1_000));
//! # Ok::<(), SetupError>(())
//! ```
//!
//! # Matching
//!
//! Messages of one source in one communicator match in the order of their sends, whatever the order
//! of their packets. An envelope that arrives early is held until all before it have arrived. An
//! envelope arrives with the last byte of its transmission, as behind a NIC that delivers in order.
//! A receive can accept any source and any tag. A message without a receive is unexpected and
//! waits. Messages of collectives have contexts of their own, so that they never match a program's
//! receives.
//!
//! # Eager and rendezvous
//!
//! The sender sends a message of at most [`MpiConfig::eager_threshold_bytes`] at once. Its send is
//! complete at once, or when the NIC has sent its last packet ([`EagerCompletion`]). For a longer
//! message the sender first asks the receiver:
//!
//! ```text
//!   sender                                 receiver
//!     | ---- request to send (control) ----> |   the envelope is in order and a receive matches
//!     | <--- get (control) ----------------- |
//!     | ---- data -------------------------> |   the receive is complete
//!     | <--- acknowledgement (control) ----- |
//!   the send is complete, or already at the last packet of the data ([`RendezvousCompletion`])
//! ```
//!
//! A control message has [`MpiConfig::control_bytes`] on the wire. A message of zero bytes is one
//! transmission of that size. All transmissions of a node's ranks share the queue of its NIC, first
//! in, first out. The packets of a transmission are created when it enters the queue. So packet
//! latency includes the NIC's queue, and message latency also includes the protocol.
//!
//! Messages between ranks of one node, and of a rank to itself, match like all others but never use
//! the NIC. They pass through memory ([`MpiConfig::memory_latency_ps`],
//! [`MpiConfig::memory_bandwidth_bytes_per_s`]) and do not slow each other.
//!
//! # Collectives
//!
//! In [`collectives`] each algorithm is a pure function that yields point-to-point steps. One file
//! holds one algorithm and names its paper. A collective's message carries the number of the call,
//! its kind and its root, so that the layer detects ranks that disagree.
//!
//! A non-blocking collective progresses without calls of its rank. A rank can run any number of
//! them. Programs make communicators at run time: see [`Op::CommSplit`], and
//! `layer/communicator_creation.rs` for the cost.
//!
//! # Accounts
//!
//! The communication time of a rank is the time for which it is blocked in calls, by kind of call
//! ([`RankTotals`]). Communication time and compute time add up exactly to the rank's elapsed time.
//! While a computation beside the rank runs ([`Op::Icompute`]), blocked time counts as compute
//! time. Messages and bytes count payload, including that of collectives. They exclude control
//! messages and messages of a rank to itself. [`MessageRecord`]s and [`IterationRecord`]s
//! accumulate until the owner takes them ([`MpiLayer::take_messages`]). The layer always keeps the
//! distribution of message latency ([`LatencyStatistics`]).
//!
//! # Errors and deadlock
//!
//! A program that asks for something impossible stops with a [`RankError`]: for example, for a
//! rank that does not exist, or a message longer than its receive. A program that ends with an
//! active request or an unreceived message has an error, too. Other programs continue.
//!
//! A job is deadlocked if programs are left, no packet is on its way and no timer is pending. Then
//! [`MpiLayer::blocked_report`] tells who waits for whom. Two blocking rendezvous sends read
//!
//! ```text
//! job 0 rank 0 is blocked in send since 5 ps: 20000 bytes to rank 1, tag 3, no receive matches
//! job 0 rank 1 is blocked in send since 0 ps: 20000 bytes to rank 0, tag 3, no receive matches
//! ```
//!
//! # Memory
//!
//! Transmissions, receives and sends live in arenas, so memory follows what is on its way. A rank
//! also keeps about 30 bytes for every peer that it has communicated with, for the order of
//! messages.

pub mod accounting;
mod arena;
pub mod coarse_packets;
pub mod collectives;
pub mod communicators;
pub mod config;
pub mod key_fault;
pub mod layer;
pub mod message;
mod node_map;
mod packet_order;
pub mod program;
mod rank;
mod reception;

pub use accounting::call_events::CallRecord;
pub use accounting::call_profile::{CallReport, payload};
pub use accounting::call_windows::CallWindow;
pub use accounting::latency::{LatencyStatistics, scaled};
pub use accounting::latency_windows::{LatencySketch, LatencySummary, LatencyWindows, MOST_EXACT};
pub use accounting::progress_estimate::{ExpectedTraffic, ProgressEstimate};
pub use accounting::rank_messages::{MessageSums, RankMessages};
pub use accounting::rank_totals::{CallKind, RankTotals};
pub use accounting::records::{IterationRecord, IterationStart, MessageRecord, RankReport};
pub use coarse_packets::CoarsePackets;
pub use collectives::Call;
pub use communicators::cartesian::Cartesian;
pub use communicators::communicator::Communicator;
pub use communicators::group::{Group, Split};
pub use config::{
    AllgatherAlgorithm, AllreduceAlgorithm, AlltoallAlgorithm, AlltoallvAlgorithm,
    BarrierAlgorithm, BcastAlgorithm, Collectives, EagerCompletion, Finalize, GetService,
    MpiConfig, NicOrder, Progress, ReceiveRegistration, Recording, ReduceAlgorithm,
    ReduceScatterAlgorithm, RendezvousCompletion, RootedAlgorithm, ScanAlgorithm,
};
pub use key_fault::Fault;
pub use layer::diagnosis::{Blocked, Waits};
pub use layer::partition_outbox::MpiMessage;
pub use layer::setup_error::SetupError;
pub use layer::{Holdings, MpiLayer, RankSetup, Ways};
pub use message::{CollectiveInstance, Header, Protocol, TransmissionKind};
pub use node_map::NodeMap;
pub use program::error::{OperationFault, RankError, Unfinished};
pub use program::identifiers::{
    COMM_WORLD, CommunicatorId, MAX_REQUESTS, Request, Source, TagSelect,
};
pub use program::iteration_mark::{IterationMark, PhaseName};
pub use program::operation::{FinalizePart, Incoming, Op, OperationStream, Outgoing, SetCall};
pub use program::outcome::{Completion, Outcome, Status};
pub use program::place::Place;
pub use program::source::{OperationSource, RankContext};
pub use program::value::{Contribution, Operator};
