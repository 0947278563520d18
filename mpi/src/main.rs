//! `mpirun -n N pantala-processes run plan.json --out DIR`: runs a plan on several processes, each
//! with some groups of the machine.
//!
//! The run directory equals the directory of `pantala run` byte for byte, except for the provenance
//! in run.json.

mod cluster;

use clap::{Parser, Subcommand};
use cluster::{Cluster, Traffic};
use mpi::traits::{Communicator, CommunicatorCollectives, Root};
use pantala_sim::plan::resolve;
use pantala_sim::run::document;
use pantala_sim::{End, Simulation};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Parser)]
#[command(version, about = "Pantala on several processes, each with some groups of the machine")]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a plan. Start it with `mpirun -n N` and at most one process per group
    Run {
        /// The plan, as `pantala check FILE --plan plan.json` writes it
        plan: PathBuf,
        /// The run directory. It must be empty or not exist
        #[arg(long, short, value_name = "DIR")]
        out: PathBuf,
    },
}

/// An error line and its exit status: 2 for errors of the user, 1 for all others.
struct Fault {
    status: i32,
    line: String,
}

impl Fault {
    fn of_user(line: impl Into<String>) -> Self {
        Self { status: 2, line: line.into() }
    }
}

fn main() {
    let Line { command: Command::Run { plan, out } } = Line::parse();
    let Some(universe) = mpi::initialize() else {
        eprintln!("pantala-processes: MPI cannot be initialised; start it with mpirun");
        std::process::exit(1);
    };
    let world = universe.world();
    let ended = run(&world, &plan, &out);
    // All processes end in the same way. The first one prints the error.
    let status = ended.as_ref().map_or_else(|fault| fault.status, |()| 0);
    if let Some(fault) = ended.err().filter(|_| world.rank() == 0) {
        eprintln!("pantala-processes: {}", fault.line);
    }
    drop(universe);
    std::process::exit(status);
}

/// Runs `found` in the first process and returns its result, or its error, to all.
fn told(
    world: &mpi::topology::SimpleCommunicator,
    found: impl FnOnce() -> Result<String, String>,
) -> Result<String, Fault> {
    let mut message = Vec::new();
    if world.rank() == 0 {
        message = match found() {
            Ok(text) => [b"+", text.as_bytes()].concat(),
            Err(line) => [b"-", line.as_bytes()].concat(),
        };
    }
    let mut length = message.len() as u64;
    world.process_at_rank(0).broadcast_into(&mut length);
    message.resize(length as usize, 0);
    world.process_at_rank(0).broadcast_into(&mut message[..]);
    let text = String::from_utf8_lossy(&message[1..]).into_owned();
    if message[0] == b'+' { Ok(text) } else { Err(Fault::of_user(text)) }
}

/// Returns a plan in which each workload names a file that is there: `check --plan` writes operation
/// files beside the plan and names them without a directory.
fn with_files_beside(text: String, plan: &Path) -> String {
    let Ok(mut value) = serde_json::from_str::<serde_json::Value>(&text) else { return text };
    let folder = plan.parent().unwrap_or(Path::new(""));
    let jobs = value.get_mut("jobs").and_then(serde_json::Value::as_array_mut);
    for job in jobs.into_iter().flatten() {
        let Some(path) = job.get_mut("workload").and_then(|workload| workload.get_mut("path"))
        else {
            continue;
        };
        let beside = path.as_str().map(|path| (Path::new(path), folder.join(path)));
        if let Some((_, beside)) = beside.filter(|(path, beside)| !path.exists() && beside.exists())
        {
            *path = beside.display().to_string().into();
        }
    }
    value.to_string()
}

fn run(world: &mpi::topology::SimpleCommunicator, plan: &Path, out: &Path) -> Result<(), Fault> {
    let began = Instant::now();
    let text = told(world, || {
        free(out)?;
        let text = std::fs::read_to_string(plan)
            .map_err(|error| format!("{}: cannot be read: {error}", plan.display()))?;
        Ok(with_files_beside(text, plan))
    })?;
    let of_plan =
        |error: pantala_sim::PlanError| Fault::of_user(format!("{}: key {error}", plan.display()));
    let resolved = resolve::parse(&text).and_then(resolve::resolve).map_err(of_plan)?;
    let mut cluster = Cluster::new(world);
    let mut simulation =
        Simulation::among(&mut cluster, resolved, 0, 1, |_| {}).map_err(of_plan)?;
    // The first process writes during the run: it gathers the rows at the end of each window.
    let mut partial = None;
    told(world, || {
        let directory = Partial::create(out)?;
        simulation.write_to(&directory.path).map_err(|error| error.to_string())?;
        partial = Some(directory);
        Ok(String::new())
    })?;
    let setup_seconds = began.elapsed().as_secs_f64();
    let running = Instant::now();
    let end = simulation.run(|_| true);
    let wall_seconds = running.elapsed().as_secs_f64();
    let results = simulation.results();
    let written = told(world, || {
        let (Some(results), Some(partial)) = (&results, partial) else {
            return Err("no results".to_owned());
        };
        let provenance = json!({
            "processes": world.size(),
            "events": results.totals.events,
            "setup_seconds": setup_seconds,
            "wall_seconds": wall_seconds,
            "packet_hops_per_second": results.totals.packet_hops as f64 / wall_seconds.max(1e-9),
        });
        let document = document::write(&mut simulation, results, &end, provenance)
            .map_err(|error| error.to_string())?;
        partial.publish(out)?;
        match document.diagnosis {
            Some(diagnosis) if end.diagnosis().is_none() => Err(diagnosis),
            _ => Ok(String::new()),
        }
    });
    drop(simulation);
    world.barrier();
    let Traffic { windows, messages, bytes } = cluster.traffic();
    written.map_err(|fault| Fault { status: 1, ..fault })?;
    if world.rank() == 0 {
        println!("tables: {}", out.display());
        println!(
            "{windows} windows, {messages} messages and {bytes} bytes from the first process, {wall_seconds:.3} s simulated in"
        );
    }
    match end {
        End::Stalled(diagnosis) | End::Failed(diagnosis) => {
            Err(Fault { status: 1, line: diagnosis })
        }
        End::Finished | End::Duration | End::Interrupted => Ok(()),
    }
}

/// Checks that the run directory is empty or does not exist.
fn free(out: &Path) -> Result<(), String> {
    let taken = |what: &str| Err(format!("--out {}: {what}; choose another", out.display()));
    match std::fs::read_dir(out) {
        Ok(mut entries) => {
            if entries.next().is_none() {
                Ok(())
            } else {
                taken("is not empty")
            }
        }
        Err(_) if out.exists() => taken("is not a directory"),
        Err(_) => Ok(()),
    }
}

/// A temporary run directory. `publish` moves it to its place, and a drop removes it. So the place
/// never holds a partial run.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn create(out: &Path) -> Result<Self, String> {
        let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = out.with_file_name(format!(".{name}.partial-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| not_written(out, &error))?;
        Ok(Self { path })
    }

    /// Moves the directory to its place.
    fn publish(self, out: &Path) -> Result<(), String> {
        if out.exists() {
            std::fs::remove_dir(out).map_err(|error| not_written(out, &error))?;
        }
        std::fs::rename(&self.path, out).map_err(|error| not_written(out, &error))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // After `publish` the directory no longer exists.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

fn not_written(out: &Path, error: &std::io::Error) -> String {
    format!("--out {}: cannot be written: {error}", out.display())
}
