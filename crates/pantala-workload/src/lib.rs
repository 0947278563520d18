//! Workloads: the traffic and the programs of jobs.
//!
//! # Patterns, motifs and programs
//!
//! A *pattern* is synthetic traffic: every rank of the job sends packets at an offered load,
//! without end ([`patterns`], [`injection`]). A *motif* is the communication skeleton of an
//! application: a finite stream of MPI operations for each rank ([`motifs`]). [`WorkloadSpec`] is a
//! pattern, a motif or a sequence of motifs as the plan writes it:
//!
//! ```
//! use pantala_workload::WorkloadSpec;
//!
//! let text = r#"{"kind": "fft3d", "grid": [22, 24], "row_message_bytes": 900,
//!     "column_message_bytes": 900, "iterations": 10}"#;
//! let workload: WorkloadSpec = serde_json::from_str(text)?;
//! assert!(workload.check(528).is_ok());
//! let fault = workload.check(500).unwrap_err();
//! assert_eq!(fault.key, "grid");
//! assert_eq!(fault.remedy, "write [20, 25] or another grid of 500 cells, or give the job 528 ranks");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! Motifs are one kind of programs. [`programs`] lists all kinds in one closed enum, so that jobs
//! with programs of different kinds run on one network.
//!
//! # Endpoints
//!
//! [`Endpoints`] puts placed jobs ([`JobSpec`]) on the nodes of a network. It is the fabric's
//! [`Host`](pantala_fabric::Host): behind a NIC there is nothing, a generator, or ranks. A
//! generator is a clock in one cache line. It computes the creation time of packet `k` when packet
//! `k - 1` is taken. All ranks are in one [`MpiLayer`](pantala_mpi::MpiLayer).
//!
//! ```
//! use pantala_fabric::{Host, Pull, Wakes};
//! use pantala_mpi::{MpiConfig, Recording};
//! use pantala_workload::{Endpoints, JobSpec, Noise, PatternContext, WorkloadSpec};
//!
//! let noise = r#"{"kind": "pattern", "pattern": "uniform", "load": 0.5,
//!     "injection": "periodic", "phase": "in"}"#;
//! let workload: WorkloadSpec = serde_json::from_str(noise)?;
//! let job = JobSpec {
//!     name: "noise".into(),
//!     nodes: (0..64).collect(),
//!     start: 0,
//!     end: pantala_engine::NEVER,
//!     repeat: false,
//!     noise: Noise::default(),
//!     workload: workload.into(),
//! };
//! let context = PatternContext {
//!     packet_bytes: 512,
//!     flit_bytes: 128,
//!     terminal_bytes_per_second: 25_000_000_000,
//!     group_of_node: (0..1_056).map(|node| node / 32).collect(),
//! };
//! let (mpi, recording) = (MpiConfig::default(), Recording::default());
//! let mut endpoints = Endpoints::new(vec![job], mpi, recording, &context, 1_056, 1)?;
//! let mut wakes = Wakes::default();
//! assert!(matches!(endpoints.pull(5, 0, &mut wakes), Pull::Packet(_)));
//! assert_eq!(endpoints.pull(5, 0, &mut wakes), Pull::Later(40_960));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Randomness
//!
//! Every draw comes from a stream that seed, purpose, job name and rank key. So a job behaves the
//! same alone and together with others, and no partition or order of execution can change its
//! draws. Permutations of a whole job are computed from a key, not stored ([`Permutation`]).
//!
//! # Units
//!
//! Loads are fractions of the terminal bandwidth, counted in whole flits. Sizes are bytes, times
//! are picoseconds. Each motif states how ranks fill its process grid.

pub mod call_order;
pub mod communication_volume;
mod compute_noise;
pub mod endpoints;
mod generator;
pub mod injection;
pub mod job_spec;
pub mod motifs;
pub mod patterns;
pub mod permutation;
pub mod process_grid;
pub mod programs;
mod random_streams;

pub use compute_noise::{Noise, NoiseDistribution};
pub use endpoints::{Endpoints, PatternContext};
pub use injection::{Injection, Phase};
pub use job_spec::{JobSpec, Workload, WorkloadError, WorkloadSpec};
pub use motifs::Motif;
pub use pantala_ncptl::run::log::{Log, LoggedColumn};
pub use patterns::{Pattern, PatternKind};
pub use permutation::Permutation;
pub use programs::{JobOperations, OperationLists, RankLog, RankOperations};
