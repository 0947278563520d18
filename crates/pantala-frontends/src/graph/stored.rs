//! A graph whose tasks are all in memory, as a reader makes it of one rank.

use super::task::Task;

/// Marks an edge along which the dependent may start when the task has started. Otherwise it may
/// start when the task has finished.
pub(super) const AT_START: u32 = 1 << 31;

/// Largest number of tasks of a rank.
pub const MAX_TASKS: usize = (AT_START - 1) as usize;

/// A dependency between two tasks of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The task that has to wait.
    pub dependent: u32,
    /// The task that it waits for.
    pub prerequisite: u32,
    /// Whether the start of the prerequisite is enough.
    pub at_start: bool,
}

/// The tasks of one rank and their dependencies, which name tasks by their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredGraph {
    tasks: Box<[Task]>,
    /// Where the dependents of each task end in `dependents`.
    ends: Box<[u32]>,
    dependents: Box<[u32]>,
    /// Number of prerequisites of each task.
    prerequisites: Box<[u32]>,
}

impl StoredGraph {
    /// The graph of these tasks and dependencies, which name tasks by their places.
    ///
    /// # Errors
    /// The tasks of a cycle, each waiting for the next one and the last one for the first.
    ///
    /// # Panics
    /// If a dependency names a task that does not exist.
    pub fn new(tasks: Vec<Task>, dependencies: &[Dependency]) -> Result<Self, Vec<u32>> {
        let mut ends = vec![0u32; tasks.len()];
        let mut prerequisites = vec![0u32; tasks.len()];
        for dependency in dependencies {
            ends[dependency.prerequisite as usize] += 1;
            prerequisites[dependency.dependent as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            // The start of the task's dependents; it moves to their end while they are filled in.
            sum += std::mem::replace(end, sum);
        }
        let mut dependents = vec![0u32; dependencies.len()];
        for &Dependency { dependent, prerequisite, at_start } in dependencies {
            let place = &mut ends[prerequisite as usize];
            dependents[*place as usize] = dependent | if at_start { AT_START } else { 0 };
            *place += 1;
        }
        let graph = Self {
            tasks: tasks.into(),
            ends: ends.into(),
            dependents: dependents.into(),
            prerequisites: prerequisites.into(),
        };
        graph.cycle(dependencies).map_or(Ok(graph), Err)
    }

    /// Number of tasks.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there are no tasks.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The tasks, in the order of the file.
    #[must_use]
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The edges to the dependents of a task.
    pub(super) fn dependents(&self, node: u32) -> &[u32] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.dependents[start as usize..self.ends[node as usize] as usize]
    }

    /// Number of prerequisites of a task.
    pub(super) const fn prerequisites(&self, node: u32) -> u32 {
        self.prerequisites[node as usize]
    }

    /// A cycle, if there is one.
    fn cycle(&self, dependencies: &[Dependency]) -> Option<Vec<u32>> {
        if self.forward() {
            return None;
        }
        let mut missing = self.prerequisites.to_vec();
        let mut free: Vec<u32> =
            (0..self.len() as u32).filter(|node| missing[*node as usize] == 0).collect();
        let mut ended = 0;
        while let Some(node) = free.pop() {
            ended += 1;
            for edge in self.dependents(node) {
                let dependent = edge & !AT_START;
                missing[dependent as usize] -= 1;
                if missing[dependent as usize] == 0 {
                    free.push(dependent);
                }
            }
        }
        if ended == self.len() {
            return None;
        }
        // Each task that is left waits for a task that is left.
        let mut waits_for = vec![u32::MAX; self.len()];
        for dependency in dependencies {
            if missing[dependency.prerequisite as usize] > 0 {
                waits_for[dependency.dependent as usize] = dependency.prerequisite;
            }
        }
        let mut node = (0..self.len()).find(|node| missing[*node] > 0)? as u32;
        for _ in 0..self.len() {
            node = waits_for[node as usize];
        }
        let first = node;
        let mut cycle = vec![first];
        loop {
            node = waits_for[node as usize];
            if node == first {
                return Some(cycle);
            }
            cycle.push(node);
        }
    }

    /// Whether every task waits only for earlier tasks.
    fn forward(&self) -> bool {
        (0..self.len() as u32)
            .all(|node| self.dependents(node).iter().all(|edge| edge & !AT_START > node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(count: usize, edges: &[(u32, u32, bool)]) -> Result<StoredGraph, Vec<u32>> {
        let edge =
            |&(dependent, prerequisite, at_start)| Dependency { dependent, prerequisite, at_start };
        let dependencies: Vec<Dependency> = edges.iter().map(edge).collect();
        StoredGraph::new(vec![Task::Nothing; count], &dependencies)
    }

    #[test]
    fn dependents_are_found() {
        let graph = graph(4, &[(1, 0, false), (3, 0, true), (3, 2, false), (2, 1, false)]).unwrap();
        assert_eq!(graph.dependents(0), [1, 3 | AT_START]);
        assert_eq!(
            [1, 2, 3].map(|node| graph.dependents(node).to_vec()),
            [vec![2], vec![3], vec![]]
        );
        assert_eq!(&*graph.prerequisites, [0, 1, 1, 2]);
    }

    #[test]
    fn cycles_are_found() {
        assert_eq!(graph(1, &[(0, 0, false)]), Err(vec![0]));
        let mut cycle =
            graph(5, &[(0, 4, false), (1, 3, true), (2, 1, false), (3, 2, false), (4, 1, false)])
                .unwrap_err();
        let first = cycle.iter().position(|node| *node == 1).unwrap();
        cycle.rotate_left(first);
        assert_eq!(cycle, [1, 3, 2]);
        assert!(graph(3, &[(0, 2, false), (2, 1, false)]).is_ok());
    }
}
