//! The readers: each takes bytes and tells whether it accepts them, and how far it came.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pantala_engine::Stream;
use pantala_frontends::chakra::{self, ChakraTrace};
use pantala_frontends::dumpi::{self, DumpiTrace, binary_file::BinaryFile};
use pantala_frontends::goal::{self, GoalSchedule, read_binary, read_text};
use pantala_frontends::operations::{self, Contents, Replay};
use pantala_frontends::trace::{ComputeScale, ComputeTimes, Position, TraceError, TraceFile};
use pantala_mpi::{OperationSource, OperationStream, Outcome, RankContext};
use pantala_ncptl::NcptlSpec;
use pantala_ncptl::explain::explain_within;
use pantala_ncptl::language::{Source, read};
use pantala_ncptl::run::job::Limits;
use pantala_routing::learning::QTable;
use pantala_sim::plan::{self, resolve};

use crate::first_operations::execute;
use crate::goal_text::GOAL_WORDS;
use crate::mutate::{Form, damaged};
use crate::{layouts, seeds};

/// The names of all readers.
pub(crate) const NAMES: [&str; 9] = [
    "chakra",
    "dumpi_binary",
    "dumpi_text",
    "estimates",
    "goal_binary",
    "goal_text",
    "ncptl",
    "operations",
    "plan",
];
/// Fewer operations of a rank, and fewer ranks, are summed up.
const FEW: usize = 5_000;
/// Routers of the largest network that is made of an accepted plan.
const ROUTERS: u64 = 500;

/// What a reader said of an input.
#[derive(Default)]
pub(crate) struct Verdict {
    pub(crate) valid: bool,
    /// Whether it came beyond the header or the first key.
    pub(crate) deep: bool,
    pub(crate) error: String,
}

impl Verdict {
    const VALID: Self = Self { valid: true, deep: true, error: String::new() };

    fn refused(deep: bool, error: impl ToString) -> Self {
        Self { valid: false, deep, error: error.to_string() }
    }
}

/// A reader with its seeds.
pub(crate) struct Reader {
    name: &'static str,
    form: Form,
    seeds: Vec<Vec<u8>>,
    words: Vec<&'static [u8]>,
    /// Bytes at the start and the end that most inputs keep.
    kept: (usize, usize),
    folder: PathBuf,
    untrained: Option<QTable>,
    /// A file of Chakra without messages.
    alone: Vec<u8>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Reader {
    /// A reader of this name.
    pub(crate) fn new(name: &str) -> Self {
        let Some(name) = NAMES.iter().find(|known| **known == name) else {
            panic!("there is no reader {name}")
        };
        // Files lie in memory, where the system has such a folder.
        let memory = PathBuf::from("/dev/shm");
        let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let folder = parent.join(format!("pantala-damaged-{name}-{}", std::process::id()));
        let _ = std::fs::create_dir_all(&folder);
        let (form, kept, words): (Form, (usize, usize), &[&[u8]]) = match *name {
            "chakra" => (Form::Sequence, (8, 0), seeds::CHAKRA_WORDS),
            "dumpi_binary" => (Form::Places, (16, 64), &[]),
            "dumpi_text" => (Form::Text, (46, 0), seeds::DUMPI_WORDS),
            "estimates" => (Form::Places, (4, 8), &[]),
            "goal_binary" => (Form::Places, (14, 0), &[]),
            "goal_text" => (Form::Text, (12, 0), GOAL_WORDS),
            "ncptl" => (Form::Text, (8, 0), seeds::NCPTL_WORDS),
            "operations" => (Form::Places, (32, 104), &[]),
            _ => (Form::Json, (20, 0), seeds::PLAN_WORDS),
        };
        let seeds = seeds::of(name);
        let kept = if *name == "estimates" { (4, seeds::footer(&seeds[0])) } else { kept };
        let untrained = (*name == "estimates").then(seeds::untrained);
        let (words, alone) = (words.to_vec(), seeds::alone());
        Self { name, form, seeds, words, kept, folder, untrained, alone }
    }

    /// The bytes that the reader may use whatever its input, above those of all readers.
    pub(crate) fn fixed(&self) -> u64 {
        match self.name {
            // The tables of the machine that the plan asks for.
            "plan" => 256 << 20,
            // The values that a program may compute before the run, and its lists of ranks.
            "ncptl" => 64 << 20,
            // What the header of a page says of its size, in 31 bits: the library of Parquet sets
            // as much aside, and fills what the page has.
            "estimates" => 2 << 30,
            _ => 0,
        }
    }

    /// The input of a case.
    pub(crate) fn input(&self, draws: &mut Stream) -> Vec<u8> {
        damaged(&self.seeds, &self.words, self.form, self.kept, draws)
    }

    /// Reads an input, and uses it if it is accepted.
    pub(crate) fn read(&mut self, input: &[u8]) -> Verdict {
        match self.name {
            "chakra" => self.chakra(input),
            "dumpi_binary" => self.dumpi("run-0000.bin", input),
            "dumpi_text" => self.dumpi("run-0000.txt", input),
            "estimates" => self.estimates(input),
            "goal_binary" => {
                let deep = self.seeds.iter().any(|seed| input.starts_with(&seed[..12]));
                if in_a_file(input) {
                    let path = self.write("x.bin", input);
                    let _ = goal::recognizes(&path);
                    return trace::<GoalSchedule>(&path, |_| deep);
                }
                scheduled(read_binary(Path::new("x"), Cursor::new(input)), |_| deep)
            }
            "goal_text" => scheduled(read_text(Path::new("x"), input), beyond_the_first_line),
            "ncptl" => ncptl(input),
            "operations" => self.operations(input),
            _ => plan(input),
        }
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder.join(name);
        let _ = std::fs::write(&path, content);
        path
    }

    fn chakra(&self, input: &[u8]) -> Verdict {
        // The other rank has a sound file.
        self.write("job.0.et", input);
        let alone = sum_of(input) % 4 == 0;
        self.write("job.1.et", if alone { &self.alone } else { &self.seeds[0] });
        let deep = self.seeds.iter().any(|seed| input.starts_with(&seed[..8]));
        let around = layouts::written(&self.folder, "job.0.et", input, &self.seeds[0]);
        let path = around.as_deref().unwrap_or(&self.folder);
        let _ = chakra::recognizes(path);
        trace::<ChakraTrace>(path, |_| deep)
    }

    fn dumpi(&self, name: &str, input: &[u8]) -> Verdict {
        let path = self.write(name, input);
        let second = name.replace("0000", "0001");
        let seed = &self.seeds[1 % self.seeds.len()];
        self.write(&second, seed);
        let binary = name.ends_with(".bin");
        let known = binary && BinaryFile::open(&path).is_ok();
        let around = layouts::written(&self.folder, name, input, seed);
        let _ = dumpi::recognizes(around.as_deref().unwrap_or(&path));
        let opened = around.as_deref().unwrap_or(&self.folder);
        trace::<DumpiTrace>(opened, |e| if binary { known } else { beyond_the_first_line(e) })
    }

    fn operations(&self, input: &[u8]) -> Verdict {
        let mut input = input.to_vec();
        // Zeros in place of the hash: the reader finds each fault by itself.
        if let Some(at) = input.len().checked_sub(40) {
            let end = input.len() - 8;
            input[at..end].fill(0);
        }
        let whole = |seed: &Vec<u8>| {
            input.starts_with(&seed[..8]) && input.ends_with(&seed[seed.len() - 8..])
        };
        let deep = self.seeds.iter().any(whole);
        let read = if in_a_file(&input) {
            // Half of them are read piece by piece.
            let loaded = if sum_of(&input) % 16 == 0 { 64 } else { 1 << 20 };
            Contents::open_up_to(&self.write("x.operations", &input), loaded)
        } else {
            Contents::of_bytes(input.clone())
        };
        let contents = match read {
            Ok(contents) => Arc::new(contents),
            Err(fault) => return Verdict::refused(deep, fault),
        };
        for rank in contents.ranks().take(4) {
            let mut replay = Replay::new(Arc::clone(&contents), rank);
            let _ = replay.summary();
            let _ = contents.communicators(rank);
            execute(&mut replay);
        }
        // A summary and the check of all calls take as long as the operations that the file says to repeat.
        let few = |rank| {
            let mut replay = Replay::new(Arc::clone(&contents), rank);
            let all = std::iter::from_fn(|| replay.next(0, &Outcome::Done));
            all.take(FEW).count() < FEW
        };
        if contents.ranks().len() >= FEW || !contents.ranks().all(few) {
            return Verdict::VALID;
        }
        let _ = operations::summary(&contents, input.len() as u64);
        match operations::agreement(&contents) {
            Ok(_) => Verdict::VALID,
            Err(fault) => Verdict::refused(true, fault),
        }
    }

    fn estimates(&self, input: &[u8]) -> Verdict {
        let path = self.write("q_tables.parquet", input);
        let path = path.to_str().unwrap_or("");
        let Some(untrained) = &self.untrained else { return Verdict::default() };
        match plan::q_tables::load("routing.q_adaptive.table", path, untrained) {
            Ok(estimates) => {
                let _ = plan::q_tables::fingerprint(&estimates);
                Verdict::VALID
            }
            Err(fault) => {
                let text = fault.to_string();
                Verdict::refused(!text.contains("not a Parquet file"), text)
            }
        }
    }
}

/// A number of an input, by which some inputs are read in another way.
pub(crate) fn sum_of(input: &[u8]) -> usize {
    input.iter().fold(0, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()))
}

/// Whether an input is read from a file: one of eight is.
fn in_a_file(input: &[u8]) -> bool {
    sum_of(input) % 8 == 0
}

fn beyond_the_first_line(error: &TraceError) -> bool {
    matches!(error.position, Some(Position::Line(line)) if line > 1)
}

fn scale() -> ComputeScale {
    ComputeScale::new(ComputeTimes::Recorded, 1_500_000)
}

/// Opens a trace and executes the first operations of its ranks.
fn trace<T: TraceFile>(path: &Path, deep: impl Fn(&TraceError) -> bool) -> Verdict {
    let opened = T::open(path).and_then(|trace| trace.summary().map(|_| trace));
    let trace = match opened {
        Ok(trace) => Arc::new(trace),
        Err(error) => return Verdict::refused(deep(&error), error),
    };
    if let Err(error) = trace.check() {
        return Verdict::refused(true, error);
    }
    for rank in 0..trace.ranks().min(2) {
        let _ = trace.communicators(&RankContext::new(rank, trace.ranks(), "trace", 1));
        execute(&mut trace.program(scale(), rank));
    }
    Verdict::VALID
}

fn scheduled(
    read: Result<GoalSchedule, TraceError>,
    deep: impl Fn(&TraceError) -> bool,
) -> Verdict {
    match read {
        Err(error) => Verdict::refused(deep(&error), error),
        Ok(schedule) => {
            let schedule = Arc::new(schedule);
            for rank in 0..schedule.ranks().min(4) {
                execute(&mut schedule.program(scale(), rank));
            }
            match schedule.summary().and_then(|_| schedule.check()) {
                Ok(()) => Verdict::VALID,
                Err(error) => Verdict::refused(true, error),
            }
        }
    }
}

fn ncptl(input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let source = Source::new("x.ncptl", &*text);
    if let Err(errors) = read(&source) {
        let rendered = errors.iter().map(|each| each.render(&source).len()).sum::<usize>();
        let deep = errors.first().is_some_and(|each| each.span.start > 8) && rendered > 0;
        let first = errors.first().map_or(String::new(), |each| each.one_line(&source));
        return Verdict::refused(deep, first);
    }
    let spec = NcptlSpec::new("x.ncptl", &text, Default::default(), 1, 100);
    let spec = spec.within(Limits { steps: 10_000, walk: 1 << 12 });
    if let Err(fault) = spec.check(5) {
        return Verdict::refused(true, fault.message);
    }
    match explain_within(&spec, 5, 500) {
        Err(fault) => Verdict::refused(true, fault.message),
        Ok(_) => Verdict::VALID,
    }
}

fn plan(input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let plan = match resolve::parse(&text) {
        Ok(plan) => plan,
        Err(fault) => {
            let shallow = ["plan", "plan_version"].contains(&fault.key.as_str());
            return Verdict::refused(!shallow, fault);
        }
    };
    let network = &plan.topology;
    let routers = u64::from(network.a).saturating_mul(network.g.into());
    let wide = network.p > 64 || network.h > 64;
    let ranks: u64 = plan.jobs.iter().map(|job| u64::from(job.ranks)).sum();
    // What is large by its numbers costs what they say, not what the text does.
    if routers > ROUTERS || wide || ranks > 10_000 {
        return match plan::ranges::check(&plan) {
            Ok(()) => Verdict::VALID,
            Err(fault) => Verdict::refused(true, fault),
        };
    }
    match resolve::resolve(plan) {
        Err(fault) => Verdict::refused(true, fault),
        Ok(_) => Verdict::VALID,
    }
}
