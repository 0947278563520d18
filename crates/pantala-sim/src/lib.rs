//! From a plan to a run directory: read, resolve, simulate, record, write. The only crate that
//! writes run directories.
//!
//! ```text
//! plan.json --parse--> Plan --resolve--> resolved Plan --Simulation::new--> network, hosts, recorders
//!                                                                                 | run
//! run directory <--run::document---- results, streamed tables <------------------ End
//! ```
//!
//! - `plan`: a [`Plan`] is data: integers, names, every default filled in. `resolve` checks it and
//!   computes node lists, virtual channels and derived values. A fault ([`PlanError`]) names the
//!   key, the value, the cause and the remedy.
//! - `run`: a [`Simulation`] runs in steps of simulated time. Between two steps it closes windows,
//!   checks the watchdog and calls an observer, which may stop it. Nothing else depends on the
//!   steps.
//! - `output`: the records and the tables. A run writes some tables window by window and the others
//!   at its end. run.json comes last.
//! - `catalogue`: every key and column as data.
//!
//! A room imports only from the rooms before it: `plan`, `output`, `run`, `catalogue`.
//!
//! [`End`] says how a run ends:
//!
//! | end | when |
//! | --- | --- |
//! | finished | every job that the run waits for has ended; if others run too, at the end of a window |
//! | duration | the plan's `stop.duration_ps` is over |
//! | interrupted | the observer stopped the run, or a table could not be written |
//! | stalled | packets in flight have not moved for `stop.watchdog_ps`, or ranks wait for one another; with a diagnosis |
//! | failed | a program violated MPI's rules |
//!
//! Every end writes a complete run directory. [`run::measure`] runs a plan in another way: a
//! warm-up and a window give one point of a load curve instead of tables.

pub mod catalogue;
pub mod error;
mod hex;
pub mod output;
pub mod plan;
pub mod run;

pub use error::{PlanError, WriteError};
pub use pantala_workload::process_grid::squarest as squarest_grid;
pub use plan::{PLAN_VERSION, Plan};
pub use run::simulation::Simulation;
pub use run::termination::{End, Progress};
