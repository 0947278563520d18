//! The executor: the stream of operations of a rank whose program is a graph.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;
use std::sync::Arc;

use pantala_engine::Time;
use pantala_mpi::{CommunicatorId, Op, OperationStream, Outcome};

use super::processors::{Processors, Step};
use super::slots::Slots;
use super::task::Task;
use crate::trace::ComputeScale;

/// The graph of one rank, as far as it is known. Nodes have numbers.
pub trait Graph: Debug {
    /// Reads further nodes, if any are left and there is room for them, and reports those that are
    /// ready. `stuck` says that nothing can happen without further nodes.
    ///
    /// # Errors
    /// The reason for which the graph cannot be read.
    fn feed(&mut self, stuck: bool, ready: &mut impl FnMut(u32)) -> Result<(), Arc<str>>;

    /// The task of a node.
    fn task(&self, node: u32) -> Task;

    /// Whether something waits for the end of a node that starts: other nodes, or nodes that have
    /// not been read.
    fn awaited(&self, node: u32) -> bool;

    /// Notes that a node starts, and reports the nodes that get ready.
    fn started(&mut self, node: u32, ready: &mut impl FnMut(u32));

    /// Notes that a node has finished, and reports the nodes that get ready.
    fn finished(&mut self, node: u32, ready: &mut impl FnMut(u32));

    /// Whether all nodes have finished.
    fn done(&self) -> bool;

    /// What is left, in words, if nothing can happen any more. `held` is a collective that is ready
    /// but has to wait for an earlier one of its group.
    fn deadlock(&self, held: Option<u32>) -> Arc<str>;
}

/// The collectives of one group: which is next, and which are ready too early.
#[derive(Clone, Debug, Default)]
struct Sequence {
    next: u32,
    early: BTreeMap<u32, u32>,
}

/// The operation the executor waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    No,
    /// The node whose blocking operation runs.
    Node(u32),
    /// Any request.
    Requests,
    /// All requests.
    All,
}

/// The program of a rank whose program is a graph.
///
/// Tasks start in the order in which they get ready; tasks that are ready at one time start in the
/// order of the file. A task that is alone, as in a chain, is a blocking operation. Tasks that run
/// side by side are requests, and the rank waits for any of them.
#[derive(Clone, Debug)]
pub struct Executor<G> {
    graph: G,
    scale: ComputeScale,
    ready: VecDeque<Step>,
    slots: Slots,
    processors: Processors,
    sequences: BTreeMap<CommunicatorId, Sequence>,
    waiting: Waiting,
}

impl<G: Graph> Executor<G> {
    /// The program that executes `graph`.
    #[must_use]
    pub fn new(graph: G, scale: ComputeScale) -> Self {
        Self {
            graph,
            scale,
            ready: VecDeque::new(),
            slots: Slots::default(),
            processors: Processors::default(),
            sequences: BTreeMap::new(),
            waiting: Waiting::No,
        }
    }

    /// The graph.
    pub const fn graph(&self) -> &G {
        &self.graph
    }

    fn task(&self, node: u32) -> Task {
        match self.graph.task(node) {
            Task::Compute { time, processor } => {
                Task::Compute { time: self.scale.applied(time), processor }
            }
            task => task,
        }
    }

    /// Ends the task of a node: its request or its blocking operation is complete.
    fn complete(&mut self, node: u32) {
        let task = self.graph.task(node);
        let processor = task.processor();
        match task {
            Task::Compute { .. } => {
                let (graph, scale) = (&self.graph, self.scale);
                let occupies = |node| match graph.task(node) {
                    Task::Compute { time, .. } => scale.applied(time) > 0,
                    _ => false,
                };
                self.processors.release(processor, &mut self.ready, occupies);
            }
            Task::Receive { .. } if self.processors.busy(processor) => {
                self.processors.wait(processor, Step::Arrived(node));
                return;
            }
            _ => {}
        }
        self.finish(node);
    }

    fn finish(&mut self, node: u32) {
        let ready = &mut self.ready;
        self.graph.finished(node, &mut |node| ready.push_back(Step::Start(node)));
    }

    /// Starts a node, or queues it. Returns the operation that the start needs.
    fn start(&mut self, node: u32) -> Result<Option<Op>, Arc<str>> {
        let task = self.task(node);
        let processor = task.processor();
        if !matches!(task, Task::Receive { .. }) && self.processors.busy(processor) {
            self.processors.wait(processor, Step::Start(node));
            return Ok(None);
        }
        if let Task::Collective { communicator, number, .. } = task {
            if !self.is_next(node, communicator, number) {
                return Ok(None);
            }
        }
        let ready = &mut self.ready;
        self.graph.started(node, &mut |node| ready.push_back(Step::Start(node)));
        if matches!(task, Task::Nothing | Task::Compute { time: 0, .. }) {
            // The processor is free, so nothing waits for it.
            self.finish(node);
            return Ok(None);
        }
        if let Task::Compute { .. } = task {
            self.processors.occupy(processor);
        }
        if self.slots.running() == 0 && self.ready.is_empty() {
            self.feed(false)?;
            if self.ready.is_empty() {
                self.waiting = Waiting::Node(node);
                return Ok(task.operation(None));
            }
        }
        let awaited = matches!(task, Task::Compute { .. }) || self.graph.awaited(node);
        let request = self.slots.open(node, awaited);
        Ok(task.operation(Some(request)))
    }

    /// Whether a collective is the next one of its group. If so, the one after it is ready if it
    /// has been ready too early; if not, the collective is noted as too early.
    fn is_next(&mut self, node: u32, communicator: CommunicatorId, number: u32) -> bool {
        let sequence = self.sequences.entry(communicator).or_default();
        if number != sequence.next {
            sequence.early.insert(number, node);
            return false;
        }
        sequence.next += 1;
        if let Some(node) = sequence.early.remove(&sequence.next) {
            self.ready.push_front(Step::Start(node));
        }
        true
    }

    fn feed(&mut self, stuck: bool) -> Result<(), Arc<str>> {
        let ready = &mut self.ready;
        self.graph.feed(stuck, &mut |node| ready.push_back(Step::Start(node)))
    }

    fn advance(&mut self) -> Result<Option<Op>, Arc<str>> {
        loop {
            self.feed(false)?;
            while let Some(step) = self.ready.pop_front() {
                match step {
                    Step::Start(_) if self.slots.full() => {
                        self.ready.push_front(step);
                        return Ok(Some(self.wait()));
                    }
                    Step::Start(node) => {
                        if let Some(op) = self.start(node)? {
                            return Ok(Some(op));
                        }
                    }
                    Step::Arrived(node) => self.finish(node),
                }
            }
            self.feed(false)?;
            if !self.ready.is_empty() {
                continue;
            }
            if self.slots.running() > 0 {
                return Ok(Some(self.wait()));
            }
            if self.graph.done() {
                return Ok(None);
            }
            self.feed(true)?;
            if self.ready.is_empty() {
                let held = self.sequences.values().find_map(|s| s.early.values().next());
                return Err(self.graph.deadlock(held.copied()));
            }
        }
    }

    /// Waits for any running task, or at once for all if nothing waits for any of them.
    fn wait(&mut self) -> Op {
        if self.slots.awaited() == 0 && self.ready.is_empty() {
            self.waiting = Waiting::All;
            return Op::Waitall { first: 0, count: self.slots.end() };
        }
        self.waiting = Waiting::Requests;
        Op::Waitsome { first: 0, count: self.slots.end() }
    }
}

impl<G: Graph> OperationStream for Executor<G> {
    fn next(&mut self, _: Time, outcome: &Outcome) -> Option<Op> {
        match std::mem::replace(&mut self.waiting, Waiting::No) {
            Waiting::No => {}
            Waiting::Node(node) => self.complete(node),
            Waiting::All => {
                for request in (0..self.slots.end()).rev() {
                    if let Some(node) = self.slots.close(request) {
                        self.complete(node);
                    }
                }
            }
            Waiting::Requests => {
                if let Outcome::Completed(completions) = outcome {
                    for completion in completions {
                        if let Some(node) = self.slots.close(completion.request) {
                            self.complete(node);
                        }
                    }
                }
            }
        }
        self.advance().unwrap_or_else(|reason| Some(Op::Abort(reason)))
    }
}
