//! From a plan to a run directory: resolve, place, simulate, record, write. The only crate with
//! file I/O.
//!
//! ```text
//!   plan.json --parse--> Plan --resolve--> Plan without open ends --Simulation::new--> network, hosts, recorder
//!                                                                                          | run
//!   run directory <--document::write-- tables, totals, audit <-------------------------- End
//! ```
//!
//! A [`Plan`] is data: integers, names, no default left open but node lists, VCs and what follows
//! from the rest. [`resolve`] checks it, fills these in, and changes nothing when asked again; its
//! faults ([`PlanError`]) name key, value, message and remedy. A [`Simulation`] runs in steps of
//! simulated time. Between two steps it closes windows, looks whether anything still moves, and
//! tells an observer, who may stop it; none of that changes what happens inside. It ends as [`End`]
//! says:
//!
//! | end | when |
//! | --- | --- |
//! | finished | every finite job has ended; beside patterns, seen on the grid of `record.window_ps` |
//! | duration | the plan's `stop.duration_ps` is over |
//! | interrupted | the observer asked for it |
//! | stalled | packets in flight have not moved for `stop.watchdog_ps`, or ranks wait for one another: with a diagnosis |
//! | failed | a program did what MPI forbids |
//!
//! However it ends, [`document::write`] writes all tables, then run.json. [`measure`] is the other
//! way to run a plan: a warm-up and a window, and one point of a load curve instead of tables.

pub mod catalogue;
pub mod error;
pub mod output;
pub mod plan;
pub mod run;

pub use error::{PlanError, WriteError};
pub use pantala_workload::process_grid::squarest as squarest_grid;
pub use plan::{PLAN_VERSION, Plan};
pub use run::simulation::Simulation;
pub use run::termination::{End, Progress};
