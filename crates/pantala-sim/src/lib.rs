//! From a plan to a run directory: resolve, place, simulate, record, write. The only crate with file I/O.

pub mod columns;
pub mod document;
pub mod error;
pub mod link_table;
pub mod measure;
pub mod placement;
pub mod plan;
pub mod recorder;
pub mod resolve;
pub mod simulation;
pub mod tables;

pub use error::{PlanError, WriteError};
pub use plan::{PLAN_VERSION, Plan};
pub use simulation::{End, Progress, Simulation};
