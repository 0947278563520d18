//! Random graphs: no deadlock, no dependency broken, and the time of the critical path.

use std::collections::BTreeMap;
use std::sync::Arc;

use pantala_engine::Time;
use pantala_frontends::graph::pages::GraphsWriter;
use pantala_frontends::graph::running::RunningGraph;
use pantala_frontends::graph::stored::{Dependency, StoredGraph};
use pantala_frontends::graph::task::{ANY_SOURCE, ANY_TAG};
use pantala_frontends::graph::window::{ReadTask, TaskReader, Window};
use pantala_frontends::graph::{Executor, Task};
use pantala_frontends::trace::ComputeScale;
use pantala_mpi::Op;
use proptest::prelude::*;

use crate::network::{Ended, LATENCY, PER_BYTE, run};

/// A job's tasks in an order in which they could run one by one.
#[derive(Clone, Debug)]
struct Job {
    ranks: u32,
    tasks: Vec<(u32, Task)>,
    /// By the places in `tasks`; the two are tasks of one rank.
    dependencies: Vec<Dependency>,
}

#[derive(Clone, Debug)]
struct Step {
    message: bool,
    ranks: (u32, u32),
    size: u64,
    processors: (u16, u16),
    /// How far back a dependency reaches among the rank's tasks, and whether the start suffices.
    before: Vec<(usize, bool)>,
}

fn step(ranks: u32) -> impl Strategy<Value = Step> {
    let before = prop::collection::vec((1usize..8, any::<bool>()), 0..3);
    (any::<bool>(), (0..ranks, 0..ranks), 0u64..3_000, (0u16..3, 0u16..3), before).prop_map(
        |(message, ranks, size, processors, before)| Step {
            message,
            ranks,
            size,
            processors,
            before,
        },
    )
}

fn jobs(at_start: bool) -> impl Strategy<Value = Job> {
    (1u32..5).prop_flat_map(move |ranks| {
        prop::collection::vec(step(ranks), 1..60)
            .prop_map(move |steps| job(ranks, &steps, at_start))
    })
}

fn job(ranks: u32, steps: &[Step], at_start: bool) -> Job {
    let mut job = Job { ranks, tasks: Vec::new(), dependencies: Vec::new() };
    let mut of_rank = vec![Vec::new(); ranks as usize];
    for (tag, step) in (0i32..).zip(steps) {
        let ((from, to), (there, here)) = (step.ranks, step.processors);
        let bytes = step.size;
        let tasks = if step.message {
            vec![
                (
                    from,
                    Task::Send { bytes, peer: to, tag, processor: there, one_sided: tag % 2 == 0 },
                ),
                (to, Task::Receive { bytes, peer: from, tag, processor: here }),
            ]
        } else {
            // Each duration is different, so it names the task in the log.
            vec![(
                from,
                Task::Compute { time: step.size * 100 + tag as u64 % 100 + 1, processor: here },
            )]
        };
        let mut added = Vec::new();
        for (rank, task) in tasks {
            let dependent = job.tasks.len() as u32;
            job.tasks.push((rank, task));
            let earlier: &Vec<u32> = &of_rank[rank as usize];
            for &(back, start) in &step.before {
                if let Some(place) = earlier.len().checked_sub(back) {
                    let at_start = start && at_start;
                    let prerequisite = earlier[place];
                    job.dependencies.push(Dependency { dependent, prerequisite, at_start });
                }
            }
            added.push((rank, dependent));
        }
        added.into_iter().for_each(|(rank, task)| of_rank[rank as usize].push(task));
    }
    job
}

impl Job {
    /// The tasks of a rank by their places, in the given order of places.
    fn of(&self, rank: u32) -> Vec<u32> {
        let places = 0..self.tasks.len() as u32;
        places.filter(|place| self.tasks[*place as usize].0 == rank).collect()
    }

    fn stored(&self, rank: u32) -> StoredGraph {
        let own = self.of(rank);
        let place = |task: u32| own.binary_search(&task).map(|place| place as u32);
        let dependencies: Vec<Dependency> = self
            .dependencies
            .iter()
            .filter_map(|d| {
                let (dependent, prerequisite) =
                    (place(d.dependent).ok()?, place(d.prerequisite).ok()?);
                Some(Dependency { dependent, prerequisite, ..*d })
            })
            .collect();
        let tasks = own.iter().map(|task| self.tasks[*task as usize].1).collect();
        StoredGraph::new(tasks, &dependencies).unwrap()
    }

    /// The tasks of a rank as a file holds them.
    fn file(&self, rank: u32, shuffle: u64) -> Vec<ReadTask> {
        let mut tasks: Vec<ReadTask> = self
            .of(rank)
            .into_iter()
            .map(|place| ReadTask {
                id: u64::from(place) * 3,
                task: self.tasks[place as usize].1,
                prerequisites: self
                    .dependencies
                    .iter()
                    .filter(|d| d.dependent == place)
                    .map(|d| u64::from(d.prerequisite) * 3)
                    .collect(),
            })
            .collect();
        if shuffle > 0 {
            tasks.sort_by_key(|task| {
                (task.id + 1).wrapping_mul(shuffle.wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 20
            });
        }
        tasks
    }

    /// Checks the log of a run: every task once, after its prerequisites, one computation at a time
    /// on each processor.
    fn check(&self, ended: &Ended) -> Result<(), TestCaseError> {
        let mut starts: BTreeMap<u32, Time> = BTreeMap::new();
        for (time, rank, op) in &ended.log {
            let is = |task: &Task| match (op, task) {
                (Op::Compute(t) | Op::Icompute(t, _), Task::Compute { time, .. }) => t == time,
                (
                    Op::Send(o) | Op::Isend(o, _) | Op::Post(o) | Op::Ipost(o, _),
                    Task::Send { peer, tag, .. },
                ) => (o.destination, o.tag) == (*peer, *tag),
                (Op::Recv(i) | Op::Irecv(i, _), Task::Receive { tag, .. }) => {
                    i.tag == pantala_mpi::TagSelect::Is(*tag)
                }
                _ => false,
            };
            let places = (0..self.tasks.len() as u32).filter(|place| {
                let (owner, task) = &self.tasks[*place as usize];
                owner == rank && is(task) && !starts.contains_key(place)
            });
            if let Some(place) = places.min() {
                starts.insert(place, *time);
            } else {
                prop_assert!(op.name().starts_with("wait"), "{op:?} is no task");
            }
        }
        prop_assert_eq!(starts.len(), self.tasks.len());
        let earliest_end = |place: u32| match self.tasks[place as usize] {
            (_, Task::Compute { time, .. }) => starts[&place] + time,
            (own, Task::Receive { peer, bytes, .. }) => {
                let send = place - 1;
                let transfer = if own == peer { 0 } else { LATENCY + bytes * PER_BYTE };
                starts[&place].max(starts[&send] + transfer)
            }
            _ => starts[&place],
        };
        for d in &self.dependencies {
            let bound =
                if d.at_start { starts[&d.prerequisite] } else { earliest_end(d.prerequisite) };
            prop_assert!(starts[&d.dependent] >= bound, "{d:?}");
        }
        let mut busy: BTreeMap<(u32, u16), Vec<(Time, Time)>> = BTreeMap::new();
        for (place, (rank, task)) in (0..).zip(&self.tasks) {
            if let Task::Compute { time, processor } = task {
                let start = starts[&place];
                busy.entry((*rank, *processor)).or_default().push((start, start + time));
            }
        }
        for spans in busy.values_mut() {
            spans.sort_unstable();
            prop_assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        }
        Ok(())
    }
}

/// The program of a graph, which lies in memory up to a size in bytes, or in a temporary file.
fn running(graph: &StoredGraph, loaded: usize) -> Executor<RunningGraph> {
    let mut graphs = GraphsWriter::up_to(loaded);
    // Another rank before it, so that offsets matter.
    graphs.add(&StoredGraph::new(vec![Task::Nothing; 3], &[]).unwrap()).unwrap();
    graphs.add(graph).unwrap();
    Executor::new(RunningGraph::new(Arc::new(graphs.finish()), 1), ComputeScale::default())
}

/// Tasks from a list.
#[derive(Clone, Debug)]
struct List(std::vec::IntoIter<ReadTask>);

impl TaskReader for List {
    fn read(&mut self, into: &mut ReadTask) -> Result<bool, Arc<str>> {
        Ok(self.0.next().map(|task| *into = task).is_some())
    }

    fn place(&self) -> String {
        "list".to_owned()
    }
}

fn window(tasks: Vec<ReadTask>, limit: usize, ordered: bool) -> Executor<Window<List>> {
    Executor::new(
        Window::new(List(tasks.into_iter()), limit, ordered, Arc::default()),
        ComputeScale::default(),
    )
}

/// The time at which the last task of a job without messages ends, if no processor is shared.
fn critical_path(job: &Job) -> Time {
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for (place, (_, task)) in (0..).zip(&job.tasks) {
        let own = job.dependencies.iter().filter(|d| d.dependent == place);
        let bound = |d: &Dependency| {
            let times: &Vec<Time> = if d.at_start { &starts } else { &ends };
            times[d.prerequisite as usize]
        };
        let start = own.map(bound).max().unwrap_or(0);
        let Task::Compute { time, .. } = *task else { unreachable!() };
        starts.push(start);
        ends.push(start + time);
    }
    ends.into_iter().max().unwrap_or(0)
}

proptest! {
    #![proptest_config(pantala_testing::cases(400))]

    #[test]
    fn stored_graphs_keep_their_dependencies(job in jobs(true), loaded in prop_oneof![Just(0), Just(1 << 20)]) {
        let ended = run(job.ranks, |rank| {
            (running(&job.stored(rank), loaded), Vec::new())
        });
        prop_assert_eq!((&ended.errors, &ended.blocked), (&Vec::new(), &Vec::new()));
        job.check(&ended)?;
    }

    #[test]
    fn windows_keep_their_dependencies(job in jobs(false), limit in 1usize..30, shuffle in 0u64..3) {
        // A message can wait for a task outside a window, so windows of such jobs hold all tasks.
        let messages = job.tasks.iter().any(|(_, task)| matches!(task, Task::Send { .. }));
        let limit = if messages { limit + job.tasks.len() } else { limit };
        let ended = run(job.ranks, |rank| {
            (window(job.file(rank, shuffle), limit, shuffle == 0), Vec::new())
        });
        prop_assert_eq!((&ended.errors, &ended.blocked), (&Vec::new(), &Vec::new()));
        job.check(&ended)?;
    }

    #[test]
    fn computations_take_the_critical_path(mut steps in prop::collection::vec(step(1), 1..60), start in any::<bool>()) {
        for (place, step) in (0..).zip(&mut steps) {
            step.message = false;
            step.processors = (place, place);
        }
        let job = job(1, &steps, start);
        let stored = running(&job.stored(0), 1 << 20);
        let expected = critical_path(&job);
        prop_assert_eq!(run(1, |_| (stored.clone(), Vec::new())).good().end, expected);
        if !start {
            for shuffle in 0..3 {
                let program = window(job.file(0, shuffle), 100, shuffle == 0);
                prop_assert_eq!(run(1, |_| (program.clone(), Vec::new())).good().end, expected);
                let narrow = window(job.file(0, shuffle), 3, shuffle == 0);
                job.check(&run(1, |_| (narrow.clone(), Vec::new())).good())?;
            }
        }
    }
}

#[test]
fn many_receives_run_side_by_side() {
    // Rank 0 receives from all others with wildcards, and from each by name, in any order.
    let ranks = 40;
    let receive = |peer, tag| Task::Receive { bytes: 8, peer, tag, processor: 0 };
    let send = |peer, tag| Task::Send { bytes: 8, peer, tag, processor: 0, one_sided: false };
    let ended = run(ranks, |rank| {
        let tasks = if rank == 0 {
            (1..ranks).flat_map(|r| [receive(ANY_SOURCE, ANY_TAG), send(r, 0)]).collect()
        } else {
            vec![receive(0, 0), send(0, rank as i32)]
        };
        let dependency = Dependency { dependent: 1, prerequisite: 0, at_start: false };
        let dependencies = if rank == 0 { vec![] } else { vec![dependency] };
        let graph = StoredGraph::new(tasks, &dependencies).unwrap();
        (running(&graph, 1 << 20), Vec::new())
    });
    ended.good();
}

#[test]
fn requests_that_nothing_waits_for_are_one_waitall() {
    let ranks = 10;
    let ended = run(ranks, |rank| {
        let peer = if rank == 0 { ANY_SOURCE } else { 0 };
        let receive = Task::Receive { bytes: 8, peer, tag: ANY_TAG, processor: 0 };
        let send = |peer| Task::Send { bytes: 8, peer, tag: 1, processor: 0, one_sided: false };
        let tasks = if rank == 0 { vec![receive; 9] } else { vec![send(0)] };
        let graph = StoredGraph::new(tasks, &[]).unwrap();
        (running(&graph, 1 << 20), Vec::new())
    });
    let ended = ended.good();
    assert_eq!(ended.names(0).iter().filter(|name| **name == "irecv").count(), 9);
    assert_eq!(ended.names(0).last(), Some(&"waitall"));
    assert_eq!(ended.names(0).len(), 10);
}
