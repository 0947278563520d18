//! A graph that is read while it runs: in memory are the tasks that have been read and are not
//! finished.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

use super::executor::Graph;
use super::id_table::{IdMap, IdTable};
use super::read_ids::ReadIds;
use super::task::Task;

/// No node, or no edge.
const NONE: u32 = u32::MAX;

/// A task as it comes from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadTask {
    /// The task's id in the file.
    pub id: u64,
    /// What it does.
    pub task: Task,
    /// The ids of the tasks that must have finished before.
    pub prerequisites: Vec<u64>,
}

impl Default for ReadTask {
    fn default() -> Self {
        Self { id: 0, task: Task::Nothing, prerequisites: Vec::new() }
    }
}

/// The tasks of a file, in their order.
pub trait TaskReader: Debug {
    /// Reads the next task; false at the end of the file.
    ///
    /// # Errors
    /// What is wrong with the file, in words.
    fn read(&mut self, into: &mut ReadTask) -> Result<bool, Arc<str>>;

    /// The place of the graph in messages: the file and the rank.
    fn place(&self) -> String;
}

#[derive(Clone, Copy, Debug)]
struct Node {
    task: Task,
    id: u64,
    /// Number of prerequisites that have not finished.
    missing: u32,
    /// The first edge to a dependent.
    first: u32,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    dependent: u32,
    next: u32,
}

/// The window over the tasks of one rank.
#[derive(Clone, Debug)]
pub struct Window<R> {
    reader: R,
    /// Largest number of tasks in memory, unless nothing can happen without more.
    limit: usize,
    /// Ids that tasks wait for but that no task of the file has. They count as finished.
    absent: Arc<BTreeSet<u64>>,
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// The nodes in memory by id.
    ids: IdTable,
    read: ReadIds,
    edges: Vec<Edge>,
    free_edge: u32,
    /// The first edge of ids that tasks wait for and that have not been read.
    ahead: IdMap,
    next: ReadTask,
    ended: bool,
}

impl<R: TaskReader> Window<R> {
    /// A window over the tasks of `reader`, with at most `limit` tasks if that suffices. `ordered`
    /// says that the ids of the file increase. `absent` are the ids that a task waits for before
    /// they would have come, but that no task has.
    #[must_use]
    pub fn new(reader: R, limit: usize, ordered: bool, absent: Arc<BTreeSet<u64>>) -> Self {
        Self {
            reader,
            limit,
            absent,
            nodes: Vec::new(),
            free: Vec::new(),
            ids: IdTable::default(),
            read: ReadIds::new(ordered),
            edges: Vec::new(),
            free_edge: NONE,
            ahead: IdMap::default(),
            next: ReadTask::default(),
            ended: false,
        }
    }

    /// Adds the task that has been read.
    fn add(&mut self, ready: &mut impl FnMut(u32)) -> Result<(), Arc<str>> {
        let id = self.next.id;
        if !self.read.insert(id) {
            let place = self.reader.place();
            return Err(format!("{place}: two nodes have the id {id}").into());
        }
        let first = self.ahead.remove(&id).unwrap_or(NONE);
        let node = Node { task: self.next.task, id, missing: 0, first };
        let index = match self.free.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.ids.insert(id, index);
        let mut missing = 0;
        let prerequisites = std::mem::take(&mut self.next.prerequisites);
        for &prerequisite in &prerequisites {
            if let Some(before) = self.ids.get(prerequisite) {
                let next = self.nodes[before as usize].first;
                self.nodes[before as usize].first = self.edge(index, next);
            } else if self.read.contains(prerequisite) || self.absent.contains(&prerequisite) {
                continue;
            } else {
                let next = self.ahead.get(&prerequisite).copied().unwrap_or(NONE);
                let edge = self.edge(index, next);
                self.ahead.insert(prerequisite, edge);
            }
            missing += 1;
        }
        self.next.prerequisites = prerequisites;
        self.nodes[index as usize].missing = missing;
        if missing == 0 {
            ready(index);
        }
        Ok(())
    }

    fn edge(&mut self, dependent: u32, next: u32) -> u32 {
        let edge = Edge { dependent, next };
        if self.free_edge == NONE {
            self.edges.push(edge);
            return self.edges.len() as u32 - 1;
        }
        let index = self.free_edge;
        self.free_edge = std::mem::replace(&mut self.edges[index as usize], edge).next;
        index
    }
}

impl<R: TaskReader> Graph for Window<R> {
    fn feed(&mut self, stuck: bool, ready: &mut impl FnMut(u32)) -> Result<(), Arc<str>> {
        let mut found = false;
        while !self.ended && (self.ids.len() < self.limit || stuck && !found) {
            if self.reader.read(&mut self.next)? {
                self.add(&mut |node| {
                    found = true;
                    ready(node);
                })?;
            } else {
                self.ended = true;
            }
        }
        Ok(())
    }

    fn task(&self, node: u32) -> Task {
        self.nodes[node as usize].task
    }

    fn awaited(&self, node: u32) -> bool {
        !self.ended || self.nodes[node as usize].first != NONE
    }

    fn started(&mut self, _: u32, _: &mut impl FnMut(u32)) {}

    fn finished(&mut self, node: u32, ready: &mut impl FnMut(u32)) {
        let Node { id, first, .. } = self.nodes[node as usize];
        self.ids.remove(id);
        self.free.push(node);
        // The list holds the last edge first; the dependents get ready in the file's order.
        let (mut edge, mut reversed) = (first, NONE);
        while edge != NONE {
            let next = std::mem::replace(&mut self.edges[edge as usize].next, reversed);
            reversed = edge;
            edge = next;
        }
        while reversed != NONE {
            let Edge { dependent, next } = self.edges[reversed as usize];
            self.edges[reversed as usize].next = self.free_edge;
            self.free_edge = reversed;
            reversed = next;
            let missing = &mut self.nodes[dependent as usize].missing;
            *missing -= 1;
            if *missing == 0 {
                ready(dependent);
            }
        }
    }

    fn done(&self) -> bool {
        self.ended && self.ids.len() == 0
    }

    fn deadlock(&self, held: Option<u32>) -> Arc<str> {
        let place = self.reader.place();
        if let Some(held) = held {
            let Node { id, .. } = self.nodes[held as usize];
            return format!(
                "{place}: the collective of node {id} can start, but an earlier collective of its \
                 process group waits for it; collectives of a group start in the file's order"
            )
            .into();
        }
        // Every node that is left waits for a node that is left.
        let mut waits_for: HashMap<u32, u32> = HashMap::new();
        let mut lowest = NONE;
        for index in 0..self.nodes.len() as u32 {
            let Node { id, first, .. } = self.nodes[index as usize];
            if self.ids.get(id) != Some(index) {
                continue;
            }
            lowest = lowest.min(index);
            let mut edge = first;
            while edge != NONE {
                let Edge { dependent, next } = self.edges[edge as usize];
                waits_for.insert(dependent, index);
                edge = next;
            }
        }
        let mut node = lowest;
        for _ in 0..waits_for.len() {
            node = waits_for.get(&node).copied().unwrap_or(node);
        }
        let (first, mut cycle) = (node, Vec::new());
        loop {
            cycle.push(self.nodes[node as usize].id.to_string());
            node = waits_for.get(&node).copied().unwrap_or(first);
            if node == first || cycle.len() > 20 {
                break;
            }
        }
        cycle.push(self.nodes[node as usize].id.to_string());
        format!("{place}: nodes wait for each other: {}", cycle.join(" waits for ")).into()
    }
}
