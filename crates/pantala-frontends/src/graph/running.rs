//! A graph while it runs: in memory are the nodes that are ready or running, and those of which
//! some prerequisites have finished.

use std::io;
use std::sync::Arc;

use super::executor::Graph;
use super::id_table::IdMap;
use super::pages::{Graphs, Pages, Record};
use super::stored::AT_START;
use super::task::Task;

/// A node that is ready or running.
#[derive(Clone, Copy, Debug)]
struct Open {
    task: Task,
    node: u32,
    awaited: bool,
    frees_at_start: bool,
}

/// The graph of one rank while it runs.
#[derive(Clone, Debug)]
pub struct RunningGraph {
    pages: Pages,
    open: Vec<Open>,
    free: Vec<u32>,
    /// Number of prerequisites that are missing, of each node of which one or more have finished.
    missing: IdMap,
    finished: u32,
    fed: bool,
    /// The dependents of one node.
    edges: Vec<u32>,
    /// Why the graph cannot be read any more.
    fault: Option<Arc<str>>,
}

impl RunningGraph {
    /// The graph of a rank before its first task.
    #[must_use]
    pub fn new(graphs: Arc<Graphs>, rank: u32) -> Self {
        Self {
            pages: Pages::new(graphs, rank),
            open: Vec::new(),
            free: Vec::new(),
            missing: IdMap::default(),
            finished: 0,
            fed: false,
            edges: Vec::new(),
            fault: None,
        }
    }

    /// Reports a node as ready.
    fn open(&mut self, node: u32, ready: &mut impl FnMut(u32)) -> io::Result<()> {
        let Record { task, frees_at_start, .. } = self.pages.node(node)?;
        let awaited = !self.pages.dependents(node)?.is_empty();
        let open = Open { task, node, awaited, frees_at_start };
        ready(match self.free.pop() {
            Some(place) => {
                self.open[place as usize] = open;
                place
            }
            None => {
                self.open.push(open);
                self.open.len() as u32 - 1
            }
        });
        Ok(())
    }

    fn release(
        &mut self,
        node: u32,
        at_start: bool,
        ready: &mut impl FnMut(u32),
    ) -> io::Result<()> {
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        edges.extend_from_slice(self.pages.dependents(node)?);
        for edge in &edges {
            if (edge & AT_START != 0) == at_start && self.satisfied(edge & !AT_START)? {
                self.open(edge & !AT_START, ready)?;
            }
        }
        self.edges = edges;
        Ok(())
    }

    /// Notes that a prerequisite of a node is no longer missing; returns whether none is.
    fn satisfied(&mut self, node: u32) -> io::Result<bool> {
        if let Some(missing) = self.missing.get_mut(&u64::from(node)) {
            *missing -= 1;
            if *missing == 0 {
                self.missing.remove(&u64::from(node));
                return Ok(true);
            }
            return Ok(false);
        }
        let prerequisites = self.pages.node(node)?.prerequisites;
        if prerequisites > 1 {
            self.missing.insert(u64::from(node), prerequisites - 1);
        }
        Ok(prerequisites == 1)
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.fault =
                Some(format!("the temporary file of its graphs cannot be read: {error}").into());
        }
    }
}

impl Graph for RunningGraph {
    fn feed(&mut self, _: bool, ready: &mut impl FnMut(u32)) -> Result<(), Arc<str>> {
        if !std::mem::replace(&mut self.fed, true) {
            let opened = self
                .pages
                .roots()
                .and_then(|roots| roots.into_iter().try_for_each(|node| self.open(node, ready)));
            self.note(opened);
        }
        self.fault.clone().map_or(Ok(()), Err)
    }

    fn task(&self, place: u32) -> Task {
        self.open[place as usize].task
    }

    fn awaited(&self, place: u32) -> bool {
        self.open[place as usize].awaited
    }

    fn started(&mut self, place: u32, ready: &mut impl FnMut(u32)) {
        let Open { node, frees_at_start, .. } = self.open[place as usize];
        if frees_at_start {
            let released = self.release(node, true, ready);
            self.note(released);
        }
    }

    fn finished(&mut self, place: u32, ready: &mut impl FnMut(u32)) {
        self.finished += 1;
        self.free.push(place);
        let Open { node, awaited, .. } = self.open[place as usize];
        if awaited {
            let released = self.release(node, false, ready);
            self.note(released);
        }
    }

    fn done(&self) -> bool {
        self.finished == self.pages.len()
    }

    fn deadlock(&self, _: Option<u32>) -> Arc<str> {
        Arc::from("the tasks that are left wait for each other")
    }
}
