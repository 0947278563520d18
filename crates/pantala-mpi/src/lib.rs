//! MPI as the network sees it: ranks, matching, eager and rendezvous, communicators, collectives.
//!
//! # What it is
//!
//! A [`MpiLayer`] holds the ranks of all jobs. A rank is a [`Program`], which yields operations
//! ([`Op`]) one at a time, and the state that the protocol needs. Whatever the source of operations
//! (a motif, a script, a trace), this engine is the same:
//!
//! ```text
//!   Program --Op--> run loop --send, receive--> matching, protocol --transmissions--> NIC queue --packets--> fabric
//!                      ^   '--collective--> steps ----^      ^                                                  |
//!                      '------- completion ------------------'------------------- last byte has arrived <------'
//! ```
//!
//! The layer has no clock and no network. Its owner calls [`MpiLayer::start`] for every NIC at time
//! zero and then, as things happen, [`MpiLayer::pull`] (the NIC can send: a packet, please),
//! [`MpiLayer::deliver`] (a packet has arrived) and [`MpiLayer::timer`] (a time that was asked for has
//! come). Each call reacts at once, at the time it is given, and leaves its wishes in a
//! [`Wakes`](pantala_fabric::Wakes). A call for one NIC changes the state of that NIC's ranks only.
//! Operations take no time by themselves but what their host costs (`host.rs`): a rank computes, is
//! blocked, sees to messages or calls, or goes on.
//!
//! # An example
//!
//! Rank 0 sends 1,000 bytes to rank 1 over a network that takes 5 ns for every packet.
//!
//! ```
//! use pantala_fabric::{Delivery, Pull, Wakes};
//! use pantala_mpi::*;
//!
//! struct Script(std::vec::IntoIter<Op>);
//! impl Program for Script {
//!     fn next(&mut self, _: &Outcome) -> Option<Op> {
//!         self.0.next()
//!     }
//! }
//!
//! let send = Op::Send(Outgoing { communicator: COMM_WORLD, destination: 1, tag: 7, bytes: 1_000 });
//! let recv = Op::Recv(Incoming { communicator: COMM_WORLD, source: Source::Any, tag: TagSelect::Is(7), bytes: 1_000 });
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
//!     layer.start(nic, &mut wakes); // asks for a timer at the job's start, 0
//!     layer.timer(nic, 0, &mut wakes);
//! }
//! while let Pull::Packet(packet) = layer.pull(0, 0, &mut wakes) {
//!     assert_eq!(packet.destination, 11);
//!     let arrived = Delivery {
//!         source: 10,
//!         bytes: packet.bytes,
//!         created: packet.created,
//!         message: packet.message,
//!         job: packet.job,
//!     };
//!     layer.deliver(1, &arrived, 5_000, &mut wakes);
//! }
//! assert!(layer.finished());
//! assert_eq!(layer.message_statistics(0).unwrap().mean(), Some(5_000.0));
//! let receiver = layer.rank_reports(5_000).nth(1).unwrap();
//! assert_eq!((receiver.account.recv, receiver.account.bytes_received), (5_000, 1_000));
//! # Ok::<(), SetupError>(())
//! ```
//!
//! # Matching
//!
//! Messages of one source in one communicator match in the order in which they were sent, whatever
//! order their packets arrive in: an envelope that comes early is held until those before it are
//! there. An envelope counts as arrived with its transmission's last byte, as behind a NIC that
//! delivers in order. Receives take any source or any tag if asked to; a message that finds no
//! receive is unexpected and waits. Messages of collectives have contexts of their own and never
//! meet the user's.
//!
//! # Eager and rendezvous
//!
//! A message of at most [`MpiConfig::eager_threshold_bytes`] is sent unasked; its send completes at
//! once, or when the NIC has taken its last packet ([`EagerCompletion`]). A longer one asks first:
//!
//! ```text
//!   sender                                 receiver
//!     | ---- request to send (control) ----> |   matched when its turn has come and a receive is posted
//!     | <--- get (control) ----------------- |
//!     | ---- data -------------------------> |   the receive is complete
//!     | <--- acknowledgement (control) ----- |
//!   the send is complete
//! ```
//!
//! Control messages have [`MpiConfig::control_bytes`] on the wire and queue with everything else at
//! their NIC, of all ranks of its node, first handed over first out. A message of zero bytes is one
//! control-sized transmission. Packets of a transmission are created when it enters the queue:
//! packet latency counts the queue of the NIC, message latency the protocol, too. Messages between
//! ranks of one node, and of a rank to itself, match as any other and never touch the NIC: they
//! pass through memory ([`MpiConfig::memory_latency_ps`],
//! [`MpiConfig::memory_bandwidth_bytes_per_s`]), each by itself.
//!
//! # Collectives
//!
//! [`collectives`]: each algorithm is a pure function that yields point-to-point steps; one file an
//! algorithm, with its paper. Messages of a collective say which call it is, what kind and which
//! root, so that ranks that disagree are told.
//!
//! A non-blocking collective goes on by itself, whatever its rank does; any number can be under
//! way. Communicators are made by programs as they run: see [`Op::CommSplit`] and, for what their
//! making costs, `creation.rs`.
//!
//! # Accounts
//!
//! Communication time of a rank is the time that it spends blocked inside calls, by kind of call
//! ([`Account`]); with the compute time it adds up to the rank's elapsed time exactly. Messages and
//! bytes are the payload, collectives included, control messages and messages to oneself excluded.
//! [`MessageRecord`]s and [`IterationRecord`]s pile up until taken ([`MpiLayer::take_messages`]); the
//! distribution of message latency ([`LatencyStatistics`]) is always kept.
//!
//! # When nothing happens any more
//!
//! A program that asks for what cannot be (a rank that does not exist, a message that does not fit)
//! stops with a [`ProgramError`]; one that ends with a request active or a message unreceived has
//! one, too; others go on. If programs are left, no packet is under way and no timer is pending,
//! the job has deadlocked: [`MpiLayer::blocked_report`] says who waits for whom. Two blocking
//! rendezvous sends, for one, read
//!
//! ```text
//! job 0 rank 0 is blocked in send since 5 ps: 20000 bytes to rank 1, tag 3, no receive matches
//! job 0 rank 1 is blocked in send since 0 ps: 20000 bytes to rank 0, tag 3, no receive matches
//! ```
//!
//! # Memory
//!
//! Transmissions, receives and sends live in arenas: memory follows what is under way, not what has
//! been. A rank remembers every peer that it has talked to (some 30 bytes each), for the order of
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
pub mod program;
mod rank;

pub use accounting::account::{Account, CallKind};
pub use accounting::call_profile::CallReport;
pub use accounting::latency::LatencyStatistics;
pub use accounting::progress_estimate::ProgressEstimate;
pub use accounting::records::{IterationRecord, MessageRecord, RankReport};
pub use coarse_packets::CoarsePackets;
pub use collectives::Call;
pub use communicators::cartesian::Cartesian;
pub use communicators::communicator::Communicator;
pub use communicators::group::{Group, Split};
pub use config::{
    AllgatherAlgorithm, AllreduceAlgorithm, AlltoallAlgorithm, AlltoallvAlgorithm,
    BarrierAlgorithm, BcastAlgorithm, Collectives, EagerCompletion, MpiConfig, Recording,
    ReduceAlgorithm, ReduceScatterAlgorithm, RootedAlgorithm, ScanAlgorithm,
};
pub use key_fault::Fault;
pub use layer::diagnosis::{Blocked, Waits};
pub use layer::partition_outbox::MpiMessage;
pub use layer::setup_error::SetupError;
pub use layer::{Holdings, MpiLayer, RankSetup};
pub use message::{CollectiveInstance, Header, Protocol, TransmissionKind};
pub use program::error::{ProgramError, ProgramFault, Unfinished};
pub use program::identifiers::{
    COMM_WORLD, CommunicatorId, MAX_REQUESTS, Request, Source, TagSelect,
};
pub use program::operation::{Incoming, Op, Outgoing, Program};
pub use program::outcome::{Completion, Outcome, Status};
